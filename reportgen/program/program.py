"""Answer questions about the program of a dump: its instructions, values, buffers, arguments and results."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache

from reportgen.model import Dump
from reportgen.parse.shape_parser import plain_shape
from reportgen.parse.stack_frames import Frame
from reportgen.program.boundary import arguments, results, returning
from reportgen.program.buffers import Buffers
from reportgen.program.computations import Computations
from reportgen.program.dialect import Dialect
from reportgen.program.join import NOTHING_JOINED, Join
from reportgen.program.loop_passes import directions_of_loops
from reportgen.program.opcodes import COPIES, RENAMES
from reportgen.program.places import Leaf
from reportgen.program.scopes import Direction, direction, original_of
from reportgen.program.sharding import Partitions
from reportgen.program.storage import Storage
from reportgen.program.writers import Writers

_HANDS_ON = RENAMES | {"while", "conditional"}

_MOST_STEPS = 100  # because the moves of a damaged dump may form a cycle


class Program(Computations):
    """The program of one dump. Instructions are known by their names, values by their numbers.

    Everything is computed when it is first asked for.
    """

    def __init__(self, dump: Dump, join: Join = NOTHING_JOINED) -> None:
        super().__init__(dump, join)
        # Few, because a large dump has a hundred thousand values.
        self.reads = lru_cache(maxsize=1 << 12)(self._reads)
        self.root = cache(self._root)

    @cached_property
    def storage(self) -> Storage:
        return Storage(self)

    @cached_property
    def dialect(self) -> Dialect:
        """Return the forms of instructions that are not known."""
        return Dialect(self)

    @cached_property
    def buffers(self) -> Buffers:
        return Buffers(self, self.storage)

    @cached_property
    def arguments(self) -> Mapping[int, int]:
        """Return the value of each argument, by the number of its allocation."""
        return arguments(self)

    @cached_property
    def results(self) -> Mapping[Leaf, int]:
        """Return the value at each leaf of the program's result."""
        return results(self.dump, self.returning)

    @cached_property
    def returning(self) -> str:
        """Return the instruction whose result the program returns; empty where it is unknown."""
        return returning(self)

    @cached_property
    def writers(self) -> Writers:
        """Return the writers of the places of the program."""
        return Writers(self, self.storage, {self.dump.values.names[argument] for argument in self.arguments.values()})

    @cached_property
    def partitions(self) -> Partitions:
        return Partitions(self)

    def argument_name(self, number: int) -> str:
        """Return the name of the argument that a value is: the program's, or its number and leaf."""
        return self.writers.of(self.place(number)).author.argument

    def opcode_or_name(self, name: str) -> str:
        """Return the opcode of an instruction: as the text says or, without one, as XLA names it."""
        return self.opcode(name) or name.partition(".")[0]

    @cached_property
    def hand_on_moments(self) -> Set[int]:
        """Return the moments at which an instruction only hands data on to others, under another name."""
        return {moment for moment, name in self.dump.name_at.items() if self.opcode_or_name(name) in _HANDS_ON}

    def _reads(self, number: int) -> Sequence[int]:
        """Return the moments of a value's live range at which it is read, in order."""
        moment_of, start = self.dump.moment_of_user, self.dump.starts[number]
        moments = {moment_of.get(user, -1) for user in self.dump.users(number)}
        return sorted(moment for moment in moments if moment >= max(start, 0))

    def readers_of(self, number: int) -> Sequence[str]:
        """Return the names of the instructions that read a value."""
        return [user.decode("utf-8", "replace") for user in self.dump.users(number)]

    def _root(self, number: int) -> int:
        """Return the value that was computed, behind the copies and slices that only moved it.

        Most temporaries in the HBM of a TPU are evictions, `copy-start.7{0}`, whose own name says nothing.
        """
        for _ in range(_MOST_STEPS):
            name = self.dump.values.names[number]
            operands = self.operands(name) if self.opcode(name) in COPIES else ()
            if not operands or operands[0] == number:
                break
            number = operands[0]
        return number

    def is_table(self, number: int) -> bool:
        """Return whether a value is the table of pointers of a tuple, which holds no data."""
        return self.dump.values.shapes[number].startswith("(")

    def shape(self, number: int) -> str:
        """Return the shape of a value without its layout."""
        return plain_shape(self.dump.values.shapes[number])

    def dimensions(self, number: int) -> tuple[str, ...]:
        """Return the dimensions of a value, the smallest first, so that transposed arrays agree."""
        return tuple(sorted(self.shape(number).partition("[")[2].rstrip("]").split(","), key=lambda d: (len(d), d)))

    def instruction_at(self, moment: int) -> str:
        """Return the name of the instruction that runs at a moment; empty where the schedule has none."""
        return self.dump.name_at.get(moment, "")

    @cached_property
    def repetitions(self) -> Mapping[str, Sequence[str]]:
        """Return the instructions that compute what one before them in the schedule computes, by that one.

        XLA's rematerialisation has copied them, and the first of a family may be a copy, too.
        """
        families: defaultdict[str, list[str]] = defaultdict(list)
        for name in self.dump.made_by:
            if original := original_of(name):
                families[original].append(name)
        moment_of = self.dump.moment_of
        in_order = (
            sorted(
                [*copies, *([original] if original in self.dump.made_by else [])],
                key=lambda name: moment_of.get(name, -1),
            )
            for original, copies in families.items()
        )
        return {first: others for first, *others in in_order if others}

    @cached_property
    def repeated_from(self) -> Mapping[str, str]:
        """Return the first instruction that computes the same, by each that XLA has it compute again."""
        return {name: first for first, others in self.repetitions.items() for name in others}

    @cached_property
    def op_names(self) -> Sequence[str]:
        """Return the op_name of the instruction in each row of the schedule; empty where it states none."""
        return list(map(self.op_name, self.dump.schedule.names))

    @cached_property
    def frames_of_all(self) -> Set[Frame]:
        """Return the frames that every instruction with a stack has: those outside of the traced program."""
        stacks = set(filter(None, map(self.stack, self.dump.schedule.names)))
        return frozenset.intersection(*map(frozenset, stacks)) if stacks else frozenset()

    @cached_property
    def directions(self) -> Sequence[Direction]:
        """Return whether the instruction in each row of the schedule belongs to the forward or to the backward pass."""
        known = {op_name: direction(op_name) for op_name in set(self.op_names)}
        return [known[op_name] for op_name in self.op_names]

    @cached_property
    def loop_directions(self) -> Mapping[str, Direction]:
        """Return the pass of a gradient that each loop belongs to."""
        return directions_of_loops(self)

    @cached_property
    def has_backward_pass(self) -> bool:
        return "backward" in self.directions and "forward" in self.directions
