"""What a test may wait for, and what it does without something that only some machines have."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import process_time
from typing import NoReturn

import pytest

PATIENCE = float(os.environ.get("REPORTGEN_PATIENCE", "1500"))
"""Seconds that a test waits for what must come, however slow the machine: less than pytest lets it hang, so that it
fails with its own words."""


def missing(name: str, reason: str) -> NoReturn:
    """Skip the test, or fail it with REPORTGEN_REQUIRE_… of that name set."""
    (pytest.fail if os.environ.get(f"REPORTGEN_REQUIRE_{name}") else pytest.skip)(reason)


posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs links, pipes, signals or names of POSIX")


@contextmanager
def finishes(seconds: float) -> Iterator[None]:
    """Fail if the block takes more processor time, which a quadratic algorithm would exceed by far."""
    start = process_time()
    yield
    assert process_time() - start < seconds
