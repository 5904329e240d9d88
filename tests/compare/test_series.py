"""A function over the builds of a history: one series whatever its shapes, and why it changed in words."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.argument_changes import cause_words, shape_change, shape_words
from reportgen.compare.history import Arguments, History, ModuleKey, ModuleRecord, PeakOrigin, Record, Spaces
from reportgen.compare.series import series_of

NOWHERE = PeakOrigin(), PeakOrigin()
W = SiblingArguments("params['layers'][#]['w']", "f32[512,512]", 6, 6 << 20, 0)
X = SiblingArguments("tokens", "s32[8,128]", 1, 4096, 0)
MU = SiblingArguments("state.mu['layers'][#]['w']", "f32[512,512]", 6, 6 << 20, 0)

PLAIN = (W, X)
BATCH = (W, SiblingArguments("tokens", "s32[16,128]", 1, 8192, 0))
DONATED = (SiblingArguments(W.name, W.shape, 6, 6 << 20, 6 << 20), X)
OPTIMIZER = (W, X, MU)
DEPTH = (SiblingArguments(W.name, W.shape, 8, 8 << 20, 0), X)
OTHER = (SiblingArguments("image", "f32[3,64,64]", 1, 49152, 0),)


def figures(static: int, temporary: int = 0) -> Spaces:
    total = static + temporary
    return {0: (total, total, total, static, temporary, 0, 0)}


def key(name: str, shapes: str) -> ModuleKey:
    return ModuleKey("tpu", name, shapes)


def build(number: int, modules: Mapping[ModuleKey, tuple[int, Arguments]], *, is_whole: bool = True) -> Record:
    return Record(
        commit=f"{number:07}",
        time=f"2026-01-01T00:00:{number:02}Z",
        modules={key: ModuleRecord(figures(amount), arguments) for key, (amount, arguments) in modules.items()},
        is_whole=is_whole,
    )


def history(*builds: Mapping[ModuleKey, tuple[int, Arguments]]) -> History:
    return History(tuple(build(number, modules) for number, modules in enumerate(builds)))


def points(of: History) -> dict[str, list[tuple[int, int | None]]]:
    return {
        str(series): [(point.build, point.spaces[0][0] if point.spaces else None) for point in series.points]
        for series in series_of(of)
    }


def test_builds_with_another_batch_donation_optimizer_and_depth_are_one_series_and_another_function_is_apart() -> None:
    other = {key("jit_eval", "eeee"): (7, OTHER)}
    found = points(
        history(
            *(
                {key("jit_step", shapes): (amount, arguments)} | other
                for shapes, amount, arguments in [
                    ("aaaa", 10, PLAIN),
                    ("bbbb", 20, BATCH),
                    ("aaaa", 8, DONATED),
                    ("cccc", 30, OPTIMIZER),
                    ("dddd", 40, DEPTH),
                ]
            )
        )
    )
    assert found == {"tpu jit_step": [(0, 10), (1, 20), (2, 8), (3, 30), (4, 40)], "tpu jit_eval": [(0, 7)]}


def test_two_functions_of_one_name_stay_two_and_each_continues_with_the_most_alike() -> None:
    train, image = key("jit_f", "aaaa"), key("jit_f", "bbbb")
    found = points(
        history(
            {train: (1, PLAIN), image: (2, OTHER)},
            {key("jit_f", "dddd"): (3, OTHER), key("jit_f", "cccc"): (4, BATCH)},
        )
    )
    assert found == {"tpu jit_f": [(0, 1), (1, 4)], "tpu jit_f 2": [(0, 2), (1, 3)]}


def test_one_name_with_nothing_in_common_is_another_function() -> None:
    found = points(history({key("jit_f", "aaaa"): (1, PLAIN)}, {key("jit_f", "bbbb"): (2, OTHER)}))
    assert found == {"tpu jit_f": [(0, 1), (1, None)], "tpu jit_f 2": [(1, 2)]}


def test_a_function_that_comes_back_continues_its_series() -> None:
    found = points(history({key("jit_f", "aaaa"): (1, ())}, {}, {key("jit_f", "bbbb"): (2, ())}))
    assert found == {"tpu jit_f": [(0, 1), (1, None), (2, 2)]}


def test_what_a_damaged_build_does_not_state_is_not_gone() -> None:
    one = {key("jit_f", "aaaa"): (1, PLAIN)}
    of = History((build(0, one), build(1, {}, is_whole=False), build(2, one)))
    assert points(of) == {"tpu jit_f": [(0, 1)]}


keys = st.builds(key, st.sampled_from(["f", "g"]), st.sampled_from(["aaaa", "bbbb", "cccc"]))
modules = st.dictionaries(keys, st.tuples(st.integers(0, 3), st.sampled_from([(), PLAIN, BATCH, OTHER])), max_size=4)


@given(st.lists(modules, max_size=6))
def test_each_module_of_each_build_is_in_one_series_of_its_name_with_its_figures(
    builds: list[Mapping[ModuleKey, tuple[int, Arguments]]],
) -> None:
    of = history(*builds)
    found = series_of(of)
    for number, record in enumerate(of.records):
        at = [[point for point in series.points if point.build <= number][-1:] for series in found]
        held = [point[0] for point in at if point and point[0].spaces is not None]
        assert sorted((point.key, str(point.spaces)) for point in held) == sorted(
            (one, str(module.spaces)) for one, module in record.modules.items()
        )
    assert all(point.key.name == series.name for series in found for point in series.points)
    assert len(set(map(str, found))) == len(found)


@pytest.mark.parametrize(
    ("after", "words"),
    [
        (BATCH, "shape changed: tokens s32[8,128] → s32[16,128]"),
        (DONATED, "now donated: params['layers'][…]['w'] (0 B → 6.00 MiB)"),
        (OPTIMIZER, "new: 6 arguments of 6.00 MiB, state.mu['layers'][…]['w']"),
        ((*OPTIMIZER, replace(MU, name="state.mu['head']")), "new: 12 arguments of 12.0 MiB, state.mu"),
        ((*OPTIMIZER, OTHER[0]), "new: 7 arguments of 6.05 MiB, image, state.mu['layers'][…]['w']"),
        (DEPTH, "6 → 8 arrays of params['layers'][…]['w']"),
        (PLAIN, "arguments unchanged"),
        ((X,), "gone: 6 arguments of 6.00 MiB, params['layers'][…]['w']"),
        ((), ""),
    ],
)
def test_the_cause_names_the_change(after: Arguments, words: str) -> None:
    assert "; ".join(cause_words(PLAIN, after, (figures(9)[0], figures(9)[0]), NOWHERE)) == words


def test_the_cause_says_where_the_bytes_went() -> None:
    said = cause_words(DONATED, PLAIN, (figures(10, 5)[0], figures(4, 8)[0]), NOWHERE)
    assert said == [
        "arguments, outputs and constants −6 B; temporaries +3 B",
        "no longer donated: params['layers'][…]['w'] (6.00 MiB → 0 B)",
    ]


def test_figures_of_a_cause_add_up() -> None:
    before = 0, 20 << 10, 0, 10 << 10, 10 << 10, 0, 0
    after = 0, 10 << 10, 0, 1 << 10, 10 << 10, 0, -1 << 10
    said = cause_words(PLAIN, PLAIN, (before, after), NOWHERE)
    assert said[0] == "arguments, outputs and constants −9.00 KiB; slack −1.00 KiB"
    unnamed = 0, 11 << 10, 0, 1 << 10, 10 << 10, 0, 0
    said = cause_words(PLAIN, PLAIN, (before, (0, (11 << 10) - 64, *unnamed[2:])), NOWHERE)
    assert said[0] == "arguments, outputs and constants −9.00 KiB; everything else −64 B"


def test_figures_of_a_cause_that_rounding_would_part_have_one_digit_more() -> None:
    before, static = (0, 2000 << 20, 0, 2000 << 20, 0, 0, 0), 1_820_003_000
    after = 0, before[1] - static + (176 << 10), 0, before[3] - static, 0, 0, 0
    # −1.69 GiB in all
    said = cause_words(PLAIN, PLAIN, (before, after), NOWHERE)
    assert said[0] == "arguments, outputs and constants −1.695 GiB; everything else +176 KiB"


def test_arguments_that_did_not_change_are_no_cause_of_other_temporaries() -> None:
    assert cause_words(PLAIN, PLAIN, (figures(9)[0], figures(10)[0]), NOWHERE)[-1] == "arguments unchanged"


def test_checkpoints_are_said_after_the_causes_and_the_largest_line_is_named() -> None:
    amounts = figures(4, 8)[0], figures(4, 5)[0]
    plain, checkpointed = PeakOrigin("step.py:7", 5 << 20, 0), PeakOrigin("step.py:9", 1 << 20, 30)
    line = "largest line: step.py:7 5.00 MiB → step.py:9 1.00 MiB"
    said = cause_words(PLAIN, PLAIN, amounts, (plain, checkpointed))
    assert said == ["temporaries −3 B", line, "arguments unchanged; checkpoints added"]
    removed = cause_words(PLAIN, PLAIN, amounts[::-1], (checkpointed, plain))
    assert removed[-1] == "arguments unchanged; checkpoints removed"


def test_what_was_done_to_a_program_is_its_cause_in_every_memory_space() -> None:
    grown, origins = (figures(4, 5)[0], figures(4, 8)[0]), (PeakOrigin(again_flops=0), PeakOrigin(again_flops=30))
    assert cause_words(PLAIN, BATCH, grown, origins)[0].startswith("shape changed: ")
    assert cause_words(PLAIN, BATCH, grown, origins, 9)[0].startswith("shape changed: ")


def test_only_another_shape_makes_builds_unlike() -> None:
    assert shape_change(PLAIN, BATCH) == "tokens s32[16,128]"
    assert [shape_change(PLAIN, after) for after in (PLAIN, DONATED, OPTIMIZER, ())] == [""] * 4


def test_shapes_are_those_of_the_largest_arguments() -> None:
    assert shape_words(PLAIN) == "6 × params['layers'][…]['w'] f32[512,512], tokens s32[8,128]"
    assert shape_words((*DEPTH, MU, *OTHER)).endswith("image f32[3,64,64], 1 more")
