"""Find the operation that reads a value first, because that says what a value without a name is for.

Programs with very many arguments pass them as one tuple, and XLA prints no name for its elements; a fusion may have no
name, and its body is not in the dump.
"""

from collections.abc import Callable
from functools import cache

from reportgen.analyse.attribution import Attribution
from reportgen.analyse.callers import calls_computations
from reportgen.model import WHOLE, Dump, ValueKey

_MOST_VALUES = 200


class Readers:
    """The readers of the values of one dump. `attribution_of` names the operation that wrote a value."""

    def __init__(self, dump: Dump, attribution_of: Callable[[ValueKey], Attribution]) -> None:
        self._dump = dump
        self._attribution_of = attribution_of
        # Kept by name, because the arguments of a fusion share a reader.
        self._written_by = cache(self._attribution)
        self._passes_on = cache(lambda user: calls_computations(dump, user.decode("utf-8", "replace")))

    def first(self, number: int) -> tuple[str, Attribution] | None:
        """Return the first instruction with a name of the program that reads a value, and its attribution.

        Instructions without such a name, as those that only move the value, are followed to their own readers.
        """
        waiting = [number]
        seen = {number}
        for moved in waiting:
            for name in self._readers(moved):
                found = self._written_by(name)
                if found.is_named:
                    return name, found
                made = [one for one in self._dump.made_by.get(name, ()) if one not in seen]
                if len(waiting) + len(made) <= _MOST_VALUES:
                    waiting += made
                    seen.update(made)
        return None

    def _readers(self, number: int) -> list[str]:
        """Return the instructions that read a value, in schedule order, but for those that pass it on to a body."""
        moment_of = self._dump.moment_of_user
        users = [user for user in self._dump.users(number) if not self._passes_on(user)]
        users.sort(key=lambda user: (moment_of.get(user, len(moment_of)), user))
        return [user.decode("utf-8", "replace") for user in users]

    def _attribution(self, name: str) -> Attribution:
        made = self._dump.made_by.get(name)
        return self._attribution_of(self._dump.values.key(made[0]) if made else ValueKey(name, WHOLE))
