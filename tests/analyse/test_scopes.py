"""Numbered siblings of a scope tree, as the layers of a network, are one row."""

from reportgen.analyse.analysis import analyse
from reportgen.analyse.scopes import Scope, scope_tree, walk
from reportgen.program.origins import Origin
from tests.support.builder import Lives, temporaries


def tree_of(*scopes: str) -> Scope:
    analysis = analyse(temporaries(*(Lives(f"v{number}", 0, 1, 4, 4 * number) for number in range(len(scopes)))))
    return scope_tree(analysis, analysis.spaces[0], lambda number: Origin(scope=scopes[number]))


def test_siblings_that_differ_in_numbers_are_one_node_with_all_their_bytes() -> None:
    tree = tree_of(*(f"jit(f)/layer_{layer}/{part}" for layer in range(12) for part in ("attn", "mlp")))
    found = [(scope.name, scope.siblings, scope.size_bytes) for _, scope in walk(tree)]
    assert found == [("", 1, 96), ("jit(f)/layer_#", 12, 96), ("attn", 1, 48), ("mlp", 1, 48)]


def test_a_number_without_siblings_stays() -> None:
    assert [scope.name for _, scope in walk(tree_of("jit(f)/layer_3/attn"))] == ["", "jit(f)/layer_3/attn"]


def test_the_values_of_an_argument_fold_at_its_subscripts() -> None:
    tree = tree_of("p['layer_0']['w']", "p['layer_1']['w']")
    assert [(scope.name, scope.siblings) for _, scope in walk(tree)][1:] == [("p['layer_#']", 2), ("['w']", 1)]
