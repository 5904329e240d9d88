"""Report on what a JAX function compiles, without leaving Python.

JAX is imported only here and is no dependency: without it, users get a sentence. XLA reads its flags once, when the
backend starts, but options given to one compilation work at any time, and that is how `report` asks for its dump. A
function that is compiled already has XLA's plan in memory, and is not compiled again.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any
from weakref import finalize

from reportgen.analyse.devices import read_capacity
from reportgen.build import build
from reportgen.errors import MissingPackage
from reportgen.options import SITES, BuildOptions
from reportgen.programs.compiled import compiled_plan
from reportgen.programs.dumps import keep_error, keep_plan, kept_folder
from reportgen.programs.memory_report import MemoryReport

_OUT_OF_MEMORY = "RESOURCE_EXHAUSTED"


def report(
    function: Callable[..., Any],
    /,
    *args: Any,
    output: Path | str | None = None,
    capacity: str | None = None,
    show_source: bool = True,
    **kwargs: Any,
) -> MemoryReport:
    """Compile `function` for these arguments and build the report of the memory that it needs. Nothing is run.

    `function` may be jitted already. It may also be what `jax.jit(f).lower(…)` returns, or what `compile()` of that
    returns, without further arguments; nothing is compiled for the latter. Arguments may be `jax.ShapeDtypeStruct`s,
    also for devices that are not here. The site is written to `output`, by default `xla-memory/NAME`. A program that
    the compiler refuses because it needs too much memory has a report too; every other error of JAX is raised as it is.
    `capacity` is that of the device, such as `16GiB` or `v5e`; by default it is that of the device that the dump names.
    The site has the functions that allocate memory from your files below the current directory, with the bytes of each
    line; with `show_source=False` it has no code.

    Raises MissingPackage without JAX, UnreadableInput for a compiled function whose runtime keeps its plan to itself,
    OutputRefused if `output` holds files of other origin, and ValueError for a capacity that cannot be read.
    """
    if capacity:
        read_capacity(capacity)  # before anything is compiled
    is_compiled, is_lowered = hasattr(function, "runtime_executable"), hasattr(function, "compiler_ir")
    if (args or kwargs) and (is_compiled or is_lowered):
        raise TypeError("a function that is lowered or compiled has its arguments already: reportgen.report(compiled)")
    options = BuildOptions(
        paths=(),
        capacities=(capacity,) if capacity else (),
        source_root=Path.cwd() if show_source else None,
        own_functions=show_source,
    )
    if is_compiled:
        plan = compiled_plan(function)
        with TemporaryDirectory(prefix="reportgen-") as folder:
            keep_plan(Path(folder), plan)
            return _built(Path(folder), _named(options, plan.name, output), None)
    if is_lowered:
        return _compiled_again(function, _named(options, "lowered", output))
    jax = _imported_jax()
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    # Without brackets, because a lambda is called `<lambda>`, and Windows allows no such folder.
    name = getattr(function, "__name__", type(function).__name__).strip("<>")
    return _compiled_again(jitted.lower(*args, **kwargs), _named(options, name, output))


def _named(options: BuildOptions, name: str, output: Path | str | None) -> BuildOptions:
    """Return the options of the site of a function."""
    return replace(options, title=name, output=Path(output) if output else SITES / name)


def _compiled_again(lowered: Any, options: BuildOptions) -> MemoryReport:
    """Compile a lowered function with a dump, and build its report."""
    with TemporaryDirectory(prefix="reportgen-") as folder:
        dumps, error = Path(folder), None
        flags = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}
        try:
            lowered.compile(compiler_options=flags)
        except Exception as raised:
            if _OUT_OF_MEMORY not in str(raised) or not any(dumps.iterdir()):
                raise
            error = str(raised)
            keep_error(dumps, error)
        return _built(dumps, options, error)


def _imported_jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise MissingPackage(
            "reportgen compiles functions with JAX, and this Python cannot import it"
            f" ({error}). Install JAX here, or run a program elsewhere with: reportgen run -- COMMAND"
        ) from None
    return jax


def _built(dumps: Path, options: BuildOptions, error: str | None) -> MemoryReport:
    """Build the site in this process alone, because JAX has started threads in it, so it must not be forked."""
    built = build(replace(options, paths=(dumps,)), lambda *_: None)
    kept = kept_folder(dumps)
    report = MemoryReport(
        page=options.output / "index.html",
        modules=built.summaries,
        error=error,
        dumps=kept,
        capacities=options.capacities,
    )
    finalize(report, rmtree, kept, ignore_errors=True)
    return report
