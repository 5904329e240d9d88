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

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, field, fields
from typing import Any, NamedTuple, cast, get_args

from reportgen.analyse.backends import space_name
from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.build_names import commit_name, growth_reason, link_url, utc
from reportgen.compare.document_fields import DocumentField, color_of
from reportgen.compare.figures import FIGURES, SIGNED, plain_name, siblings_of
from reportgen.compare.flaws import checked_slug
from reportgen.document import Misstated, parsed
from reportgen.errors import UnreadableInput, quoted
from reportgen.input.names import Backend
from reportgen.record import record
from reportgen.reports.report_document import GateModule, GateSpace, ListedFinding

Amounts = tuple[int | None, ...]
"""The figures of a memory space in the order of `FIGURES`."""

Spaces = Mapping[int, Amounts]
"""By the number of the memory space."""

Arguments = tuple[SiblingArguments, ...]
"""What a module takes, by name and shape."""

SCHEMA = 2
"""The number that a line states; docs/schemas.md says what raises it."""

_SHORT = 12
_LEAST = 7
_UNKNOWN_SHAPES = "-"
_GROUP = len(fields(SiblingArguments))


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


@record
class Record:
    """One build: `time` is in UTC, `link` leads to its report.

    `modules` are all of the build if it `is_whole`, else those that are known. `unsound` has the kind of the first
    error of each module whose dump contradicts itself. `arguments` are those of the modules of which they are known.
    `accepted` is why the build may have grown.
    """

    commit: str
    time: str
    modules: Mapping[ModuleKey, Spaces]
    is_whole: bool = True
    tool: str = ""
    link: str = ""
    unsound: Mapping[ModuleKey, str] = field(default_factory=dict)
    arguments: Mapping[ModuleKey, Arguments] = field(default_factory=dict)
    accepted: str = ""


@record(kw_only=False)
class History:
    """All builds in the order of their times, the number of damaged lines, and what is wrong with the first."""

    records: tuple[Record, ...] = ()
    damaged: int = 0
    first_damage: str = ""


def parse_history(data: bytes, source: str = "history.jsonl") -> History:
    """Return the builds of a history. Raises UnreadableInput, naming `source`, for a line of another schema."""
    found = _Builds()
    damaged: list[str] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            stated = DocumentField(parsed(line))
            _refuse_other_schema(stated["schema"].count(), f"{source}:{number}")
            record = _record(stated, found)
        except Misstated as error:
            damaged.append(f"{source}:{number}: {error}")
            continue
        found.add(record)
    return History(
        tuple(sorted(found.by_commit.values(), key=lambda record: record.time)), len(damaged), next(iter(damaged), "")
    )


class _Builds:
    """The builds of the lines so far, found by the beginning of their commit."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self.by_commit: dict[str, Record] = {}
        self._by_beginning: defaultdict[str, set[str]] = defaultdict(set)
        for one in records:
            self.add(one)

    def add(self, record: Record) -> None:
        """Add a build in the place of an earlier one of the same commit."""
        self.by_commit[record.commit] = record
        self._by_beginning[record.commit[:_SHORT]].add(record.commit)

    def find(self, reference: str) -> Record | None:
        """Return the build whose commit begins like this; None unless it is the only one."""
        found = [one for one in self._by_beginning[reference[:_SHORT]] if one.startswith(reference)]
        exact = reference if reference in self.by_commit else None
        return self.by_commit[exact or found[0]] if exact or len(found) == 1 else None

    def reference(self, commit: str) -> str:
        """Return the shortest beginning of a commit that finds it, of 12 characters or more."""
        others = self._by_beginning[commit[:_SHORT]] - {commit}
        lengths = range(_SHORT, len(commit))
        return next((commit[:n] for n in lengths if not any(o.startswith(commit[:n]) for o in others)), commit)


def _refuse_other_schema(schema: int, line: str) -> None:
    if schema != SCHEMA:
        raise UnreadableInput(
            f"{line}: schema {schema} of history.jsonl; schema {SCHEMA} is needed;"
            " use the version of reportgen that wrote this line, or begin another file: --history FILE"
        )


def _record(stated: DocumentField, found: _Builds) -> Record:
    """Return the build that a line states: its parent with the changes of the line. Raises Misstated."""
    has_parent = "parent" in stated
    parent = found.find(stated["parent"].text()) if has_parent else None
    modules = dict(parent.modules) if parent else {}
    arguments = dict(parent.arguments) if parent else {}
    for gone in stated.optional("gone", []).entries():
        modules.pop(_key(gone.text(), gone), None)
        arguments.pop(_key(gone.text(), gone), None)
    for key, groups in stated.optional("arguments", {}).items():
        arguments[_key(key, groups)] = tuple(siblings_of(_fields(group, _GROUP)) for group in groups.entries())
    for key, spaces in stated.optional("modules", {}).items():
        modules[_key(key, spaces)] = {color_of(color, space): _amounts(space) for color, space in spaces.items()}
    return Record(
        commit=stated["commit"].checked(commit_name),
        time=stated["time"].checked(utc),
        modules=modules,
        is_whole=parent.is_whole if parent else not has_parent,
        tool=stated.optional("tool", parent.tool if parent else "").text(),
        link=stated["link"].checked(link_url) if "link" in stated else "",
        unsound={_key(key, slug): slug.checked(checked_slug) for key, slug in stated.optional("unsound", {}).items()},
        arguments={key: groups for key, groups in arguments.items() if groups},
        accepted=stated["accepted"].checked(growth_reason) if "accepted" in stated else "",
    )


def _key(text: str, stated: DocumentField) -> ModuleKey:
    try:
        return ModuleKey.parse(text)
    except ValueError as error:
        raise Misstated(f"{stated.place}: it is not known what module this is") from error


def _amounts(stated: DocumentField) -> Amounts:
    """Return the figures of a memory space in the order of `FIGURES`."""
    return tuple(
        amount.known_size(signed=figure in SIGNED)
        for figure, amount in zip(FIGURES, _fields(stated, len(FIGURES)), strict=True)
    )


def _fields(stated: DocumentField, number: int) -> Sequence[DocumentField]:
    fields = stated.entries()
    if len(fields) != number:
        raise stated.wrong(f"a list of {number}")
    return fields


def line_of(history: History, record: Record) -> bytes:
    """Return the line that adds a build to a history: what differs from the last build before it in time."""
    earlier = [one for one in history.records if one.time <= record.time and one.commit != record.commit]
    # What differs from figures that are not known cannot be stated.
    parent = earlier[-1] if earlier and earlier[-1].is_whole else None
    stated: dict[str, Any] = {"schema": SCHEMA, "commit": record.commit, "time": record.time}
    known: Mapping[ModuleKey, Spaces] = parent.modules if parent else {}
    taken: Mapping[ModuleKey, Arguments] = parent.arguments if parent else {}
    if parent:
        stated["parent"] = _Builds(history.records).reference(parent.commit)
    if record.tool != (parent.tool if parent else ""):
        stated["tool"] = record.tool
    if record.link:
        stated["link"] = record.link
    if changed := {str(key): spaces for key, spaces in record.modules.items() if known.get(key) != spaces}:
        stated["modules"] = changed
    # No groups where a module's arguments were known and are not any more.
    given = {key: groups for key in record.modules if (groups := record.arguments.get(key, ())) != taken.get(key, ())}
    if given:
        stated["arguments"] = {str(key): list(map(astuple, groups)) for key, groups in given.items()}
    if gone := [str(key) for key in known if key not in record.modules]:
        stated["gone"] = gone
    if record.accepted:
        stated["accepted"] = record.accepted
    if record.unsound:
        stated["unsound"] = {str(key): slug for key, slug in record.unsound.items()}
    return json.dumps(stated, separators=(",", ":")).encode() + b"\n"


def lines_to_add(data: bytes, record: Record) -> bytes:
    """Return what has to be appended to the lines of a history to add a build."""
    line = line_of(parse_history(data), record)
    is_cut_off = bool(data) and not data.endswith(b"\n")
    # A line that was cut off by a crash must not swallow the new one.
    return b"\n" + line if is_cut_off else line


def modules_of(figures: Sequence[GateModule]) -> Mapping[ModuleKey, Spaces]:
    """Return the figures of a build's modules as a history holds them."""
    return {
        key: {color: tuple(space.figure(figure) for figure in FIGURES) for color, space in module.spaces.items()}
        for key, module in _keyed(figures).items()
    }


def unsound_of(figures: Sequence[GateModule]) -> Mapping[ModuleKey, str]:
    """Return the kind of the first error of each module whose dump contradicts itself."""
    return {key: error.slug for key, module in _keyed(figures).items() if (error := module.error)}


def arguments_of(figures: Sequence[GateModule]) -> Mapping[ModuleKey, Arguments]:
    """Return what each module takes, of the modules that take anything."""
    return {key: module.arguments for key, module in _keyed(figures).items() if module.arguments}


def _keyed(figures: Sequence[GateModule]) -> Mapping[ModuleKey, GateModule]:
    found: dict[ModuleKey, GateModule] = {}
    times: Counter[ModuleKey] = Counter()
    for module in figures:
        key = ModuleKey(module.backend, plain_name(module.name), module.shapes or _UNKNOWN_SHAPES)
        times[key] += 1
        numbered = key._replace(shapes=f"{key.shapes}.{times[key]}") if times[key] > 1 else key
        found[numbered] = module
    return found


def figures_of(record: Record) -> list[GateModule]:
    """Return the modules of a build as a gate sees them."""
    return [module_figures(key, spaces, record.unsound.get(key)) for key, spaces in record.modules.items()]


def module_figures(key: ModuleKey, spaces: Spaces, unsound: str | None = None) -> GateModule:
    """Return one module as a gate sees it; `unsound` is the kind of its first error."""
    error = ListedFinding(
        severity="error", slug=unsound or "", message="the build was added as unsound", file=None, line=None
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
