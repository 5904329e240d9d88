"""The terms of a difference between two peaks: what happened to some bytes, how many, and what people read of it.

A kind of term has one row in `_ROWS`. Steps join the terms that cancel each other for people; `compare.json` keeps them
apart. Where the peak moved, other temporaries are live there: both are one step. So are a shape and its padding, what
came from other memory spaces and what went there, and temporaries that others of about the same size replace.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from reportgen.record import record
from reportgen.reports.formats import counted

Kind = Literal[
    "elsewhere",
    "argument new",
    "argument gone",
    "argument resized",
    "result new",
    "result gone",
    "result resized",
    "result donated",
    "result not donated",
    "result was temporary",
    "result is temporary",
    "constant new",
    "constant gone",
    "constant resized",
    "gone",
    "new",
    "replaced",
    "shape",
    "element type",
    "padding",
    "sharing",
    "not live any more",
    "live now",
    "held or temporary",
    "to another space",
    "from another space",
]
"""The step of the difference. docs/compare.md has the meanings."""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order of a page: the place first, then arguments, outputs and constants, then temporaries."""


class _Row(NamedTuple):
    """What is known of a kind: the words of its step, what happened to how many buffers, and the step that it joins.

    `noun` and `phrase` make `2 arguments are new`, with `phrase_of_one` where that differs in more than the verb; empty
    for a kind that has no number of buffers. `joined` are the words of a step that has other kinds as well.
    """

    words: str
    noun: str = ""
    phrase: str = ""
    phrase_of_one: str = ""
    joins: Kind | None = None
    joined: str = ""


_ROWS: Mapping[Kind, _Row] = {
    "elsewhere": _Row("the peak moved", joined="the peak moved"),
    "argument new": _Row("arguments: new", "argument", "new"),
    "argument gone": _Row("arguments: gone", "argument", "gone"),
    "argument resized": _Row("arguments: resized", "argument", "resized"),
    "result new": _Row("outputs: new", "output", "new"),
    "result gone": _Row("outputs: gone", "output", "gone"),
    "result resized": _Row("outputs: resized", "output", "resized"),
    "result donated": _Row("outputs: in donated arguments now", "output", "in the memory of donated arguments now"),
    "result not donated": _Row(
        "outputs: no longer in donated arguments", "output", "no longer in the memory of donated arguments"
    ),
    "result was temporary": _Row("outputs: temporaries before", "output", "no longer among the temporaries"),
    "result is temporary": _Row("outputs: temporaries now", "output", "among the temporaries now"),
    "constant new": _Row("constants: new", "constant", "new"),
    "constant gone": _Row("constants: gone", "constant", "gone"),
    "constant resized": _Row("constants: resized", "constant", "resized"),
    "gone": _Row("temporaries that are gone", "temporary buffer", "gone", joined="other temporaries than before"),
    "new": _Row("new temporaries", "temporary buffer", "new"),
    "replaced": _Row("other temporaries in the same place", "temporary buffer", "in the place of others"),
    "shape": _Row(
        "temporaries with another shape",
        "temporary buffer",
        "of another shape, type or padding",
        joined="temporaries with another shape, type or padding",
    ),
    "element type": _Row("temporaries with another element type", joins="shape"),
    "padding": _Row("padding of temporaries", joins="shape"),
    "sharing": _Row("bytes shared with other values", "temporary buffer", "sharing bytes with others"),
    "not live any more": _Row(
        "no longer live at this place",
        "temporary buffer",
        "no longer live at the peak",
        joins="elsewhere",
        joined="other temporaries are live at the peak",
    ),
    "live now": _Row(
        "live at this place now, not before", "temporary buffer", "now live at the peak", joins="elsewhere"
    ),
    "held or temporary": _Row(
        "temporaries now, arguments or outputs before",
        "buffer",
        "temporaries now, arguments or outputs before",
        "a temporary now, an argument or output before",
        joined="temporaries in one build, arguments or outputs in the other",
    ),
    "to another space": _Row("in another memory space now", joined="moved between memory spaces"),
    "from another space": _Row("from another memory space", joins="to another space"),
}
_STATIC_NOW = _Row(
    "arguments or outputs now, temporaries before",
    "buffer",
    "arguments or outputs now",
    "an argument or output now",
)
"""The row of "held or temporary" if its change is negative, because the bytes are counted with the arguments now."""

_CANCEL_PART = 5
"""Two kinds of terms are one step if less than this part of either is left of both."""

_STATIC: Sequence[Kind] = [kind for kind in KINDS if kind.startswith(("argument", "result", "constant"))]
"""What happens to arguments, outputs and constants."""


@record
class Term:
    """Bytes of the difference under one kind.

    `before` and `after` are values, `before_allocation` and `after_allocation` allocations of a side; those that a
    term is not about are None.
    """

    kind: Kind
    change_bytes: int
    before: int | None = None
    after: int | None = None
    before_allocation: int | None = None
    after_allocation: int | None = None


@record
class JoinedStep:
    """Terms with one cause; `kind` is the one that names the step."""

    kind: Kind
    change_bytes: int
    terms: Sequence[Term]

    @property
    def words(self) -> str:
        """Return what to call the step, `temporaries that are gone`."""
        first = self.terms[0].kind
        if not self._is_joined:
            return step_words(first, self.change_bytes)
        return _ROWS[first].joined or _ROWS[self.kind].joined

    @property
    def sentence(self) -> str:
        """Return what happened to how many buffers, `35 temporary buffers are gone`, or what to call the step."""
        row = _row(self.kind if self._is_joined else self.terms[0].kind, self.change_bytes)
        row = row if row.noun else _row(self.kind, self.change_bytes)
        if not row.noun or (self.kind in {"gone", "held or temporary"} and self._is_joined):
            return self.words
        number = len(self.terms)
        phrase = f"is {row.phrase_of_one or row.phrase}" if number == 1 else f"are {row.phrase}"
        return f"{counted(number, row.noun)} {phrase}"

    @property
    def has_moved(self) -> bool:
        """Return whether the step is that the peak moved, and not only what is live at one place."""
        return self.terms[0].kind == "elsewhere"

    @property
    def is_of_temporaries(self) -> bool:
        """Return whether the step is about no argument, output or constant."""
        return self.kind not in _STATIC

    @property
    def _is_joined(self) -> bool:
        return any(term.kind != self.terms[0].kind for term in self.terms)


def step_words(kind: Kind, change_bytes: int) -> str:
    """Return what to call a step of terms of one kind that changes the peak by so many bytes."""
    return _row(kind, change_bytes).words


def _row(kind: Kind, change_bytes: int) -> _Row:
    return _STATIC_NOW if kind == "held or temporary" and change_bytes < 0 else _ROWS[kind]


def steps_of(terms: Iterable[Term]) -> Sequence[JoinedStep]:
    """Return the steps in the order of `KINDS`; they add up to what the terms do."""
    by_step: dict[Kind, list[Term]] = {}
    for term in terms:
        by_step.setdefault(_ROWS[term.kind].joins or term.kind, []).append(term)
    # New temporaries replace those that are gone, and what was a temporary is counted as an output.
    for kind, *others in (("gone", "new"), ("held or temporary", *_STATIC)):
        for other in others:
            if kind in by_step and other in by_step and cancel(total(by_step[kind]), total(by_step[other])):
                by_step[kind] += by_step.pop(other)
    return [
        JoinedStep(kind=kind, change_bytes=total(by_step[kind]), terms=by_step[kind])
        for kind in KINDS
        if kind in by_step
    ]


def cancel(one: int, other: int) -> bool:
    """Return whether little is left of two changes together."""
    return one * other < 0 and abs(one + other) * _CANCEL_PART < max(abs(one), abs(other))


def by_kind(terms: Iterable[Term]) -> Mapping[Kind, Sequence[Term]]:
    """Return the terms of each kind that occurs, in the order of `KINDS`."""
    of_kind: defaultdict[Kind, list[Term]] = defaultdict(list)
    for term in terms:
        of_kind[term.kind].append(term)
    return {kind: of_kind[kind] for kind in KINDS if kind in of_kind}


def total(terms: Iterable[Term]) -> int:
    """Return the bytes that terms add to the peak."""
    return sum(term.change_bytes for term in terms)
