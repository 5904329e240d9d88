"""Define the records of out-of-memory errors as compilers, allocators and libraries print them.

A text has rounded sizes, no offsets and no live ranges, so nothing of it enters the analysis of a dump.
"""

from typing import NamedTuple

from reportgen.oom.forms import FIGURES, FORM_OF, WARNINGS, Form, Kind
from reportgen.oom.printed_size import SizeRange


class Total(NamedTuple):
    """A row of a table: `head` is the line above it. `size` is None where the text says that it is unknown."""

    head: str
    name: str
    size: SizeRange | None
    detail: str = ""


class LoggedBuffer(NamedTuple):
    """An entry of a list of the largest buffers; what the text does not say is None or empty.

    `is_cut` is true unless the end of the entry was found, so that a later field may be missing. `made_from` are the
    operands whose shape its instruction states: their names and shapes.
    """

    number: int | None = None
    size: SizeRange | None = None
    unpadded: SizeRange | None = None
    shape: str = ""
    instruction: str = ""
    opcode: str = ""
    op_name: str = ""
    source_file: str = ""
    source_line: int | None = None
    kind: str = ""
    is_parameter: bool = False
    is_cut: bool = True
    made_from: tuple[tuple[str, str], ...] = ()


class OutOfMemory(NamedTuple):
    """One failure: `lines` are those of the text, from 1, on which it is said.

    `needed` is what did not fit. `capacity` is all the memory that may be used, `held` what was in use, `free` what was
    left, and `reservable` the part of that in one piece. `words` are what else its sentence states, by name.
    """

    name: str
    message: str = ""
    code: str = ""
    space: str = ""
    needed: SizeRange | None = None
    capacity: SizeRange | None = None
    excess: SizeRange | None = None
    free: SizeRange | None = None
    reservable: SizeRange | None = None
    held: SizeRange | None = None
    module: str = ""
    device: str = ""
    words: tuple[tuple[str, str], ...] = ()
    totals: tuple[Total, ...] = ()
    buffers: tuple[LoggedBuffer, ...] = ()
    lines: tuple[int, ...] = (1,)

    @property
    def line(self) -> int:
        return self.lines[0]

    @property
    def form(self) -> Form:
        return FORM_OF[self.name]

    @property
    def kind(self) -> Kind:
        return self.form.kind

    @property
    def is_failure(self) -> bool:
        """Whether a program failed; warnings and figures are no failure."""
        return self.kind not in WARNINGS | FIGURES
