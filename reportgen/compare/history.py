"""The figures of builds over time, in a file of lines that only grows: `history.jsonl`.

Compilation is deterministic, so most builds change no figure, and a line states only what differs from the build
before it, its parent:

    {"schema":2,"commit":"9f8e7d…","time":"2026-11-22T11:03:34Z","parent":"1a2b3c4d5e6f","tool":"0.1.0",
     "modules":{"cpu jit_step 3f2a1b9c":{"0":[peak_resident,needed,allocated,static,peak_temp,padding,slack]}},
     "gone":["cpu jit_eval 5d4c3b2a"]}

`arguments` are what a module takes, by name and shape, so that a change of its figures has a cause:
`"arguments":{"cpu jit_step 3f2a1b9c":[["tokens","s32[8,128]",1,4096,0]]}`.

A line without a parent states all modules. The parent is found by the beginning of its commit among the lines above,
so merging two branches of the file (`merge=union`) keeps every line true. Of several lines for one commit the last one
counts. A damaged line is skipped and counted; where it was a parent, only the figures that a later line states are
known, and the next build states all again. A line of another schema is refused, because it is not damaged.

Of a module whose dump contradicts itself a line states the kind of the first error, which no later line inherits:
`"unsound":{"cpu jit_step 3f2a1b9c":"range-missing"}`.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Annotated, Any, Literal, NamedTuple, cast, get_args

from reportgen.analyse.backends import space_name
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.build_metadata import commit_name, growth_reason, utc
from reportgen.compare.figures import FIGURES
from reportgen.compare.module_pairing import plain_name
from reportgen.document import (
    Bytes,
    Count,
    Misstated,
    Pattern,
    SignedBytes,
    document,
    encoded_compactly,
    parsed,
    read,
)
from reportgen.errors import UnreadableInput, quoted, shown
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.report_document import GateModule, GateSpace, ListedFinding, NumberedDocument, Slug, SpaceNumber
from reportgen.reports.source_words import line_words

Amounts = tuple[Bytes | None, Bytes, Bytes, Bytes, Bytes | None, SignedBytes, SignedBytes | None]
"""The figures of a memory space in the order of `FIGURES`."""

Spaces = Mapping[SpaceNumber, Amounts]
"""By the number of the memory space."""

Arguments = tuple[SiblingArguments, ...]
"""What a module takes, by name and shape."""

Capacities = Mapping[SpaceNumber, Bytes]
"""What a device has, by the number of the memory space."""

Group = tuple[str, str, Count, Bytes, Bytes]
"""Arguments of one shape whose names differ in numbers only, as the fields of `SiblingArguments` in their order."""


class PeakOrigin(NamedTuple):
    """Where the resident peak of a module comes from; `line` is empty and `again_flops` None where that is unknown."""

    line: str = ""
    size_bytes: int = 0
    again_flops: int | None = None


KeyText = Annotated[str, Pattern("the key of a module", r"[a-z]+ .* ([0-9a-f]{4,64}|-)(\.[0-9]+)?")]

SCHEMA: Literal[2] = 2
"""The number that a line states; docs/schemas.md says what raises it."""

_SHORT = 12
_LEAST = 7
_UNKNOWN_SHAPES = "-"
_NO_CAPACITIES: Capacities = {}
_STATED = ("modules", "arguments", "capacities", "origins", "unsound")


class ModuleKey(NamedTuple):
    """What a module is known by from build to build; its text is `cpu jit_step 3f2a1b9c`.

    `shapes` is a digest, with `.2`, `.3`, … for further modules of one name and equal shapes.
    """

    backend: Backend
    name: str
    shapes: str

    def __str__(self) -> str:
        return " ".join(self)

    @classmethod
    def parse(cls, text: str) -> "ModuleKey":
        """Return the key of a text. Raises ValueError."""
        text.encode()  # raises for halves of characters that no encoding has
        backend, rest = text.split(" ", 1)
        name, shapes = rest.rsplit(" ", 1)
        if backend not in get_args(Backend):
            raise ValueError(f"{quoted(backend)} is no backend")
        return cls(cast(Backend, backend), name, shapes)


@document(sparse=True)
class HistoryLine:
    """The figures of one build, as what differs from an earlier line.

    A module is named by its key: the backend, the name without long numbers and a trailing number, and the digest of
    the shapes, `-` if it is not known, with `.2`, `.3`, … for further modules that are alike.
    """

    schema: Literal[2]
    """The number of this schema."""
    commit: Annotated[str, Pattern("the name of a commit", "[^ ]{1,200}")]
    """The commit that was built."""
    time: Annotated[str, Pattern("a time in UTC", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")]
    """When it was committed, in UTC, as 2026-11-22T11:03:34Z."""
    parent: Annotated[str, Pattern("the beginning of a commit", "[^ ]+")] = ""
    """The beginning of the commit of an earlier line from which this line differs; absent if the line states all
    modules."""
    tool: str | None = None
    """The version of reportgen; absent if it is that of the parent."""
    link: Annotated[str, Pattern("a URL", "https?://[!-~]+")] = ""
    """Where the report of the build is kept; absent if that was not said."""
    modules: Mapping[KeyText, Spaces] | None = None
    """The modules that are new or have changed, by their keys; absent if there are none. The figures of a memory space
    are in bytes, in the order peak_resident, needed, allocated, static, peak_temp, padding, slack; peak_resident,
    peak_temp and slack are null without live ranges."""
    arguments: Mapping[KeyText, tuple[Group, ...]] | None = None
    """The arguments of modules for which they are other ones than for the parent, by their keys; absent if there are
    none. Those of one shape whose names differ in numbers only are one entry: their name with `#` for numbers, the
    shape of each, how many there are, their bytes together, and the bytes of those that are donated."""
    capacities: Mapping[KeyText, Mapping[SpaceNumber, Bytes]] | None = None
    """What the device has in a memory space, in bytes, for modules for which that is another than for the parent, by
    their keys; empty for one of which it is not known any more, absent if there are none."""
    origins: Mapping[KeyText, tuple[str, Bytes, Count | None]] | None = None
    """Where the resident peak in the main memory comes from, for modules for which that is another than for the parent,
    by their keys: the source line with the most bytes, without folders and empty if unknown, its bytes, and the matrix
    work that the program's checkpoints do again, in floating-point operations, null if unknown. Absent if there are
    none."""
    gone: tuple[KeyText, ...] | None = None
    """The keys of modules of the parent that this build does not have; absent if there are none."""
    comparison: Annotated[str, Pattern("a URL", "https?://[!-~]+")] = ""
    """Where the comparison with the build before is kept; absent if that was not said."""
    accepted: Annotated[str, Pattern("a reason", ".{1,200}")] = ""
    """Why the build may need more memory than the one before, in the words of whoever accepted it; absent if nobody
    did."""
    unsound: Mapping[KeyText, Slug] | None = None
    """The kind of the first error of each module whose dump contradicts itself, by its key; absent if there is none."""


class ModuleRecord(NamedTuple):
    """What a build has of one module: its figures, what it takes, what the device has, and where its peak comes from.

    `unsound` is the kind of the first error of a dump that contradicts itself. What is not known is empty.
    """

    spaces: Spaces
    arguments: Arguments = ()
    capacities: Capacities = _NO_CAPACITIES
    origin: PeakOrigin = PeakOrigin()
    unsound: str = ""


@record
class Record:
    """One build: `time` is in UTC, `link` leads to its report, and `comparison` to that with the build before.

    `modules` are all of the build if it `is_whole`, else those that are known. `accepted` is why the build may have
    grown.
    """

    commit: str
    time: str
    modules: Mapping[ModuleKey, ModuleRecord]
    is_whole: bool = True
    tool: str = ""
    link: str = ""
    comparison: str = ""
    accepted: str = ""


@record(kw_only=False)
class History:
    """All builds in the order of their times, the number of damaged lines, and what is wrong with the first."""

    records: tuple[Record, ...] = ()
    damaged: int = 0
    first_damage: str = ""


def parse_history(data: bytes, source: str = "history.jsonl") -> History:
    """Return the builds of a history. Raises UnreadableInput, naming `source`, for a line of another schema."""
    builds = _Builds()
    damaged: list[str] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            stated = parsed(line)
            _refuse_other_schema(read(NumberedDocument, stated).schema, f"{source}:{number}")
            record = _record(read(HistoryLine, stated), builds)
        except Misstated as error:
            damaged.append(f"{source}:{number}: {error}")
            continue
        builds.add(record)
    return History(
        tuple(sorted(builds.by_commit.values(), key=lambda record: record.time)), len(damaged), next(iter(damaged), "")
    )


class _Builds:
    """The builds of the lines so far, found by the beginning of their commit."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.by_commit: dict[str, Record] = {}
        self._by_beginning: defaultdict[str, set[str]] = defaultdict(set)
        for build in records:
            self.add(build)

    def add(self, record: Record) -> None:
        """Add a build in the place of an earlier one of the same commit."""
        self.by_commit[record.commit] = record
        self._by_beginning[record.commit[:_SHORT]].add(record.commit)

    def find(self, reference: str) -> Record | None:
        """Return the build whose commit begins like this; None unless it is the only one."""
        commits = [commit for commit in self._by_beginning[reference[:_SHORT]] if commit.startswith(reference)]
        exact = reference if reference in self.by_commit else None
        return self.by_commit[exact or commits[0]] if exact or len(commits) == 1 else None

    def reference(self, commit: str) -> str:
        """Return the shortest beginning of a commit that finds it, of 12 characters or more."""
        others = self._by_beginning[commit[:_SHORT]] - {commit}
        lengths = range(_SHORT, len(commit))
        beginnings = (commit[:length] for length in lengths)
        return next((start for start in beginnings if not any(other.startswith(start) for other in others)), commit)


def _refuse_other_schema(schema: int, line: str) -> None:
    if schema != SCHEMA:
        raise UnreadableInput(
            f"{line}: schema {schema} of history.jsonl; schema {SCHEMA} is needed;"
            " use the version of reportgen that wrote this line, or begin another file: --history FILE"
        )


def _record(line: HistoryLine, builds: _Builds) -> Record:
    """Return the build that a line states: its parent with the changes of the line. Raises Misstated."""
    parent = builds.find(line.parent) if line.parent else None
    gone = set(map(_key, line.gone or ()))
    known = {key: module for key, module in (parent.modules if parent else {}).items() if key not in gone}
    stated = {
        name: {_key(text): of_module for text, of_module in (getattr(line, name) or {}).items()} for name in _STATED
    }
    modules = {}
    for key in {**known, **stated["modules"]}:
        spaces, arguments, capacities, origin, _ = known.get(key, ModuleRecord({}))
        groups = stated["arguments"].get(key)
        modules[key] = ModuleRecord(
            spaces=stated["modules"].get(key, spaces),
            arguments=arguments if groups is None else tuple(SiblingArguments(*group) for group in groups),
            capacities=stated["capacities"].get(key, capacities),
            origin=PeakOrigin(*stated["origins"].get(key, origin)),
            unsound=stated["unsound"].get(key, ""),
        )
    return Record(
        commit=_checked("commit", commit_name, line.commit),
        time=_checked("time", utc, line.time),
        modules=modules,
        is_whole=parent.is_whole if parent else not line.parent,
        tool=(parent.tool if parent else "") if line.tool is None else line.tool,
        link=line.link,
        comparison=line.comparison,
        accepted=_checked("accepted", growth_reason, line.accepted) if line.accepted else "",
    )


def _checked(place: str, check: Callable[[str], str], text: str) -> str:
    """Return a text that `check` accepts. Raises Misstated, naming the place, where it raises ValueError."""
    try:
        return check(text)
    except ValueError as error:
        raise Misstated(f"{place}: {error}") from error


def _key(text: str) -> ModuleKey:
    try:
        return ModuleKey.parse(text)
    except ValueError as error:
        raise Misstated(f"{shown(text)}: it is not known what module this is") from error


def line_of(history: History, record: Record) -> bytes:
    """Return the line that adds a build to a history: what differs from the last build before it in time."""
    earlier = [past for past in history.records if past.time <= record.time and past.commit != record.commit]
    # What differs from figures that are not known cannot be stated.
    parent = earlier[-1] if earlier and earlier[-1].is_whole else None
    known: Mapping[ModuleKey, ModuleRecord] = parent.modules if parent else {}
    both = {str(key): (known.get(key, ModuleRecord({})), module) for key, module in record.modules.items()}
    line = HistoryLine(
        schema=SCHEMA,
        commit=record.commit,
        time=record.time,
        parent=_Builds(history.records).reference(parent.commit) if parent else "",
        tool=record.tool if record.tool != (parent.tool if parent else "") else None,
        link=record.link,
        comparison=record.comparison,
        modules={
            str(key): module.spaces
            for key, module in record.modules.items()
            if key not in known or known[key].spaces != module.spaces
        }
        or None,
        # No groups where a module's arguments were known and are not any more.
        arguments={
            key: tuple(map(astuple, now.arguments))
            for key, (was, now) in both.items()
            if was.arguments != now.arguments
        }
        or None,
        capacities={key: now.capacities for key, (was, now) in both.items() if was.capacities != now.capacities}
        or None,
        origins={key: now.origin for key, (was, now) in both.items() if was.origin != now.origin} or None,
        gone=tuple(str(key) for key in known if key not in record.modules) or None,
        accepted=record.accepted,
        unsound={str(key): module.unsound for key, module in record.modules.items() if module.unsound} or None,
    )
    return encoded_compactly(line).encode() + b"\n"


def lines_to_add(data: bytes, record: Record) -> bytes:
    """Return what has to be appended to the lines of a history to add a build."""
    line = line_of(parse_history(data), record)
    is_cut_off = bool(data) and not data.endswith(b"\n")
    # A line that was cut off by a crash must not swallow the new one.
    return b"\n" + line if is_cut_off else line


def modules_of(figures: Sequence[GateModule]) -> Mapping[ModuleKey, ModuleRecord]:
    """Return the modules of a build as a history holds them."""
    modules: dict[ModuleKey, ModuleRecord] = {}
    times: Counter[ModuleKey] = Counter()
    for module in figures:
        key = ModuleKey(module.backend, plain_name(module.name), module.shapes or _UNKNOWN_SHAPES)
        times[key] += 1
        main = module.spaces.get(MAIN_SPACE)
        largest = next(iter(main.peak_resident_lines if main else ()), None)
        line, size = (line_words(largest.source), largest.size_bytes) if largest else ("", 0)
        modules[key._replace(shapes=f"{key.shapes}.{times[key]}") if times[key] > 1 else key] = ModuleRecord(
            spaces={color: _amounts(space) for color, space in module.spaces.items()},
            arguments=module.arguments,
            capacities={color: space.capacity.size_bytes for color, space in module.spaces.items() if space.capacity},
            origin=PeakOrigin(line, size, module.work.again_by_checkpoint),
            unsound=error.slug if (error := module.error) else "",
        )
    return modules


def figures_of(record: Record) -> list[GateModule]:
    """Return the modules of a build as a gate sees them."""
    return [module_figures(key, module.spaces, module.unsound) for key, module in record.modules.items()]


def module_figures(key: ModuleKey, spaces: Spaces, unsound: str = "") -> GateModule:
    """Return one module as a gate sees it; `unsound` is the kind of its first error."""
    error = ListedFinding(
        severity="error", slug=unsound, message="the build was added as unsound", file=None, line=None
    )
    return GateModule(
        path=str(key),
        name=key.name,
        backend=key.backend,
        shapes="" if key.shapes == _UNKNOWN_SHAPES else key.shapes.partition(".")[0],
        findings=(error,) if unsound else (),
        spaces={color: _space(space_name(key.backend, color), amounts) for color, amounts in spaces.items()},
        arguments=(),
        refused=None,
        checks=(),
    )


def _amounts(space: GateSpace) -> Amounts:
    amounts: Any = tuple(space.figure(figure) for figure in FIGURES)
    return cast(Amounts, amounts)


def _space(name: str, amounts: Amounts) -> GateSpace:
    """Return a memory space from its figures in the order of `FIGURES`."""
    figures: Any = {f"{figure}_bytes": amount for figure, amount in zip(FIGURES, amounts, strict=True)}
    return GateSpace(name=name, **figures)


def nearest(history: History, commits: Sequence[str]) -> tuple[Record, int] | None:
    """Return the whole record of the first of `commits` that has one, and how many come before; None without any.

    Commits may be abbreviated to seven characters or more.
    """
    for distance, commit in enumerate(commits):
        # An abbreviation may fit several builds; the latest is taken.
        for past in reversed(history.records):
            is_abbreviation = len(commit) >= _LEAST and past.commit.startswith(commit)
            if past.is_whole and (past.commit == commit or is_abbreviation):
                return past, distance
    return None
