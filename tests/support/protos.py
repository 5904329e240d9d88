"""The protos of the samples, and profiles put together from them."""

import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reportgen.protos.hlo_proto import joined_proto
from reportgen.protos.wire import number_bytes

PROTOS = Path(__file__).parents[1] / "protos"
TINY = Path(__file__).parents[1] / "siblings" / "cpu-tiny.hlo.pb"


@cache
def sample_proto(name: str) -> bytes:
    """Return the HloProto of a sample, by the name of its folder."""
    if name == "cpu-tiny":
        return TINY.read_bytes()
    return lzma.decompress((PROTOS / f"{name}.hlo.pb.xz").read_bytes())


def sample_protos() -> list[str]:
    """Return the names of all samples that have a proto."""
    return sorted(["cpu-tiny", *(path.name.removesuffix(".hlo.pb.xz") for path in PROTOS.glob("*.hlo.pb.xz"))])


def message(number: int, content: bytes | int) -> bytes:
    """Return a field of a message."""
    if isinstance(content, int):
        return number_bytes(number << 3) + number_bytes(content)
    return number_bytes(number << 3 | 2) + number_bytes(len(content)) + content


@dataclass(frozen=True)
class Instruction:
    """An instruction of a module made by hand: the index of each value that it defines, and what it reads and runs.

    Its shape is a number of elements of `f32`, or a tuple of shapes.
    """

    name: str
    opcode: str
    shape: "int | tuple[object, ...]" = 8
    operands: tuple[str, ...] = ()
    runs: str = ""
    number: int = 0
    defines: tuple[tuple[int, ...], ...] = ((),)
    sharding: bytes | None = None


def made_proto(computations: Mapping[str, Sequence[Instruction]], more: bytes = b"") -> bytes:
    """Return the HloProto of computations in the order in which they run, the entry last; each value has a place.

    The last instruction of each is its root. `more` are further fields of the module.
    """
    every = [one for members in computations.values() for one in members]
    numbers = {one.name: number for number, one in enumerate(every, 1)}
    ids = {name: number for number, name in enumerate(computations, 1001)}
    module = message(1, b"made") + message(6, max(ids.values()))
    schedule = b""
    for name, members in computations.items():
        texts = b"".join(message(2, _instruction(one, numbers, ids)) for one in members)
        module += message(
            3, message(1, name.encode()) + texts + message(5, ids[name]) + message(6, numbers[members[-1].name])
        )
        order = message(1, _packed(numbers[one.name] for one in members))
        schedule += message(1, message(1, ids[name]) + message(2, order))
    values = [(one, index) for one in every for index in one.defines]
    buffers, assigned = b"", b""
    for value, (one, index) in enumerate(values):
        place = message(3, _packed(index)) + message(4, numbers[one.name])
        buffers += message(1, message(1, value) + message(2, 32) + message(3, place))
        assigned += message(9, message(1, value) + message(2, value * 32) + message(3, 32))
    allocation = message(3, message(1, 0) + message(2, len(values) * 32) + assigned)
    return joined_proto(module + message(7, schedule) + more, buffers + allocation)


def _instruction(one: Instruction, numbers: Mapping[str, int], ids: Mapping[str, int]) -> bytes:
    written = message(1, one.name.encode()) + message(2, one.opcode.encode()) + message(3, _shape(one.shape))
    written += message(9, one.number) + message(35, numbers[one.name])
    written += message(36, _packed(numbers[operand] for operand in one.operands))
    written += message(38, _packed([ids[one.runs]])) if one.runs else b""
    return written + (message(40, one.sharding) if one.sharding is not None else b"")


def _shape(shape: object) -> bytes:
    if isinstance(shape, tuple):
        return message(2, 13) + b"".join(message(4, _shape(part)) for part in shape)
    assert isinstance(shape, int)
    return message(2, 11) + message(3, _packed([shape])) + message(5, message(1, _packed([0])))


def _packed(numbers: Iterable[int]) -> bytes:
    return b"".join(map(number_bytes, numbers))


def profile(modules: Mapping[str, bytes], devices: Sequence[str] = ("/host:CPU",)) -> bytes:
    """Return a profile as `jax.profiler.trace` writes it: planes of events, and one with the protos of modules."""
    planes = [message(1, message(2, device.encode()) + message(3, b"\x0a\x03xla" * 50)) for device in devices]
    known = message(5, message(1, 7) + message(2, message(1, 7) + message(2, b"Hlo Proto")))
    events = [
        message(
            4,
            message(1, number) + message(2, message(2, name.encode()) + message(5, message(1, 7) + message(6, proto))),
        )
        for number, (name, proto) in enumerate(modules.items(), 1)
    ]
    metadata = message(1, message(2, b"/host:metadata") + b"".join(events) + known)
    return b"".join([*planes, metadata])
