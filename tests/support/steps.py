"""Count the steps of work: calls of functions and lines of Python, the same on every machine, unlike seconds."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Steps:
    """Counts the lines that are run while it is set."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> "Steps":
        self.count += 1
        return self


def steps(work: Callable[[], object]) -> int:
    """Return how many steps some work takes."""
    counter, before = Steps(), sys.gettrace()
    sys.settrace(counter)
    try:
        work()
    finally:
        sys.settrace(before)
    return counter.count
