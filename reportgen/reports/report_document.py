"""The document `report.json`: what a build knows of its modules.

Its JSON Schema and the tables in docs/report-json.md follow from this. Records that an analysis fills as they are
written are at home where it is; those here are what the document adds. The gate reads the base of a record:
`GateModule` of `ModuleFigures`, and `GateSpace` of `SpaceFigures`.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Literal

from reportgen.advice.advice_records import (
    Breakdown,
    CombinedFigures,
    LeavesInState,
    SuggestionFigures,
    Verdict,
)
from reportgen.analyse.attributed import Attributed
from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.contested import Certainty
from reportgen.analyse.devices import MAIN_SPACE, Origin
from reportgen.analyse.divided import ArgumentOfDevice
from reportgen.analyse.findings import OF_SIZES
from reportgen.analyse.fit import Refusal
from reportgen.analyse.matmul_work import UNKNOWN, Work, WorkFigures
from reportgen.analyse.phases import Phase
from reportgen.analyse.records import XlaSum
from reportgen.analyse.results import Finding, Severity
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.analyse.spaces import main_space
from reportgen.document import Bytes, Count, Number, Pattern, Positive, SignedBytes, document
from reportgen.input.dump_text import TextOrigin
from reportgen.input.names import Backend
from reportgen.oom import forms
from reportgen.oom.printed_size import SizeRange
from reportgen.record import copied
from reportgen.reports.peak_table import PeakBuffers, PeakPart

SCHEMA: Literal[2] = 2
"""The number that `report.json` states; docs/schemas.md says what raises it."""
AdviceSchema = Literal[8]
ADVICE_SCHEMA: AdviceSchema = 8
"""The number of the advice, which is its own, so that a change to it leaves earlier reports usable as baselines."""
OF_ALLOCATIONS = frozenset({"needed", "allocated"})
"""Figures that follow from the sizes of the allocations alone, so that no other error makes them wrong."""
Slug = Annotated[str, Pattern("a kind of finding", "[a-z0-9-]{1,80}")]
SpaceNumber = Annotated[int, Number("the number of a memory space", 0)]


@document()
class BatchFigures:
    """What the size of the batch changes."""

    fits_factor: float | None
    """The size of the largest batch that fits the capacity, as a multiple of this one; null without a capacity, if no
    batch fits, or if every batch does."""
    half_bytes: Bytes
    """The resident peak with half the batch, in bytes."""


@document()
class GroupFigures:
    """Values with one operation and one shape."""

    op: str
    """The name of the operation, with numbers replaced; empty for buffers without a name."""
    type: str
    """The type of an element."""
    dims: str
    """The dimensions, separated by commas; empty for a scalar."""
    values: tuple[str, ...]
    """A value of each buffer, as NAME{INDEX}; at most 500 of them."""
    value_count: Count
    """How many buffers there are."""
    size_bytes: Bytes
    """What they take at the peak, in bytes."""
    peak_without_bytes: Bytes
    """The peak without them, in bytes."""
    peak_freed_bytes: Bytes
    """The peak if they were freed while idle, in bytes."""
    next_moment: Count
    """The moment of the peak without them, a position in the schedule."""


@document()
class AdviceFigures:
    """What would lower the peak of a memory space."""

    schema: AdviceSchema
    """The number of the schema of the advice, which is counted apart from that of the document."""
    contested_bytes: Bytes
    """How many bytes of this space the errors of the dump are about, at most."""
    capacity_bytes: Bytes | None
    """What the device has in this space, in bytes; null if that is not known."""
    capacity_source: Origin | None
    """What says so; null without a capacity."""
    verdict: Verdict | None
    """Whether the program fits; null without a capacity."""
    excess_bytes: Bytes | None
    """What is needed beyond the capacity, in bytes, 0 if nothing is; null without a capacity."""
    breakdown: Breakdown
    """From what the program needs down to what it cannot go below."""
    batch: BatchFigures | None
    """What the size of the batch changes; null if no batch was recognised."""
    suggestions: tuple[SuggestionFigures, ...]
    """Every suggestion, on its own, for the program as it is."""
    best: tuple[Count, ...]
    """The suggestions that are worth trying, one of each kind, the best first, by their positions in suggestions."""
    combined: tuple[CombinedFigures, ...]
    """Suggestions that go together, each computed with all before it: three, as many as it takes to fit, or a smaller
    batch."""
    combined_to_fit: Count | None
    """How many of these make the program fit, 0 where they are not enough; null where it fits."""
    groups: tuple[GroupFigures, ...]
    """The largest groups of buffers at the peak: one operation and one shape over all layers."""
    arguments: tuple[LeavesInState, ...]
    """The arguments, each with the state of its leaves."""
    fewest_devices: Positive | None
    """The fewest devices on which what the caller holds fits, each array divided evenly; null unless a capacity is
    exceeded, or if the dump does not say how many devices there are."""

    @property
    def best_suggestions(self) -> tuple[SuggestionFigures, ...]:
        """The suggestions that are worth trying, the best first."""
        return tuple(self.suggestions[number] for number in self.best)


@document()
class LineBytes:
    """A source line of the program."""

    source: str
    """The line, as FILE:LINE."""
    size_bytes: Bytes
    """What it fills of the resident peak, in bytes."""
    what: str = ""
    """What most of that is and how long it is kept, in words. Absent in documents of earlier versions."""
    columns: tuple[Count, ...] = ()
    """Where the expression that writes it begins and ends in the line, in bytes from 0, as the dump says, which may
    state the end of another one that begins there. Empty if unknown. Absent in documents of earlier versions."""


@document()
class BudgetFigures:
    """The figures of a memory space that a budget can hold."""

    peak_resident_bytes: Bytes | None
    """static_bytes and peak_temp_bytes: what the device must hold at once, in bytes; null without live ranges."""
    needed_bytes: Bytes
    """What must be allocated for the program, in bytes: allocated_bytes less thread_local_bytes."""
    allocated_bytes: Bytes
    """The sum of the allocations, in bytes."""
    static_bytes: Bytes
    """What the caller holds for the whole run, in bytes: parameters, constants and results."""
    peak_temp_bytes: Bytes | None
    """The most that is live at one moment in the temporary allocations, in bytes; null without live ranges."""
    padding_bytes: SignedBytes
    """The sum over all values of their size less that of their shape without padding, in bytes."""
    slack_bytes: SignedBytes | None
    """needed_bytes less peak_resident_bytes, in bytes; null without live ranges."""

    def figure(self, name: str) -> int | None:
        """Return the figure that budgets call by this name, such as `peak_temp`; None without live ranges."""
        size_bytes: int | None = getattr(self, f"{name}_bytes")
        return size_bytes


@document()
class CapacityFigures:
    """What a program can have in a memory space."""

    size_bytes: Bytes
    """The capacity, in bytes."""
    source: str
    """Where the number comes from, in words."""
    excess_bytes: SignedBytes
    """needed_bytes less the capacity, in bytes; negative if something is left."""
    first_moment_over: Count | None
    """The first moment at which more is resident than the device has; null if there is none."""
    fits: bool | None = None
    """Whether the program fits; null if that is not known. Absent in documents of earlier versions."""


@document()
class GateSpace(BudgetFigures):
    """A memory space as a gate sees it."""

    name: str
    """The usual name of the memory space on this backend."""
    certainty: Certainty = "exact"
    """What is known of needed_bytes: least if more may be needed, because allocations are missing; unknown if an error
    is about sizes. Absent in documents of earlier versions."""
    capacity: CapacityFigures | None = None
    """What the device has in this space; null if that is not known."""
    peak_resident_lines: tuple[LineBytes, ...] = ()
    """The source lines that fill the resident peak, those with the most bytes first; empty if none is known."""


@document()
class SpaceFigures(GateSpace):
    """The figures of a memory space."""

    thread_local_bytes: Bytes
    """The allocations of computations that run inside one instruction, in bytes. They are kept in registers or on the
    stack, so the program does not need them of the memory space."""
    peak_live_bytes: Bytes | None
    """The most bytes under live values at one moment; null without live ranges."""
    peak_live_moment: Count | None
    """The first moment of that peak, a position in the schedule; null without live ranges."""
    peak_live_ties: Count | None
    """The number of moments at which as much is live; null without live ranges."""
    peak_resident_moment: Count | None
    """The first moment of the resident peak, a position in the schedule; null without live ranges."""
    attributed: Attributed | None
    """How much of the resident peak is attributed to the program; null without live ranges."""
    peak_resident_by_class: Mapping[MemoryClass, Bytes]
    """The bytes of each class of memory at the resident peak; a class without any is left out."""
    peak_resident_groups: tuple[PeakBuffers, ...]
    """The 10 largest groups of the resident peak, each byte counted once; empty without live ranges."""
    peak_resident_lines: tuple[LineBytes, ...]
    """The source lines that fill the resident peak, those with the most bytes first; empty if none is known. They add
    up to `attributed.source_bytes`: bytes that hold no live value belong to the line that fills them later."""
    peak_resident_largest: tuple[PeakPart, ...]
    """The 20 largest parts of the resident peak, each byte counted once; empty without live ranges."""
    peak_resident_other_bytes: Bytes
    """The sum of all other parts, in bytes."""
    advice: AdviceFigures | None
    """What would lower the peak; null where advice_withheld says why nothing is said of that."""
    advice_withheld: str | None
    """Why there is no advice, in words; null where there is."""

    @property
    def peak_bytes(self) -> int | None:
        """The most that is resident at one moment, in bytes; None without live ranges."""
        return self.peak_resident_bytes

    @property
    def capacity_bytes(self) -> int | None:
        """What the device has, in bytes; None if that is not known."""
        return self.capacity.size_bytes if self.capacity else None


@document()
class ListedFinding:
    """A finding."""

    severity: Severity
    """How far it bears on the figures."""
    slug: Slug
    """Its section in help/findings.html. New slugs keep the schema number."""
    message: str
    """What was found, in words."""
    file: str | None
    """The file of the dump; null if the finding has no place."""
    line: Positive | None
    """The line in that file, counted from 1; null if the finding has no place."""

    @property
    def words(self) -> str:
        """The place and what is wrong there, `FILE:LINE: message`."""
        place = self.file or ""
        if self.line is not None:
            place = f"{self.file}:{self.line}" if self.file else f"line {self.line}"
        return f"{place}: {self.message} [{self.slug}]" if place else f"{self.message} [{self.slug}]"


def listed_finding(finding: Finding) -> ListedFinding:
    """Return a finding of an analysis as the document has it."""
    place = finding.location
    file, line = (place.file, place.line) if place else (None, None)
    return copied(ListedFinding, finding, file=file, line=line)


def first_flaws(findings: Iterable[ListedFinding]) -> tuple[ListedFinding, ...]:
    """Return the first error and the first warning, as far as there are any."""
    first: dict[Severity, ListedFinding] = {}
    for finding in findings:
        first.setdefault(finding.severity, finding)
    return tuple(first[severity] for severity in ("error", "warning") if severity in first)


@document()
class CheckFigures:
    """A check and what it found."""

    name: str
    """The name of the check. New checks keep the schema number."""
    subject: str
    """What the check looks at, in words."""
    looked_at: Count
    """How many of them it looked at; 0 if it was skipped."""
    exempt: str | None
    """Why the check was skipped; null if it was not."""
    found: Mapping[str, Positive]
    """The number of findings by slug, those that are not listed included."""


@document()
class RecordedModule:
    """A module as a history has it."""

    path: str
    """The dump, relative to the path that was given, or the key of the module in the history."""
    name: str
    """The module's name, from the name of the file; in a history without long numbers and a trailing number."""
    backend: Backend
    """The backend."""
    shapes: Annotated[str, Pattern("a digest of shapes", "([0-9a-f]{4,64})?")]
    """A digest of the shapes of the module's arguments and results; empty if it is not known."""
    findings: tuple[ListedFinding, ...]
    """What the checks found, errors first; at most 100 errors or warnings, and 5 notes, of one kind. In a history the
    kind of the first error."""
    spaces: Mapping[SpaceNumber, GateSpace]
    """The memory spaces by their number, as text."""


@document()
class GateModule(RecordedModule):
    """A module as a gate sees it."""

    missing_allocations: str | None = None
    """Which allocations are not there, in words; null if all are. If some are missing, each size is the least that it
    can be. Absent in documents of earlier versions."""
    arguments: tuple[SiblingArguments, ...]
    """The arguments; those of one shape whose names differ in numbers only are one entry."""
    refused: Refusal | None
    """What the compiler said when it refused the program for want of memory; null if nothing says that it did."""
    checks: tuple[CheckFigures, ...]
    """The checks of the dump."""
    work: WorkFigures = UNKNOWN
    """The matrix products of the program. Absent in documents of earlier versions."""

    @property
    def flaws(self) -> tuple[ListedFinding, ...]:
        """The first error and the first warning: the reason why a gate must not judge the figures."""
        return first_flaws(self.findings)

    @property
    def error(self) -> ListedFinding | None:
        """Why the dump is unsound; None for one that does not contradict itself."""
        return next((finding for finding in self.findings if finding.severity == "error"), None)

    def error_about(self, figures: Collection[str]) -> ListedFinding | None:
        """Return the error that may make one of these figures wrong; None if none does. Those about sizes are first."""
        is_harmless = OF_ALLOCATIONS.issuperset(figures) and self.error and self.error.slug not in OF_SIZES
        return None if is_harmless else self.error


@document()
class DevicesFigures:
    """The devices that run the program, and what each holds of its arguments."""

    count: Positive
    """How many there are."""
    replicated_bytes: Bytes
    """The bytes on each device of arrays that other devices hold whole, too; of those that are known."""
    unknown: str | None
    """Why it is not known what each device holds, in words; null where it is known, or on one device."""
    arguments: tuple[ArgumentOfDevice, ...]
    """The 20 arguments with the most bytes on a device; empty on one device, or where it is unknown."""


@document()
class ModuleFigures(GateModule):
    """A module."""

    allocations: Count
    """The number of allocations."""
    values: Count
    """The number of values."""
    live_ranges: Count
    """The number of live ranges; 0 if the dump has none."""
    origin: TextOrigin
    """Where the figures are from."""
    schedule_length: Count | None
    """The number of instructions in the schedule; null if the dump does not print it."""
    total_bytes: Bytes | None
    """What XLA prints as "Total bytes used", in bytes; null if it prints none."""
    is_peak_least: bool = False
    """Whether each peak is the least that it can be, because allocations or live ranges are missing. Absent in
    documents of earlier versions."""
    unparsed_lines: Count
    """The number of lines that were not understood."""
    xla_peak: XlaSum | None
    """The peak that XLA prints; null if it prints none."""
    spaces: Mapping[SpaceNumber, SpaceFigures]
    """The memory spaces by their number, as text."""
    devices: DevicesFigures | None
    """The devices that run the program; null without HLO text, which alone says it."""
    work: Work
    """The matrix products of the program, and those that are computed again to need less memory."""
    phases: tuple[Phase, ...]
    """Stretches of the schedule in the order of time: the passes, which cover it, and the loops in them. Empty without
    live ranges."""

    @property
    def main_space(self) -> SpaceFigures | None:
        """The memory space that the module is shown by; None for a module without any."""
        return main_space(self.spaces)

    @property
    def advice(self) -> AdviceFigures | None:
        """What would lower the peak of the main memory; None where that is not said."""
        return self.spaces[MAIN_SPACE].advice if MAIN_SPACE in self.spaces else None


@document()
class ErrorTotal:
    """A sum that the text of an error prints."""

    name: str
    """What the text calls it."""
    size: SizeRange | None
    """The sum; null where the text says that it is unknown."""


@document()
class ErrorBuffer:
    """A buffer that the text of an error lists. What the text does not say is null."""

    size: SizeRange | None
    """Its size; null if the text is cut off before it."""
    shape: str | None
    """Its shape, as the text prints it."""
    instruction: str | None
    """The instruction that defines it."""
    opcode: str | None
    """The opcode of the instruction."""
    op_name: str | None
    """The operation of the program."""
    source: str | None
    """The source line, as FILE:LINE."""


@document()
class ErrorFigures:
    """An out-of-memory error in a text. What the text does not say is null."""

    path: str
    """The file, relative to the path that was given."""
    lines: tuple[Positive, ...]
    """The lines of the file that tell of it, from 1."""
    kind: forms.Kind
    """When memory ran out."""
    module: str | None
    """The name of the module; null if the text has none."""
    space: str | None
    """The memory, such as hbm or vmem; null if the text does not name it."""
    needed: SizeRange | None
    """What did not fit; null if the text does not say it."""
    usable: SizeRange | None
    """All the memory that may be used; null if the text does not say it."""
    excess: SizeRange | None
    """By how much it does not fit; null if the text does not say it."""
    free: SizeRange | None
    """What was left of the memory; null if the text does not say it."""
    form: str
    """The name of the sentence that it begins with."""
    causes: tuple[str, ...]
    """Sentences on what the text shows to be the cause, the main one first."""
    says: tuple[str, ...]
    """Sentences on what else the text says."""
    next_step: str
    """What to do next."""
    would_fit: str | None
    """On which devices it would fit as it is; null if the text is not about such a need."""
    totals: tuple[ErrorTotal, ...]
    """The sums that the text prints."""
    buffers: tuple[ErrorBuffer, ...]
    """The 20 largest of the buffers that the text lists."""


@document()
class ReportDocument:
    """The figures of a build: of every site, and what `check --json` prints."""

    schema: Literal[2]
    """The number of this schema."""
    modules: tuple[ModuleFigures, ...]
    """The modules, in the order of their paths."""
    errors: tuple[ErrorFigures, ...]
    """The out-of-memory errors in texts, in the order of the texts."""


@document()
class NumberedDocument:
    """What every document states, whatever its number."""

    schema: Count
    """The number of the schema."""


@document()
class GateDocument:
    """What a gate needs of a `report.json`."""

    schema: Literal[2]
    """The number of this schema."""
    modules: tuple[GateModule, ...]
    """The modules, in the order of their paths."""


@document()
class RecordedBuild:
    """The build that the figures are of."""

    commit: str
    """The commit that was built."""
    distance: Count
    """How many of the commits that were asked for are nearer; 0 for the first."""


@document()
class RecordedDocument:
    """What `history find` writes: the figures of an earlier build that a gate needs, and whose they are."""

    schema: Literal[2]
    """The number of this schema."""
    build: RecordedBuild
    """The build that the figures are of."""
    modules: tuple[RecordedModule, ...]
    """The modules, in the order of their paths."""
