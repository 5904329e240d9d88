"""Join the terms that cancel each other into steps that people read; `compare.json` keeps them apart.

Where the peak moved, other temporaries are live there: both are one step. So are a shape and its padding,
what came from other memory spaces and what went there, and temporaries that others of about the same size replace.
"""

from collections.abc import Iterable, Mapping, Sequence

from reportgen.compare.compare_words import step_words
from reportgen.compare.terms import KINDS, Kind, Term, total
from reportgen.record import record

_JOINED: Mapping[Kind, Kind] = {
    "not live any more": "elsewhere",
    "live now": "elsewhere",
    "element type": "shape",
    "padding": "shape",
    "from another space": "to another space",
}
_JOINED_WORDS: Mapping[Kind, str] = {
    "elsewhere": "the peak moved",
    "gone": "other temporaries than before",
    "shape": "temporaries with another shape, type or padding",
    "to another space": "moved between memory spaces",
}
_CANCEL_PART = 5
"""New temporaries replace those that are gone if less than this part of either is left of both."""


@record
class JoinedStep:
    """Terms with one cause; `kind` is the one that names the step."""

    kind: Kind
    words: str
    change_bytes: int
    terms: Sequence[Term]


def step_kinds(terms: Sequence[Term]) -> Mapping[Kind, Kind]:
    """Return the kind that names the step of each kind of term."""
    return {term.kind: step.kind for step in steps_of(terms) for term in step.terms}


def steps_of(terms: Iterable[Term]) -> Sequence[JoinedStep]:
    """Return the steps in the order of `KINDS`; they add up to what the terms do."""
    found: dict[Kind, list[Term]] = {}
    for term in terms:
        found.setdefault(_JOINED.get(term.kind, term.kind), []).append(term)
    gone, new = total(found.get("gone", ())), total(found.get("new", ()))
    if new and abs(gone + new) * _CANCEL_PART < max(-gone, new):
        found["gone"] += found.pop("new")
    return [
        JoinedStep(kind=kind, words=_words(kind, found[kind]), change_bytes=total(found[kind]), terms=found[kind])
        for kind in KINDS
        if kind in found
    ]


def _words(kind: Kind, terms: Sequence[Term]) -> str:
    kinds = {term.kind for term in terms}
    return _JOINED_WORDS[kind] if len(kinds) > 1 else step_words(terms[0].kind, total(terms))
