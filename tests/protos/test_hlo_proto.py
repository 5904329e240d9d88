"""Protos: what is printed from one says what XLA's own text of the same module says."""

import lzma
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from reportgen.input.discover import discover
from reportgen.input.dump_text import DumpText, TextPart
from reportgen.input.reading import load_text
from reportgen.model import Allocation, Dump, LiveRanges, UsedValues, Values
from reportgen.parse.instruction_parser import parse_instruction
from reportgen.parse.parser import parse_dump
from reportgen.protos.hlo_proto import HloProto, joined_proto, read_plan
from reportgen.protos.proto_messages import ProtoError
from reportgen.protos.wire import fields
from tests.support.protos import TINY, message, sample_proto, sample_protos
from tests.support.samples import ROOT, SAMPLES

FSDP = ROOT / "tests" / "advice" / "programs" / "fsdp_tp"
_ATTRIBUTE = re.compile(r", (?=[a-z_]+=)")
SCHEDULED = [name for name in sample_protos() if name != "tf-train-step"]


@cache
def text_dump(name: str) -> Dump:
    """Return what XLA's own text says."""
    (files,) = discover([FSDP if name == "fsdp_tp" else SAMPLES / name]).dumps
    return parse_dump(load_text(files)[0])


@cache
def proto_dump(name: str) -> Dump:
    """Return what the text that is printed from the proto says."""
    return parsed(read_plan(sample_proto(name)))


def parsed(plan: HloProto) -> Dump:
    text = b"".join(plan.dump())
    return parse_dump(DumpText((TextPart(plan.name, text),)))


def stated(allocation: Allocation) -> Allocation:
    """Return an allocation without what old builds print in another form."""
    return replace(allocation, page=None, output_shape=unnumbered(allocation.output_shape or ""))


def unnumbered(shape: str) -> str:
    return shape.replace("/*index=5*/", "")


def rows(values: Values) -> set[tuple[object, ...]]:
    columns = (values.ids, values.keys, values.allocations, values.sizes, values.offsets)
    return set(zip(*columns, map(unnumbered, values.shapes), strict=True))


def ranges(live: LiveRanges | None, keys: Iterable[str]) -> set[tuple[str, int, int]]:
    """Return the live ranges of values that have bytes; XLA prints others too, which no proto has."""
    known = set(keys)
    return {one for one in zip(live.keys, live.starts, live.ends, strict=True) if one[0] in known} if live else set()


def flow(used: UsedValues | None) -> dict[str, tuple[set[object], set[object]]]:
    return {str(one.key): (set(one.positions), set(one.uses)) for one in used or ()}


@pytest.mark.parametrize("name", sample_protos())
def test_allocations_values_and_uses_are_those_of_the_text(name: str) -> None:
    theirs, ours = text_dump(name), proto_dump(name)
    assert ours.unparsed == ()
    assert list(map(stated, ours.allocations)) == list(map(stated, theirs.allocations))
    assert rows(ours.values) == rows(theirs.values)
    assert ours.total_bytes == theirs.total_bytes
    if name in SCHEDULED:
        assert flow(ours.used_values).items() >= flow(theirs.used_values).items()


@pytest.mark.parametrize("name", SCHEDULED)
def test_schedule_and_live_ranges_are_those_of_the_text(name: str) -> None:
    theirs, ours = text_dump(name), proto_dump(name)
    assert read_plan(sample_proto(name)).live_ranges_from == "schedule"
    assert ours.schedule.names == theirs.schedule.names
    printed, rebuilt = (ranges(dump.live_ranges, ours.values.keys) for dump in (theirs, ours))
    # Builds before libtpu 0.0.51 let the result of asynchronous work live from one moment earlier.
    assert {(key, start - 1, end) for key, start, end in rebuilt - printed} == printed - rebuilt
    assert printed == rebuilt or name == "tpu-train-step"


def test_without_a_schedule_the_order_is_that_of_the_trace() -> None:
    dump = proto_dump("tf-train-step")
    assert read_plan(sample_proto("tf-train-step")).live_ranges_from == "trace"
    assert text_dump("tf-train-step").live_ranges is None
    moments = dump.moment_of
    assert all(
        moments[user.decode()] >= moments[name]
        for number, name in enumerate(dump.values.names)
        if name in moments
        for user in dump.users(number)
        if user.decode() in moments
    )
    assert dump.live_ranges is not None
    assert len(dump.live_ranges) > 30


def test_what_hlo_text_says_xla_says_too() -> None:
    theirs = lzma.decompress(next(FSDP.glob("*after_optimizations.txt.xz")).read_bytes()).decode()
    ours = read_plan(sample_proto("fsdp_tp")).hlo_text().decode()
    expected = {parse_instruction(line).name: line for line in theirs.splitlines() if " = " in line}
    printed = {parse_instruction(line).name: line for line in ours.splitlines() if " = " in line}
    assert printed.keys() == expected.keys()
    for name, line in printed.items():
        assert parse_instruction(line) == parse_instruction(expected[name])
        # Groups of devices may name a mesh instead; the content of constants is left out.
        more = {one for one in set(_ATTRIBUTE.split(line)) - set(_ATTRIBUTE.split(expected[name])) if "({" not in one}
        assert [one for one in more if not one.startswith("replica_groups")] == []
    assert {"FileNames", "FunctionNames", "FileLocations", "StackFrames"} <= set(ours.splitlines())


def test_a_proto_of_a_module_alone_has_no_plan() -> None:
    module = dict(fields(TINY.read_bytes()))[1]
    with pytest.raises(ProtoError, match="it has no buffer assignment"):
        read_plan(message(1, bytes(module)))


def test_a_module_and_an_assignment_are_joined_to_the_proto_that_they_are_from() -> None:
    parts = {number: bytes(content) for number, content in fields(TINY.read_bytes()) if not isinstance(content, int)}
    assert joined_proto(parts[1], parts[3]) == TINY.read_bytes()


def test_what_comes_before_a_cut_is_used_and_the_cut_is_named() -> None:
    whole = sample_proto("tpu-odd-shapes")
    module = len(message(1, bytes(dict(fields(whole))[1])))
    end = module + (len(whole) - module) // 2
    plan = read_plan(whole[:end])
    dump = parsed(plan)
    assert plan.damage == f"the field at byte {module:,} is cut off after byte {end:,}"
    assert 0 < len(dump.allocations) < len(proto_dump("tpu-odd-shapes").allocations)
    with pytest.raises(ProtoError, match="it has no module: the field at byte 0 is cut off after byte 1,000"):
        read_plan(whole[:1000])


def test_a_name_cannot_end_its_line() -> None:
    proto = sample_proto("cpu-tiny").replace(b"ynn_fusion", b"ynn\n<9> x}")
    dump = parsed(read_plan(proto))
    assert dump.unparsed == ()
    assert "ynn__9__x_" in dump.values.names


def test_a_long_name_that_is_read_again_and_again_has_a_limit() -> None:
    shape = message(3, message(2, 11))
    long = message(2, message(1, b"n" * 100_000) + message(2, b"parameter") + shape + message(35, 1))
    many = message(2, message(1, b"t") + message(2, b"tuple") + shape + message(35, 2) + message(36, b"\x01" * 5_000))
    module = message(3, message(1, b"main") + long + many + message(5, 1) + message(6, 2)) + message(6, 1)
    plan = read_plan(joined_proto(module, message(3, message(1, 0))))
    with pytest.raises(ProtoError, match="its text would be more than"):
        plan.hlo_text()


def test_the_path_of_a_test_proto_names_its_sample() -> None:
    assert {Path(name).name for name in sample_protos()} - {"fsdp_tp"} <= {path.name for path in SAMPLES.iterdir()}


# Live ranges that are rebuilt: the laws that hold whatever the module, on modules with loops and asynchronous work.


@pytest.mark.parametrize("name", SCHEDULED)
def test_a_value_lives_from_its_instruction_to_its_last_use(name: str) -> None:
    dump = parsed(read_plan(sample_proto(name)))
    moments, length = dump.moment_of, dump.schedule_length
    assert length is not None
    for number, instruction in enumerate(dump.values.names):
        start, end = dump.starts[number], dump.ends[number]
        if instruction in moments:
            assert 0 <= start <= end <= length
            assert start <= moments[instruction] or "-start" in dump.schedule.names[start]
        else:
            assert (start, end) == (-1, -1)  # in a computation that runs on single elements


@pytest.mark.parametrize("name", SCHEDULED)
def test_no_two_values_of_one_buffer_live_at_once_but_where_one_hands_over(name: str) -> None:
    dump = parsed(read_plan(sample_proto(name)))
    slices: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
    columns = (dump.values.allocations, dump.values.offsets, dump.values.sizes, dump.starts, dump.ends)
    for allocation, offset, size, start, end in zip(*columns, strict=True):
        if start >= 0 and size:
            slices.setdefault((allocation, offset, size), []).append((start, end))
    for ranges in slices.values():
        ranges.sort()
        assert all(first[1] <= second[0] for first, second in pairwise(ranges))
