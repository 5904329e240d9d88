"""Op_names are read as the user wrote them, without the computations that JAX puts around operations."""

import pytest

from reportgen.program.scopes import is_operation, path
from tests.support.guards import finishes


@pytest.mark.parametrize(
    ("op_name", "scopes"),
    [
        ("jit(step)/layer_3/attn/dot_general", ("layer_3", "attn")),
        ("jit(step)/transpose(jvp(layer_3))/attn/dot_general", ("layer_3", "attn")),
        ("jit(step)/jvp()/while/body/closed_call/mlp/mul", ("mlp",)),
        ("jit(step)/jvp()/while/body/eval_jaxpr/mlp/mul", ("mlp",)),
        ("jit(step)/transpose(jvp())/while/body/eval_jaxpr/checkpoint/rematted_computation/mul", ()),
    ],
)
def test_the_scopes_around_an_operation_are_those_of_the_user(op_name: str, scopes: tuple[str, ...]) -> None:
    assert path(op_name) == scopes


@pytest.mark.parametrize("name", ["while", "body", "closed_call", "checkpoint", "eval_jaxpr", "branch_1_fun", "remat2"])
def test_the_name_of_a_computation_is_no_operation(name: str) -> None:
    assert not is_operation(f"jit(step)/while/body/{name}")
    assert is_operation(f"jit(step)/while/body/{name}/mul")


@pytest.mark.parametrize("op_name", [None, ""])
def test_without_a_name_there_is_no_operation(op_name: str | None) -> None:
    assert not is_operation(op_name)


def test_a_scope_is_found_within_any_number_of_transformations() -> None:
    wrapped = "jvp(" * 200_000 + "attn" + ")" * 200_000
    with finishes(10):
        assert path(f"jit(step)/{wrapped}/mul") == ("attn",)
