"""Make summaries of modules without any dump, for overviews of any size."""

from collections.abc import Sequence
from pathlib import Path

from reportgen.output.writer import write_pages
from reportgen.render.routes import module_view
from reportgen.render.site.site_pages import site_pages
from reportgen.reports.json_lines import json_line
from reportgen.reports.summary import Summary
from reportgen.work import Front


def made_up(
    number: int,
    *,
    title: str = "jit_step",
    backend: str = "cpu",
    needed: int | None = None,
    content: str | None = None,
) -> Summary:
    """Return module `number`; it needs `1000 - number` bytes unless said otherwise."""
    size = 1000 - number if needed is None else needed
    return Summary(
        label=f"run/module_{number:04d}.{title}.txt",
        title=title,
        backend=backend,
        space_name="0 · memory",
        peak_resident_bytes=size,
        needed_bytes=size,
        finding_counts=(),
        argument_bytes=size // 4,
        output_bytes=0,
        findings=(),
        content_digest=content or str(number),
        report=json_line({"path": f"run/module_{number:04d}.{title}.txt"}),
    )


def index_of(module: Summary) -> str:
    """Return the path of a module's first page."""
    return module_view(module.label, module.title)


def write_overview(directory: Path, summaries: Sequence[Summary]) -> Path:
    """Return the site of these modules without the pages of the modules themselves."""
    write_pages(directory, site_pages("Memory", summaries, Front()))
    return directory
