"""Arrange the bytes of a peak as a tree: by call stack, by the path of an argument, by scope where no line is known.

Arguments and outputs are parts of their own, as in the chart of memory over the program.

The functions of the user's program are steps from the outermost to the innermost, and below each are the operations
that it runs. Frames of libraries are left out. The shares of the peak are counted once each, so the children of a node
add up to it and the roots to the whole peak.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from reportgen.analyse.attributed import held_for
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import shares
from reportgen.analyse.peak_groups import sibling_name, spoken_name
from reportgen.analyse.records import Analysis, Space
from reportgen.parse.op_names import path_parts
from reportgen.parse.shape_parser import plain_shape
from reportgen.parse.stack_frames import Frame
from reportgen.program.author import Author
from reportgen.program.scopes import path
from reportgen.record import record

StepKind = Literal["frame", "operation", "argument", "output", "scope", "arguments", "outputs", "no line", "unused"]
"""A frame of a stack, an operation, a part of an argument's path, the operation of an output, a named scope;
`arguments`, `outputs` and `no line` stand above the arguments, the outputs and the scopes, and `unused` for memory that
is reserved and never used."""

_MOST_STEPS = 40  # because the tree is finished by recursion, and a stack may have any depth
_NEARLY_ALL = 0.95
"""A step that has at least this part of the bytes of what is above it is left out, because it splits nothing."""
_ARGUMENT_RULES = ("argument", "new value", "in place")


class _StackStep(NamedTuple):
    """A step on the way from the whole peak to a buffer; `name` has `#` for its numbers, unless it is a frame's."""

    kind: StepKind
    name: str = ""
    frame: Frame | None = None
    shape: str = ""
    is_last: bool = False


@record
class StackNode:
    """Bytes of a peak that have the steps from a root to here in common.

    `name` is the function, operation or part of a path, with `#` for numbers that differ; empty where `kind` says all.
    `above` and `below` are the frames next to it that are left out because they split nothing, the outermost first, and
    `operation` is the only one that a frame runs. `origin` is the source line or, without one, the scope that all bytes
    come from; empty for arguments, outputs and where there are several. `largest` is the value that has most of the
    bytes, None where there is none.
    """

    kind: StepKind
    name: str
    frame: Frame | None
    above: tuple[Frame, ...]
    below: tuple[Frame, ...]
    operation: str
    shape: str
    origin: str
    size_bytes: int
    largest: int | None
    children: tuple["StackNode", ...]

    @property
    def is_beside_code(self) -> bool:
        """Whether it is not of the temporaries that code fills: arguments, outputs, and what is never used."""
        return self.kind in ("arguments", "outputs", "unused")


@record
class PeakStacks:
    """A peak as a tree: the `roots`, the largest first, add up to `size_bytes`.

    `above` are the outermost frames, which are left out because they split nothing. `origins` are the source lines and
    scopes with their bytes, the largest first. `has_lines` is whether a source line of the user's code is known, and
    `is_named` whether the program has any name for what it holds.
    """

    size_bytes: int
    roots: tuple[StackNode, ...]
    above: tuple[Frame, ...]
    origins: tuple[tuple[str, int], ...]
    has_lines: bool
    is_named: bool

    @property
    def is_telling(self) -> bool:
        """Whether the program names any of it, and there is more than one part."""
        return self.is_named and sum(1 for _ in walk(self.roots)) > 1


class _StackBranch:
    def __init__(self) -> None:
        self.size_bytes = 0
        self.largest: int | None = None
        self.names: set[str] = set()
        self.origins: set[str] = set()
        self.children: dict[_StackStep, _StackBranch] = {}

    def add(self, size_bytes: int, number: int | None, origin: str) -> None:
        """Add a share; they come largest first."""
        self.size_bytes += size_bytes
        self.largest = number if self.largest is None else self.largest
        self.origins.add(origin)


def peak_stacks(analysis: Analysis, space: Space) -> PeakStacks:
    """Return the tree of a space's peak."""
    top, by_origin, is_named = _StackBranch(), Counter[str](), False
    for share in shares(space):
        number = held_for(analysis, share)
        author = None if number is None else analysis.authors.of(number)
        is_named = is_named or (author is not None and author.is_named)
        held = memory_class(analysis.dump.allocations[share.allocation])
        shape = "" if number is None else plain_shape(analysis.facts[number].value.shape)
        steps, origin = _way(author, held, shape)
        if origin:
            by_origin[origin] += share.size_bytes
        node = top
        node.add(share.size_bytes, number, origin)
        for step in steps:
            node = node.children.setdefault(_key(step), _StackBranch())
            node.names.add(step.name)
            node.add(share.size_bytes, number, origin)
    roots, above = _hoisted(_children(top))
    return PeakStacks(
        size_bytes=top.size_bytes,
        roots=roots,
        above=above,
        origins=tuple(sorted(by_origin.items(), key=lambda pair: (-pair[1], pair[0]))),
        has_lines=bool(above) or any(node.frame for node in walk(roots)),
        is_named=is_named,
    )


def walk(nodes: Sequence[StackNode]) -> Iterator[StackNode]:
    """Yield each node, parents before children and larger siblings first."""
    for node in nodes:
        yield node
        yield from walk(node.children)


def _way(author: Author | None, held: MemoryClass, shape: str) -> tuple[list[_StackStep], str]:
    """Return the steps to a buffer, and the line or scope that it comes from; empty for arguments and outputs."""
    if author is None:
        return [_StackStep("unused", is_last=True)], ""
    if held == "output":
        return [_StackStep("outputs"), _StackStep("output", _operation(author), shape=shape, is_last=True)], ""
    if author.argument and author.rule in _ARGUMENT_RULES:
        *parts, last = _shortened([_StackStep("argument", part) for part in path_parts(author.argument)])
        return [_StackStep("arguments"), *parts, last._replace(shape=shape, is_last=True)], ""
    if held == "parameter":
        return [_StackStep("arguments"), _StackStep("argument", _operation(author), shape=shape, is_last=True)], ""
    operation = _StackStep("operation", _operation(author), shape=shape, is_last=True)
    frames = [frame for frame in reversed(author.stack) if not frame.is_of_library]
    if frames:
        steps = [_StackStep("frame", frame.function, frame) for frame in frames]
        return [*_shortened(steps), operation], str(frames[-1])
    scopes = path(author.scope) if author.scope else ()
    origin = "/".join((*map(sibling_name, scopes), sibling_name(operation.name)))
    return [_StackStep("no line"), *_shortened([_StackStep("scope", scope) for scope in scopes]), operation], origin


def _operation(author: Author) -> str:
    """Return the last part of an operation's name, as `dot_general`, or the name of its instruction."""
    name = path_parts(author.scope)[-1] if author.scope else author.operation
    return f"{author.relation} {name}" if author.rule == "read" else name


def _shortened(steps: list[_StackStep]) -> list[_StackStep]:
    """Return the outermost and the innermost of too many steps."""
    half = _MOST_STEPS // 2
    return steps if len(steps) <= _MOST_STEPS else [*steps[:half], *steps[-half:]]


def _key(step: _StackStep) -> _StackStep:
    """Return what numbered siblings have in common."""
    return step if step.frame else step._replace(name=sibling_name(step.name))


def _children(node: _StackBranch) -> tuple[StackNode, ...]:
    """Return the finished children: the code first, then arguments and unused memory, each largest first."""
    found = (_finished(step, child) for step, child in node.children.items())
    return tuple(sorted(found, key=_order))


def _order(node: StackNode) -> tuple[bool, int, str, str, str]:
    return node.is_beside_code, -node.size_bytes, node.kind, node.name, node.shape


def _finished(step: _StackStep, node: _StackBranch) -> StackNode:
    """Return a node and all below it, joined with its child where that is the only one."""
    made = StackNode(
        kind=step.kind,
        name=spoken_name(sorted(node.names)),
        frame=step.frame,
        above=(),
        below=(),
        operation="",
        shape=step.shape,
        origin=next(iter(node.origins)) if len(node.origins) == 1 else "",
        size_bytes=node.size_bytes,
        largest=node.largest,
        children=_children(node),
    )
    return _joined(made, made.children[0]) if len(made.children) == 1 else _without_middle(made)


def _joined(node: StackNode, child: StackNode) -> StackNode:
    """Return a node and its only child as one; the child stays below what only introduces it."""
    if node.frame:
        if child.frame:
            return replace(child, above=(*node.above, node.frame, *child.above))
        return replace(node, operation=child.name, shape=child.shape, children=())
    if node.kind == "scope":
        return replace(child, name=f"{node.name}/{child.name}")
    return replace(child, name=node.name + child.name) if node.kind == "argument" else node


def _without_middle(node: StackNode) -> StackNode:
    """Return a node with the children of a child that splits next to nothing of it in place of that child."""
    largest = node.children[0] if node.children else None
    if not largest or largest.kind != node.kind or not _splits_nothing(largest, node.size_bytes):
        return node
    children = tuple(sorted([*largest.children, *node.children[1:]], key=_order))
    return _without_middle(replace(node, children=children, below=(*node.below, *_frames(largest))))


def _hoisted(roots: tuple[StackNode, ...]) -> tuple[tuple[StackNode, ...], tuple[Frame, ...]]:
    """Return the roots without the outermost that split next to nothing of the code, and the frames of these."""
    code = sum(root.size_bytes for root in roots if not root.is_beside_code)
    if not code or not _splits_nothing(roots[0], code):
        return roots, ()
    roots_below, frames = _hoisted(tuple(sorted([*roots[0].children, *roots[1:]], key=_order)))
    return roots_below, (*_frames(roots[0]), *frames)


def _splits_nothing(node: StackNode, of_bytes: int) -> bool:
    """Return whether a node has nearly all of some bytes, and what is below it says where they come from."""
    leads_on = bool(node.children) and (node.kind == "no line" or node.children[0].kind == node.kind)
    return leads_on and node.size_bytes >= _NEARLY_ALL * of_bytes


def _frames(node: StackNode) -> tuple[Frame, ...]:
    """Return all frames that a node stands for, the outermost first."""
    return (*node.above, node.frame, *node.below) if node.frame else ()
