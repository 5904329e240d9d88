"""How arrays are divided among devices, as XLA prints it."""

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.program.sharding import Sharding, even_split, sharding
from tests.advice.recompiled_programs import program


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{replicated}", Sharding(copies=8)),
        ("{devices=[1,2,4]<=[8]}", Sharding(tiles=(1, 2, 4))),
        ("{devices=[1,4,2]<=[2,4]T(1,0)}", Sharding(tiles=(1, 4, 2))),
        ("{devices=[2,1,4]<=[8] last_tile_dim_replicate}", Sharding(tiles=(2, 1), copies=4)),
        ("{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}", Sharding(tiles=(2, 1), copies=4)),
        ("{devices=[2,4]0,1,2,3,4,5,6,7}", Sharding(tiles=(2, 4))),
        ("{maximal device=0}", None),
        ("{manual}", None),
        ("{{replicated}, {devices=[8]<=[8]}}", None),
        ("{devices=[0]<=[8]}", None),
        ("{devices=[99999999999999]<=[8]}", None),
    ],
)
def test_each_form_of_gspmd_is_read(text: str, expected: Sharding | None) -> None:
    assert sharding(text, 8) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{mesh[], []}", Sharding(copies=8)),
        ("{mesh[], [{}, {?}]}", Sharding(copies=8)),
        ("{mesh[data=8], [{data}, {}]}", Sharding(tiles=(8, 1))),
        ("{mesh[data=2,model=4], [{}, {model, ?}]}", Sharding(tiles=(1, 4), copies=2)),
        ("{mesh[data=2,model=4], [{model, data}, {}]}", Sharding(tiles=(8, 1))),
        ("{mesh[data=8], [{data:(2)4}]}", Sharding(tiles=(4,), copies=2)),
        ("{mesh[a=2,b=4], device_ids=(0,4,1,5,2,6,3,7), [{a}]}", Sharding(tiles=(2,), copies=4)),
        ("{mesh[name-1=8], [{}], replicated={name-1}}", Sharding(copies=8)),
        ("{mesh[data=8], [{}], unreduced={data}}", None),
        ("{mesh[data=8], [{}], manual={data}}", None),
        ("{mesh[data=0], [{data}]}", None),
        ("{mesh[data=999999999,model=999999999], [{data, model}]}", None),
    ],
)
def test_a_sharding_by_the_axes_of_a_mesh_is_read(text: str, expected: Sharding | None) -> None:
    assert sharding(text, 8) == expected


def _with_beginning(text: str) -> st.SearchStrategy[str]:
    return st.sampled_from([text, "{mesh[" + text, "{mesh[a=2], [" + text + "]}", "{devices=[" + text])


@given(st.text(alphabet="{}[](),:=<>?devicsrplatmnh 0123456789", max_size=60).flatmap(_with_beginning))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = sharding(text, 8)
    assert found is None or (found.copies >= 1 and prod(found.tiles) >= 1)


@given(sizes=st.lists(st.integers(1, 64), max_size=4), copies=st.integers(1, 64))
def test_an_even_split_divides_a_dimension_and_the_devices(sizes: list[int], copies: int) -> None:
    parts = even_split(sizes, copies)
    assert copies % parts == 0
    assert parts == 1 or any(size % parts == 0 for size in sizes)


@given(tiles=st.lists(st.integers(1, 8), max_size=3), local=st.integers(0, 1 << 40))
def test_the_whole_is_no_smaller_than_a_part(tiles: list[int], local: int) -> None:
    assert Sharding(tiles=tuple(tiles)).global_bytes(local) >= local


def test_a_program_says_how_many_devices_run_it() -> None:
    assert program("fsdp_tp").program.partitions.devices == 8
    assert program("splash").program.partitions.devices == 1


def test_an_argument_says_what_each_device_holds_of_it() -> None:
    found = program("fsdp_tp+replopt").program
    names = {found.argument_name(number): found.dump.values.names[number] for number in found.arguments.values()}
    of = {name: found.partitions.of(instruction) for name, instruction in names.items()}
    assert of["tok"] == Sharding(tiles=(2, 1), copies=4)
    assert of["state['params']['embed']"] == Sharding(tiles=(4, 2))
    assert sum(one is not None and one.is_replicated for one in of.values()) == 24
