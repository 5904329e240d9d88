"""The document `compare.json`: what changed between two builds. Its JSON Schema follows from this."""

from collections.abc import Mapping
from typing import Annotated, Literal

from reportgen.analyse.matmul_work import WorkFigures
from reportgen.compare.budgets import Level
from reportgen.compare.builds import InputDifference, Status
from reportgen.compare.evidence import Grade
from reportgen.compare.figures import Figure
from reportgen.compare.module_pairing import PairedBy
from reportgen.compare.scope_changes import ScopeChange
from reportgen.compare.terms import Kind
from reportgen.compare.verdicts import Overall
from reportgen.compare.verdicts import Status as VerdictStatus
from reportgen.document import Bytes, Count, Pattern, Positive, SignedBytes, document
from reportgen.input.names import Backend
from reportgen.reports.report_document import BudgetFigures, SpaceNumber

SCHEMA: Literal[5] = 5
"""The number that `compare.json` states; docs/schemas.md says what raises it."""

ComparedStatus = Literal[Status, "no baseline"]
"""What became of the module; "no baseline" if there is nothing to compare with."""


@document()
class StatedVerdict:
    """What a budget says about one figure, or why it cannot judge, or what the checks say against a dump."""

    status: VerdictStatus
    """The verdict."""
    level: Level | None
    """How far it counts; null for a pass."""
    message: str
    """The verdict in words."""
    accepted: str | None
    """Why growth is accepted; null where it is not."""
    module: str | None
    """The name of the module; null for a verdict about none."""
    space: Annotated[str, Pattern("the number of a memory space", "[0-9]+")] | None
    """The number of the memory space, as text; null for a verdict about none."""
    figure: Figure | None
    """The figure of a memory space that the budget holds; null without a budget, or for one of recomputation."""
    before_bytes: SignedBytes | None
    """The figure in the baseline, in bytes; null if there is none."""
    after_bytes: SignedBytes | None
    """The figure now, in bytes; null if it was not judged."""
    limit_bytes: SignedBytes | None
    """What is allowed, in bytes; null if nothing was judged."""


@document()
class StepOfDifference:
    """A step of the difference."""

    kind: Kind
    """The step."""
    change_bytes: SignedBytes
    """What it adds to the peak, in bytes; 0 for changes that cancel each other."""
    count: Positive
    """The number of values or allocations."""


@document()
class ComparedSpace:
    """A memory space of a module."""

    name: str
    """The usual name of the memory space on this backend."""
    before_bytes: Bytes | None
    """The resident peak before, in bytes, 0 if the module does not use the space; null without live ranges or without
    this side."""
    after_bytes: Bytes | None
    """The resident peak after, in bytes, 0 if the module does not use the space; null without live ranges or without
    this side."""
    before: BudgetFigures | None
    """All figures before; null if the module does not use the space or is missing."""
    after: BudgetFigures | None
    """All figures after; null if the module does not use the space or is missing."""
    place: tuple[Count, Count] | None
    """The moments before and after that are compared, positions in the schedules; null without live ranges or unless
    both sides are dumps."""
    terms: tuple[StepOfDifference, ...]
    """The steps from before_bytes to after_bytes, which they explain to the byte; empty unless both sides are dumps."""
    scopes: tuple[ScopeChange, ...]
    """The scopes of the program that changed, the largest change first, each followed by its parts; empty unless both
    sides are dumps."""


@document()
class ComparedWork:
    """The matrix products of a module in both builds, and what of it is computed again to need less memory."""

    before: WorkFigures | None
    """Before; null if the module is new."""
    after: WorkFigures | None
    """After; null if the module is missing."""


@document(sparse=True)
class ComparedModule:
    """A module of either build or of both."""

    before: str | None
    """The label of the dump before; null if there is none."""
    after: str | None
    """The label of the dump after; null if there is none."""
    name: str
    """The module's name, from the name of the file."""
    backend: Backend
    """The backend."""
    status: ComparedStatus
    """What became of the module."""
    paired_by: PairedBy | None
    """What the two sides have in common; null if a side is missing or is a report."""
    alike: Positive
    """How many modules were equally good partners and were paired in order."""
    input: InputDifference | None
    """How the input of the compiler differs; null if a side is missing or is a report."""
    spaces: Mapping[SpaceNumber, ComparedSpace]
    """The memory spaces by their number, as text."""
    work: ComparedWork
    """The work in matrix products, which is no term of the difference: it is not in bytes."""
    recognised: Mapping[Grade, Count] | None = None
    """The number of matched values by grade; absent unless both sides are dumps."""


@document()
class CompareDocument:
    """The comparison of two builds that `compare --json` writes."""

    schema: Literal[5]
    """The number of this schema."""
    before: str
    """The label of the build before."""
    after: str
    """The label of the build after."""
    explains: bool
    """Whether differences are explained, which takes the dumps of both sides."""
    verdict: Overall | None
    """The worst verdict; null without budgets if both sides are sound and all fits the given capacity."""
    verdicts: tuple[StatedVerdict, ...]
    """The verdicts of all budgets, which modules do not fit, and which dumps contradict themselves."""
    modules: tuple[ComparedModule, ...]
    """The modules: changed ones first, then new, missing and unchanged ones."""
