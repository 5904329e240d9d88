"""Compare a dump with a file beside it: whatever both state must be the same.

XLA prints one assignment several times: as the dump's text, as a usage report, in a proto; and the module it is for.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.model import WHOLE, Dump
from reportgen.model.shapes import ArrayShape, Shape, TupleShape
from reportgen.parse.assignment_proto import ProtoAllocation, parse_assignment_proto
from reportgen.parse.hlo_text import HloText, parse_hlo_text
from reportgen.parse.instruction_parser import parse_instruction
from reportgen.parse.module_text import ModuleText
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.parse.text_damage import damages
from reportgen.patterns import repeated
from reportgen.program.opcodes import ASYNC, is_known
from reportgen.protos.proto_messages import ProtoError
from reportgen.record import record

_NAME = re.compile(rb"%([\w.\-]+)")
_NAMES = re.compile(rb" ([\w-]+)\((%[\w.\-]++" + repeated(rb", %[\w.\-]++") + rb")\)")


@record(kw_only=False)
class Agreement:
    """A comparison: how many of `subject` were compared, and the differences in words.

    `is_unread` says that the file is not what its name says, so that nothing was compared.
    """

    name: str
    question: str
    subject: str
    looked_at: int
    differences: Sequence[str]
    is_unread: bool = False


def unread(why: str) -> Agreement:
    """Return the agreement with a file whose content is not what its name says."""
    return Agreement(
        name="Files next to the dump",
        question="Can each be read?",
        subject="files next to the dump",
        looked_at=1,
        differences=(why,),
        is_unread=True,
    )


def agreement_of_text(dump: Dump, data: bytes, module: ModuleText) -> Iterator[Agreement]:
    """Yield where an HLO text and a dump agree; `module` is the index of the text."""
    head = parse_hlo_text(data)
    if head is None:
        yield unread("it does not begin with HloModule")
        return
    yield Agreement(
        name="Lines of the HLO text",
        question="Is the text whole: is every line, computation, operand and source line that it needs there?",
        subject="instructions of the HLO text",
        looked_at=len(module.names),
        differences=tuple(damages(module)),
    )
    names = {*dump.values.names, *dump.schedule.names}
    missing = {name for name in names if name not in module}
    missing = missing and missing - dump.carriers
    yield Agreement(
        name="Instructions of the HLO text",
        question="Is every instruction of the dump in the module, but for elements of tuples?",
        subject="names of instructions",
        looked_at=len(names),
        differences=[f"it has no instruction {name}, which the dump has" for name in sorted(missing)],
    )
    looked_at, differences = _statements(dump, module)
    yield Agreement(
        name="Statements of the HLO text",
        question="Does it state the same shape, opcode and metadata of each instruction that the dump prints?",
        subject="instructions that both print",
        looked_at=looked_at,
        differences=differences,
    )
    yield Agreement(
        name="Entry of the HLO text",
        question="Have the dump’s parameters and its output the shapes of the module’s entry?",
        subject="entry parameters and outputs",
        looked_at=len(head.parameters or ()) + (head.result is not None),
        differences=(*_parameters(dump, head), *_results(dump, head)),
    )
    yield Agreement(
        name="Aliases of the HLO text",
        question="Is each parameter whose bytes the output reuses marked so in the dump?",
        subject="aliases",
        looked_at=len(head.aliases),
        differences=tuple(_aliases(dump, head)),
    )


def _statements(dump: Dump, module: ModuleText) -> tuple[int, Sequence[str]]:
    """Return the number of instructions that both print, and the differences in what they state."""
    looked_at = 0
    differences: list[str] = []
    for name in dump.first_used_row:
        ours, theirs = dump.instruction_text(name), module.line(name)
        if ours and theirs:
            looked_at += 1
            ours = ours.strip()
            if ours == theirs:
                continue
            if _stated(ours) != _stated(theirs):
                differences += _differing(name, ours.decode("utf-8", "replace"), theirs.decode("utf-8", "replace"))
            differences += _differing_operands(name, ours, theirs)
    return looked_at, differences


def _stated(text: bytes) -> tuple[bytes, bytes]:
    """Return an instruction without its operands and its configuration, which the two files print differently."""
    start = text.find(b", metadata={")
    end = text.find(b"}, backend_config=", start)
    return text.partition(b"(%")[0], text[start : end if end >= 0 else None] if start >= 0 else b""


def _differing(name: str, ours: str, theirs: str) -> Iterator[str]:
    """Yield the differences between two texts of an instruction; a statement of only one text is no difference."""
    of_dump, of_file = parse_instruction(ours), parse_instruction(theirs)
    stated = {"shape": (of_dump.shape, of_file.shape), "opcode": (of_dump.opcode, of_file.opcode)}
    # A dump prints what an asynchronous operation wraps, and nobody knows what an unknown opcode stands for.
    if of_dump.opcode.endswith(ASYNC) or not (is_known(of_dump.opcode) and is_known(of_file.opcode)):
        del stated["opcode"]
    stated |= {key: (text, of_file.metadata.get(key, "")) for key, text in of_dump.metadata.items()}
    for key, (mine, its) in stated.items():
        if mine and its and mine != its:
            yield f"it states {key} {its[:80]} of {name}, the dump {mine[:80]}"


def _differing_operands(name: str, ours: bytes, theirs: bytes) -> Iterator[str]:
    """Yield the first difference between an instruction's operands, if both texts print as many, as names alone."""
    of_dump, of_file = _NAMES.search(ours), _NAMES.search(theirs)
    if not of_dump or not of_file:
        return
    (opcode, operands), (opcode_of_file, operands_of_file) = of_dump.groups(), of_file.groups()
    # A dump prints what an asynchronous operation wraps.
    if opcode != opcode_of_file or opcode.decode().endswith(ASYNC):
        return
    mine, its = _NAME.findall(operands), _NAME.findall(operands_of_file)
    if len(mine) == len(its):
        for operand, counterpart in zip(mine, its, strict=True):
            if operand != counterpart:
                yield f"it states the operand %{counterpart.decode()} of {name}, the dump %{operand.decode()}"
                return


def _parameters(dump: Dump, head: HloText) -> Iterator[str]:
    """Yield the parameters whose shape, without its layout, differs from that of the module's entry."""
    if head.parameters is None:
        return
    for allocation in dump.allocations:
        number, shape = allocation.parameter, allocation.parameter_shape
        if number is None or shape is None:
            continue
        if number >= len(head.parameters):
            yield f"its entry has {len(head.parameters)} parameters, the dump a parameter {number}"
            continue
        whole, expected = head.parameters[number], _read(shape)
        # The leaf first, because a tuple may have thousands, each in an allocation of its own.
        leaf = _dense(_leaf(whole, allocation.parameter_shape_index or WHOLE))
        if leaf not in (expected, None) and _dense(whole) not in (expected, None):
            yield f"its parameter {number} is not the {shape[:80]} of allocation {allocation.index}"


def _results(dump: Dump, head: HloText) -> Iterator[str]:
    for allocation in dump.allocations:
        if allocation.output_shape is not None and head.result is not None:
            shape = allocation.output_shape
            if _read(shape) not in (None, _dense(head.result)):
                yield f"its result is not the {shape[:80]} of allocation {allocation.index}"


def _read(text: str) -> str | None:
    try:
        return _dense(parse_shape(text))
    except ShapeError:
        return None


def _leaf(shape: Shape, index: str) -> Shape:
    """Return the part of a shape at an index such as `{0}` or `{1,0}`, as deep as the shape goes."""
    for digits in index.strip("{}").split(","):
        if digits and isinstance(shape, TupleShape) and int(digits) < len(shape.elements):
            shape = shape.elements[int(digits)]
    return shape


def _dense(shape: Shape) -> str | None:
    """Return a shape without layouts, as a dump prints the shapes of parameters."""
    if isinstance(shape, TupleShape):
        return f"({', '.join(str(_dense(element)) for element in shape.elements)})"
    if isinstance(shape, ArrayShape):
        return str(replace(shape, layout=None))
    return None


def _aliases(dump: Dump, head: HloText) -> Iterator[str]:
    marked = {
        (allocation.parameter, allocation.parameter_shape_index or WHOLE)
        for allocation in dump.allocations
        if allocation.is_maybe_live_out
    }
    for alias in head.aliases:
        if (alias.parameter, alias.parameter_index) not in marked:
            leaf = f"parameter {alias.parameter} at {alias.parameter_index}"
            yield f"it gives the bytes of {leaf} to the result at {alias.output_index}; the dump does not"


def agreement_of_proto(dump: Dump, data: bytes) -> Iterator[Agreement]:
    """Yield where the plan in a proto and a dump agree."""
    try:
        theirs = parse_assignment_proto(data)
    except ProtoError as error:
        yield unread(str(error))
        return
    yield Agreement(
        name="Allocations of the proto",
        question="Has the proto the same allocations, with the same sizes, memory spaces and kinds?",
        subject="allocations of the proto",
        looked_at=len(theirs),
        differences=tuple(_allocations(dump, theirs)),
    )
    yield Agreement(
        name="Values of the proto",
        question="Has each value in the proto the same allocation, offset and size?",
        subject="values of the proto",
        looked_at=sum(len(allocation.values) for allocation in theirs),
        differences=tuple(_values(dump, theirs)),
    )


def _allocations(dump: Dump, theirs: Sequence[ProtoAllocation]) -> Iterator[str]:
    """Yield the allocations that differ, then those that only the proto has."""
    stated = {allocation.number: allocation[:-1] for allocation in theirs}  # all fields but the values
    for ours in dump.allocations:
        expected = (
            ours.index,
            ours.size_bytes,
            ours.color,
            ours.parameter,
            ours.is_thread_local,
            ours.is_constant,
            ours.is_maybe_live_out,
        )
        if stated.pop(ours.index, None) != expected:
            yield f"its allocation {ours.index} is missing, or differs in size, memory space or kind from the dump's"
    for index in stated:
        yield f"it has an allocation {index}, which the dump does not have"


def _values(dump: Dump, theirs: Sequence[ProtoAllocation]) -> Iterator[str]:
    allocations = dump.allocations
    values = dump.values
    indexes = [allocations[number].index for number in values.allocations]
    ours = set(zip(indexes, values.ids, values.offsets, values.sizes, strict=True))
    said = {(allocation.number, *slice_) for allocation in theirs for slice_ in allocation.values}
    for allocation, value, offset, size in sorted(ours ^ said):
        owner = "the dump" if (allocation, value, offset, size) in ours else "the proto"
        yield f"only {owner} has value {value} in {size:,} bytes at {offset:,} of allocation {allocation}"
