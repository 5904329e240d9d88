"""What differs in the input of two compilations, as far as the files beside the dumps say."""

from reportgen.document import document
from reportgen.input.inputs import Inputs, differing_flags


@document()
class InputDifference:
    """How the input of the compiler differs."""

    same_program: bool | None
    """Whether the programs are equal; null if a file beside the dumps is missing."""
    differing_flags: tuple[str, ...] | None
    """The flags that differ, by name; null if a file beside the dumps is missing."""
    same_compiler: bool | None
    """Whether the compilers are the same; null if a file beside the dumps is missing."""


def input_difference(before: Inputs, after: Inputs) -> InputDifference:
    """Return what differs in the input; None for what either side lacks the file of."""
    both_programs, both_flags = before.program and after.program, before.flags is not None and after.flags is not None
    return InputDifference(
        same_program=before.program == after.program if both_programs else None,
        differing_flags=tuple(differing_flags(before, after)) if both_flags else None,
        same_compiler=before.changelist == after.changelist if before.changelist and after.changelist else None,
    )
