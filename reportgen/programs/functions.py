"""Report on what a JAX function compiles, without leaving Python.

JAX is imported only here and is no dependency: without it, users get a sentence. XLA reads its flags once, when the
backend starts, but options given to one compilation work at any time, and that is how `report` asks for its dump. A
function that is compiled already has XLA's plan in memory, and is not compiled again.
"""

from collections.abc import Callable
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
    **kwargs: Any,
) -> MemoryReport:
    """Compile `function` for these arguments and build the report of the memory that it needs. Nothing is run.

    `function` may be jitted already. It may also be what `jax.jit(f).lower(…)` returns, or what `compile()` of that
    returns, without further arguments; nothing is compiled for the latter. Arguments may be `jax.ShapeDtypeStruct`s,
    also for devices that are not here. The site is written to `output`, by default `xla-memory/NAME`. A program that
    the compiler refuses because it needs too much memory has a report too; every other error of JAX is raised as it is.
    `capacity` is that of the device, such as `16GiB` or `v5e`; by default it is that of the device that the dump names.

    Raises MissingPackage without JAX, UnreadableInput for a compiled function whose runtime keeps its plan to itself,
    OutputRefused if `output` holds files of other origin, and ValueError for a capacity that cannot be read.
    """
    if capacity:
        read_capacity(capacity)  # before anything is compiled
    is_compiled, is_lowered = hasattr(function, "runtime_executable"), hasattr(function, "compiler_ir")
    if (args or kwargs) and (is_compiled or is_lowered):
        raise TypeError("a function that is lowered or compiled has its arguments already: reportgen.report(compiled)")
    if is_compiled:
        plan = compiled_plan(function)
        with TemporaryDirectory(prefix="reportgen-") as folder:
            keep_plan(Path(folder), plan)
            return _built(Path(folder), Path(output) if output else SITES / plan.name, plan.name, None, capacity)
    if is_lowered:
        return _compiled_again(function, SITES / "lowered" if output is None else Path(output), "lowered", capacity)
    jax = _imported_jax()
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    # Without brackets, because a lambda is called `<lambda>`, and Windows allows no such folder.
    name = getattr(function, "__name__", type(function).__name__).strip("<>")
    site = Path(output) if output else SITES / name
    return _compiled_again(jitted.lower(*args, **kwargs), site, name, capacity)


def _compiled_again(lowered: Any, output: Path, name: str, capacity: str | None) -> MemoryReport:
    """Compile a lowered function with a dump, and build its report."""
    with TemporaryDirectory(prefix="reportgen-") as folder:
        dumps, error = Path(folder), None
        options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}
        try:
            lowered.compile(compiler_options=options)
        except Exception as raised:
            if _OUT_OF_MEMORY not in str(raised) or not any(dumps.iterdir()):
                raise
            error = str(raised)
            keep_error(dumps, error)
        return _built(dumps, output, name, error, capacity)


def _imported_jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise MissingPackage(
            "reportgen compiles functions with JAX, and this Python cannot import it"
            f" ({error}). Install JAX here, or run a program elsewhere with: reportgen run -- COMMAND"
        ) from None
    return jax


def _built(dumps: Path, output: Path, title: str, error: str | None, capacity: str | None = None) -> MemoryReport:
    """Build the site in this process alone, because JAX has started threads in it, so it must not be forked."""
    capacities = (capacity,) if capacity else ()
    options = BuildOptions(paths=(dumps,), output=output, title=title, capacities=capacities)
    built = build(options, lambda *_: None)
    kept = kept_folder(dumps)
    report = MemoryReport(
        page=output / "index.html", modules=built.summaries, error=error, dumps=kept, capacities=capacities
    )
    finalize(report, rmtree, kept, ignore_errors=True)
    return report
