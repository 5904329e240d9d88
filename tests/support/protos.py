"""The protos of the samples, and profiles put together from them."""

import lzma
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

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
