"""Read a document that a program has written, such as `report.json`; each field is checked as it is read."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reportgen.document import Misstated
from reportgen.errors import quoted, shown

_MOST_DIGITS = 30
_MORE_THAN_ANY = 1 << 100


class DocumentField:
    """A value of a document, and where it is."""

    __slots__ = ("place", "value")

    def __init__(self, value: Any, place: str = "") -> None:
        self.value = value
        self.place = place

    def wrong(self, needed: str) -> Misstated:
        """Return the error for a value that is something else than what is needed."""
        return Misstated(f"{self.place}: {quoted(self.value)} is not {needed}" if self.place else f"it is not {needed}")

    def __contains__(self, name: str) -> bool:
        return name in self._table()

    def __getitem__(self, name: str) -> "DocumentField":
        table = self._table()
        if name not in table:
            raise Misstated(f"{self._below(name)} is missing")
        return DocumentField(table[name], self._below(name))

    def items(self) -> Iterator[tuple[str, "DocumentField"]]:
        """Yield the fields of a table; none where the table itself is missing."""
        for name, value in self._table().items():
            yield name, DocumentField(value, self._below(name))

    def entries(self) -> Sequence["DocumentField"]:
        """Return the entries of a list."""
        if not isinstance(self.value, list | tuple):  # the figures of our own analysis have tuples
            raise self.wrong("a list")
        return [DocumentField(value, f"{self.place}[{number}]") for number, value in enumerate(self.value)]

    def optional(self, name: str, empty: Any) -> "DocumentField":
        """Return a field, as if it had the value `empty` where it is missing or null."""
        value = self._table().get(name)
        return DocumentField(empty if value is None else value, self._below(name))

    def text(self) -> str:
        """Return a text that can be written. JSON may state halves of characters that no encoding has."""
        if not isinstance(self.value, str):
            raise self.wrong("a text")
        return self.value.encode("utf-8", "replace").decode()

    def count(self) -> int:
        """Return a number that is not negative."""
        return self._number("a number", least=0)

    def size(self, *, signed: bool = False) -> int:
        """Return a number of bytes."""
        return self._number("a number of bytes", least=-_MORE_THAN_ANY if signed else 0)

    def known_size(self, *, signed: bool = False) -> int | None:
        """Return a number of bytes, or None where it is not known."""
        return None if self.value is None else self.size(signed=signed)

    def checked(self, check: Callable[[Any], str]) -> str:
        """Return a text that `check` accepts; it raises ValueError or TypeError for others."""
        try:
            return check(self.value)
        except (ValueError, TypeError) as error:
            raise Misstated(f"{self.place}: {error}") from error

    def _number(self, needed: str, *, least: int) -> int:
        # By type(), because JSON's true is an int in Python.
        if type(self.value) is not int or not least <= self.value < _MORE_THAN_ANY:
            raise self.wrong(needed)
        return self.value

    def _table(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.wrong("a table of fields")
        return self.value

    def _below(self, name: str) -> str:
        return f"{self.place}.{shown(name)}" if self.place else shown(name)


def color_of(name: str, stated: DocumentField) -> int:
    """Return the number of a memory space, which is the name of its field."""
    if not name.isascii() or not name.isdigit() or len(name) > _MOST_DIGITS or name != str(int(name)):
        raise Misstated(f"{stated.place}: {quoted(name)} is not the number of a memory space")
    return int(name)
