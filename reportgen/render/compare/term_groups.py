"""The terms of a step as rows of a table: groups of similar values, then values."""

from collections.abc import Sequence

from reportgen.compare.compare_words import reason_words
from reportgen.compare.dump_comparison import DumpComparison
from reportgen.compare.graph import shape_parts
from reportgen.compare.module_pairing import Pair
from reportgen.compare.terms import JoinedStep, Kind, Term, step_words, total
from reportgen.record import record
from reportgen.render.routes import SIDES, ModuleRoutes, module_slug

MOST_VALUES = 20
"""How many values of a group are listed; compare.json has all."""

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


@record(kw_only=False)
class Link:
    """A value or an allocation of one side; `href` leads to it from the root of both sites."""

    text: str
    href: str


@record
class Member:
    """One term of a group: its bytes, both sides, and why they were taken for the same value."""

    change_bytes: int
    before: Link | None
    after: Link | None
    reason: str


@record
class TermGroup:
    """Terms of one kind whose values differ only in the numbers of their names; `step` names their step."""

    words: str
    step: Kind
    change_bytes: int
    subject: str
    shape: str
    opcode: str
    count: int
    members: tuple[Member, ...]
    left_out: int


def groups(comparison: DumpComparison, step: JoinedStep, routes: Routes) -> Sequence[TermGroup]:
    """Return the groups of a step, the largest first."""
    by_key: dict[tuple[Kind, str, str, str], list[Term]] = {}
    for term in step.terms:
        by_key.setdefault((term.kind, *_description(comparison, term)), []).append(term)
    term_groups = [
        TermGroup(
            words=step_words(kind, change := total(terms)),
            step=step.kind,
            change_bytes=change,
            subject=subject,
            shape=shape,
            opcode=opcode,
            count=len(terms),
            members=tuple(_member(comparison, term, routes) for term in terms[:MOST_VALUES]),
            left_out=max(0, len(terms) - MOST_VALUES),
        )
        for (kind, subject, shape, opcode), terms in by_key.items()
    ]
    return sorted(term_groups, key=lambda group: (-abs(group.change_bytes), group.subject))


def _description(comparison: DumpComparison, term: Term) -> tuple[str, str, str]:
    """Return (name with its numbers starred, shape, opcode) of what a term is about."""
    subject = comparison.subject(term)
    if subject is None:
        return "", "", ""
    graph, value = subject
    shape = shape_parts(graph.analysis.dump.values.shapes[value])[0]
    return comparison.subject_name(term), shape, graph.operation(value).opcode


def _member(comparison: DumpComparison, term: Term, routes: Routes) -> Member:
    """Return a term with links to both sides and, if it is about both, why they are the same value."""
    match = comparison.matching.before[term.before] if term.before is not None else None
    # A term may be about one side alone although its value has a partner.
    is_pair = match is not None and match.value == term.after
    return Member(
        change_bytes=term.change_bytes,
        before=_link(comparison, routes, 0, term.before, term.before_allocation),
        after=_link(comparison, routes, 1, term.after, term.after_allocation),
        reason=f"{match.grade}: {reason_words(match)}" if match and is_pair else "",
    )


def _link(
    comparison: DumpComparison, routes: Routes, side: int, value: int | None, allocation: int | None
) -> Link | None:
    """Return the link to a value, or to an allocation where a term is about no value."""
    dump = comparison.graphs[side].analysis.dump
    if value is not None:
        name = dump.values.keys[value].removesuffix("{}")
        return Link(name, SIDES[side] + routes[side].value(value))
    if allocation is not None:
        name = f"allocation {dump.allocations[allocation].index}"
        return Link(name, SIDES[side] + routes[side].allocation(allocation))
    return None
