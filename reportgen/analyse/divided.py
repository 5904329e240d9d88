"""List what each device holds of the program's arguments, for a program that runs on several devices."""

from collections.abc import Iterable, Sequence

from reportgen.document import Bytes, Positive, document
from reportgen.program.program import Program
from reportgen.record import record


@document()
class ArgumentOfDevice:
    """What a device holds of an argument."""

    name: str
    """The name of the argument."""
    size_bytes: Bytes
    """The bytes of it on one device."""
    global_bytes: Bytes
    """The bytes of the whole array, without padding of its own."""
    tiles: tuple[Positive, ...]
    """Into how many parts each dimension is divided; empty if none is."""
    copies: Positive
    """How many devices hold the same part."""

    @property
    def is_replicated(self) -> bool:
        """Return whether several devices hold the whole array."""
        return self.copies > 1 and self.size_bytes == self.global_bytes


@record
class DividedArgument(ArgumentOfDevice):
    """The same with the number of the argument's value."""

    number: int


def replicated_bytes(arguments: Iterable[DividedArgument]) -> int:
    """Return the bytes per device of arrays that other devices hold whole, too."""
    return sum(argument.size_bytes for argument in arguments if argument.is_replicated)


def divided_arguments(program: Program) -> Sequence[DividedArgument]:
    """Return the arguments whose sharding the HLO text states, those with the most bytes on a device first."""
    values, arguments = program.dump.values, []
    for number in program.arguments.values():
        sharding, size = program.partitions.of(values.names[number]), values.sizes[number]
        if sharding is not None and size:
            arguments.append(
                DividedArgument(
                    number=number,
                    name=program.argument_name(number),
                    size_bytes=size,
                    global_bytes=sharding.global_bytes(size),
                    tiles=sharding.tiles,
                    copies=sharding.copies,
                )
            )
    return sorted(arguments, key=lambda argument: (-argument.size_bytes, argument.number))
