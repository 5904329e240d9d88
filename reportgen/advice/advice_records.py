"""Define the records of advice.

A suggestion has two forms: `Suggestion`, as it is computed, and `SuggestionFigures`, as documents have it. They answer
to the same names, so that the words of one are those of the other.
"""

from typing import Annotated, Literal

from reportgen.advice.kinds import Kind
from reportgen.advice.memory import PeakAfter
from reportgen.document import Bytes, Count, Pattern, SignedBytes, SignedCount, document
from reportgen.record import record

KindSlug = Annotated[str, Pattern("a kind of suggestion", "[a-z-]{1,40}")]
"""The slug of a kind of suggestion in a document, where it is open, because kinds are added."""

Confidence = Literal["exact", "up to", "predicted", "estimate", "range", "at least", "unknown"]
"""How sure a number is, which decides how it is worded.

*exact*: arithmetic on this dump, if nothing else changes, which recompiled programs have confirmed: only that a result
is not returned. *up to*: the peak of this schedule without some bytes; a program without them is scheduled anew.
*predicted*: compared with recompiled programs, and equal to 0.1 % of the peak in the median. *estimate*: compared, and
off by some percent. *range*: the saving is usually between two numbers. *at least*: the real saving was never smaller.
*unknown*: only the bytes that the change is about are known.
"""

State = Literal["donated", "can", "conflict", "surplus", "no result"]
"""Whether an argument is donated, can be, could be but is still read when its result is written, is one more of its
shape than there are results, or has no result like it."""

Verdict = Literal["fits", "slack", "donation", "combined", "close", "possible", "impossible", "arguments"]
"""Whether a program fits: as it is; if it were packed without slack; after donation; after the combined suggestions;
perhaps after one of them, whose error straddles the capacity; perhaps, by other suggestions; never, with these shapes
and instructions; never, because the arguments alone are too large."""


@document()
class ConflictOf:
    """An argument that is still read when its result is written."""

    argument: str
    """The path of the argument."""
    result: str
    """The result, as NAME{INDEX}."""
    read_at: Count
    """The moment at which the argument is read last, a position in the schedule."""
    read_by: str
    """The instruction that reads it."""
    born_at: Count
    """The moment at which the result is first written, a position in the schedule."""


@record
class Suggestion:
    """A change to a program, and what the peak would be.

    `involved_bytes` is what the change is about, `saving_bytes` what the peak of the program loses, which is less; with
    the suggestions `after` which it comes, what all of them save. For a range that is the least: `outcome` is the peak
    then, and `most` that after the most. `above_peak_bytes` are needed on top of any peak: what is needed now and not
    resident at the peak. `after` are the kinds of suggestions that are applied before.
    `next_largest` says in words what is held most of at the peak then. `buffers` has a value of each buffer that it is
    about. `added_flops` is the matrix work that it adds at most. `code` can be pasted into a JAX program, and
    `code_lines` are the source lines that it changes, as `FILE:LINE`.
    """

    kind: Kind
    confidence: Confidence
    what: str
    involved_bytes: int
    saving_bytes: int
    outcome: PeakAfter
    above_peak_bytes: int
    most: PeakAfter | None = None
    next_largest: str = ""
    argument_names: tuple[str, ...] = ()
    buffers: tuple[int, ...] = ()
    scratch_bytes: int = 0
    conflicts: tuple[ConflictOf, ...] = ()
    conflict_bytes: int = 0
    after: tuple[Kind, ...] = ()
    added_flops: int | None = None
    reason: str = ""
    caveat: str = ""
    code: str = ""
    code_lines: tuple[str, ...] = ()

    @property
    def is_computed(self) -> bool:
        """Return whether the saving is known."""
        return self.confidence != "unknown"

    @property
    def peak_bytes(self) -> int:
        """Return the peak after the least that it saves."""
        return self.outcome.peak_bytes

    @property
    def saving_high_bytes(self) -> int | None:
        """Return the most that a range saves; None for what is no range."""
        return None if self.most is None else self.saving_bytes + self.peak_bytes - self.least_peak_bytes

    @property
    def least_peak_bytes(self) -> int:
        """Return the peak after the most that a range saves."""
        return min(self.outcome.peak_bytes, (self.most or self.outcome).peak_bytes)

    @property
    def needed_bytes(self) -> int:
        """Return what the program needs after the least that it saves."""
        return self.peak_bytes + self.above_peak_bytes


@document()
class CombinedFigures:
    """A change to the program together with those before it, and the peak that they lead to."""

    kind: KindSlug
    """The kind of suggestion, which has a section in help/glossary.html. New kinds keep the schema number."""
    confidence: Confidence
    """How sure the peak is."""
    what: str
    """The change in a few words."""
    after: tuple[KindSlug, ...]
    """The kinds of the suggestions that come before it; empty for one on its own."""
    peak_bytes: Bytes
    """The peak after it and all before it, in bytes; for a range, after the least that it saves. Where the saving is
    unknown, the peak as it is now."""
    peak_low_bytes: Bytes | None
    """The peak after the most that a range saves, in bytes; null for any other confidence."""
    needed_bytes: Bytes
    """What is needed then, in bytes: peak_bytes and the slack that there is now."""
    next_moment: Count
    """The moment of that peak, a position in the schedule."""
    next_largest: str | None
    """What takes most of that peak, in words; null where that is not known."""
    added_flops: SignedCount | None = None
    """The FLOPs of matrix products that it and all before it add to one run, at most; negative for a smaller batch, and
    null where they are not known."""

    @property
    def is_computed(self) -> bool:
        """Whether the saving is known."""
        return self.confidence != "unknown"

    @property
    def least_peak_bytes(self) -> int:
        """The peak after the most that a range saves, in bytes; peak_bytes for any other confidence."""
        return self.peak_bytes if self.peak_low_bytes is None else self.peak_low_bytes


@document()
class SuggestionFigures(CombinedFigures):
    """A change to the program, and the peak that it leads to."""

    argument_names: tuple[str, ...]
    """The arguments to donate, as donate_argnames takes them; empty for other kinds."""
    values: tuple[str, ...]
    """A value of each buffer that it is about, as NAME{INDEX}; at most 500 of them."""
    value_count: Count
    """How many buffers it is about."""
    lines: tuple[str, ...]
    """The source lines that write what it is about or, of arguments, read it first; empty if none is known."""
    involved_bytes: Bytes
    """The bytes that it is about, which is no saving."""
    saving_bytes: SignedBytes | None
    """What the peak loses, in bytes; the least of a range. Negative if the peak grows; null if unknown."""
    saving_high_bytes: SignedBytes | None
    """The most of a range, in bytes; null for any other confidence."""
    scratch_bytes: Bytes
    """Bytes of other values that used the memory of the results, and need another place."""
    conflict_bytes: Bytes
    """Bytes of results that cannot take an argument's place, because it is still read when they are written."""
    conflicts: tuple[ConflictOf, ...]
    """These arguments."""
    reason: str | None
    """Why it saves less than it is about; null if there is nothing to say."""
    caveat: str
    """What to know before doing it."""
    code: str | None
    """What to write in JAX; null if that cannot be said."""
    code_lines: tuple[str, ...] = ()
    """The source lines that the code changes, as FILE:LINE; empty if they are not known. Absent in documents of earlier
    versions."""


@document()
class Breakdown:
    """The levels from what a program needs down to its arguments."""

    needed_bytes: Bytes
    """What the program needs, in bytes."""
    peak_bytes: Bytes
    """The resident peak, in bytes."""
    donated_bytes: Bytes
    """The resident peak after donation, in bytes."""
    floor_bytes: Bytes
    """What no order, recomputation, offloading or donation goes below, in bytes."""
    floor_moment: Count
    """The moment of the floor, a position in the schedule."""
    arguments_bytes: Bytes
    """The arguments, in bytes."""


@document()
class LeavesInState:
    """The leaves of one argument that are in one state."""

    name: str
    """The name of the argument."""
    size_bytes: Bytes
    """Their size, in bytes."""
    leaves: Count
    """How many leaves there are."""
    state: State
    """The state of these leaves."""
    near_miss_bytes: Bytes
    """Bytes of results of equal size but another type or shape."""


@record
class ArgumentGroup(LeavesInState):
    """The same with the largest conflict; None where there is none."""

    conflict: ConflictOf | None


@record
class Returned:
    """A result: value `number`, at `leaf` of what the program returns.

    `argument` is the path of the one whose place it could take, empty where there is none. `scratch_bytes` are the
    sizes of other values that use its memory before it is written.
    """

    number: int
    leaf: tuple[int, ...]
    shape: str
    size_bytes: int
    scratch_bytes: int
    argument: str
    conflict: ConflictOf | None


@record
class CapacityAdvice:
    """Whether a program fits into some bytes, and the batch and the devices with which it does.

    `fits_factor` is the part of the batch that fits, and `batch_length` the batch on each device, 0 if unknown.
    `combined_to_fit` is how many of the combined ones it takes to fit, 0 where they are not enough.
    `devices` are the fewest on which what the caller holds fits, each array divided evenly; None if nothing says it.
    """

    size_bytes: int
    verdict: Verdict
    excess_bytes: int
    combined_to_fit: int
    fits_factor: float | None
    batch_length: int
    devices: int | None
