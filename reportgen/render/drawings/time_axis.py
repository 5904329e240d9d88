"""Arrange the names on the time axis of a program: its passes, its first and its last instruction, and the peak."""

from collections.abc import Sequence
from typing import NamedTuple

from reportgen.analyse.phases import PASSES, Phase, label
from reportgen.record import record
from reportgen.render.html.marks import percent_of

ROOM_FOR_NUMBER = 0.12
"""The part of a narrow axis that the number of an instruction takes."""
_ROOM_FOR_LETTER, _ROOM_ON_PHONE = 0.01, 0.026
"""The part of a wide axis that a letter takes, and of one on a phone."""


class Pass(NamedTuple):
    """A pass of a gradient with its place in percent of the program; the name is empty where it has no room.

    A pass that `is_narrow` has none for it on a phone.
    """

    name: str
    left: str
    width: str
    is_narrow: bool


@record
class TimeAxis:
    """The axis of a program of `moments` instructions: its passes, and where its peak is.

    `first` and `last` are the instructions at its ends; empty where the peak is too near.
    """

    passes: Sequence[Pass]
    peak: int
    peak_at: str
    first: str
    last: str

    @property
    def side(self) -> str:
        """Return from which end the name of the peak begins, `start` or `end`, so that it stays on the axis."""
        return "" if self.first and self.last else "end" if self.first else "start"


def time_axis(moments: int, phases: Sequence[Phase], peak: int) -> TimeAxis:
    """Return the axis of a program with its peak at a moment."""
    total = max(moments, 1)
    return TimeAxis(
        passes=[_pass(phase, total) for phase in phases if phase.kind in PASSES],
        peak=peak,
        peak_at=percent_of(peak, total),
        first="0" if peak > ROOM_FOR_NUMBER * total else "",
        last=f"{total:,}" if peak < (1 - ROOM_FOR_NUMBER) * total else "",
    )


def _pass(phase: Phase, total: int) -> Pass:
    name, length = label(phase.kind, phase.passes), phase.last + 1 - phase.first
    has_room = len(name) * _ROOM_FOR_LETTER * total <= length
    is_narrow = len(name) * _ROOM_ON_PHONE * total > length
    return Pass(name if has_room else "", percent_of(phase.first, total), percent_of(length, total), is_narrow)
