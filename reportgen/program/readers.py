"""Find the operation that reads a value first, because that says what a value without a name is for.

Programs with very many arguments pass them as one tuple, and XLA prints no name for its elements; a fusion may have no
name, and its body is not in the dump.
"""

from functools import cache

from reportgen.analyse.records import Analysis
from reportgen.model import WHOLE, ValueKey
from reportgen.program.author import Attribution
from reportgen.program.callers import calls_computations
from reportgen.program.writers import Attributor

_MOST_VALUES = 200  # because one value may have thousands of readers, and each argument is followed


class Readers:
    """The readers of the values of one analysed dump."""

    def __init__(self, analysis: Analysis, attributor: Attributor) -> None:
        self._dump, self._definitions = analysis.dump, analysis.definitions
        self._attributor = attributor
        # Kept by name, because the arguments of a fusion share a reader.
        self._named = cache(self._attribution)

    def first(self, number: int) -> tuple[str, Attribution] | None:
        """Return the first instruction with a name of the program that reads a value, and its attribution.

        Instructions without such a name, as those that only move the value, are followed to their own readers.
        """
        waiting = [number]
        seen = {number}
        for moved in waiting:
            for name in self._readers(moved):
                if found := self._named(name):
                    return name, found
                made = [one for one in self._dump.made_by.get(name, ()) if one not in seen]
                if len(waiting) + len(made) <= _MOST_VALUES:
                    waiting += made
                    seen.update(made)
        return None

    def _readers(self, number: int) -> list[str]:
        """Return the instructions that read a value, in schedule order, but for those that pass it on to a body."""
        moment_of = self._dump.moment_of_user
        users = sorted(self._dump.users(number), key=lambda user: (moment_of.get(user, len(moment_of)), user))
        names = [user.decode("utf-8", "replace") for user in users]
        return [name for name in names if not calls_computations(self._definitions, name)]

    def _attribution(self, name: str) -> Attribution | None:
        """Return the attribution of what an instruction makes if it has a name of the program."""
        made = self._dump.made_by.get(name)
        return self._attributor.named(self._dump.values.key(made[0]) if made else ValueKey(name, WHOLE))
