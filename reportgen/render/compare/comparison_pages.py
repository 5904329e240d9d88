"""The pages of a comparison: an overview of all modules, and a page for each module that changed."""

from collections.abc import Iterator, Mapping, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.compare.builds import BuildComparison
from reportgen.compare.compare_words import fit_words, headline, input_words, matched_words, unknown_words
from reportgen.compare.reasons import other_facts, why
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.render import routes
from reportgen.render.compare.comparison_overview import ComparisonOverview
from reportgen.render.compare.comparison_views import OPEN_GROUPS, ModuleView, module_views, page_of, predicted_words
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import module_columns, shard
from reportgen.render.site.site_pages import fixed_pages
from reportgen.reports.formats import signed_percent
from reportgen.work import Page

WORDS = {
    "facts": other_facts,
    "fit": fit_words,
    "headline": headline,
    "input": input_words,
    "matched": matched_words,
    "signed_percent": signed_percent,
    "unknown": unknown_words,
}
"""The functions that templates may call."""


def comparison_pages(
    title: str, comparison: BuildComparison, judgement: Judgement, *, has_sites: bool
) -> Iterator[Page]:
    """Yield every page but those of `before/` and `after/`, to which pages link if `has_sites`."""
    yield from fixed_pages(title)
    shown = ComparisonOverview(comparison, has_sites=has_sites)
    columns = module_columns(
        (row.module.module.name, row.module.module.path, row.module.module.backend, row.after_bytes or 0, row.href, 1)
        for row in (*shown.shown, *shown.smaller, *shown.unchanged)
        if row.href
    )
    yield shard("modules", columns)
    overview = render(
        "pages/compare_overview.html",
        routes.OVERVIEW,
        comparison=comparison,
        judgement=judgement,
        reported=_not_in_rows(judgement, shown),
        shown=shown,
        only=_only_page(comparison, judgement),
        site_title=title,
        words=WORDS,
        has_sites=has_sites,
    )
    yield Page(routes.OVERVIEW, overview)
    yield from module_pages(title, comparison, judgement, shown.apart, has_sites=has_sites)


def module_pages(
    title: str,
    comparison: BuildComparison,
    judgement: Judgement,
    apart: Mapping[str, str],
    *,
    has_sites: bool,
) -> Iterator[Page]:
    """Yield the page of each module that changed; `apart` is by path what tells it from others of its name."""
    for view in module_views(comparison.modules):
        known = why(view.module)
        page = render(
            "pages/compare.html",
            view.path,
            module=view.module,
            why=known,
            predicted=predicted_words(view, known) if has_sites else "",
            apart=apart.get(view.module.module.path, ""),
            before_label=comparison.before.label,
            after_label=comparison.after.label,
            view=view,
            verdicts=_not_in_bars(judgement, view),
            open_groups=OPEN_GROUPS,
            site_title=title,
            words=WORDS,
            has_sites=has_sites,
        )
        yield Page(view.path, page)


def _not_in_rows(judgement: Judgement, shown: ComparisonOverview) -> Sequence[Verdict]:
    """Return the verdicts that are reported, without those that the row of a module says by its pill."""
    paths = {row.module.module.path for row in shown.shown if row.is_over}
    return [
        verdict
        for verdict in judgement.reported
        if not (verdict.sentence and verdict.path in paths and verdict.color in (None, MAIN_SPACE))
    ]


def _only_page(comparison: BuildComparison, judgement: Judgement) -> str:
    """Return the page on which a comparison of one module opens; empty where its overview has more to say."""
    if len(comparison.modules) != 1 or any(not verdict.module for verdict in judgement.reported):
        return ""
    return page_of(comparison.modules[0]) or ""


def _not_in_bars(judgement: Judgement, view: ModuleView) -> Sequence[Verdict]:
    """Return the verdicts on a module, without those that a pill beside a bar of its main memory space says."""
    module, said = view.module.module, (None, view.main.color) if view.main else ()
    return [
        verdict
        for verdict in judgement.reported
        if verdict.module == module.name
        and verdict.path in ("", module.path)
        and not (verdict.sentence and verdict.color in said)
    ]
