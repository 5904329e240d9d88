"""Print a buffer assignment as XLA dumps it: allocations, the values in them, and live ranges."""

from collections.abc import Iterator
from typing import Any

from reportgen.protos.dataflow import Site
from reportgen.protos.live_intervals import FlatSchedule, live_intervals
from reportgen.protos.module import HloModule
from reportgen.protos.module_printer import ModulePrinter
from reportgen.protos.proto_messages import ProtoError
from reportgen.protos.values import PlacedValues

_MANY = 10_000


class DumpPrinter:
    """Print the three parts of the dump of one module, as XLA's builds of 2026 do."""

    def __init__(self, module: HloModule, placed: PlacedValues, assignment: Any) -> None:
        self._module = module
        self._assignment = assignment
        self._placed = placed
        self._parameters = module.parameters(module.entry)
        self._lines = ModulePrinter(module)

    def pieces(self) -> Iterator[str]:
        """Yield the text. Raises ProtoError."""
        yield from self.allocations()
        yield from self._used_values()
        if self._module.schedule:
            yield from self._live_ranges()

    def allocations(self) -> Iterator[str]:
        """Yield the text up to the last allocation. Raises ProtoError."""
        allocations = self._assignment.buffer_allocations
        yield "BufferAssignment:\n"
        for allocation in allocations:
            yield f"allocation {allocation.index}: size {allocation.size}{''.join(self._attributes(allocation))}:\n"
            for assigned in sorted(allocation.assigned, key=lambda assigned: assigned.logical_buffer_id):
                value = assigned.logical_buffer_id
                if value not in self._placed.definitions:
                    raise ProtoError(f"allocation {allocation.index} has a value {value} that there is not")
                shape = self._shape(self._placed.definitions[value])
                yield f" value: {self._head(value)} (size={assigned.size},offset={assigned.offset}): {shape}\n"

    def _attributes(self, allocation: Any) -> Iterator[str]:
        """Yield the attributes after the size of an allocation, in XLA's order."""
        module = self._module
        if allocation.color:
            yield f", color {allocation.color}"
        if allocation.is_entry_computation_parameter:
            number, index = allocation.parameter_number, tuple(allocation.parameter_shape_index)
            parameter = self._parameters.get(number)
            if parameter is None:
                raise ProtoError(f"allocation {allocation.index} is parameter {number}, which the module does not have")
            shape = module.shapes.dense(module.shapes.leaf(module.shape_of[parameter], index))
            yield f", parameter {number}, shape |{shape}| at ShapeIndex {_index(index)}"
        if output := self._output(allocation):
            yield f", output shape is |{output}|"
        kinds = {
            ", constant": allocation.is_constant,
            ", thread-local": allocation.is_thread_local,
            ", maybe-live-out": allocation.maybe_live_out,
        }
        yield from (kind for kind, applies in kinds.items() if applies)
        if not (allocation.is_entry_computation_parameter or any(kinds.values())):
            yield ", preallocated-temp"

    def _output(self, allocation: Any) -> str:
        """Return the shape of the program's result; empty unless the allocation holds the whole of it."""
        if not allocation.maybe_live_out:
            return ""
        module, root = self._module, self._module.roots.get(self._module.entry)
        for assigned in allocation.assigned:
            if assigned.logical_buffer_id not in self._placed.definitions:
                continue
            for site in self._placed.positions[assigned.logical_buffer_id]:
                if site.instruction == root and not site.shape_index:
                    return module.shapes.dense(module.shape_of[site.instruction])
        return ""

    def _shape(self, site: Site) -> str:
        shapes = self._module.shapes
        return shapes.text(shapes.leaf(self._module.shape_of[site.instruction], site.shape_index))

    def _head(self, value: int) -> str:
        site, color = self._placed.definitions[value], self._placed.colors[value]
        index = _index(site.shape_index) if site.instruction in self._module.tuples else ""
        phi = " (phi)" if self._placed.is_phi(value) else ""
        return f"<{value} {self._module.names[site.instruction]}{index}{phi} @{color}>"

    def _used_values(self) -> Iterator[str]:
        """Yield the total, then the entries of Used values, each with its positions, uses and instruction."""
        total = sum(allocation.size for allocation in self._assignment.buffer_allocations)
        yield f"\nTotal bytes used: {total}\n\nUsed values:\n"
        names, tuples = self._module.names, self._module.tuples
        last, text = -1, ""
        for value, definition in self._placed.definitions.items():
            lines = [self._head(value), " positions:"]
            for number, part in self._placed.positions[value]:
                index = f" {_index(part)}" if number in tuples else ""
                lines.append(f"  {names[number]}{index}")
            lines.append(" uses:")
            uses = 0
            for reader, operand, part in self._placed.readings(value):
                read = self._module.operands(reader)[operand]
                index = f" {_index(part)}" if read in tuples else ""
                lines.append(f"  {names[reader]}, operand {operand}{index}")
                uses += 1
                if len(lines) == _MANY:  # because a damaged module may have any number
                    yield "\n".join(lines) + "\n"
                    lines.clear()
            if not uses:
                lines.append("  (none)")
            yield "".join(f"{line}\n" for line in lines)
            # All parts of a tuple print one text, and they follow each other.
            if definition.instruction != last:
                last, text = definition.instruction, f" from instruction: {self._lines.line(definition.instruction)}\n"
            yield text

    def _live_ranges(self) -> Iterator[str]:
        schedule = FlatSchedule(self._module)
        names = self._module.names
        yield f"\nHloLiveRange (max {schedule.length}):\n  InstructionSequence:\n"
        for moment, number in enumerate(schedule.sequence):
            yield f"    {moment}:{names[number]}\n"
        yield "  BufferLiveRange:\n"
        for value, live in live_intervals(self._placed, schedule).items():
            site = self._placed.definitions[value]
            yield f"    {names[site.instruction]}{_index(site.shape_index)}:{live.start}-{live.end}\n"


def _index(index: tuple[int, ...]) -> str:
    return f"{{{','.join(map(str, index))}}}"
