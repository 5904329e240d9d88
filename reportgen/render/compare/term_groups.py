"""The terms of a step as rows of a table: groups of similar values, then values."""

from collections.abc import Sequence

from reportgen.compare.compare_words import reason_words
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison
from reportgen.compare.graph import shape_parts
from reportgen.compare.module_pairing import Pair
from reportgen.compare.reasons import step_reason, value_at_peak
from reportgen.compare.terms import JoinedStep, Kind, Term, step_words, total
from reportgen.record import record
from reportgen.render.routes import SIDES, ModuleRoutes, module_slug

Routes = tuple[ModuleRoutes, ModuleRoutes]
"""The paths of a module's pages on both sides."""


def routes_of(figures: Pair, comparison: DumpComparison) -> Routes:
    """Return the paths of the pages of both sides of a comparison."""
    before, after = figures
    # Only a module of both builds has a comparison.
    assert before is not None
    assert after is not None
    return (
        ModuleRoutes(module_slug(before.path, before.name), comparison.before.dump),
        ModuleRoutes(module_slug(after.path, after.name), comparison.after.dump),
    )


@record
class Link:
    """A value or an allocation of one side; `href` leads to it from the root of both sites.

    `reason` is why it and its partner were taken for the same value, empty for one without a partner.
    """

    text: str
    href: str
    reason: str


@record
class TermGroup:
    """Terms of one kind about one part of the program, in one shape; `step` names their step.

    `before` and `after` are the values of the largest term.
    """

    words: str
    kind: Kind
    step: Kind
    change_bytes: int
    subject: str
    line: str
    shape: str
    count: int
    before: Link | None
    after: Link | None

    @property
    def is_one_sided(self) -> bool:
        """Return whether the column of the other side says all of what happened: that it is gone, or new."""
        return self.kind in {"gone", "new"}


def groups(comparison: DumpComparison, space: SpaceComparison, step: JoinedStep, routes: Routes) -> Sequence[TermGroup]:
    """Return the groups of a step, the largest first; that the peak moved is one, with both instructions."""
    if step.has_moved:
        before, after = (
            _link_to(comparison, routes, side, value_at_peak(comparison, space, side), "") for side in (0, 1)
        )
        return [
            TermGroup(
                words=step_reason(comparison, space, step).words,
                kind=step.kind,
                step=step.kind,
                change_bytes=step.change_bytes,
                subject="",
                line="",
                shape="",
                count=1,
                before=before,
                after=after,
            )
        ]
    by_key: dict[tuple[Kind, str, str, str], list[Term]] = {}
    for term in step.terms:
        by_key.setdefault((term.kind, *_description(comparison, term)), []).append(term)
    term_groups = [
        TermGroup(
            words=step_words(kind, total(terms)),
            kind=kind,
            step=step.kind,
            change_bytes=total(terms),
            subject=subject,
            line=line,
            shape=shape,
            count=len(terms),
            before=_link(comparison, routes, 0, terms[0]),
            after=_link(comparison, routes, 1, terms[0]),
        )
        for (kind, subject, line, shape), terms in by_key.items()
    ]
    return sorted(term_groups, key=size_order)


def size_order(group: TermGroup) -> tuple[int, str, str]:
    """Return the key that sorts groups by size, the largest first."""
    return -abs(group.change_bytes), group.subject, group.shape


def _description(comparison: DumpComparison, term: Term) -> tuple[str, str, str]:
    """Return (part of the program, source line, shape) of what a term is about."""
    subject = comparison.subject(term)
    if subject is None:
        return "", "", ""
    graph, value = subject
    shape = shape_parts(graph.analysis.dump.values.shapes[value])[0]
    return comparison.subject_name(term), comparison.subject_line(term), shape


def _link(comparison: DumpComparison, routes: Routes, side: int, term: Term) -> Link | None:
    """Return the value of one side that a term is about, or its allocation where it is about no value."""
    value, allocation = (term.after, term.after_allocation) if side else (term.before, term.before_allocation)
    if value is None and allocation is not None:
        name = f"allocation {comparison.graphs[side].analysis.dump.allocations[allocation].index}"
        return Link(text=name, href=SIDES[side] + routes[side].allocation(allocation), reason="")
    return _link_to(comparison, routes, side, value, _reason(comparison, term))


def _link_to(comparison: DumpComparison, routes: Routes, side: int, value: int | None, reason: str) -> Link | None:
    if value is None:
        return None
    name = comparison.graphs[side].analysis.dump.values.keys[value].removesuffix("{}")
    return Link(text=name, href=SIDES[side] + routes[side].value(value), reason=reason)


def _reason(comparison: DumpComparison, term: Term) -> str:
    """Return why both values of a term were taken for the same; empty for a term about one of them alone."""
    match = comparison.matching.before[term.before] if term.before is not None else None
    # A term may be about one side alone although its value has a partner.
    return f"{match.grade}: {reason_words(match)}" if match and match.value == term.after else ""
