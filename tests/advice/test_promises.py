"""Steps on programs that were really changed and compiled again: what is promised, what is not, and in which order."""

import pytest

from reportgen.advice import loops
from reportgen.advice.advice_records import Confidence, Suggestion
from reportgen.advice.attention import Attention
from reportgen.advice.combined import fits_after
from reportgen.advice.context import AdviceContext
from reportgen.advice.fitting import fitting
from reportgen.advice.framework import attention_code
from reportgen.advice.kinds import KINDS, Kind
from reportgen.advice.loops import loop_checkpoints
from reportgen.advice.order import rank
from reportgen.reports.advice_words import advice_sentence, first_suggestion, sentence
from tests.advice.promises import best, is_right, kind, programs, rows
from tests.advice.recompiled_programs import PROGRAMS, advice, names, program
from tests.advice.test_suggestions import compiled

MIB = 1 << 20

TOWER = "/home/u/lab/train/towers.py:25"


def step(name: str, of: Kind) -> Suggestion | None:
    return next((suggestion for suggestion in advice(name).best if suggestion.kind == of), None)


def test_every_promise_holds() -> None:
    missed = [row for name, found, tried in programs(PROGRAMS) for row in rows(name, found, tried) if not row.holds]
    assert missed == []


def test_a_range_is_narrow_enough_to_say_something() -> None:
    ranges = [
        suggestion for name in names() for suggestion in advice(name).suggestions if suggestion.confidence == "range"
    ]
    assert ranges
    assert all((suggestion.saving_high_bytes or 0) <= 1.5 * suggestion.saving_bytes for suggestion in ranges)


def test_the_change_that_saved_most_is_among_the_first_two_steps() -> None:
    """All but one, of which nothing but a batch was tried."""
    orders = []
    for name, found, tried in programs(PROGRAMS):
        saved = best(found.peak.peak_bytes if found.peak else 0, tried)
        if saved and not is_right([kind(suggestion) for suggestion in found.best], saved):
            orders.append(name)
    assert orders == ["lstm"]


def test_a_cache_is_no_activation_so_a_program_without_a_gradient_has_no_checkpoint() -> None:
    assert [
        suggestion for suggestion in advice("generate").suggestions if suggestion.kind.startswith("checkpoint")
    ] == []


@pytest.mark.parametrize("name", ["fsdp_tp", "fsdp_tp+replopt", "evoformer+remat", "qlora"])
def test_a_body_that_is_checkpointed_leaves_its_carry_alone_so_there_is_nothing_to_drop(name: str) -> None:
    assert "rematted_computation" in " ".join(program(name).program.op_names)
    assert [suggestion for suggestion in advice(name).suggestions if suggestion.kind == "checkpoint-loop"] == []


def test_a_body_of_checkpointed_calls_is_not_checkpointed_once_more() -> None:
    assert advice("checkpointed_calls").suggestions
    assert [one.what for one in advice("checkpointed_calls").suggestions if one.kind.startswith("checkpoint")] == []


def test_a_checkpoint_of_a_part_of_a_body_leaves_the_rest_to_be_dropped() -> None:
    assert "rematted_computation" in " ".join(program("towers").program.op_names)
    found = step("towers", "checkpoint-loop")
    assert found is not None
    assert found.confidence == "range"


def test_loops_of_two_lines_that_each_save_much_are_one_step() -> None:
    found = step("towers", "checkpoint-loop")
    assert found is not None
    first, second = TOWER, "/home/u/lab/train/towers.py:26"
    assert found.what == f"checkpoint the body of the loop at {first} and of the loop at {second}"
    assert found.code == "jax.checkpoint(body)  # each of these bodies"
    alone = [
        suggestion
        for suggestion in advice("towers").suggestions
        if suggestion.what.endswith((f"body of the loop at {first}", second))
    ]
    assert found.saving_bytes >= max(suggestion.saving_bytes for suggestion in alone)


def test_a_loop_that_does_not_save_much_besides_another_is_not_named_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    analysis = program("towers")
    memory = AdviceContext(analysis, analysis.spaces[0]).memory
    found = loop_checkpoints(analysis.program, memory)
    assert [len(one.loops) for one in found] == [2, 1, 1]
    monkeypatch.setattr(loops, "_MUCH_PART", 3)  # of which the texts save less
    assert [len(one.loops) for one in loop_checkpoints(analysis.program, memory)] == [1, 1]


def test_a_loop_keeps_a_stack_of_each_array_that_it_carries() -> None:
    """Both layers of an LSTM carry two arrays, and each has a stack of either, of 32 MiB."""
    found = step("lstm", "checkpoint-loop")
    assert found is not None
    assert found.involved_bytes == 2 * (416 - 2 * 32) * MIB


def test_a_checkpoint_makes_a_stack_of_what_is_carried_and_has_none() -> None:
    """A tower adds up what it has seen in f32, and reads it in bf16, so only a checkpoint keeps it in f32."""
    found = next(
        suggestion
        for suggestion in advice("towers").suggestions
        if suggestion.what.endswith("body of the loop at " + TOWER)
    )
    assert found.saving_high_bytes == found.involved_bytes - 8 * 128 * 256 * 512 * 4


def test_state_that_is_gathered_is_no_activation_so_half_the_batch_promises_nothing() -> None:
    assert advice("fsdp_tp+replopt").half_batch_bytes is None


def test_a_program_without_state_or_gradient_has_no_batch() -> None:
    assert advice("generate").half_batch_bytes is None


def test_attention_is_found_by_its_scores_and_not_where_a_kernel_never_holds_them() -> None:
    found = step("splash+plain", "attention")
    assert found is not None
    assert "f32[8,8192,8192]" in found.what
    assert step("splash", "attention") is None


def test_logits_are_found_by_the_vocabulary_and_not_by_any_wide_layer() -> None:
    found = step("vjp_ce+naive", "logits")
    assert found is not None
    assert "[8192,128256]" in found.what
    assert step("splash", "logits") is None
    assert step("pipeline+donate", "logits") is None


def test_two_stacks_that_a_loop_reads_and_writes_are_found() -> None:
    found = step("generate", "carry")
    assert found is not None
    assert len(found.buffers) == 2
    assert round(found.saving_bytes / MIB) == 673


def test_optimizer_state_is_what_the_gradient_does_not_read() -> None:
    found = step("offload_adam+nooffload", "offload")
    assert found is not None
    assert found.argument_names == ("mu", "nu")
    assert len(found.buffers) == 24  # weights and biases


def test_state_that_is_offloaded_leaves_with_its_new_value() -> None:
    found = step("bf16scan", "offload")
    assert found is not None
    assert found.what == "keep moments['m'], moments['v'] and their new values in host memory until the update"
    state = advice("bf16scan").arguments
    moments = sum(group.size_bytes for group in state if group.name == "moments")
    assert found.confidence == "up to"
    assert found.involved_bytes == 2 * moments


def test_all_state_counts_for_a_narrower_type_and_not_only_the_largest_leaves() -> None:
    found = step("bf16scan", "type")
    assert found is not None
    shapes = {program("bf16scan").program.shape(number) for number in found.buffers}
    assert shapes == {"f32[64,2048]", "f32[32,2048,2048]", "f32[2048,8192]"}


def test_of_the_moments_of_optax_those_are_named_that_one_option_narrows() -> None:
    found = step("flax_gpt+donate", "type")
    assert found is not None
    assert found.what == "use a narrower type for opt_state[0].mu, opt_state[0].nu"
    assert "mu_dtype narrows mu alone" in found.caveat


def test_versions_of_a_cache_at_the_peak_are_half_as_wide_too() -> None:
    (found,) = (
        m
        for m in compiled()["tpu/kvcarry/donate"].advice.suggestions
        if m.kind == "type" and m.confidence == "estimate"
    )
    held = sum(group.size_bytes for group in compiled()["tpu/kvcarry/donate"].advice.arguments if group.name == "cache")
    assert found.saving_bytes > held // 2


def test_weights_that_are_trained_are_not_converted_in_the_body_of_the_loop() -> None:
    """Compiled, that needs 256 MiB more."""
    assert [suggestion for suggestion in advice("bf16scan").suggestions if suggestion.kind == "copy"] == []


def test_a_copy_of_an_argument_that_cannot_share_may_be_made_early_on_a_tpu() -> None:
    donation = AdviceContext(program("splash"), program("splash").spaces[0]).donation
    assert donation.conflicts
    assert donation.after.peak.peak_bytes < donation.at_worst.peak.peak_bytes
    (found,) = (suggestion for suggestion in advice("splash").suggestions if suggestion.kind == "donate")
    assert found.confidence == "up to"
    assert found.outcome == donation.after.peak
    cpu = compiled()["cpu/tf12/base"]
    donation = AdviceContext(cpu.analysis, cpu.space).donation
    assert donation.conflicts
    assert donation.at_worst is donation.after


def test_a_stack_that_begins_as_zeros_is_no_copy() -> None:
    assert [suggestion for suggestion in advice("lstm").suggestions if suggestion.kind == "copy"] == []


def test_a_cache_that_is_written_is_a_copy_to_avoid_only_where_it_is_donated() -> None:
    copied = {
        path for path, one in compiled().items() for suggestion in one.advice.suggestions if suggestion.kind == "copy"
    }
    assert "tpu/kvcarry/donate" in copied
    assert "tpu/kvcarry/base" not in copied


def test_state_is_divided_together_with_activations() -> None:
    """With state alone, a compiled program needed 29 GiB more; with the constraint it saved what was said."""
    found = step("fsdp_tp+replopt", "shard")
    assert found is not None
    assert "keep activations sharded" in found.what
    assert "activations that stay divided" in found.caveat
    assert found.code.startswith("x = jax.lax.with_sharding_constraint(x, ")
    compile(found.code, "code", "exec")


def test_replicated_state_is_divided_and_sharded_parameters_are_not() -> None:
    found = step("fsdp_tp+replopt", "shard")
    assert found is not None
    assert found.involved_bytes // MIB == 11056
    assert "over the 8 devices" in found.what
    assert advice("fsdp_tp+replopt").best[0] is found
    assert step("fsdp_tp", "shard") is None
    assert step("splash", "shard") is None


def test_layers_in_a_python_loop_are_told_apart_by_time() -> None:
    found = step("splash", "checkpoint")
    assert found is not None
    assert found.what.startswith("checkpoint the calls of block at ")
    assert found.what.endswith("/splash.py:29")
    assert found.code == "block = jax.checkpoint(block)"


def test_two_expressions_on_one_line_are_one_call_and_its_input_stays() -> None:
    found = step("one_line", "checkpoint")
    assert found is not None
    assert found.involved_bytes == 6 * 8 * MIB
    least = found.saving_bytes if found.confidence != "unknown" else 0
    assert least <= 40 * MIB


def test_a_function_whose_checkpoint_xla_merged_is_not_checkpointed_again() -> None:
    assert [one.what for one in advice("merged_calls").suggestions if one.kind == "checkpoint"] == []


def test_a_loop_is_named_by_its_line_and_checkpointed_as_its_framework_does() -> None:
    found = step("flax_gpt+donate", "checkpoint-loop")
    assert found is not None
    assert found.what.endswith("/flax_gpt.py:46")
    assert found.code == "nn.remat(body)"


@pytest.mark.parametrize("name", names())
def test_steps_have_one_of_each_kind_and_descend_and_those_without_a_number_come_last(name: str) -> None:
    steps = advice(name).best
    assert len({kind(suggestion) for suggestion in steps}) == len(steps)
    ranks = list(map(rank, steps))
    assert ranks == sorted(ranks, reverse=True)
    assert set(steps) <= set(advice(name).suggestions)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("part", [0.9, 0.6, 0.3, 0.01])
def test_what_does_not_fit_has_steps_that_make_it_fit_or_the_reason_why_none_do(name: str, part: float) -> None:
    breakdown = advice(name).breakdown
    assert breakdown is not None
    size = round(part * breakdown.needed_bytes)
    found = advice(name, size)
    assert found.capacity is not None
    steps = found.capacity.combined_to_fit
    fits = [fits_after(suggestion, size) for suggestion in found.combined]
    assert (found.capacity.verdict in ("combined", "donation")) == any(fits)
    assert steps == (fits.index(True) + 1 if any(fits) else 0)
    if steps:
        assert first_suggestion(found) is found.combined[0]
        alone = [
            suggestion
            for suggestion in found.best
            if suggestion.is_computed and not KINDS[suggestion.kind].trains_otherwise
        ]
        if steps > 1:
            assert not any(fits_after(suggestion, size) for suggestion in alone)
    elif breakdown.arguments_bytes > size:
        assert found.capacity.verdict == "arguments"


def test_the_step_that_makes_a_program_fit_is_what_a_terminal_says() -> None:
    found = advice("flax_gpt+donate", 16 << 30)
    assert found.capacity is not None
    assert found.capacity.verdict == "combined"
    assert advice_sentence(found) == sentence(found.combined[0])
    assert found.combined[0].kind == "checkpoint-loop"


def test_loops_of_one_line_are_one_step_though_their_own_names_say_no_pass() -> None:
    ring, ssd = step("ring", "checkpoint-loop"), step("vO_ssd", "checkpoint-loop")
    assert ring is not None
    assert ring.what.endswith("/ring.py:35")
    assert len({program("ring").dump.values.names[number] for number in ring.buffers}) == 4
    assert ssd is not None
    assert ssd.what.endswith("/ssd.py:55")


def test_attention_is_found_by_the_exponential_in_a_fusion_of_a_checkpoint() -> None:
    found = step("evoformer+remat", "attention")
    assert found is not None
    assert "evoformer.py" in found.what


def test_attention_to_another_sequence_is_found_and_recomputed_in_layers_without_a_loop() -> None:
    found = step("cross", "attention")
    assert found is not None
    assert found.what.startswith("recompute attention in the backward pass: bf16[128,8,256,512] at ")
    assert found.code.startswith("attend = jax.checkpoint(attend)")
    # All but one of eight layers drop 256 MiB each, and what comes back may be those of another.
    assert (found.saving_bytes // MIB, (found.saving_high_bytes or 0) // MIB) == (1536, 1792)


def test_attention_in_blocks_is_not_advised_where_what_it_adds_up_is_more_than_the_scores_of_a_layer() -> None:
    """One layer's scores are at the peak; eight layers would hold gradients of keys and values of 64 MiB each."""
    assert [suggestion for suggestion in advice("cross+ckpt").suggestions if suggestion.kind == "attention"] == []
    context = AdviceContext(program("cross+ckpt"), program("cross+ckpt").spaces[0])
    attention = Attention(context)
    assert attention.repetitions == 8
    assert attention.carried_bytes == 2 * 64 * MIB
    assert not set(attention.scores).isdisjoint(context.memory.at_peak)


def test_pairs_of_positions_are_no_scores_without_an_exponential() -> None:
    attention = Attention(AdviceContext(program("evoformer+remat"), program("evoformer+remat").spaces[0]))
    shapes = set(map(program("evoformer+remat").program.shape, attention.scores))
    assert shapes == {"f32[384,4,384,384]"}


def test_what_waits_in_the_backward_pass_is_not_in_the_peak_after_a_change() -> None:
    context = AdviceContext(program("fsdp_tp"), program("fsdp_tp").spaces[0])
    memory = context.memory
    outcome = memory.without({}, [(483, memory.peak.peak_bytes), (484, -memory.peak.peak_bytes)])
    assert outcome.moment == 483
    assert outcome.peak_bytes - context.reordered(outcome).peak_bytes == 40 * MIB
    assert context.reordered(memory.peak) is memory.peak


def test_weights_that_are_converted_before_a_loop_are_computed_in_its_body() -> None:
    found = step("qlora", "copy")
    assert found is not None
    assert found.confidence == "range"
    assert "one step at a time in the loop at " in found.what
    assert found == advice("qlora").best[0]


def test_a_cache_that_is_donated_and_carried_is_one_array() -> None:
    found = step("serve", "carry")
    assert found is not None
    assert found == advice("serve").best[0]
    assert found.what == "donate k_pages, v_pages and carry them through the loop"
    assert found.saving_bytes == 1 << 30
    assert step("serve", "donate") is None


def test_half_of_a_cache_is_half_of_its_bytes() -> None:
    found = step("serve+inplace", "type")
    assert found is not None
    assert found.argument_names == ("k_pages", "v_pages")
    assert round(found.saving_bytes / MIB) == 512


def test_a_cpu_keeps_checkpoints_since_its_allocations_have_pages() -> None:
    found = step("gnn", "checkpoint")
    assert found is not None
    assert found.what.startswith("checkpoint the calls of Step.__call__ at ")
    assert found.what.endswith("/gnn.py:59")
    assert found.code == "Step.__call__ = eqx.filter_checkpoint(Step.__call__)"
    assert found == advice("gnn").best[0]


def test_what_xla_computes_twice_may_be_lost_so_a_range_begins_below_it() -> None:
    found = step("ring", "checkpoint-loop")
    assert found is not None
    assert "may lose that" in found.caveat
    assert found.saving_bytes < 18 << 30
    donation = next(
        (suggestion for suggestion in advice("flax_gpt+donate").suggestions if suggestion.kind == "donate"), None
    )
    assert donation is None or "may lose that" not in donation.caveat


def test_no_default_implementation_of_attention_is_advised_because_it_holds_the_scores() -> None:
    codes = [
        suggestion.code for name in names() for suggestion in advice(name).suggestions if suggestion.kind == "attention"
    ]
    assert codes
    assert not any("dot_product_attention" in code for code in codes)
    assert all("jax.checkpoint(attend)" in code for code in codes if code)


def test_the_kernel_of_cudnn_is_offered_for_what_it_takes() -> None:
    assert attention_code("gpu", {("bf16", 64), ("f16", 128)}).endswith('implementation="cudnn")')
    others = [{("f32", 64)}, {("bf16", 64), ("f32", 64)}, {("bf16", 20)}, {("bf16", 256)}, set[tuple[str, int]]()]
    assert {attention_code("gpu", other) for other in others} == {attention_code("tpu", {("bf16", 64)})}


@pytest.mark.parametrize(
    ("confidence", "least", "needed", "expected"),
    [
        ("predicted", 97, 97, "fits"),
        ("predicted", 99, 99, "close"),
        ("predicted", 103, 103, "too much"),
        ("estimate", 96, 96, "close"),
        ("range", 40, 120, "close"),
        ("range", 40, 97, "fits"),
        ("up to", 20, 20, "close"),
        ("up to", 101, 101, "too much"),
        ("exact", 100, 100, "fits"),
        ("at least", 101, 101, "too much"),
    ],
)
def test_whether_it_fits_is_said_only_beyond_the_error_of_the_confidence(
    confidence: Confidence, least: int, needed: int, expected: str
) -> None:
    assert fitting(confidence, least, needed, 100) == expected
