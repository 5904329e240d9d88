"""Report on what a JAX function compiles, without leaving Python.

JAX is imported only here and is no dependency: without it, users get a sentence. XLA reads its flags once, when the
backend starts, but options given to one compilation work at any time, and that is how `report` asks for its dump.
"""

import os
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reportgen.build import build
from reportgen.errors import MissingPackage
from reportgen.options import BuildOptions
from reportgen.programs.dumps import keep_error
from reportgen.reports.formats import exact_bytes, human_bytes
from reportgen.reports.summary import Summary, needed_bytes

_OUT_OF_MEMORY = "RESOURCE_EXHAUSTED"
_SITES = Path("xla-memory")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryReport:
    """A site that was built: its first page, and a summary of each module, biggest first.

    `error` is XLA's text if the compiler refused the program for want of memory.
    """

    page: Path
    modules: tuple[Summary, ...]
    error: str | None = None

    def open(self) -> None:
        """Show the site in a browser."""
        webbrowser.open(self.page.resolve().as_uri())

    def __str__(self) -> str:
        lines = [f"{entry.title}: {_needs(entry)[0]} in {entry.space_name}" for entry in self.modules]
        return "\n".join([*filter(None, [self.error]), *lines, str(self.page)])

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the figures, and a link to the site."""
        cells = ((escape(entry.title), escape(entry.space_name), *_needs(entry)) for entry in self.modules)
        rows = "".join(
            f'<tr><td>{title}</td><td>{space}</td><td title="{exact}">{rounded}</td></tr>'
            for title, space, rounded, exact in cells
        )
        error = f"<p><strong>The compiler refused this program.</strong></p><pre>{escape(self.error or '')}</pre>"
        link = escape(os.path.relpath(self.page).replace(os.sep, "/"))
        return (
            f"{error if self.error else ''}<table><thead><tr><th>Module</th><th>Memory space</th><th>Needs</th></tr>"
            f'</thead><tbody>{rows}</tbody></table><p><a href="{link}" target="_blank">Open the memory report</a>'
            f" <code>{link}</code></p>"
        )


def report(
    function: Callable[..., Any], /, *args: Any, output: Path | str | None = None, **kwargs: Any
) -> MemoryReport:
    """Compile `function` for these arguments and build the report of the memory that it needs. Nothing is run.

    `function` may be jitted already. Arguments may be `jax.ShapeDtypeStruct`s, also for devices that are not here. The
    site is written to `output`, by default `xla-memory/NAME`. A program that the compiler refuses because it needs too
    much memory has a report too; every other error of JAX is raised as it is.

    Raises MissingPackage without JAX, and OutputRefused if `output` holds files of other origin.
    """
    jax = _imported_jax()
    jitted = function if hasattr(function, "lower") else jax.jit(function)
    # Without brackets, because a lambda is called `<lambda>`, and Windows allows no such folder.
    name = getattr(function, "__name__", type(function).__name__).strip("<>")
    with TemporaryDirectory(prefix="reportgen-") as folder:
        dumps = Path(folder)
        options = {"xla_dump_to": folder, "xla_dump_hlo_as_text": True}
        lowered, error = jitted.lower(*args, **kwargs), None
        try:
            lowered.compile(compiler_options=options)
        except Exception as raised:
            if _OUT_OF_MEMORY not in str(raised) or not any(dumps.iterdir()):
                raise
            error = str(raised)
            keep_error(dumps, error)
        return _built(dumps, Path(output) if output else _SITES / name, name, error)


def _imported_jax() -> Any:
    try:
        import jax
    except ImportError as error:
        raise MissingPackage(
            "reportgen compiles functions with JAX, and this Python cannot import it"
            f" ({error}). Install JAX here, or run a program elsewhere with: reportgen run -- COMMAND"
        ) from None
    return jax


def _built(dumps: Path, output: Path, title: str, error: str | None) -> MemoryReport:
    """Build the site in this process alone, because JAX has started threads in it, so it must not be forked."""
    built = build(BuildOptions(paths=(dumps,), output=output, title=title), lambda *_: None)
    return MemoryReport(page=output / "index.html", modules=built.summaries, error=error)


def _needs(entry: Summary) -> tuple[str, str]:
    """Return the bytes of the peak, or of the allocations where no peak is known, rounded and exact."""
    return human_bytes(needed_bytes(entry)), exact_bytes(needed_bytes(entry))
