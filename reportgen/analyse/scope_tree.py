"""Arrange the bytes of a peak as a tree over the program's scopes, which come from `op_name`.

`jit(step)/layer_1/attention/dot_general` is a path; each part becomes a node with the bytes of all values
below it. Siblings whose names differ in numbers only, as those of layers, are one node. Bytes without a scope
form nodes of their own next to it, so the root is the whole peak.
"""

from collections.abc import Iterator, Sequence

from reportgen.analyse.classes import memory_class
from reportgen.analyse.decompose import Group, GroupKind, Tally, kind_and_label, shares
from reportgen.analyse.peak_groups import sibling_name
from reportgen.analyse.records import Analysis, Share, Space
from reportgen.parse.op_names import path_parts
from reportgen.record import record

_DEEPEST = 40  # because the tree is finished by recursion, and an op_name may have any depth


@record
class Scope(Group):
    """A node of the tree; `own_bytes` are those of values whose path ends here, the others those of the subtree.

    A node without bytes of its own and with one child is joined with that child: `jit(step)/jit(main)`. Where it stands
    for several numbered `siblings`, its label has `#` for their numbers. `path` is the whole name from the root down to
    here.
    """

    path: str
    own_bytes: int
    children: tuple["Scope", ...]
    siblings: int = 1


class _ScopeNode:
    def __init__(self) -> None:
        self.all, self.own = Tally(), Tally()
        self.names: set[str] = set()
        self.children: dict[tuple[GroupKind, str], _ScopeNode] = {}


def scope_tree(analysis: Analysis, space: Space) -> Scope:
    """Return the tree of a space's peak; its root has the bytes of the whole peak."""
    root = _ScopeNode()
    for share in shares(space):
        kind = memory_class(analysis.dump.allocations[share.allocation])
        node = root
        node.all.add(share, kind)
        for group, name in _path(share, analysis):
            node = node.children.setdefault((group, sibling_name(name)), _ScopeNode())
            node.names.add(name)
            node.all.add(share, kind)
        node.own.add(share, kind)
    return _finished(("named", ""), root)


def walk(scope: Scope, depth: int = 0) -> Iterator[tuple[int, Scope]]:
    """Yield each node with its depth, parents before children and larger siblings first."""
    yield depth, scope
    for child in scope.children:
        yield from walk(child, depth + 1)


def _path(share: Share, analysis: Analysis) -> Sequence[tuple[GroupKind, str]]:
    kind, scope = kind_and_label(share, lambda value: analysis.authors.of(value).scope_name.strip())
    if kind != "named":
        return [(kind, "")]
    parts = path_parts(scope)
    return [("named", part) for part in (*parts[: _DEEPEST - 1], "/".join(parts[_DEEPEST - 1 :])) if part]


def _finished(key: tuple[GroupKind, str], node: _ScopeNode, above: str = "") -> Scope:
    """Return a node and all below it as a scope; scopes that only lead to a single other one are joined with it.

    `above` is the path of the scope around the node.
    """
    kind, name = key
    siblings = max(1, len(node.names))
    name = _shown(node, name)
    while name and not node.own.size_bytes and len(node.children) == 1 and siblings == 1:
        [((_, below), node)] = node.children.items()
        siblings = len(node.names)
        name = _joined(name, _shown(node, below))
    path = _joined(above, name)
    children = (_finished(child_key, child, path) for child_key, child in node.children.items())
    return Scope(
        kind=kind,
        label=name,
        path=path,
        size_bytes=node.all.size_bytes,
        own_bytes=node.own.size_bytes,
        classes=node.all.classes,
        members=tuple(node.all.members),
        children=tuple(sorted(children, key=lambda scope: (-scope.size_bytes, scope.kind, scope.label))),
        siblings=siblings,
    )


def _shown(node: _ScopeNode, name: str) -> str:
    """Return the node's own name, or the one with `#` for the numbers of its siblings."""
    return next(iter(node.names)) if len(node.names) == 1 else name


def _joined(above: str, part: str) -> str:
    return f"{above}/{part}" if above and part and not part.startswith("[") else above + part
