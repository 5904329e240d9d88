"""Define the author of a buffer: the argument that it is, or the operation of the user's program that fills it."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal

from reportgen.parse.stack_frames import Frame
from reportgen.program.scopes import direction, path
from reportgen.record import record

Rule = Literal[
    "own",
    "argument",
    "new value",
    "read",
    "moved",
    "loop",
    "update",
    "fusion",
    "called",
    "in place",
    "not known",
]
"""How the operation was found: the value's own instruction, or through something else."""

_LOOP = "/while"
_IS_NAME = re.compile(r"[A-Za-z_][\w.]*")
_SIBLING = re.compile(r"(?<![A-Za-z0-9])\d+")
"""The number of a sibling, as in `layer_3`, and not that of a kind, as in `conv2d`."""


UNNAMED_ARGUMENT = "argument "
"""The prefix of the name of an argument that has only a number."""


@record(slots=False)
class Author:
    """The author of a buffer: who fills it. Each text is empty where it is unknown.

    `scope` is a whole op_name. `argument` is the name of the program's argument, as `o['m']['w1']`, or its number; a
    buffer whose `rule` is "new value" lies in the argument's memory and is filled by `scope`. `stack` is innermost
    first. `operation` is the instruction that was found and `rule` how; `path` are the instructions in between.
    `reader` is the author of the first instruction that reads an argument, which has no source line of its own.
    """

    operation: str = ""
    opcode: str = ""
    scope: str = ""
    argument: str = ""
    stack: tuple[Frame, ...] = ()
    rule: Rule = "not known"
    path: tuple[str, ...] = ()
    reader: "Author | None" = None

    @property
    def name(self) -> str:
        """Return the most telling name: an argument's, an operation's, an argument's number, or the instruction's."""
        return self._program_name or self.argument or self.operation

    @property
    def _program_name(self) -> str:
        """Return the name that the user's program gives; empty without one."""
        is_number = self.argument.startswith(UNNAMED_ARGUMENT)
        return self.scope if is_number else (self.argument or self.scope)

    @property
    def relation(self) -> str:
        """Return the words before the name; empty where the bytes are the argument, or what the operation fills."""
        if self.rule == "read":
            return "read by"
        if not self.argument or self.name != self.argument or self.rule == "argument":
            return ""
        return "new value of" if self.rule == "new value" else "a copy of"

    @property
    def scope_name(self) -> str:
        """Return the name under which the bytes are added up by scope; empty where the program gives none."""
        return self._program_name

    @property
    def is_named(self) -> bool:
        """Return whether an argument's name is known, or that of an operation other than the loop around it."""
        return bool(self._program_name) and not self.is_of_loop

    @property
    def is_of_loop(self) -> bool:
        """Return whether the bytes are the result of a loop of which nothing more is known."""
        return not self.argument and (self.opcode == "while" or self.scope.endswith(_LOOP))

    @cached_property
    def frame(self) -> Frame | None:
        """Return the innermost frame of the user's own code or, without one, the innermost frame."""
        own = (frame for frame in self.stack if not frame.is_of_library)
        return next(own, self.stack[0] if self.stack else None)

    @cached_property
    def source(self) -> str:
        """Return `file:line` of `frame`; empty without one."""
        return str(self.frame) if self.frame else ""

    @property
    def place(self) -> str:
        """Return where the bytes come from, `attention, train_step.py:41`; empty where nothing names it.

        A named scope says most, with # for the number of a sibling, then the user's function, then the operation with
        its pass of a gradient.
        """
        if "/" not in self.scope:
            return ""
        own = self.frame if self.frame and not self.frame.is_of_library else None
        scopes = [name for name in path(self.scope) if _IS_NAME.fullmatch(name)]
        what = _SIBLING.sub("#", "/".join(scopes[-2:])) or (_function(own) if own else "")
        operation = self.scope.rpartition("/")[2].partition("[")[0]
        if own:
            return f"{what or operation}, {own.file.rpartition('/')[2]}:{own.line}"
        return what or ", ".join(filter(None, (operation, direction(self.scope))))

    @property
    def read_first(self) -> str:
        """Return `file:line` of the operation that reads an argument first; empty where it is unknown."""
        return self.reader.source if self.reader else ""


def _function(frame: Frame) -> str:
    """Return the user's name of a function: `layer` for `step.<locals>.layer`, `Block` for `Block.__call__`."""
    name = frame.function.rpartition("<locals>.")[2].removesuffix(".__call__")
    return name if _IS_NAME.fullmatch(name) and not name.startswith("__") else ""


def lines_of_authors(authors: Iterable[Author]) -> Sequence[str]:
    """Return the lines that fill the buffers of authors or, of arguments, read them first; each once, in order."""
    return list(dict.fromkeys(line for author in authors if (line := author.source or author.read_first)))


def common_relation(authors: Iterable[Author]) -> str:
    """Return the words before the name of several authors; empty where they do not agree."""
    relations = {author.relation for author in authors}
    return relations.pop() if len(relations) == 1 else ""
