"""Index the values of a buffer assignment: where each is defined and passed on, who reads it, what shares bytes."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

from reportgen.protos.dataflow import Dataflow, Index, Site
from reportgen.protos.escapes import plain_name
from reportgen.protos.module import SPANNING, HloModule
from reportgen.protos.proto_messages import ProtoError

_PASSING_ON = frozenset(("domain", "tuple"))
_PASSING_PARTS_ON = frozenset(("copy", "get-tuple-element"))


class Reading(NamedTuple):
    """A reader of a value: an instruction, by its id, the operand, and the part of that operand."""

    instruction: int
    operand: int
    shape_index: Index


class PlacedValues:
    """The values of an assignment by their ids, in order."""

    def __init__(self, module: HloModule, assignment: Any) -> None:
        """Index the values. Raises ProtoError if one is defined by an instruction that does not exist."""
        self.module = module
        self.definitions: dict[int, Site] = {}
        self.colors: dict[int, int] = {}
        for buffer in sorted(assignment.logical_buffers, key=lambda buffer: buffer.id):
            self.definitions[buffer.id] = self._site(buffer.defined_at)
            self.colors[buffer.id] = buffer.color
        self._value_at: dict[Site, int | None] = {site: value for value, site in self.definitions.items()}
        self._aliases = assignment.buffer_aliases

    def _site(self, location: Any) -> Site:
        number = location.instruction_id
        if number not in self.module.names:
            name = location.instruction_name
            named = self.module.by_name.get(plain_name(name)) if name else None
            if named is None:
                raise ProtoError(f"the module has no instruction {number}, which the buffer assignment names")
            number = named
        return Site(number, tuple(location.shape_index))

    @cached_property
    def positions(self) -> Mapping[int, list[Site]]:
        """Return all places of each value; the first is where it is defined."""
        positions = {value: [site] for value, site in self.definitions.items()}
        flow, defined = Dataflow(self.module), set(self._value_at)
        for site in flow.sites():
            if site not in defined and (value := self._passed_on(flow, site)) is not None:
                positions[value].append(site)
        return positions

    def _passed_on(self, flow: Dataflow, site: Site) -> int | None:
        """Return the value that a place has from others; None where they have none."""
        way: list[Site] = []
        source: Site | None = site
        while source is not None and source not in self._value_at:
            self._value_at[source] = None  # so that a damaged module cannot lead in a circle
            way.append(source)
            source = flow.source(source)
        value = self._value_at[source] if source else None
        self._value_at.update(dict.fromkeys(way, value))
        return value

    def readings(self, value: int) -> Iterator[Reading]:
        """Yield the readers of a value, those of each position in turn."""
        positions, readers = self.positions[value], self._readers
        roots = [site.instruction for site in positions if self.module.is_root(site.instruction)]
        for site in positions:
            read, index = site
            for reader, operand in readers.of_any_part.get(read, ()):
                yield Reading(reader, operand, index)
            if not index:
                for reader, operand in readers.of_the_whole.get(read, ()):
                    yield Reading(reader, operand, index)
            # The root of a computation uses what it returns, even if it only passes it on.
            for root in roots:
                for operand in readers.passing_on.get((read, root), ()):
                    if index or self.module.opcodes[root] in _PASSING_ON:
                        yield Reading(root, operand, index)

    @cached_property
    def _readers(self) -> "_Readers":
        return _Readers(self.module)

    @cached_property
    def buffers(self) -> list[list[int]]:
        """Return the values that must share bytes, where a buffer has several."""
        buffer_of: dict[int, list[int]] = {}
        for alias in self._aliases:
            value, aliased = alias.source_buffer_id, self._value_at.get(self._site(alias.location))
            if aliased is None or value not in self.definitions:
                continue
            mine, theirs = buffer_of.setdefault(value, [value]), buffer_of.setdefault(aliased, [aliased])
            if len(mine) < len(theirs):
                mine, theirs = theirs, mine  # so that each value changes its buffer a few times at most
            if mine is not theirs:
                mine.extend(theirs)
                buffer_of.update(dict.fromkeys(theirs, mine))
        return list({id(buffer): buffer for buffer in buffer_of.values()}.values())

    def is_phi(self, value: int) -> bool:
        """Return whether a value merges others: at a loop or a branch, or at a parameter of one."""
        module, number = self.module, self.definitions[value].instruction
        opcode = module.opcodes[number]
        return opcode in SPANNING or (opcode == "parameter" and module.computation_of[number] in self._spanned)

    @cached_property
    def _spanned(self) -> frozenset[int]:
        return frozenset(
            called
            for number, opcode in self.module.opcodes.items()
            if opcode in SPANNING
            for called in self.module.called(number)
        )


class _Readers:
    """The readers of each result and as which operand, by what they look at; sorted once, because tuples are wide."""

    def __init__(self, module: HloModule) -> None:
        """Sort the readers of each result by whether their opcode reads the data or passes it on."""
        self.of_any_part: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self.of_the_whole: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self.passing_on: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
        """The operands by the instruction that is read and the one that reads it."""
        for reader, operands in module.readers:
            opcode = module.opcodes[reader]
            passes_parts_on, passes_on = opcode in _PASSING_PARTS_ON, opcode in _PASSING_ON
            for operand, read in enumerate(operands):
                if passes_parts_on:
                    self.of_the_whole[read].append((reader, operand))
                if passes_parts_on or passes_on:
                    self.passing_on[read, reader].append(operand)
                else:
                    self.of_any_part[read].append((reader, operand))
