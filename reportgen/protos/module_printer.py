"""Print a module as XLA prints the HLO text beside a dump, so that one parser reads both.

What no figure is computed from is left out: the content of arrays, and most attributes.

How arguments are divided among devices stands at the parameters of the entry, as texts had it before jaxlib 0.12.
"""

from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from reportgen.errors import shown
from reportgen.protos.attribute_text import CALLED, SHARDING, content_text, own_attributes
from reportgen.protos.escapes import plain_name, quoted
from reportgen.protos.module import HloModule
from reportgen.protos.proto_messages import ProtoError, decoded
from reportgen.protos.sharding_text import sharding_text

_NUMBERED = 5  # XLA numbers every fifth operand in a comment
_MANY = 1_000
_LONGEST_LINE = 64 << 20
_ALIASES = ("", "may-alias", "must-alias")


class ModulePrinter:
    """Print the lines of one module."""

    def __init__(self, module: HloModule) -> None:
        self._module = module

    def pieces(self) -> Iterator[str]:
        """Yield the text of the module. Raises ProtoError."""
        yield self._header()
        yield from self._frames()
        module = self._module
        for computation, root in module.roots.items():
            entry = "ENTRY " if computation == module.entry else ""
            yield f"\n{entry}%{module.computation_name(computation)} {self._signature(computation)} {{\n"
            for member in module.members(computation):
                mark = "ROOT " if member == root else ""
                yield f"  {mark}{self.line(member)}\n"
            thread = module.threads.get(computation)
            yield f"}}, execution_thread={quoted(thread)}\n" if thread else "}\n"

    def _signature(self, computation: int) -> str:
        module, text = self._module, self._module.shapes.text
        parameters = module.parameters(computation).values()
        texts = (f"{module.names[parameter]}: {text(module.shape_of[parameter])}" for parameter in parameters)
        root = module.shape_of.get(module.roots[computation])
        return f"({', '.join(texts)}) -> {text(root) if root is not None else '()'}"

    def line(self, number: int) -> str:
        """Return the text of one instruction. Raises ProtoError."""
        module, message = self._module, self._module.message(number)
        opcode, shape = module.opcodes[number], module.shapes.text(module.shape_of[number])
        text = f"%{module.names[number]} = {shape} {opcode}({self._operands(message, opcode)})"
        return ", ".join([text, *self._attributes(message, opcode)])

    def _operands(self, message: Any, opcode: str) -> str:
        """Return the text between an instruction's brackets. Raises ProtoError if it is unreasonably long."""
        if opcode == "parameter":
            return str(message.parameter_number)
        if opcode == "constant":
            return content_text(message.literal)
        names = self._module.names
        if len(message.operand_ids) > _MANY and sum(len(names[read]) for read in message.operand_ids) > _LONGEST_LINE:
            raise ProtoError(
                f"the operands of {shown(plain_name(message.name))} are more than {_LONGEST_LINE:,} characters long"
            )
        texts = [f"%{names[read]}" for read in message.operand_ids]
        for place in range(_NUMBERED, len(texts), _NUMBERED):
            texts[place] = f"/*index={place}*/{texts[place]}"
        return ", ".join(texts)

    def _attributes(self, message: Any, opcode: str) -> list[str]:
        """Return the attributes in the order in which XLA prints them."""
        attributes = own_attributes(opcode, message)
        if message.called_computation_ids:
            attributes += ((CALLED, text) for text in self._called(message, opcode))
        if opcode == "parameter" and not message.HasField("sharding") and (stated := self._stated_sharding(message)):
            attributes.append((SHARDING, f"sharding={stated}"))
        if len(attributes) > 1:
            attributes.sort(key=itemgetter(0))
        return [text for _, text in attributes]

    def _stated_sharding(self, parameter: Any) -> str:
        """Return how the module says that an argument is divided; empty where it does not."""
        module, number = self._module, parameter.parameter_number
        stated = module.proto.spmd_parameters_shardings
        if module.computation_of[parameter.id] != module.entry or not 0 <= number < len(stated):
            return ""
        return sharding_text(stated[number])

    def _called(self, message: Any, opcode: str) -> Iterator[str]:
        """Yield the attributes that name the called computations; their labels depend on the opcode."""
        names = [f"%{self._module.computation_name(number)}" for number in message.called_computation_ids]
        match opcode, names:
            case "while", [body, condition]:
                yield f"condition={condition}"
                yield f"body={body}"
            case "conditional", [if_true, if_false] if self._chooses_by_truth(message):
                yield f"true_computation={if_true}"
                yield f"false_computation={if_false}"
            case "conditional", _:
                yield f"branch_computations={{{', '.join(names)}}}"
            case (("fusion" | "async-start" | "async-update" | "async-done"), _):
                yield f"calls={names[0]}"
            case "custom-call", _:
                yield f"called_computations={{{', '.join(names)}}}"
            case "select-and-scatter", [select, scatter]:
                yield f"select={select}"
                yield f"scatter={scatter}"
            case _:
                yield f"to_apply={names[0]}"

    def _chooses_by_truth(self, message: Any) -> bool:
        chooser = self._module.shape_of[message.operand_ids[0]] if message.operand_ids else None
        return chooser is not None and self._module.shapes.element_type(chooser) == "pred"

    def _header(self) -> str:
        """Return the first line of the module: its aliases, the layout of its entry and its number of devices."""
        proto, shapes = self._module.proto, self._module.shapes
        parts = [f"HloModule {plain_name(proto.name)}"]
        if self._module.schedule:
            parts.append("is_scheduled=true")
        if entries := proto.input_output_alias.entries:
            parts.append(f"input_output_alias={{ {', '.join(map(_alias, entries))} }}")
        if proto.HasField("host_program_shape"):
            program = decoded("ProgramShapeProto", proto.host_program_shape)
            texts = [shapes.text(parameter) for parameter in program.parameters]
            for place in range(_NUMBERED, len(texts), _NUMBERED):
                texts[place] = f"/*index={place}*/{texts[place]}"
            parts.append(f"entry_computation_layout={{({', '.join(texts)})->{shapes.text(program.result)}}}")
        if (replicas := proto.device_assignment.replica_count) > 1:
            parts.append(f"replica_count={replicas}")
        if (partitions := proto.device_assignment.computation_count) > 1:
            parts.append(f"num_partitions={partitions}")
        return ", ".join(parts).replace("\n", " ") + "\n"

    def _frames(self) -> Iterator[str]:
        """Yield the tables of source lines; the text counts the frames that called from 1, the proto from 0."""
        tables = self._module.proto.stack_frame_index
        if not tables.stack_frames:
            return
        for heading, names in (("FileNames", tables.file_names), ("FunctionNames", tables.function_names)):
            yield f"\n{heading}\n"
            yield from (f"{number} {quoted(name)}\n" for number, name in enumerate(names, 1))
        yield "\nFileLocations\n"
        for number, location in enumerate(tables.file_locations, 1):
            ids = f"file_name_id={location.file_name_id} function_name_id={location.function_name_id}"
            yield f"{number} {{{ids} line={location.line} column={location.column}}}\n"
        yield "\nStackFrames\n"
        for number, frame in enumerate(tables.stack_frames, 1):
            parent = max(frame.parent_frame_id, 0) + 1
            yield f"{number} {{file_location_id={frame.file_location_id} parent_frame_id={parent}}}\n"
        yield "\n"


def _alias(entry: Any) -> str:
    """Return one alias of an output, as in `{0}: (1, {}, may-alias)`."""
    output, parameter = (
        ", ".join(map(str, index)) for index in (entry.output_shape_index, entry.parameter_shape_index)
    )
    kind = _ALIASES[entry.kind] if entry.kind < len(_ALIASES) else ""
    return f"{{{output}}}: ({entry.parameter_number}, {{{parameter}}}, {kind})"
