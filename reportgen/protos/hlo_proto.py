"""Print an HloProto as the texts that XLA dumps of a module, and say what they were made from."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from reportgen.protos.dump_printer import DumpPrinter
from reportgen.protos.escapes import plain_name
from reportgen.protos.module import HloModule
from reportgen.protos.module_printer import ModulePrinter
from reportgen.protos.proto_messages import ProtoError, decoded
from reportgen.protos.sharding_text import sharding_text
from reportgen.protos.traced_schedule import traced_schedule
from reportgen.protos.values import PlacedValues
from reportgen.protos.wire import WireError, fields, first_damage, messages, number_bytes
from reportgen.record import record

LiveRangeSource = Literal["schedule", "trace", ""]
"""What live ranges were rebuilt from; empty where a proto has neither, or is damaged."""

_MODULE, _ASSIGNMENT = 1, 3  # in HloProto
_NAME, _SHARDINGS, _DEVICES = 1, 14, 15  # in HloModuleProto
_MOST_TEXT = 100  # bytes for each byte of the proto; real programs have up to 25, most of it cut when it is kept
_LEAST_TEXT = 1 << 20
_PIECE = 1 << 18


@record(kw_only=False)
class HloProto:
    """The module of an HloProto and XLA's plan; with `damage`, the allocations before it alone, as of a cut text."""

    name: str
    live_ranges_from: LiveRangeSource
    damage: str
    _module: HloModule
    _dump: DumpPrinter
    _most_text: int

    def dump(self) -> Iterator[bytes]:
        """Yield the text of the dump in pieces. Raises ProtoError."""
        return self._bounded(self._dump.allocations() if self.damage else self._dump.pieces())

    def hlo_text(self) -> bytes:
        """Return the HLO text. Raises ProtoError."""
        return b"".join(self._bounded(ModulePrinter(self._module).pieces()))

    def _bounded(self, pieces: Iterator[str]) -> Iterator[bytes]:
        """Yield the text up to a limit, because a small damaged proto may name a long text again and again."""
        left = self._most_text
        waiting: list[str] = []
        size = 0
        for piece in pieces:
            waiting.append(piece)
            size += len(piece)
            if size >= _PIECE:
                left -= size
                if left < 0:
                    raise ProtoError(f"its text would be more than {self._most_text:,} bytes long")
                yield "".join(waiting).encode()
                waiting.clear()
                size = 0
        yield "".join(waiting).encode()


@record(kw_only=False)
class Division:
    """How many devices run a module, and how each of its arguments is divided among them, as XLA prints shardings."""

    module: str
    devices: int
    shardings: tuple[str, ...]


def read_plan(proto: bytes | memoryview) -> HloProto:
    """Return the plan in an HloProto; of one that was cut off, the part before that. Raises ProtoError."""
    parts: dict[int, memoryview] = {}
    damage = ""
    try:
        parts.update((number, content) for number, content in fields(proto) if not isinstance(content, int))
    except WireError as error:
        damage = str(error)
        if _MODULE in parts:
            inner = first_damage(error.rest)
            parts.setdefault(_ASSIGNMENT, error.rest[: inner.whole] if inner else error.rest)
    if _MODULE not in parts or _ASSIGNMENT not in parts:
        missing = "module" if _MODULE not in parts else "buffer assignment"
        reason = f": {damage}" if damage else ""
        raise ProtoError(f"it has no {missing}{reason}")
    module = HloModule(decoded("HloModuleProto", parts[_MODULE]))
    assignment = decoded("BufferAssignmentProto", parts[_ASSIGNMENT])
    placed = PlacedValues(module, assignment)
    source: LiveRangeSource = "schedule" if module.schedule else "trace"
    module.schedule = module.schedule or traced_schedule(module, placed, assignment.heap_simulator_traces)
    if damage or not module.schedule:
        source = ""
    limit = _LEAST_TEXT + _MOST_TEXT * len(proto)
    return HloProto(module.name, source, damage, module, DumpPrinter(module, placed, assignment), limit)


def read_allocations(proto: bytes | memoryview) -> Sequence[Any]:
    """Return the allocations of an HloProto, as messages. Raises ProtoError."""
    try:
        assignment = next(messages(proto, _ASSIGNMENT), None)
    except WireError as error:
        raise ProtoError(f"it is damaged: {error}") from error
    if assignment is None:
        raise ProtoError("it has no buffer assignment")
    allocations: Sequence[Any] = decoded("AllocationsProto", assignment).buffer_allocations
    return allocations


def read_division(proto: bytes | memoryview) -> Division:
    """Return how the module of an HloProto is divided; computations are passed over. Raises ProtoError."""
    name, devices, shardings = b"", 1, []
    try:
        for module in messages(proto, _MODULE):
            for number, content in fields(module):
                if isinstance(content, int):
                    continue
                if number == _NAME:
                    name = bytes(content)
                elif number == _SHARDINGS:
                    shardings.append(sharding_text(bytes(content)))
                elif number == _DEVICES:
                    assigned = decoded("DeviceAssignmentProto", content)
                    devices = max(1, assigned.replica_count) * max(1, assigned.computation_count)
    except WireError as error:
        raise ProtoError(f"it is damaged: {error}") from error
    return Division(plain_name(name), devices, tuple(shardings))


def joined_proto(module: bytes, assignment: bytes) -> bytes:
    """Return an HloProto of a HloModuleProto and a BufferAssignmentProto, each serialized."""
    parts = ((_MODULE, module), (_ASSIGNMENT, assignment))
    return b"".join(bytes([number << 3 | 2]) + number_bytes(len(part)) + part for number, part in parts)


def has_plan(proto: bytes | memoryview) -> bool:
    """Return whether a proto has a buffer assignment, by its outermost fields; a damaged one may have."""
    try:
        return next(messages(proto, _ASSIGNMENT), None) is not None
    except WireError:
        return True
