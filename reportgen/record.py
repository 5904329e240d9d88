"""Define what a record is: a dataclass that nothing changes, and that is cheap to define and to make.

A frozen dataclass takes three times as long to define and to make, which is a twentieth of the time of a small check,
so records are frozen for the type checker alone. A dataclass compiles methods of its own to compare, hash and print its
instances, which is a sixth of that time, so all records share these.
"""

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

_Record = TypeVar("_Record")


@overload
def record(cls: type[_Record], /) -> type[_Record]: ...


@overload
def record(
    *, kw_only: bool = True, slots: bool = True, eq: bool = True, order: bool = False
) -> Callable[[type[_Record]], type[_Record]]: ...


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
def record(
    cls: type[_Record] | None = None,
    /,
    *,
    kw_only: bool = True,
    slots: bool = True,
    eq: bool = True,
    order: bool = False,
) -> type[_Record] | Callable[[type[_Record]], type[_Record]]:
    """Make a class a record: its fields are given by name, unless not `kw_only`, and two with equal fields are equal.

    Without `slots` it can have cached properties.
    """

    def made(cls: type[_Record]) -> type[_Record]:
        defined: Any = dataclass(slots=slots, kw_only=kw_only, repr=False, eq=order, order=order)(cls)
        if "__repr__" not in vars(defined):
            defined.__repr__ = _printed
        if eq:
            compared = [field for field in fields(defined) if field.compare]
            defined._compared = _values_of(compared)
            defined._hashed = _values_of([field for field in compared if field.hash is None])
            defined.__eq__, defined.__hash__ = _is_equal, _hash
        return defined  # type: ignore[no-any-return]

    return made if cls is None else made(cls)


def copied(cls: type[_Record], source: object, **own: Any) -> _Record:
    """Return a record with its `own` fields, and those that the source has under the same names."""
    declared: Any = cls
    shared = {one.name: getattr(source, one.name) for one in fields(declared) if one.name not in own}
    return cls(**shared, **own)


def _values_of(chosen: Sequence[Field[Any]]) -> Callable[[object], Any]:
    """Return a function that takes the values of some fields from a record."""
    return attrgetter(*(field.name for field in chosen)) if chosen else type


def _is_equal(own: Any, other: Any) -> Any:
    """Return whether two records of one class have equal fields."""
    if own.__class__ is not other.__class__:
        return NotImplemented
    return own is other or own._compared(own) == own._compared(other)


def _hash(own: Any) -> int:
    return hash(own._hashed(own))


def _printed(own: Any) -> str:
    values = (f"{field.name}={getattr(own, field.name)!r}" for field in fields(own) if field.repr)
    return f"{type(own).__qualname__}({', '.join(values)})"
