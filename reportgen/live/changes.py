"""Say what a build changed in a module, as `reportgen compare` says it: in lines of the terminal, and on its page."""

from collections.abc import Sequence

from reportgen.compare.builds import BuildComparison, ModuleComparison, Source, compare_modules
from reportgen.compare.compare_words import OVERALL_WORDS, headline, with_fit
from reportgen.compare.figures import figures_of_side
from reportgen.compare.module_pairing import Side, pair_of
from reportgen.compare.reasons import causes
from reportgen.compare.verdicts import judge
from reportgen.record import record
from reportgen.render.compare.comparison_pages import module_pages
from reportgen.reports.formats import human_bytes
from reportgen.reports.report_document import GateModule
from reportgen.work import Page


@record
class BuildChange:
    """What a build changed: a line, those below it in the terminal, and the page of the comparison, if there is one."""

    headline: str
    lines: Sequence[str] = ()
    page: Page | None = None


def of_first(figures: GateModule, peak_bytes: int | None) -> BuildChange:
    """Return what is said of a module's first build; `peak_bytes` is the peak resident of its main space."""
    words = "no live ranges" if peak_bytes is None else f"peak resident {human_bytes(peak_bytes)}"
    return _change(ModuleComparison(figures=(None, figures)), f"new, {words}")


def of_next(title: str, labels: tuple[str, str], before: Side | GateModule, after: Side) -> BuildChange:
    """Return what a build changed. Without the analysis of the one before, only the figures are compared."""
    if isinstance(before, GateModule):
        module = ModuleComparison(figures=(before, figures_of_side(after)))
    else:
        module = compare_modules(pair_of(before, after))
    return _change(module, with_fit(headline(module), module), title, labels)


def _change(module: ModuleComparison, words: str, title: str = "", labels: tuple[str, str] = ("", "")) -> BuildChange:
    judgement = judge(None, [module.figures], has_baseline=True)
    before, after = map(Source, labels)
    comparison = BuildComparison(before=before, after=after, modules=(module,))
    overall = OVERALL_WORDS.get(judgement.overall) if judgement.overall else None
    return BuildChange(
        headline=f"{words} — {overall}" if overall else words,
        lines=[*causes(module), *(verdict.line for verdict in judgement.reported)],
        page=next(module_pages(title, comparison, judgement, {}, has_sites=False), None),
    )
