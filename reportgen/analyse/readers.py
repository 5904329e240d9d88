"""Find the operation that reads a value first, because that says what a value without a name is for.

Programs with very many arguments pass them as one tuple, and XLA prints no name for its elements; a fusion may have no
name, and its body is not in the dump.
"""

from collections.abc import Callable, Sequence
from functools import cache

from reportgen.analyse.attribution import Attribution
from reportgen.analyse.callers import calls_computations
from reportgen.model import WHOLE, Dump, ValueKey

_MOST_VALUES = 200


class Readers:
    """The readers of the values of one dump. `attribution_of` names the operation that wrote a value."""

    def __init__(self, dump: Dump, attribution_of: Callable[[ValueKey], Attribution]) -> None:
        self._dump = dump
        self._attribution_of = cache(attribution_of)  # because the arguments of a fusion share a reader
        self._made_by = cache(self._keys_made_by)

    def first(self, key: ValueKey) -> tuple[str, Attribution] | None:
        """Return the first instruction with a name of the program that reads a value, and its attribution.

        Instructions without such a name, as those that only move the value, are followed to their own readers.
        """
        waiting = [key]
        for moved in waiting:
            for name in self._readers(moved):
                made = self._made_by(name)
                found = self._attribution_of(made[0])
                if found.is_named:
                    return name, found
                if len(waiting) + len(made) <= _MOST_VALUES:
                    waiting.extend(one for one in made if one not in waiting)
        return None

    def _readers(self, key: ValueKey) -> list[str]:
        """Return the instructions that read a value, in schedule order, but for those that pass it on to a body."""
        used = self._dump.used_by_key.get(key)
        if used is None:
            return []
        moment_of = self._dump.moment_of_user
        ordered = sorted(used.users, key=lambda user: (moment_of.get(user, len(moment_of)), user))
        names = [user.decode("utf-8", "replace") for user in ordered]
        return [name for name in names if not calls_computations(self._dump, name)]

    def _keys_made_by(self, name: str) -> Sequence[ValueKey]:
        numbers = self._dump.made_by.get(name, ())
        return [*map(self._dump.values.key, numbers)] or [ValueKey(name, WHOLE)]
