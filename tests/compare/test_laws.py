"""The laws of a comparison on random dumps and random changes of them."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.analysis import analyse
from reportgen.compare.dump_comparison import compare_dumps
from reportgen.compare.scope_changes import largest, scope_changes
from reportgen.model import Dump
from tests.compare.strategies import pairs, read_dumps, renamed


@given(pairs())
def test_the_terms_add_up_to_the_difference_of_the_peaks_in_both_directions(both: tuple[Dump, Dump]) -> None:
    before, after = map(analyse, both)
    for one, other in ((before, after), (after, before)):
        for space in compare_dumps(one, other).spaces.values():
            assert sum(term.change_bytes for term in space.terms) == space.change_bytes


@given(pairs())
def test_each_value_has_at_most_one_partner_and_is_its_partner(both: tuple[Dump, Dump]) -> None:
    matching = compare_dumps(*map(analyse, both)).matching
    for value, match in enumerate(matching.before):
        assert match is None or matching.after[match.value] == match._replace(value=value)
    assert sum(match is not None for match in matching.before) == sum(match is not None for match in matching.after)


@given(read_dumps())
def test_a_dump_has_no_terms_beside_itself(dump: Dump) -> None:
    one = analyse(dump)
    assert [space.terms for space in compare_dumps(one, one).spaces.values() if space.terms] == []


@given(st.data())
def test_names_change_no_figure(data: st.DataObject) -> None:
    dump = data.draw(read_dumps())
    comparison = compare_dumps(analyse(dump), analyse(data.draw(renamed(dump))))
    for space in comparison.spaces.values():
        assert sum(term.change_bytes for term in space.terms) == space.change_bytes == 0


@given(pairs())
def test_comparing_backwards_negates_every_difference(both: tuple[Dump, Dump]) -> None:
    before, after = map(analyse, both)
    forwards, backwards = compare_dumps(before, after), compare_dumps(after, before)
    for color, space in forwards.spaces.items():
        assert backwards.spaces[color].change_bytes == -(space.change_bytes or 0)


@given(pairs())
def test_the_scopes_add_up_to_the_same_difference_at_every_level(both: tuple[Dump, Dump]) -> None:
    comparison = compare_dumps(*map(analyse, both))
    for space in comparison.spaces.values():
        elsewhere = sum(term.change_bytes for term in space.terms if term.kind == "elsewhere")
        rows = scope_changes(comparison, space)
        assert sum(row.change_bytes for row in rows if row.depth == 0) == (space.change_bytes or 0) - elsewhere
        assert all(row.increase_bytes - row.decrease_bytes == row.change_bytes for row in rows)
        for above, below in itertools.pairwise(rows):
            assert below.depth <= above.depth + 1


@given(pairs(), st.integers(0, 5))
def test_the_largest_scopes_keep_their_parents(both: tuple[Dump, Dump], most: int) -> None:
    comparison = compare_dumps(*map(analyse, both))
    for space in comparison.spaces.values():
        rows = largest(scope_changes(comparison, space), most)
        assert len(rows) <= most
        assert all(below.depth <= above.depth + 1 for above, below in itertools.pairwise(rows))
        assert not rows or rows[0].depth == 0
