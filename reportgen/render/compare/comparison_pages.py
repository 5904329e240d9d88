"""The pages of a comparison: an overview of all modules, and a page for each module that changed."""

from collections.abc import Iterator

from reportgen.compare.builds import STATUSES, BuildComparison, ModuleComparison
from reportgen.compare.compare_words import fit_words, headline, input_words, matched_words
from reportgen.compare.reasons import argument_words, causes, reasons, recomputation
from reportgen.compare.verdicts import Judgement
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.compare.comparison_views import MOST_ROLLUP_ROWS, ModuleView, module_views, page_of
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.site_pages import fixed_pages
from reportgen.reports.formats import signed_bytes, signed_count, signed_percent
from reportgen.work import Page

WORDS = {
    "arguments": argument_words,
    "causes": causes,
    "fit": fit_words,
    "headline": headline,
    "input": input_words,
    "matched": matched_words,
    "reasons": reasons,
    "recomputation": recomputation,
    "signed": signed_bytes,
    "signed_count": signed_count,
    "signed_percent": signed_percent,
}
"""The functions that templates may call."""


@record
class OverviewRow:
    """A module on the overview, with the peaks of its main memory space; None on a side that lacks the module."""

    module: ModuleComparison
    href: str | None
    change_bytes: int | None
    before_bytes: int | None
    after_bytes: int | None


def comparison_pages(
    title: str,
    comparison: BuildComparison,
    judgement: Judgement,
    *,
    has_sites: bool,
) -> Iterator[Page]:
    """Yield every page but those of `before/` and `after/`, to which pages link if `has_sites`."""
    yield from fixed_pages(title)
    rows = [_overview_row(module, has_sites=has_sites) for module in comparison.modules]
    searched = [(row.module.module, row.after_bytes or 0, row.href) for row in rows if row.href]
    columns = module_columns(
        (module.name, module.path, module.backend, size, href, 1) for module, size, href in searched
    )
    yield shard("modules", columns)
    overview = render(
        "pages/compare_overview.html",
        routes.OVERVIEW,
        site_title=title,
        words=WORDS,
        comparison=comparison,
        judgement=judgement,
        heading=_heading(comparison),
        rows={status: [row for row in rows if row.module.status == status] for status in STATUSES},
        has_sites=has_sites,
    )
    yield Page(routes.OVERVIEW, overview)
    for view in module_views(comparison.modules):
        yield Page(view.path, _module_page(title, comparison, view, judgement, has_sites=has_sites))


def _heading(comparison: BuildComparison) -> str:
    """Return what the builds are called."""
    labels = comparison.before.label, comparison.after.label
    return "Before and after" if labels == ("before", "after") else " → ".join(labels)


def _overview_row(module: ModuleComparison, *, has_sites: bool) -> OverviewRow:
    """Return the row of a module; one without a comparison leads to its page in a build that has it."""
    color = module.main_color
    peaks = module.peaks.get(color) if color is not None else None
    before, after = module.figures
    href = page_of(module)
    if href is None and has_sites:
        side = routes.SIDES[0 if after is None else 1]
        href = side + routes.module_view(module.module.path, module.module.name)
    return OverviewRow(
        module=module,
        href=href,
        change_bytes=peaks[1] - peaks[0] if peaks and before and after else None,
        before_bytes=peaks[0] if peaks and before else None,
        after_bytes=peaks[1] if peaks and after else None,
    )


def _module_page(
    title: str, comparison: BuildComparison, view: ModuleView, judgement: Judgement, *, has_sites: bool
) -> bytes:
    """Return the page of a module that has changed, with the verdicts on it."""
    name = view.module.module.name
    return render(
        "pages/compare.html",
        view.path,
        site_title=title,
        module=view.module,
        words=WORDS,
        before_label=comparison.before.label,
        after_label=comparison.after.label,
        view=view,
        verdicts=[verdict for verdict in judgement.reported if verdict.module == name],
        has_sites=has_sites,
        most_rows=MOST_ROLLUP_ROWS,
    )
