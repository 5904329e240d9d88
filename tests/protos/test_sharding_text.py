"""Shardings are printed as XLA prints them."""

import pytest

from reportgen.protos.hlo_proto import read_division, read_plan
from reportgen.protos.proto_messages import ProtoError
from reportgen.protos.sharding_text import sharding_text
from reportgen.protos.wire import fields
from tests.support.protos import Instruction, made_proto, message


def axis(number: int, part: bytes = b"") -> bytes:
    return message(1, message(1, number) + (message(2, part) if part else b""))


def named(mesh: bytes, *more: bytes) -> bytes:
    return message(14, message(2, mesh) + b"".join(more))


DATA, MODEL = (message(1, message(1, name) + message(2, size)) for name, size in ((b"data", 2), (b"model", 4)))
CLOSED = message(2, 1)
BY_MODEL = named(DATA + MODEL, message(3, CLOSED), message(3, axis(1) + CLOSED))


@pytest.mark.parametrize(
    ("proto", "expected"),
    [
        (b"", "{replicated}"),
        (bytes.fromhex("08031a0204024a02020452020100"), "{devices=[4,2]<=[2,4]T(1,0)}"),
        (named(b""), "{mesh[], []}"),
        (named(b"", message(3, CLOSED), message(3, CLOSED)), "{mesh[], [{}, {}]}"),
        (BY_MODEL, "{mesh[data=2,model=4], [{}, {model}]}"),
        (named(DATA + MODEL, message(3, axis(0) + axis(1))), "{mesh[data=2,model=4], [{data, model, ?}]}"),
        (named(DATA + MODEL, message(3, b"")), "{mesh[data=2,model=4], [{?}]}"),
        (
            named(MODEL, message(3, axis(0, message(1, 2) + message(2, 2)) + CLOSED)),
            "{mesh[model=4], [{model:(2)2}]}",
        ),
        (named(DATA + message(2, b"\x01\x00"), message(3, CLOSED)), "{mesh[data=2], device_ids=(1,0), [{}]}"),
        (named(message(2, b"\x03")), "{maximal device=3}"),
        (
            named(DATA, message(3, CLOSED), message(4, message(1, 0)), message(7, message(1, 0))),
            "{mesh[data=2], [{}], replicated={data}, manual={data}}",
        ),
        (
            message(1, 2) + message(5, BY_MODEL) + message(5, b""),
            "{{mesh[data=2,model=4], [{}, {model}]}, {replicated}}",
        ),
    ],
)
def test_each_form_has_the_text_of_xla(proto: bytes, expected: str) -> None:
    assert sharding_text(proto) == expected


def test_an_axis_that_the_mesh_does_not_have_is_refused() -> None:
    with pytest.raises(ProtoError, match="names an axis that its mesh does not have"):
        sharding_text(named(DATA, message(3, axis(1))))


def test_the_shardings_of_a_module_are_those_of_its_arguments() -> None:
    entry = [
        Instruction("a", "parameter", number=0),
        Instruction("b", "parameter", number=1),
        Instruction("c", "parameter", number=2, sharding=b""),
        Instruction("sum", "add", operands=("a", "b")),
    ]
    inner = [Instruction("p", "parameter", number=0, defines=())]
    devices = message(15, message(1, 1) + message(2, 8))
    proto = made_proto({"inner": inner, "main": entry}, message(14, b"") + message(14, BY_MODEL) * 2 + devices)
    lines = {line.split()[0]: line for line in read_plan(proto).hlo_text().decode().splitlines() if " = " in line}
    assert lines["%a"].endswith("parameter(0), sharding={replicated}")
    assert lines["%b"].endswith("parameter(1), sharding={mesh[data=2,model=4], [{}, {model}]}")
    assert lines["%c"].endswith("parameter(2), sharding={replicated}")  # as the instruction itself says
    assert "sharding" not in lines["ROOT"]
    division = read_division(proto)
    assert (division.module, division.devices) == ("made", 8)
    assert division.shardings[:2] == ("{replicated}", "{mesh[data=2,model=4], [{}, {model}]}")


def test_a_module_without_shardings_runs_on_one_device() -> None:
    proto = made_proto({"main": [Instruction("a", "parameter")]})
    assert dict(fields(proto)).keys() == {1, 3}
    division = read_division(proto)
    assert (division.devices, division.shardings) == (1, ())
