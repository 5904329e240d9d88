"""What is said to have changed between two compilations of a module is what changed."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.analyse.changes import Amounts, Figures, Held, SpaceFigures, ValueChange, changes, figures
from reportgen.model import WHOLE, ValueKey
from tests.support.builder import Lives, temporaries

HELD = st.builds(Held, st.integers(1, 8), st.just("temporary"), st.integers(0, 3))
KEYS = st.builds(ValueKey, st.sampled_from(["a", "a.1", "a.2", "b", "b.1", "c"]), st.just(WHOLE))
SPACES: st.SearchStrategy[Figures] = st.dictionaries(
    st.integers(0, 2),
    st.dictionaries(KEYS, HELD).map(
        lambda held: SpaceFigures("HBM", Amounts(sum(one.size_bytes for one in held.values()), 99, 0), held)
    ),
)


def of(*lives: Lives) -> Figures:
    return figures(analyse(temporaries(*lives)))


def said(before: Figures, after: Figures) -> Mapping[str, tuple[str, int, int]]:
    (space,) = changes(before, after)
    return {change.key.name: (change.kind, change.before_bytes, change.after_bytes) for change in space.values}


def test_the_figures_are_those_of_the_analysis() -> None:
    analysis = analyse(temporaries(Lives("a", 0, 1, 4, 0), Lives("b", 1, 2, 8, 4)))
    (space,) = figures(analysis).values()
    assert space.amounts == Amounts(12, 12, 4 + 0)  # b is an f32[1] in 8 bytes
    assert {key.name: held.size_bytes for key, held in space.held.items()} == {"a": 4, "b": 8}


def test_values_are_new_gone_grown_shrunk_and_moved() -> None:
    before = of(
        Lives("grows", 0, 0, 4, 0), Lives("goes", 0, 0, 4, 4), Lives("moves", 0, 0, 4, 8), Lives("falls", 0, 0, 4, 12)
    )
    after = of(
        Lives("grows", 0, 0, 8, 0),
        Lives("moves", 0, 0, 4, 16),
        Lives("comes", 0, 0, 12, 20),
        Lives("falls", 0, 0, 2, 12),
    )
    assert said(before, after) == {
        "comes": ("new", 0, 12),
        "goes": ("gone", 4, 0),
        "grows": ("grown", 4, 8),
        "falls": ("shrunk", 4, 2),
        "moves": ("moved", 4, 4),
    }


def test_the_largest_change_comes_first() -> None:
    (space,) = changes(of(Lives("a", 0, 0, 4, 0)), of(Lives("b", 0, 0, 32, 0), Lives("c", 0, 0, 8, 32)))
    assert [change.key.name for change in space.values] == ["b", "c", "a"]


def test_a_value_that_is_only_numbered_anew_is_the_same() -> None:
    before = of(Lives("fusion.12", 0, 0, 4, 0), Lives("fusion.13", 0, 0, 4, 4))
    assert said(before, of(Lives("fusion.40", 0, 0, 4, 0), Lives("fusion.41", 0, 0, 4, 4))) == {}
    assert said(before, of(Lives("fusion.13", 0, 0, 4, 4), Lives("copy.1", 0, 0, 4, 0))) == {
        "copy.1": ("new", 0, 4),
        "fusion.12": ("gone", 4, 0),
    }


def test_a_space_that_comes_or_goes_is_told() -> None:
    one, two = of(Lives("a", 0, 0)), of(Lives("a", 0, 0), Lives("b", 0, 0, color=1))
    assert [(change.color, change.before is None, change.after is None) for change in changes(one, two)] == [
        (0, False, False),
        (1, True, False),
    ]
    assert changes(two, one)[1].after is None


@given(SPACES)
def test_a_build_does_not_differ_from_itself(build: Figures) -> None:
    assert all(change.is_none for change in changes(build, build))


@given(SPACES, SPACES)
def test_the_changes_of_the_values_add_up_to_that_of_the_peak(before: Figures, after: Figures) -> None:
    """Every byte of these peaks is held by a value."""
    for change in changes(before, after):
        peaks = [amounts.peak_resident or 0 if amounts else 0 for amounts in (change.before, change.after)]
        assert sum(value.after_bytes - value.before_bytes for value in change.values) == peaks[1] - peaks[0]


@given(SPACES, SPACES)
def test_backwards_it_is_the_same_the_other_way_round(before: Figures, after: Figures) -> None:
    opposite = {"new": "gone", "gone": "new", "grown": "shrunk", "shrunk": "grown", "moved": "moved"}

    def turned(change: ValueChange) -> tuple[str, int, int]:
        return opposite[change.kind], change.after_bytes, change.before_bytes

    for there, back in zip(changes(before, after), changes(after, before), strict=True):
        assert sorted(map(turned, there.values)) == sorted((v.kind, v.before_bytes, v.after_bytes) for v in back.values)
