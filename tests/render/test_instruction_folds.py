"""The rows of instructions: all that change memory much are there, and the others are in folds between them."""

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from reportgen.render.explore.folds import LEAST_FOLDED, MOST_FOLDED, folded
from reportgen.render.explore.instruction_rows import InstructionRows
from reportgen.render.html.links import Links
from tests.support.modules import module_in
from tests.support.samples import SAMPLE_FOLDERS

MOST = 10


@given(
    st.lists(st.integers(0, 100), unique=True).map(sorted),
    st.dictionaries(st.integers(0, 100), st.integers(-50, 50)),
    st.lists(st.integers(0, 100), max_size=2 * MOST),
)
def test_rows_and_folds_are_all_instructions(moments: list[int], changes: dict[int, int], marked: list[int]) -> None:
    rows = folded(moments, changes, marked, MOST)
    assert list(chain.from_iterable(rows)) == moments
    folds = [row for row in rows if len(row) > 1]
    assert all(len(fold) >= LEAST_FOLDED for fold in folds)
    assert len(rows) - len(folds) <= MOST


@given(st.dictionaries(st.integers(0, 9), st.integers(-50, 50)), st.sets(st.integers(0, 9)))
def test_few_instructions_fold_only_where_nothing_changes(changes: dict[int, int], marked: set[int]) -> None:
    folds = [row for row in folded(range(10), changes, [*marked], MOST) if len(row) > 1]
    assert not any(changes.get(moment) or moment in marked for fold in folds for moment in fold)


def test_the_largest_changes_and_what_is_marked_have_rows() -> None:
    changes = {moment: moment for moment in range(100)}
    rows = folded(range(100), changes, [20], 6)
    assert [len(row) for row in rows] == [20, 1, 74, *[1] * 5]


def test_very_many_instructions_are_several_folds_of_about_one_size() -> None:
    rows = folded(range(2 * MOST_FOLDED + 1), {}, [], MOST)
    assert [len(row) for row in rows] == [667, 667, 667]


def test_what_begins_with_a_row_is_named_there() -> None:
    module = module_in("cpu-train-step")
    made = InstructionRows(module, Links(module))
    rows = made.table(made.rows).rows.split("\n")
    for phase in made.brackets:
        [row] = [row for row in rows if row.startswith(f'<tr id="i{phase.first}" class="pass pass-first')]
        assert (
            f'<small class="bracket">{phase.kind}</small> <a href="explore.html#i{phase.first}">{phase.first}</a>'
            in row
        )
    assert sum('class="bracket"' in row for row in rows) == len(made.brackets) > 1


def test_no_bracket_of_a_sample_begins_or_ends_in_a_fold() -> None:
    made = [InstructionRows(module, Links(module)) for module in map(module_in, SAMPLE_FOLDERS)]
    assert any(one.brackets for one in made)
    for one in made:
        ends = {moment for phase in one.brackets for moment in (phase.first, phase.last)}
        assert all(ends.isdisjoint(row) for row in one.rows if len(row) > 1)
