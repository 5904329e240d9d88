"""The bytes of a peak as a tree over the scopes of the program, as `op_name` spells them.

`jit(step)/layer_1/attention/dot_general` is a path; each part gets a node that holds the bytes of all
values below it. Bytes without a scope stay beside the tree's branches, so that the root is the whole peak.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import Kind, OriginOf, Tally, kind_and_label, shares
from reportgen.analyse.records import Analysis, Share, Space

_DEEPEST = 40
_OPENING, _CLOSING = "([{", ")]}"
_ARGUMENT = re.compile(r"[^\[\]/(){}]+(?:\[(?:'[^']*'|\"[^\"]*\"|\d+)\][^\[\]/(){}]*)+")
_SUBSCRIPT = re.compile(r"(?=\[)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A node: `size_bytes` with all that is below it, `own_bytes` of the values whose path ends here.

    A node that only leads on to one other is joined with it: `jit(step)/jit(main)`.
    """

    kind: Kind
    name: str
    size_bytes: int
    own_bytes: int
    values: int
    largest: int | None
    classes: tuple[tuple[MemoryClass, int], ...]
    children: tuple["Scope", ...]


class _Node:
    def __init__(self) -> None:
        self.all, self.own = Tally(), Tally()
        self.children: dict[tuple[Kind, str], _Node] = {}


def scope_tree(analysis: Analysis, space: Space, origin: OriginOf) -> Scope:
    """The tree of a space's peak; its root has the bytes of the whole peak."""
    root = _Node()
    for share in shares(space):
        kind = memory_class(analysis.dump.allocations[share.allocation])
        node = root
        node.all.add(share, kind)
        for key in _path(share, origin):
            node = node.children.setdefault(key, _Node())
            node.all.add(share, kind)
        node.own.add(share, kind)
    return _finished(("named", ""), root)


def walk(scope: Scope, depth: int = 0) -> Iterator[tuple[int, Scope]]:
    """Each node with its depth, parents first, siblings the largest first."""
    yield depth, scope
    for child in scope.children:
        yield from walk(child, depth + 1)


def _path(share: Share, origin: OriginOf) -> Sequence[tuple[Kind, str]]:
    kind, scope = kind_and_label(share, lambda value: origin(value).scope.strip())
    if kind != "named":
        return [(kind, "")]
    parts = path_parts(scope)
    return [("named", part) for part in (*parts[: _DEEPEST - 1], "/".join(parts[_DEEPEST - 1 :])) if part]


def path_parts(scope: str) -> list[str]:
    """The parts of an op_name: cut at slashes outside of brackets, and `p['layer']['w']` at its subscripts."""
    if _ARGUMENT.fullmatch(scope):
        return [part for part in _SUBSCRIPT.split(scope) if part]
    parts, depth, start = [], 0, 0
    for place, character in enumerate(scope):
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth = max(0, depth - 1)
        elif character == "/" and depth == 0:
            parts.append(scope[start:place])
            start = place + 1
    return [part for part in (*parts, scope[start:]) if part] or [scope]


def _finished(key: tuple[Kind, str], node: _Node) -> Scope:
    kind, name = key
    while name and not node.own.size_bytes and len(node.children) == 1:
        ((_, below), node) = _only(node.children)
        name += below if below.startswith("[") else f"/{below}"
    children = (_finished(child_key, child) for child_key, child in node.children.items())
    return Scope(
        kind=kind,
        name=name,
        size_bytes=node.all.size_bytes,
        own_bytes=node.own.size_bytes,
        values=node.all.values,
        largest=node.all.largest,
        classes=node.all.classes,
        children=tuple(sorted(children, key=lambda scope: (-scope.size_bytes, scope.kind, scope.name))),
    )


def _only(children: Mapping[tuple[Kind, str], _Node]) -> tuple[tuple[Kind, str], _Node]:
    return next(iter(children.items()))
