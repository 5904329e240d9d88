"""Which dimensions of a padded array may be one: those that belong together, and only if that saves."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from reportgen.advice.context import AdviceContext
from reportgen.advice.merged_dimensions import Merged, merged, padding
from reportgen.analyse.sizes import dense_bytes, padded_bytes
from reportgen.parse.shape_parser import parse_shape
from reportgen.program.dimensions import Origin
from tests.advice.test_suggestions import compiled, suggestions

Of = tuple[str, int] | None
"""The argument and the dimension of it that a dimension comes from."""

HEADS = ("wqkv", 1)
TOKENS = ("tokens", 1)
SIZES = {("wqkv", 1): 3 * 8 * 64, ("tokens", 0): 160, ("tokens", 1): 77}


def found(shape: str, origins: Sequence[Of]) -> Merged | None:
    """Return what is merged of an array whose dimensions have these origins; each number is one of its sizes."""
    parsed = parse_shape(shape)
    padding = (padded_bytes(parsed, pointer_bytes=8) or 0) - (dense_bytes(parsed, pointer_bytes=8) or 0)
    sizes = [int(size) for size in shape.partition("[")[2].partition("]")[0].split(",")]
    context = SimpleNamespace(
        analysis=SimpleNamespace(
            dump=SimpleNamespace(values=SimpleNamespace(shapes=[shape])), facts=SimpleNamespace(padding=[padding])
        ),
        dimensions=SimpleNamespace(
            sizes=lambda _: sizes,
            of=lambda _: [of and Origin(of[0], (), of[1]) for of in origins],
            length=lambda origin: SIZES.get((origin.parameter, origin.dimension), 0),
        ),
    )
    return merged(cast(AdviceContext, context), 0)


@pytest.mark.parametrize(
    ("shape", "origins", "sizes"),
    [
        # Heads and their size were one dimension of the weights.
        ("bf16[160,77,8,64]{3,2,1,0:T(8,128)(2,1)}", [("tokens", 0), TOKENS, HEADS, HEADS], (8, 64)),
        # The scores of attention have the length of the sequence twice.
        ("bf16[160,8,77,77]{3,2,1,0:T(8,128)(2,1)}", [("tokens", 0), HEADS, TOKENS, TOKENS], None),
        # A sequence and its features.
        ("bf16[160,77,64]{2,1,0:T(8,128)(2,1)}", [("tokens", 0), TOKENS, ("wo", 1)], None),
        # Pictures, whatever the order of their dimensions in memory.
        ("u8[256,84,84,4]{2,1,3,0:T(8,128)(4,1)}", [("x", 0), ("x", 1), ("x", 2), ("x", 3)], (84, 84, 4)),
        # Rows of more than a tile: another size of the sequence would only add to it.
        ("f32[160,12,196,196]{3,2,1,0:T(8,128)}", [("x", 0), ("w", 1), ("x", 1), ("x", 2)], None),
        # Nothing is known of the dimensions: the two under the tile, if half of each row is empty and rows are left.
        ("f32[1024,20,64]{2,1,0:T(8,128)}", [None, None, None], (20, 64)),
        ("f32[1024,20,96]{2,1,0:T(8,128)}", [None, None, None], None),
        ("f32[20,64]{1,0:T(8,128)}", [None, None], None),
        ("f32[1,20,64]{2,1,0:T(8,128)}", [None, None, None], None),
        ("f32[16,4,64]{2,0,1:T(8,128)}", [None, None, None], None),
        ("f32[16,4,64]{2,1,0}", [("x", 0), ("x", 1), ("x", 2)], None),
        ("f32[16,8,128]{2,1,0:T(8,128)}", [("x", 0), ("x", 1), ("x", 2)], None),
    ],
)
def test_dimensions_are_merged_if_they_belong_together(
    shape: str, origins: Sequence[Of], sizes: tuple[int, ...] | None
) -> None:
    told = found(shape, origins)
    assert (told and told.sizes) == sizes


def test_what_is_saved_is_what_the_array_takes_less_as_one_dimension() -> None:
    told = found("u8[256,84,84,4]{2,1,3,0:T(8,128)(4,1)}", [("x", 0), ("x", 1), ("x", 2), ("x", 3)])
    assert told is not None
    now, then = 256 * 4 * 88 * 128, 256 * 221 * 128
    assert told.saved_bytes == now - then


def test_a_cache_of_short_rows_is_told_what_to_merge() -> None:
    (suggestion,) = suggestions("tpu/kvcarry/donate", "padding")
    assert suggestion.what.endswith(": 16 × 64 lies as 16 × 128; merge 16 × 64")
    assert "a larger size of a dimension needs more" in suggestion.caveat


def test_what_a_loop_keeps_for_its_gradient_is_not_told_to_be_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = compiled()["tpu/kvcarry/donate"]
    program = variant.program
    before = padding(AdviceContext(variant.analysis, variant.space), ()).values
    makers = {program.dump.values.names[number] for number in before}
    assert makers
    monkeypatch.setitem(vars(program), "loop_directions", dict.fromkeys(makers, "forward"))
    assert not padding(AdviceContext(variant.analysis, variant.space), ()).values
