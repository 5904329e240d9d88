"""Define what a record is: a dataclass that nothing changes, and that is cheap to define and to make.

A frozen dataclass takes three times as long to define and to make, which is a twentieth of the time of a small check,
so records are frozen for the type checker alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform, overload

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
        return dataclass(slots=slots, kw_only=kw_only, eq=eq, order=order, unsafe_hash=eq)(cls)

    return made if cls is None else made(cls)
