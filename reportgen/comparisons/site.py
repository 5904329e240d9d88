"""Write the site of a comparison: its own pages, and both builds in `before/` and `after/`."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from reportgen.build import build
from reportgen.compare.builds import BuildComparison
from reportgen.compare.verdicts import Judgement
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.input.remote import AnyPath
from reportgen.options import BuildOptions, Redaction
from reportgen.output.manifest import COMMON
from reportgen.output.writer import SiteDirectory, write_pages
from reportgen.render.compare.pages import comparison_pages
from reportgen.render.compare.views import module_views, named_values
from reportgen.render.routes import COMPARISON, SIDES
from reportgen.work import Page, Part

_TITLE = "Memory, before and after"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteOptions:
    """Where the site of a comparison goes, and both paths that are compared."""

    output: Path
    before: AnyPath
    after: AnyPath
    full: bool = False
    redaction: Redaction | None = None
    force: bool = False
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES


def write_site(comparison: BuildComparison, judgement: Judgement | None, document: bytes, options: SiteOptions) -> int:
    """Write the site of a comparison with both builds in it, and return how many files it has.

    Raises OutputRefused if the directory holds files that no earlier comparison has made.
    """
    # A redacted comparison has no sites of its builds, because their pages show every name.
    has_sites = comparison.explains and options.redaction is None
    views = module_views(comparison.modules)
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        pages = comparison_pages(_TITLE, comparison, judgement, views, has_sites=has_sites)
        written = write_pages(options.output, chain(pages, [Page(COMPARISON, document)]))
        part = Part("", written.paths, written.size_bytes, written.digest)
        directory.finish({COMMON: part})
    files = len(written.paths)
    for side, path in enumerate((options.before, options.after)) if has_sites else ():
        report = build(
            BuildOptions(
                paths=(path,),
                output=options.output / SIDES[side],
                title=f"{_TITLE}: {SIDES[side].rstrip('/')}",
                force=options.force,
                # 0 leaves the values of a peak and those that the comparison links to.
                value_pages=None if options.full else 0,
                named_values=named_values(views, side),
                max_dump_bytes=options.max_dump_bytes,
            ),
            lambda *_: None,
        )
        files += report.totals.files
    return files
