"""Numbered siblings of a scope tree, as the layers of a network, are one row."""

from reportgen.analyse.scope_tree import Scope, scope_tree, walk
from tests.support.dumps import analysed


def tree_of(*scopes: str) -> Scope:
    size = 4 * len(scopes)
    values = "".join(f" value: <{n} v{n} @0> (size=4,offset={4 * n}): f32[1]{{0}}\n" for n in range(len(scopes)))
    used = "".join(
        f"<{n} v{n} @0>\n positions:\n  v{n}\n uses:\n"
        f' from instruction: %v{n} = f32[1]{{0}} negate(), metadata={{op_name="{scope}"}}\n'
        for n, scope in enumerate(scopes)
    )
    ranges = "".join(f"    v{n}{{}}:0-1\n" for n in range(len(scopes)))
    analysis = analysed(
        f"BufferAssignment:\nallocation 0: size {size}, preallocated-temp:\n{values}",
        f"Used values:\n{used}",
        f"HloLiveRange (max 1):\n  InstructionSequence:\n    0:v0\n  BufferLiveRange:\n{ranges}",
    )
    return scope_tree(analysis, analysis.spaces[0])


def test_siblings_that_differ_in_numbers_are_one_node_with_all_their_bytes() -> None:
    tree = tree_of(*(f"jit(f)/layer_{layer}/{part}" for layer in range(12) for part in ("attn", "mlp")))
    found = [(scope.label, scope.siblings, scope.size_bytes) for _, scope in walk(tree)]
    assert found == [("", 1, 96), ("jit(f)/layer_#", 12, 96), ("attn", 1, 48), ("mlp", 1, 48)]


def test_a_number_without_siblings_stays() -> None:
    assert [scope.label for _, scope in walk(tree_of("jit(f)/layer_3/attn"))] == ["", "jit(f)/layer_3/attn"]


def test_the_values_of_an_argument_fold_at_its_subscripts() -> None:
    tree = tree_of("p['layer_0']['w']", "p['layer_1']['w']")
    assert [(scope.label, scope.siblings) for _, scope in walk(tree)][1:] == [("p['layer_#']", 2), ("['w']", 1)]
