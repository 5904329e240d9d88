"""What is reported to have changed between two compilations of a module is what changed."""

from collections.abc import Mapping

from hypothesis import given

from reportgen.analyse.analysis import analyse
from reportgen.compare.value_changes import Amounts, Build, ValueChange, build_of, changes
from reportgen.model import Dump
from tests.compare.strategies import pairs, read_dumps
from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, measured
from tests.support.builder import Lives, temporaries


def of(*lives: Lives) -> Build:
    return build_of(analyse(temporaries(*lives)))


def found(before: Build, after: Build) -> Mapping[str, tuple[str, int, int]]:
    (space,) = changes(before, after)
    return {change.key.name: (change.kind, change.before_bytes, change.after_bytes) for change in space.values}


def test_the_figures_are_those_of_the_analysis() -> None:
    analysis = analyse(temporaries(Lives("a", 0, 1, 4, 0), Lives("b", 1, 2, 8, 4)))
    (space,) = build_of(analysis).figures.values()
    assert space.amounts == Amounts(12, 12, 4 + 0)  # b is an f32[1] in 8 bytes
    assert {value: held.size_bytes for value, held in space.held.items()} == {0: 4, 1: 8}


def test_values_are_new_gone_grown_shrunk_and_moved() -> None:
    before = of(
        Lives("grows", 0, 0, 4, 0, "f32[1]{0}"),
        Lives("goes", 0, 0, 4, 4, "s8[4]{0}"),
        Lives("moves", 0, 0, 4, 8, "u8[4]{0}"),
        Lives("falls", 0, 0, 4, 12, "s32[1]{0}"),
    )
    after = of(
        Lives("grows", 0, 0, 8, 0, "f32[1]{0}"),
        Lives("moves", 0, 0, 4, 16, "u8[4]{0}"),
        Lives("comes", 0, 0, 12, 20, "pred[3,4]{1,0}"),
        Lives("falls", 0, 0, 2, 12, "s32[1]{0}"),
    )
    assert found(before, after) == {
        "comes": ("new", 0, 12),
        "goes": ("gone", 4, 0),
        "grows": ("grown", 4, 8),
        "falls": ("shrunk", 4, 2),
        "moves": ("moved", 4, 4),
    }


def test_a_value_under_another_number_is_the_same() -> None:
    before = of(Lives("fusion.12", 0, 0, 4, 0), Lives("fusion.13", 0, 0, 4, 4))
    assert found(before, of(Lives("fusion.40", 0, 0, 4, 0), Lives("fusion.41", 0, 0, 4, 4))) == {}


def test_a_value_that_comes_to_the_peak_is_new_there() -> None:
    (space,) = changes(build_of(measured(IN_PLACE)), build_of(measured(NOT_IN_PLACE)))
    assert ("new", "exp_fusion.1") in {(change.kind, change.key.name) for change in space.values}


def test_a_space_that_comes_or_goes_is_reported() -> None:
    one, two = of(Lives("a", 0, 0)), of(Lives("a", 0, 0), Lives("b", 0, 0, color=1))
    assert [(change.color, change.before is None, change.after is None) for change in changes(one, two)] == [
        (0, False, False),
        (1, True, False),
    ]
    assert changes(two, one)[1].after is None


@given(read_dumps())
def test_no_figure_of_a_build_differs_from_itself(dump: Dump) -> None:
    build = build_of(analyse(dump))
    assert all(change.before == change.after for change in changes(build, build))


@given(pairs())
def test_the_changes_of_the_values_add_up_to_that_of_the_bytes_they_hold(both: tuple[Dump, Dump]) -> None:
    before, after = (build_of(analyse(dump)) for dump in both)
    for change in changes(before, after):
        held = [
            sum(one.size_bytes for one in build.figures[change.color].held.values())
            if change.color in build.figures
            else 0
            for build in (before, after)
        ]
        assert sum(value.after_bytes - value.before_bytes for value in change.values) == held[1] - held[0]


@given(pairs())
def test_the_largest_change_comes_first(both: tuple[Dump, Dump]) -> None:
    def size(value: ValueChange) -> int:
        return abs(value.after_bytes - value.before_bytes)

    for change in changes(*(build_of(analyse(dump)) for dump in both)):
        assert list(map(size, change.values)) == sorted(map(size, change.values), reverse=True)
