"""Divide what a program needs into the parts of one bar: arguments by name, temporaries by source line, and slack."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from reportgen.advice.arguments import top_name
from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import HELD_CLASSES, MemoryClass
from reportgen.analyse.peak_groups import PeakGroup, peak_groups
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.temporary_parts import TemporaryParts
from reportgen.record import record
from reportgen.reports.formats import end_of
from reportgen.reports.report import needed_by_class

_SHOWN = 3
_ROOM = 28
SMALL_PART = 100
"""Two parts of the need that are smaller than this are not told apart."""
_SECOND = re.compile(r"[^\[.{]+(?:\[[^\]]*\]|\.\w+)?")
_MOST_PART = 0.9
"""Where one argument takes more than this part, its own parts are shown."""

_OTHERS: Mapping[MemoryClass, str] = {
    "parameter": "other arguments",
    "output": "outputs",
    "constant": "constants",
    "temporary": "other temporaries",
}


@record
class Segment:
    """A part of the bar, and `what` else is known of it; `kind` and `shade` are its color.

    `kind` is a class of memory, "source-1" to "source-4" as in the chart, "other" or "slack".
    """

    name: str
    kind: str
    shade: int
    size_bytes: int
    what: str = ""

    @property
    def short(self) -> str:
        """The name as far as there is room: of a path the last parts, which tell it from others."""
        return end_of(self.name, _ROOM) if "/" in self.name else self.name


def need(analysis: Analysis, space: Space, parts: TemporaryParts | None) -> Sequence[Segment]:
    """Return the bar of a memory space that needs something; `parts` of the temporaries are those of its chart."""
    slack = space.slack_bytes or 0  # without a peak nothing is known to be slack
    segments = [*_of_peak(analysis, space, parts)] if space.peak_resident else [*_of_allocations(analysis, space)]
    if slack > 0:
        segments.append(Segment(name="slack", kind="slack", shade=0, size_bytes=slack))
    return list(_joined(segments, space.needed_bytes))


def _joined(segments: Sequence[Segment], whole: int) -> Iterator[Segment]:
    """Yield the parts that can be seen and have a name of their own, and all others as one."""
    others = [part for part in segments if part.kind == "other" or part.size_bytes * SMALL_PART < whole]
    yield from (part for part in segments if len(others) < 2 or part not in others)
    if len(others) > 1:
        yield Segment(name="everything else", kind="other", shade=0, size_bytes=sum(part.size_bytes for part in others))


def _of_allocations(analysis: Analysis, space: Space) -> Iterator[Segment]:
    sizes = needed_by_class(analysis, space)
    for kind in HELD_CLASSES:
        if sizes[kind]:
            color = "other" if kind == "temporary" else kind
            yield Segment(name=_plain(kind), kind=color, shade=0, size_bytes=sizes[kind])


def _plain(kind: MemoryClass) -> str:
    return _OTHERS[kind].removeprefix("other ")


def _of_peak(analysis: Analysis, space: Space, parts: TemporaryParts | None) -> Iterator[Segment]:
    """Yield the parts of a peak in the order of the classes, the largest of each class first."""
    groups = peak_groups(analysis, space)
    for kind in HELD_CLASSES:
        of_kind = [group for group in groups if group.memory_class == kind]
        whole = sum(group.size_bytes for group in of_kind)
        if kind == "parameter":
            named = [(name, "", size) for name, size in _arguments(of_kind).most_common() if name][:_SHOWN]
        elif kind != "temporary":
            named = []
        elif parts:
            named = [(part.name, part.what, part.peak_bytes) for part in parts.parts]
        else:
            named = [(name, "", size) for name, size in _places(analysis, of_kind).most_common() if name][:_SHOWN]
        for number, (name, what, size) in enumerate(named):
            # In the chart only parts have colors of their own.
            color, shade = (f"source-{number + 1}", 0) if kind == "temporary" and parts else (kind, number)
            yield Segment(name=name, kind=color, shade=shade, size_bytes=size, what=what)
        if rest := whole - sum(size for _, _, size in named):
            name = _OTHERS[kind] if named else _plain(kind)
            color, shade = ("other", 0) if kind == "temporary" else (kind, len(named))
            yield Segment(name=name, kind=color, shade=shade, size_bytes=rest)


def _places(analysis: Analysis, groups: Sequence[PeakGroup]) -> Counter[str]:
    """Return the bytes of each place of the program or, where none is known, of groups."""
    sizes: Counter[str] = Counter()
    for group in groups:
        for share in group.shares:
            number = held_for(analysis, share)
            author = analysis.authors.of(number) if number is not None else None
            place = (author.place or author.argument) if author else ""
            sizes[place or _unplaced(group)] += share.size_bytes
    return sizes


def _unplaced(group: PeakGroup) -> str:
    """Return the end of a group's name or, where only the compiler names it, first how many buffers of what shape."""
    if "/" in group.name or not group.shape:
        return "/".join(group.name.split("/")[-2:])
    several = f"{len(group.buffers):,} × " if len(group.buffers) > 1 else ""
    return f"{several}{group.shape}, {group.name}"


def _arguments(groups: Sequence[PeakGroup]) -> Counter[str]:
    """Return the bytes of each of the program's arguments or, of one large argument, of its parts."""
    tops = [_known(top_name(group.name)) for group in groups]
    sizes: Counter[str] = Counter()
    for top, group in zip(tops, groups, strict=True):
        sizes[top] += group.size_bytes
    largest = max(sizes.values(), default=0)
    if largest < _MOST_PART * sum(sizes.values()):
        return sizes
    parts: Counter[str] = Counter()
    for group in groups:
        parts[_known(match[0]) if (match := _SECOND.match(group.name)) else ""] += group.size_bytes
    return parts


def _known(name: str) -> str:
    """Return a name; empty for several arguments that have only numbers, and for an operation in place of a name."""
    return "" if "#" in name or "/" in name else name
