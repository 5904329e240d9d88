"""What a program computes again, and who does so."""

import re

import pytest

from reportgen.analyse.matmul_work import Recomputed, Work, work
from reportgen.input.discover import discover
from reportgen.parse.module_text import ModuleText
from reportgen.pipeline import DumpReading
from reportgen.program.join import Join
from reportgen.program.products import products
from reportgen.program.program import Program
from reportgen.reports.work_words import recomputed_words
from tests.advice.recompiled_programs import program
from tests.support.dumps import parsed
from tests.support.samples import SAMPLES

DOT = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
ONE = 2 * 8 * 8 * 8
"""The FLOPs of each product."""

TEXT = f"""\
HloModule jit_f

%fused (p: f32[8,8]) -> f32[8,8] {{
  %p = f32[8,8]{{1,0}} parameter(0)
  ROOT %d1 = f32[8,8]{{1,0}} dot(%p, %p), {DOT}, metadata={{op_name="jit(f)/layer_3/attn/dot_general" \
source_file="/home/u/train.py" source_line=12}}
}}

%fused.again (q: f32[8,8]) -> f32[8,8] {{
  %q = f32[8,8]{{1,0}} parameter(0)
  ROOT %d2 = f32[8,8]{{1,0}} dot(%q, %q), {DOT}, metadata={{op_name="jit(f)/layer_4/attn/dot_general" \
source_file="/home/u/train.py" source_line=12}}
}}

%cond (c: (s32[], f32[8,8])) -> pred[] {{
  %c = (s32[], f32[8,8]{{1,0}}) parameter(0)
  %i = s32[] get-tuple-element(%c), index=0
  %limit = s32[] constant(5)
  ROOT %goes_on = pred[] compare(%i, %limit), direction=LT
}}

%body (b: (s32[], f32[8,8])) -> (s32[], f32[8,8]) {{
  %b = (s32[], f32[8,8]{{1,0}}) parameter(0)
  %j = s32[] get-tuple-element(%b), index=0
  %step = s32[] constant(1)
  %next = s32[] add(%j, %step)
  %x = f32[8,8]{{1,0}} get-tuple-element(%b), index=1
  %y = f32[8,8]{{1,0}} fusion(%x), kind=kOutput, calls=%fused
  %y.remat = f32[8,8]{{1,0}} fusion(%x), kind=kOutput, calls=%fused.again
  %w = f32[8,8]{{1,0}} dot(%y, %y), {DOT}, metadata={{op_name="jit(f)/jvp()/mlp/dot_general"}}
  %z = f32[8,8]{{1,0}} dot(%y, %y.remat), {DOT}, \
metadata={{op_name="jit(f)/transpose(jvp())/checkpoint/rematted_computation/mlp/dot_general"}}
  ROOT %out = (s32[], f32[8,8]{{1,0}}) tuple(%next, %z)
}}

%cheap (e: f32[8,8]) -> f32[8,8] {{
  %e = f32[8,8]{{1,0}} parameter(0)
  ROOT %d3 = f32[8,8]{{1,0}} dot(%e, %e), {DOT}
}}

%dear (f: f32[8,8]) -> f32[8,8] {{
  %f = f32[8,8]{{1,0}} parameter(0)
  %d4 = f32[8,8]{{1,0}} dot(%f, %f), {DOT}
  ROOT %d5 = f32[8,8]{{1,0}} dot(%d4, %f), {DOT}
}}

ENTRY %main (a: f32[8,8], k: s32[]) -> f32[8,8] {{
  %a = f32[8,8]{{1,0}} parameter(0)
  %k = s32[] parameter(1)
  %zero = s32[] constant(0)
  %init = (s32[], f32[8,8]{{1,0}}) tuple(%zero, %a)
  %loop = (s32[], f32[8,8]{{1,0}}) while(%init), condition=%cond, body=%body
  %carried = f32[8,8]{{1,0}} get-tuple-element(%loop), index=1
  %chosen = f32[8,8]{{1,0}} conditional(%k, %carried, %carried), branch_computations={{%cheap, %dear}}
  %lone.remat = f32[8,8]{{1,0}} dot(%chosen, %a), {DOT}, metadata={{op_name="jit(f)/head/dot_general"}}
  %lone.remat2.1 = f32[8,8]{{1,0}} dot(%chosen, %a), {DOT}, metadata={{op_name="jit(f)/head/dot_general"}}
  %kernel = f32[8,8]{{1,0}} custom-call(%chosen), custom_call_target="tpu_custom_call"
  %bits = f32[8,8]{{1,0}} custom-call(%kernel), custom_call_target="ConcatBitcast"
  ROOT %end = f32[8,8]{{1,0}} dot(%bits, %lone.remat), {DOT}
}}
"""


def of(text: str) -> Work:
    module = ModuleText(text.encode())
    program = Program(parsed(""), Join(module=module))
    return work(program, products(program, module))


def of_sample(name: str) -> Work:
    [files] = discover([SAMPLES / name]).dumps
    return DumpReading(files).analysis.work


def test_loops_branches_and_copies() -> None:
    found = of(TEXT)
    # Five passes of four products, the dearer branch, the two copies whose original is gone, and the last one.
    assert found.matmul_flops == (5 * 4 + 2 + 2 + 1) * ONE
    assert found.again_by_xla == (5 + 1) * ONE
    assert found.again_by_checkpoint == 5 * ONE
    assert (found.uncounted, found.reason) == (("tpu_custom_call",), None)
    assert found.rows == (
        Recomputed(
            by="XLA", scope="layer_#/attn", source="/home/u/train.py:12", times=5, flops=5 * ONE, instructions=("d2",)
        ),
        Recomputed(by="checkpoint", scope="mlp", source="", times=5, flops=5 * ONE, instructions=("z",)),
        Recomputed(by="XLA", scope="head", source="", times=1, flops=ONE, instructions=("lone.remat2.1",)),
    )


def test_what_a_checkpoint_runs_and_xla_copies_counts_once() -> None:
    inside = TEXT.replace('op_name="jit(f)/layer_4/', 'op_name="jit(f)/checkpoint/rematted_computation/layer_4/')
    assert (of(inside).again_by_xla, of(inside).again_by_checkpoint) == (6 * ONE, 5 * ONE)


AGAIN = "transpose(jvp())/checkpoint/rematted_computation"


@pytest.mark.parametrize(
    ("products", "again"),
    [
        # Two layers of two products under jax.grad: the last forward is dead, and three of the rest are merged.
        (["p=a,b jvp()", f"q=p,b {AGAIN}", f"r=q,c {AGAIN}", f"s=r,c {AGAIN}"], 0),
        (["p=a,b jvp()", "q=p,b jvp()", f"t=a,b {AGAIN}", f"u=t,b {AGAIN}", f"v=u,c {AGAIN}"], 2),
        (["p=a,b jvp()", "q=p,b jvp()", f"u=p,b {AGAIN}"], 1),
        ([f"p=a,b {AGAIN}", f"q=a,b {AGAIN}/checkpoint/rematted_computation"], 1),
        ([f"p=a,b {AGAIN}", f"q=a,b {AGAIN}", "t=a,b transpose(jvp())", "u=a,b other"], 0),
    ],
)
def test_what_is_computed_once_is_not_computed_again(products: list[str], again: int) -> None:
    lines = ["HloModule jit_f", "ENTRY %main (a: f32[8,8], b: f32[8,8], c: f32[8,8]) -> f32[8,8] {"]
    lines += [f"  %{name} = f32[8,8]{{1,0}} parameter({number})" for number, name in enumerate("abc")]
    for name, left, right, scope in (re.split("[=, ]", product) for product in products):
        named = f'metadata={{op_name="jit(f)/{scope}/dot_general"}}'
        lines += [f"  %copy.{name} = f32[8,8]{{0,1}} copy(%{left})"]
        lines += [f"  %{name} = f32[8,8]{{1,0}} dot(%copy.{name}, %{right}), {DOT}, {named}"]
    assert of("\n".join([*lines, "}"])).again_by_checkpoint == again * ONE


def test_a_checkpoint_whose_products_xla_merged_is_said_to_recompute_nothing() -> None:
    merged = program("merged").work
    assert (merged.matmul_flops, merged.again_by_checkpoint) == (369_098_752, 0)
    words = "The checkpoint of merged.py:16 recomputes no matrix product: XLA merged both, or nothing needs the first."
    assert recomputed_words(merged, fits=None) == words
    assert recomputed_words(program("evoformer").work, fits=None) == ""


def test_a_loop_whose_passes_are_not_known_leaves_only_what_is_not_in_it_known() -> None:
    unknown = TEXT.replace("compare(%i, %limit)", "compare(%i, %i)")
    found = of(unknown)
    assert (found.matmul_flops, found.again_by_xla, found.again_by_checkpoint) == (None, None, None)
    assert found.reason == "how often loop runs its body cannot be read"
    outside = of(re.sub(r"remat|checkpoint", "copy", unknown))
    assert (outside.matmul_flops, outside.again_by_xla, outside.again_by_checkpoint) == (None, 0, 0)


def test_a_loop_without_a_product_may_run_for_ever() -> None:
    idle = (
        TEXT.replace("compare(%i, %limit)", "compare(%i, %i)").replace("body=%body", "body=%empty")
        + "\n%empty (g: (s32[], f32[8,8])) -> (s32[], f32[8,8]) {\n  ROOT %g = (s32[], f32[8,8]{1,0}) parameter(0)\n}\n"
    )
    assert of(idle).matmul_flops == (2 + 2 + 1) * ONE


def test_computations_that_run_each_other_give_a_reason() -> None:
    circle = TEXT.replace(
        "ROOT %d1 = f32[8,8]{1,0} dot(%p, %p), ", "ROOT %d1 = f32[8,8]{1,0} fusion(%p), calls=%body, "
    )
    assert of(circle).reason == "the computations of the HLO text run each other in a circle"


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        ("v5e-train-step", (28_443_420_917_760, 0, 7_830_799_122_432)),
        ("v5e-train-step-checkpoint", (24_735_790_399_488, 4_123_168_604_160, 0)),
        ("cpu-tiny", (2 * 128 * 256 * 512, 0, 0)),
        ("cpu-train-step", (None, None, 0)),
    ],
)
def test_samples(sample: str, expected: tuple[int | None, int | None, int | None]) -> None:
    found = of_sample(sample)
    assert (found.matmul_flops, found.again_by_checkpoint, found.again_by_xla) == expected


@pytest.mark.parametrize(("plain", "checkpoint"), [("evoformer", "evoformer+remat"), ("cross", "cross+ckpt"), ("", "")])
def test_a_checkpoint_adds_what_it_recomputes_and_nothing_else(plain: str, checkpoint: str) -> None:
    samples = of_sample("v5e-train-step"), of_sample("v5e-train-step-checkpoint")
    before, after = (program(plain).work, program(checkpoint).work) if plain else samples
    assert before.own_flops
    assert after.own_flops
    assert after.again_by_checkpoint
    assert before.own_flops == after.own_flops - after.again_by_checkpoint


@pytest.mark.parametrize(
    ("part", "damaged"),
    [("constant(5)", f"constant({10**18})"), ("f32[8,8]{1,0} dot(%y", f"f32[{10**18},{10**18}]{{1,0}} dot(%y")],
)
def test_more_work_than_there_can_be_is_no_figure(part: str, damaged: str) -> None:
    found = of(TEXT.replace(part, damaged).replace("f32[8,8]{1,0} parameter(0)", f"f32[8,{10**9}]{{1,0}} parameter(0)"))
    assert (found.matmul_flops, found.reason) == (None, "the HLO text states more of it than any device could do")


def test_a_text_of_computations_that_run_each_other_twice_is_read_in_time() -> None:
    """Each has two ways to the next, so that a hundred of them have more ways than could be followed."""
    parts = [TEXT.partition("%fused (")[0]]
    for number in range(100):
        fusion = f"f32[8,8]{{1,0}} fusion(%p{number}), kind=kLoop, calls=%c{number + 1}"
        parts.append(
            f"%c{number} (p{number}: f32[8,8]) -> f32[8,8] {{\n  %p{number} = f32[8,8]{{1,0}} parameter(0)\n"
            f"  %a{number}.remat = {fusion}\n  ROOT %a{number} = {fusion}\n}}\n"
        )
    parts.append(
        f"%c100 (p100: f32[8,8]) -> f32[8,8] {{\n  %p100 = f32[8,8]{{1,0}} parameter(0)\n"
        f"  ROOT %d = f32[8,8]{{1,0}} dot(%p100, %p100), {DOT}\n}}\n"
    )
    parts.append(
        "ENTRY %main (a: f32[8,8]) -> f32[8,8] {\n  %a = f32[8,8]{1,0} parameter(0)\n"
        "  ROOT %end = f32[8,8]{1,0} fusion(%a), kind=kLoop, calls=%c0\n}\n"
    )
    assert of("".join(parts)).matmul_flops is None
