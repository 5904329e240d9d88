"""Find the operation that reads a value first, because that says what a value without a name is for.

Programs with very many arguments pass them as one tuple, and XLA prints no name for its elements; a fusion may have no
name, and its body is not in the dump.
"""

from collections.abc import Iterator
from functools import cache
from heapq import heapify, heappop, heappush

from reportgen.program.author import Author
from reportgen.program.opcodes import MOVES
from reportgen.program.places import Place
from reportgen.program.writers import Writers

_MOST_VALUES = 200  # because one value may have thousands of readers, and each argument is followed


class Readers:
    """The readers of the values of one program."""

    def __init__(self, writers: Writers) -> None:
        self._writers, self._program, self._dump = writers, writers.program, writers.program.dump
        # Kept by name, because the arguments of a fusion share a reader.
        self._named = cache(self._author)

    def first(self, number: int, argument: str = "") -> tuple[str, Author] | None:
        """Return the first instruction with a name of the program that reads a value, and its author.

        Instructions without such a name, as those that only move the value, are followed to their own readers, and so
        are copies of arguments where the value is an `argument` itself. First is what the schedule runs first.
        """
        moment_of, last = self._dump.moment_of, len(self._dump.moment_of)
        waiting = [(moment_of.get(name, last), name) for name in self._readers(number)]
        heapify(waiting)
        seen = {number}
        while waiting:
            _, name = heappop(waiting)
            named = self._named(name)
            if named and (named.scope or not argument):
                return name, named
            made = [value for value in self._dump.made_by.get(name, ()) if value not in seen]
            if len(seen) + len(made) <= _MOST_VALUES:
                seen.update(made)
                for value in made:
                    for reader in self._readers(value):
                        heappush(waiting, (moment_of.get(reader, last), reader))
        return None

    def _readers(self, number: int) -> Iterator[str]:
        """Yield the instructions that read a value, each once, except those that pass it to a computation."""
        names = (user.decode("utf-8", "replace") for user in dict.fromkeys(self._dump.users(number)))
        return (name for name in names if not self._program.runs_computations(name))

    def _author(self, name: str) -> Author | None:
        """Return the author of an instruction's result if it has a name from the program."""
        # What only moves the value leads back to it, and it has no name.
        if self._program.opcode(name) in MOVES and not self._program.op_name(name):
            return None
        made = self._dump.made_by.get(name)
        author = self._writers.of(self._program.place(made[0]) if made else Place(name)).author
        return author if author.is_named else None
