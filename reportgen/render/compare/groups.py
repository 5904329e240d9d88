"""The terms of a space as rows of a table: step, then group of like values, then values."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reportgen.compare.comparison import Comparison
from reportgen.compare.graph import shape_parts
from reportgen.compare.terms import KINDS, Kind, Term
from reportgen.render.compare.words import STEPS, reason_words, term_subject, value_name

MOST_VALUES = 20
"""How many values of a group are listed; compare.json has all."""

_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Link:
    """A value or an allocation of one side, and its page."""

    text: str
    href: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One term of a group: its bytes, both sides, and why they were taken for the same value."""

    change_bytes: int
    before: Link | None
    after: Link | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Terms of one step whose values differ only in the numbers of their names."""

    kind: Kind
    step: str
    change_bytes: int
    subject: str
    shape: str
    opcode: str
    count: int
    members: tuple[Member, ...]
    left_out: int
    id: str


LinkOf = Callable[[int, int | None, int | None], Link | None]
"""Side (0 before, 1 after), value, allocation → where it is shown."""


def groups(comparison: Comparison, terms: Sequence[Term], link: LinkOf, id_prefix: str) -> tuple[Group, ...]:
    """Return the groups in the order of the steps, the largest of a step first; `id` is that of the step."""
    found: dict[tuple[Kind, str, str, str], list[Term]] = {}
    for term in terms:
        found.setdefault((term.kind, *_alike(comparison, term)), []).append(term)
    made = [
        Group(
            kind=kind,
            step=STEPS[kind],
            change_bytes=sum(term.change_bytes for term in members),
            subject=subject,
            shape=shape,
            opcode=opcode,
            count=len(members),
            members=tuple(_member(comparison, term, link) for term in members[:MOST_VALUES]),
            left_out=max(0, len(members) - MOST_VALUES),
            id=f"{id_prefix}-{kind.replace(' ', '-')}",
        )
        for (kind, subject, shape, opcode), members in found.items()
    ]
    order = {kind: number for number, kind in enumerate(KINDS)}
    return tuple(sorted(made, key=lambda group: (order[group.kind], -abs(group.change_bytes), group.subject)))


def _alike(comparison: Comparison, term: Term) -> tuple[str, str, str]:
    """Return (name with its numbers starred, shape, opcode) of what a term is about."""
    side, value = (1, term.after) if term.after is not None else (0, term.before)
    if value is None:
        return "", "", ""
    graph = comparison.graphs[side]
    shape = shape_parts(graph.analysis.dump.values.shapes[value])[0]
    return _NUMBERS.sub("*", term_subject(comparison.graphs, term)), shape, graph.operation(value).opcode


def _member(comparison: Comparison, term: Term, link: LinkOf) -> Member:
    match = comparison.matching.before[term.before] if term.before is not None else None
    is_pair = match is not None and match.value == term.after
    return Member(
        change_bytes=term.change_bytes,
        before=link(0, term.before, term.before_allocation),
        after=link(1, term.after, term.after_allocation),
        reason=f"{match.grade}: {reason_words(match)}" if match and is_pair else "",
    )


def link_text(comparison: Comparison, side: int, value: int | None, allocation: int | None) -> str:
    """Return the name of a value, or `allocation 12` where a term is about no value."""
    if value is not None:
        return value_name(comparison.graphs[side], value).removesuffix("{}")
    return f"allocation {comparison.graphs[side].analysis.dump.allocations[allocation or 0].index}"
