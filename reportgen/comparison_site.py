"""Write the site of a comparison, with both builds in it, and the trend of a history into a site."""

from dataclasses import replace
from itertools import chain
from pathlib import Path

from reportgen.build import build
from reportgen.compare.budgets import Budgets
from reportgen.compare.builds import BuildComparison
from reportgen.compare.history import History
from reportgen.compare.verdicts import Judgement
from reportgen.options import BuildOptions, ComparisonOptions
from reportgen.output.writer import COMMON, TREND, SiteDirectory, write_pages
from reportgen.render.compare.comparison_pages import comparison_pages
from reportgen.render.routes import COMPARISON, HISTORY, SIDES
from reportgen.render.site.file_names import own_parts
from reportgen.render.trend.trend_pages import front_pages, trend_pages
from reportgen.work import Page

_COMPARISON_TITLE = "Memory, before and after"


def build_comparison(
    comparison: BuildComparison, judgement: Judgement, document: bytes, options: ComparisonOptions
) -> int:
    """Write the site of a comparison with both builds in it, and return how many files it has.

    Raises OutputRefused if the directory holds files that no earlier comparison has made.
    """
    # A redacted comparison has no sites of its builds, because their pages show every name.
    has_sites = comparison.explains and options.redaction is None
    with SiteDirectory.opened(options.output, force=options.force) as directory:
        named = _named(comparison, options) if has_sites else comparison
        pages = comparison_pages(_COMPARISON_TITLE, named, judgement, has_sites=has_sites)
        written = write_pages(options.output, chain(pages, [Page(COMPARISON, document)]))
        directory.finish({COMMON: written.part()})
    files = len(written.paths)
    for side, path in enumerate((options.before, options.after)) if has_sites else ():
        result = build(
            BuildOptions(
                paths=(path,),
                output=options.output / SIDES[side],
                title=f"{_COMPARISON_TITLE}: {SIDES[side].rstrip('/')}",
                force=options.force,
                max_dump_bytes=options.max_dump_bytes,
                capacities=options.capacities,
            ),
            lambda *_: None,
        )
        files += result.totals.files
    return files


def _named(comparison: BuildComparison, options: ComparisonOptions) -> BuildComparison:
    """Return the comparison with builds without a label called what tells their paths apart."""
    sides = comparison.before, comparison.after
    own = own_parts([str(path) for path in (options.before, options.after)])
    before, after = (
        replace(side, label=name.rpartition("/")[2] or side.label) if side.label == default else side
        for side, name, default in zip(sides, own, ("before", "after"), strict=True)
    )
    return replace(comparison, before=before, after=after)


def write_trend(directory: SiteDirectory, output: Path, title: str, history: History, budgets: Budgets | None) -> None:
    """Write the trend of a history into an open site, with an overview if it has none.

    The history itself is no page of the site, because a build removes pages that it does not make.
    """
    pages = [*trend_pages(title, history, budgets)]
    if COMMON not in directory.parts:
        pages += front_pages(title, history, budgets)
    written = write_pages(output, pages)
    directory.finish({**directory.parts, TREND: written.part()})


def history_in(site: Path) -> Path:
    """Return the file of a site that keeps the history of its trend."""
    return site / HISTORY
