"""A guard against hanging: far above what any test needs, so that a slow machine fails none."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic


@contextmanager
def finishes(seconds: float) -> Iterator[None]:
    """Fail if the block takes longer than `seconds`, which a quadratic algorithm would exceed by far."""
    start = monotonic()
    yield
    assert monotonic() - start < seconds
