"""Write a comparison as Markdown for the summary of a job and for a comment.

Names come from other people's programs, so everything that Markdown or HTML would interpret is escaped.
"""

from collections.abc import Sequence

from reportgen.compare.builds import STATUSES, BuildComparison, ModuleComparison
from reportgen.compare.compare_words import (
    OVERALL_WORDS,
    fit_words,
    headline,
    input_words,
    matched_words,
    unknown_words,
)
from reportgen.compare.dump_comparison import DumpComparison
from reportgen.compare.reasons import causes
from reportgen.compare.terms import Term
from reportgen.compare.verdicts import Judgement
from reportgen.reports.formats import capacity_bytes, capital, change_words, distinct_bytes, signed_bytes, signed_count
from reportgen.reports.markdown_text import code, escaped

MOST_CHARACTERS = 60_000
"""A comment on GitHub may have 65,536."""

_MOST_MODULES, _MOST_NAMES, _MOST_SUBJECTS = 20, 10, 3


def markdown(comparison: BuildComparison, judgement: Judgement, link: str | None = None) -> str:
    """Return the whole comparison: changed modules in full, the others counted."""
    changed = [module for module in comparison.modules if module.status == "changed"]
    parts = [_title(comparison, changed, judgement)]
    parts += [_module(module, judgement) for module in changed[:_MOST_MODULES]]
    if len(changed) > _MOST_MODULES:
        parts.append(f"{len(changed) - _MOST_MODULES:,} more modules changed.")
    lines = [
        f"- **{verdict.status}**: {escaped(verdict.words, 500)}"
        + (f" ({escaped(verdict.place)})" if verdict.place else "")
        for verdict in judgement.reported
    ]
    parts.append("\n".join(lines[:_MOST_MODULES]))
    if len(lines) > _MOST_MODULES:
        parts.append(f"{len(lines) - _MOST_MODULES:,} more verdicts.")
    parts.append(_last_line(comparison, link))
    text = "\n\n".join(part for part in parts if part) + "\n"
    return text if len(text) <= MOST_CHARACTERS else _shortened(parts)


def _shortened(parts: Sequence[str]) -> str:
    """Return whole parts up to the limit, with the first and the last in any case."""
    # 200 for the sentence that says what is missing, and the lines between the parts.
    kept, size = [parts[0]], len(parts[0]) + len(parts[-1]) + 200
    for part in parts[1:-1]:
        if size + len(part) < MOST_CHARACTERS:
            kept.append(part)
            size += len(part) + 2
    return "\n\n".join([*kept, "_The rest is left out because a comment may not be longer._", parts[-1]]) + "\n"


def _title(comparison: BuildComparison, changed: Sequence[ModuleComparison], judgement: Judgement) -> str:
    """Return the heading: what changed, most of all where, and the verdict unless it is a pass."""
    words = OVERALL_WORDS.get(judgement.overall or "pass") or ("growth accepted" if judgement.accepts else "")
    verdict = f" — {words}" if words else ""
    if comparison.before.is_missing:
        return f"### Memory: there is no baseline{verdict}"
    if all(module.status in ("new", "missing") for module in comparison.modules):
        return f"### Memory: no module is in both builds{verdict}"
    if not changed:
        unknown = next(filter(None, map(unknown_words, comparison.modules)), "")
        words = f"no known figure changed; {unknown}" if unknown else "no module changed"
        return f"### Memory: {words}{verdict}"
    if len(changed) > 1:
        largest = max(changed, key=lambda module: abs(module.change_bytes))
        words = f"{len(changed):,} modules changed, mainly {code(largest.module.name)}: {headline(largest)}"
        return f"### Memory: {words}{verdict}"
    return f"### Memory of {code(changed[0].module.name)}: {headline(changed[0])}{verdict}"


def _module(module: ModuleComparison, judgement: Judgement) -> str:
    """Return a module that changed: its spaces, the steps of its main one, folded, and what differs in its input."""
    parts = [f"**{code(module.module.name)}**: {_in_short(module)}", _spaces(module, judgement)]
    compared = module.main_space
    if module.comparison and compared and compared.terms:
        rows = ["| step | bytes | what |", "| --- | ---: | --- |"]
        rows.append(f"| **peak before** | **{compared.before_bytes or 0:,}** | |")
        rows += [
            f"| {step.words} | {signed_count(step.change_bytes)} | {_subjects(module.comparison, step.terms)} |"
            for step in compared.steps
        ]
        steps = "\n".join([*rows, f"| **peak after** | **{compared.after_bytes or 0:,}** | |"])
        parts.append(f"<details><summary>{escaped(compared.name)}, step by step</summary>\n\n{steps}\n\n</details>")
    inputs = f"{escaped(words, 400)}." if (words := input_words(module)) else ""
    parts.append(" ".join(filter(None, (inputs, matched_words(module)))))
    return "\n\n".join(part for part in parts if part)


def _in_short(module: ModuleComparison) -> str:
    """Return how much changed, whether the module fits now, and why."""
    fits, _ = fit_words(module)
    words = "; ".join(part for part in (headline(module), fits) if part)
    return ". ".join([words, *(escaped(capital(why), 400) for why in causes(module))]) + "."


def _spaces(module: ModuleComparison, judgement: Judgement) -> str:
    rows = ["| space | peak before | peak after | change | budget |", "| --- | ---: | ---: | ---: | --- |"]
    names = {color: space.name for side in module.figures if side for color, space in side.spaces.items()}
    for color, (before, after) in module.peaks.items():
        if before or after:
            change = "" if before == after else change_words(before, after)
            sizes = " | ".join(distinct_bytes(before, after))
            rows.append(f"| {escaped(names[color])} | {sizes} | {change} | {_limit(module, color, judgement)} |")
    return "\n".join(rows)


def _limit(module: ModuleComparison, color: int, judgement: Judgement) -> str:
    """Return the limit that a module is nearest to in a space, in bold if it is broken; empty without a budget."""
    limits = [
        verdict
        for verdict in judgement.verdicts
        if verdict.module == module.module.name and verdict.color == color and verdict.limit_bytes is not None
    ]
    if not limits:
        return ""
    # A budget that is broken comes before a tighter one that is kept.
    tightest = min(limits, key=lambda verdict: (verdict.level != "fail", verdict.limit_bytes or 0))
    words = capacity_bytes(tightest.limit_bytes or 0)
    return f"**{words}**" if tightest.level == "fail" else words


def _subjects(comparison: DumpComparison, terms: Sequence[Term]) -> str:
    """Return the largest groups of a step; names that differ only in numbers are one group."""
    groups = comparison.groups(terms)
    words = [
        f"{len(group.terms):,} × {code(group.name)} {signed_bytes(group.change_bytes)}"
        for group in groups[:_MOST_SUBJECTS]
    ]
    if len(groups) > _MOST_SUBJECTS:
        words.append("…")
    return "; ".join(words)


def _last_line(comparison: BuildComparison, link: str | None) -> str:
    """Return how many modules did not change, which are new or missing, and what they were compared with."""
    if comparison.before.is_missing:
        return f"{len(comparison.modules):,} modules, not compared."
    by_status = {status: [module for module in comparison.modules if module.status == status] for status in STATUSES}
    words = [f"{len(by_status['same']):,} modules unchanged"]
    words += [_named(by_status["new"], "new"), _named(by_status["missing"], "missing")]
    parts = [", ".join(words) + ".", f"Base {code(comparison.before.label)}."]
    if not comparison.explains:
        parts.append("One side is a report, so differences are not explained.")
    if link:
        parts.append(f"[Whole comparison]({link.replace('(', '%28').replace(')', '%29')})")
    return " ".join(parts)


def _named(modules: Sequence[ModuleComparison], word: str) -> str:
    if not modules:
        return f"none {word}"
    names = ", ".join(code(module.module.name) for module in modules[:_MOST_NAMES])
    more = ", …" if len(modules) > _MOST_NAMES else ""
    return f"{len(modules):,} {word} ({names}{more})"
