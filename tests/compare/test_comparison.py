"""Comparisons whose outcome is worked out by hand."""

import re

import pytest

from reportgen.compare.dump_comparison import compare_dumps
from reportgen.compare.module_pairing import Side, pair_modules
from reportgen.compare.terms import by_kind, total
from tests.compare.texts import IN_PLACE, IN_PLACE_DUMPS, NOT_IN_PLACE, compiled, measured
from tests.support.dumps import edited


def test_a_donated_array_that_is_no_longer_updated_in_place_is_explained_in_one_row() -> None:
    space = compare_dumps(measured(IN_PLACE), measured(NOT_IN_PLACE)).spaces[0]
    assert [(term.kind, term.change_bytes) for term in space.terms] == [("held or temporary", 4194304)]
    assert space.change_bytes == 4194304


def test_two_versions_of_the_compiler_that_update_in_place_and_do_not_differ_in_one_row() -> None:
    before, after = (compiled(IN_PLACE_DUMPS / f"jaxlib-{version}") for version in ("0.7.1", "0.7.2"))
    space = compare_dumps(before, after).spaces[0]
    assert (space.before_bytes, space.after_bytes) == (4_194_353, 8_388_653)
    ((kind, terms),) = by_kind(space.terms).items()
    assert (kind, total(terms)) == ("held or temporary", 4_194_300)
    assert terms[0].change_bytes == 4_194_304  # the array; the rest is the counter of the loop


def test_the_opposite_change_has_the_opposite_term() -> None:
    space = compare_dumps(measured(NOT_IN_PLACE), measured(IN_PLACE)).spaces[0]
    assert [(term.kind, term.change_bytes) for term in space.terms] == [("held or temporary", -4194304)]


def test_values_are_recognised_under_another_name() -> None:
    before, after = measured(IN_PLACE), measured(NOT_IN_PLACE)
    matching = compare_dumps(before, after).matching
    partner = matching.before[before.dump.values.keys.index("exp_fusion{}")]
    assert partner is not None
    assert after.dump.values.keys[partner.value] == "exp_fusion.1{}"
    assert partner.grade == "sure"


def test_a_value_without_a_name_in_the_program_is_called_what_pages_call_it() -> None:
    one, other = (re.sub(r", metadata=\{[^}]*\}", "", text) for text in (IN_PLACE, NOT_IN_PLACE))
    comparison = compare_dumps(measured(one), measured(other))
    for graph in comparison.graphs:
        named = [graph.labels(value) for value in range(len(graph.analysis.dump.values))]
        assert [labels.name for labels in named] == [graph.analysis.authors.of(n).name for n in range(len(named))]
        assert all(labels.name and not labels.scope for labels in named)
    [term] = comparison.spaces[0].terms
    assert comparison.described(term) == ("exp_fusion.#", "", "f32[1048576]")


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("f32[1048576]{0:S(1)}", "to another space"),
        ("f32[1024,1024]{1,0:S(1)}", "to another space"),
        ("s32[8]", "gone"),
    ],
)
def test_only_what_has_as_many_elements_in_another_space_has_moved_there(after: str, kind: str) -> None:
    size = "32" if after == "s32[8]" else "4194304"
    moved = edited(
        NOT_IN_PLACE,
        ("allocation 1: size 4194304, preallocated-temp", f"allocation 1: size {size}, color 1, preallocated-temp"),
        (
            "<2 exp_fusion.1 @0> (size=4194304,offset=0): f32[1048576]{0}",
            f"<2 exp_fusion.1 @0> (size={size},offset=0): {after}",
        ),
        ("%exp_fusion.1 = f32[1048576]{0}", f"%exp_fusion.1 = {after}"),
    )
    space = compare_dumps(measured(NOT_IN_PLACE), measured(moved)).spaces[0]
    assert [(term.kind, term.change_bytes) for term in space.terms] == [(kind, -4194304)]


def test_a_resized_argument_is_one_term() -> None:
    after = IN_PLACE.replace("4194304", "8388608").replace("1048576", "2097152")
    space = compare_dumps(measured(IN_PLACE), measured(after)).spaces[0]
    assert [(term.kind, term.change_bytes) for term in space.terms] == [("argument resized", 4194304)]


def test_an_unknown_peak_has_no_terms() -> None:
    text = IN_PLACE.partition("HloLiveRange")[0]
    space = compare_dumps(measured(text), measured(text)).spaces[0]
    assert (space.terms, space.change_bytes) == ((), None)


def side(name: str, order: int, text: str = IN_PLACE) -> Side:
    return Side(f"{order}", name, order, measured(text))


def test_modules_are_paired_by_content_before_their_names() -> None:
    before = [side("jit_f", 0), side("jit_g", 1, NOT_IN_PLACE)]
    after = [side("jit_g", 0), side("jit_f", 1, NOT_IN_PLACE)]
    pairs, gone, new = pair_modules(before, after)
    assert [(pair.before.name, pair.after.name, pair.paired_by) for pair in pairs] == [
        ("jit_f", "jit_g", "content"),
        ("jit_g", "jit_f", "content"),
    ]
    assert (gone, new) == ([], [])


def test_equal_modules_are_paired_in_order_and_counted() -> None:
    before = [side("jit_f", number, IN_PLACE.replace("exp_fusion", f"exp.{number}")) for number in range(3)]
    after = [side("jit_f", number, IN_PLACE.replace("exp_fusion", f"exp.{number + 5}")) for number in range(2)]
    pairs, gone, _ = pair_modules(before, after)
    assert [(pair.before.order, pair.after.order, pair.alike) for pair in pairs] == [(0, 0, 3), (1, 1, 3)]
    assert [module.order for module in gone] == [2]


def test_a_module_under_another_name_is_recognised_by_its_shapes() -> None:
    other = IN_PLACE.replace("exp_fusion", "exp.1")
    (pair,), _, _ = pair_modules([side("jit_step", 0)], [side("jit_stage", 0, other)])
    assert pair.paired_by == "shapes"


def test_a_module_of_another_backend_is_not_the_same() -> None:
    from dataclasses import replace

    other = Side("0", "jit_f", 0, replace(measured(IN_PLACE), backend="tpu"))
    pairs, gone, new = pair_modules([side("jit_f", 0)], [other])
    assert (pairs, len(gone), len(new)) == ([], 1, 1)
