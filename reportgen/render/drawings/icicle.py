"""Arrange what a peak is made of as an icicle: boxes as wide as their bytes, each row one call deeper.

It is drawn without scripts. What is too narrow to see is one box, so that every row adds up to the one above it.
"""

import re
from collections.abc import Mapping, Sequence, Set
from heapq import nsmallest

from reportgen.analyse.peak_stacks import PeakStacks, StackNode, peak_stacks
from reportgen.analyse.records import Space
from reportgen.parse.stack_frames import Frame
from reportgen.record import record
from reportgen.render.html.links import Links
from reportgen.render.view import Module
from reportgen.reports.formats import counted, cut, exact_bytes, percent
from reportgen.reports.source_words import line_words

_MOST_BOXES = 72
"""Of larger parts; each box may have one more below it for what is left out."""
_NARROWEST, _ROOM_FOR_NAME = 1 / 100, 3 / 100
_LEVELS = 6
_COLORS, _MOST_LEFT_OUT = 4, 3
_WIDTH, _CHARACTER = 1172, 8.5
"""The widest that all boxes can be together, and a character of a bold name, in pixels."""
_LONGEST_NAME, _LONGEST_TITLE = 48, 160
_HELD = {"arguments": "argument", "argument": "argument", "outputs": "output", "output": "output"}
_KINDS = {"arguments": "arguments", "outputs": "outputs", "no line": "no source line", "unused": "reserved, never used"}
_SHORT = {"arguments": "args", "outputs": "outs", "no source line": "no line"}
_SUBSCRIPT = re.compile(r"\['([^']+)'\]")


@record
class PeakBox:
    """A part of a peak with the boxes below it, whose bytes add up to its own; `percent` is its share of the peak.

    `look` is its color: `source-1` for the largest line, `argument`, `output`, `several` where lines differ, or
    `other`. The `place` is a line, and the operation where it is a single one. Name, place and shape are empty where
    there is no room for a name; the title has all of them. There is no `href` for bytes of no value.
    """

    look: str
    title: str
    percent: str
    size_bytes: int
    name: str = ""
    place: str = ""
    shape: str = ""
    href: str = ""
    children: tuple["PeakBox", ...] = ()


Icicle = tuple[tuple[PeakBox, ...], str, bool]
"""The boxes of a peak, which outermost frames are not shown, and whether code is divided by its scopes."""


def icicle_of_space(module: Module, space: Space, links: Links) -> Icicle | None:
    """Return the icicle of a memory space's peak; None for a small space, and where there is nothing to tell."""
    if space.color in module.small_spaces:
        return None
    return icicle(peak_stacks(module.analysis, space), links, module.line_looks)


def icicle(stacks: PeakStacks, links: Links, line_looks: Mapping[str, str]) -> Icicle | None:
    """Return the icicle of a peak; None where the program names none of it, or there is only one part.

    Lines have the colors that they have elsewhere, and where no line is known, the largest scopes get some.
    """
    if not stacks.is_telling:
        return None
    sizes = dict(stacks.origins)
    looks = {line: look for line, look in line_looks.items() if line in sizes}
    if not stacks.has_lines:
        looks = {origin: f"source-{place}" for place, (origin, _) in enumerate(stacks.origins[:_COLORS], 1)}
    boxes = _Boxes(stacks, links, looks).below(stacks.roots, stacks.size_bytes, None)
    left_out = ", ".join(map(_place, stacks.above[-_MOST_LEFT_OUT:]))
    return boxes, left_out, bool(stacks.origins) and not stacks.has_lines


class _Boxes:
    """Makes the boxes of one peak: those of its largest parts."""

    def __init__(self, stacks: PeakStacks, links: Links, looks: Mapping[str, str]) -> None:
        self._total, self._links, self._looks = stacks.size_bytes, links, looks
        self._shown = _largest(stacks)

    def below(self, nodes: Sequence[StackNode], size_bytes: int, frame: Frame | None) -> tuple[PeakBox, ...]:
        """Return the boxes of nodes that add up to some bytes, below a frame; what is not shown is one box.

        A row in which no box has room for a name is none.
        """
        shown = [node for node in nodes if id(node) in self._shown]
        if not any(map(self._has_room, shown)):
            return ()
        boxes = [self._box(node, frame) for node in shown]
        rest = size_bytes - sum(node.size_bytes for node in shown)
        if rest:
            boxes.append(self._rest(rest, len(nodes) - len(shown)))
        return tuple(boxes)

    def _has_room(self, node: StackNode) -> bool:
        return node.size_bytes >= _ROOM_FOR_NAME * self._total

    def _box(self, node: StackNode, around: Frame | None) -> PeakBox:
        name, place = _words(node, around, _WIDTH * node.size_bytes / self._total)
        shown = (name, place, node.shape) if self._has_room(node) else ("", "", "")
        name, place, shape = (cut(words, _LONGEST_NAME) for words in shown)
        size = f"{exact_bytes(node.size_bytes)}, {percent(node.size_bytes, self._total)}"
        return PeakBox(
            look=self._look(node),
            title=f"{cut(_title(node), _LONGEST_TITLE)}: {size}",
            percent=self._percent(node.size_bytes),
            size_bytes=node.size_bytes,
            name=name,
            place=place,
            shape=shape,
            href=self._href(node),
            children=self.below(node.children, node.size_bytes, node.frame or around),
        )

    def _rest(self, size_bytes: int, parts: int) -> PeakBox:
        title = f"{counted(parts, 'smaller part')}: {exact_bytes(size_bytes)}, {percent(size_bytes, self._total)}"
        return PeakBox(look="other", title=title, percent=self._percent(size_bytes), size_bytes=size_bytes)

    def _percent(self, size_bytes: int) -> str:
        return f"{100 * size_bytes / self._total:.3f}".rstrip("0").rstrip(".")

    def _look(self, node: StackNode) -> str:
        if node.kind in _HELD:
            return _HELD[node.kind]
        if node.origin in self._looks:
            return self._looks[node.origin]
        return "other" if node.origin or not node.children else "several"

    def _href(self, node: StackNode) -> str:
        """Return where a box leads: a frame to its source line where that is shown, others to their largest value."""
        href = self._links.line_href(str(node.frame)) if node.frame and not node.operation else ""
        return href or (self._links.value_href(node.largest) if node.largest is not None else "")


def _largest(stacks: PeakStacks) -> Set[int]:
    """Return the identities of the nodes that get a box. A parent is never smaller than its child and comes first."""
    nodes: list[StackNode] = []
    level = stacks.roots
    for _ in range(_LEVELS):
        nodes += level
        level = tuple(child for node in level for child in node.children)
    visible = [node for node in nodes if node.size_bytes >= _NARROWEST * stacks.size_bytes]
    return {id(node) for node in nsmallest(_MOST_BOXES, visible, key=lambda node: -node.size_bytes)}


def _words(node: StackNode, around: Frame | None, width: float) -> tuple[str, str]:
    """Return what a box is called, and its line; the file is named where it is another than around it.

    A function that is too long for a box of that width, in pixels, is called by its line alone; arguments and outputs
    are short.
    """
    if not node.frame:
        subscript = _SUBSCRIPT.fullmatch(node.name)
        name = subscript[1] if subscript else node.name or _KINDS.get(node.kind, "")
        return (_SHORT.get(name, name) if len(name) * _CHARACTER > width else name), ""
    function, line = _function(node.frame), f":{node.frame.line}"
    if function and len(function) * _CHARACTER > width:
        return line, node.operation
    where = line if around and around.file == node.frame.file else line_words(str(node.frame))
    return (function, f"{where} {node.operation}".rstrip()) if function else (where, node.operation)


def _title(node: StackNode) -> str:
    if node.frame:
        name = f"{node.frame.function} {line_words(str(node.frame))}".lstrip()
        through = f"through {', '.join(map(_place, node.below))}" if node.below else ""
        return " ".join(filter(None, (name, through, node.operation, node.shape)))
    return " ".join(filter(None, (node.name or _KINDS.get(node.kind, ""), node.shape)))


def _function(frame: Frame) -> str:
    """Return the name of a function without the functions around it; empty where it is unknown."""
    return frame.function.rpartition("<locals>.")[2]


def _place(frame: Frame) -> str:
    return f"{_function(frame)} {line_words(str(frame))}".lstrip()
