"""Damaged protos: each is read or refused with a reason, and what is printed stays in proportion to the file."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.input.dump_text import DumpText, TextPart
from reportgen.parse.module_text import ModuleText
from reportgen.parse.parser import parse_dump
from reportgen.protos.hlo_proto import has_plan, read_plan
from reportgen.protos.profile import profiled_modules
from reportgen.protos.proto_messages import ProtoError
from tests.support.mutations import mutated
from tests.support.protos import profile, sample_proto

NAMES = ("cpu-tiny", "tpu-odd-shapes", "cpu-odd-names", "tf-train-step")


def read(proto: bytes) -> None:
    """Do all that a report does with a proto."""
    has_plan(proto)
    try:
        plan = read_plan(proto)
        text = b"".join(plan.dump())
        module = plan.hlo_text()
    except ProtoError:
        return
    assert len(text) + len(module) <= 200 * len(proto) + (2 << 20)
    parse_dump(DumpText((TextPart("x", text),)))
    _ = ModuleText(module).called_by


@settings(max_examples=150)
@given(name=st.sampled_from(NAMES), seed=st.integers(0, 1 << 30))
def test_a_damaged_proto_is_read_or_refused(name: str, seed: int) -> None:
    read(mutated([sample_proto(name)], Random(seed))[0])


@settings(max_examples=100)
@given(name=st.sampled_from(NAMES[:2]), data=st.data())
def test_a_proto_with_other_numbers_is_read_or_refused(name: str, data: st.DataObject) -> None:
    """Changed bytes of ids and indexes leave a message whole, so what is printed of it meets what cannot be."""
    proto = bytearray(sample_proto(name))
    for place in data.draw(st.lists(st.integers(0, len(proto) - 1), min_size=1, max_size=12)):
        proto[place] = data.draw(st.integers(0, 127))
    read(bytes(proto))


@settings(max_examples=60)
@given(st.data())
def test_a_profile_that_was_cut_off_has_the_modules_before_the_cut(data: st.DataObject) -> None:
    modules = {"jit_f(1)": sample_proto("cpu-tiny"), "jit_g(2)": sample_proto("tpu-odd-shapes")}
    whole = profile(modules)
    found, damage = profiled_modules(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert [module.name for module in found] == list(modules)[: len(found)]
    assert all(bytes(module.proto) == modules[module.name] for module in found)
    assert damage or not found


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_no_profile_and_no_plan_or_refused(data: bytes) -> None:
    profiled_modules(data)
    read(data)


@pytest.mark.parametrize("name", NAMES)
def test_every_cut_is_read_or_refused(name: str) -> None:
    proto = sample_proto(name)
    for end in range(0, len(proto), len(proto) // 40):
        read(proto[:end])
