"""Hostile dumps cost what their size allows: four times the dump takes about four times the steps.

Steps are calls of functions and lines of Python, which are the same on every machine, and not seconds.
"""

import sys
from types import FrameType
from typing import Any

import pytest

from reportgen.render.module.module_pages import page_groups
from reportgen.render.view import Module
from reportgen.reports.summarise import summary
from tests.support.costly import HOSTILE
from tests.support.dumps import analysed

pytestmark = pytest.mark.slow

SMALL, TIMES = 150, 4


class Steps:
    """Counts the lines that are run while it is set."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, frame: FrameType, event: str, argument: Any) -> "Steps":
        self.count += 1
        return self


def steps(text: str, *, with_pages: bool) -> int:
    counter, before = Steps(), sys.gettrace()
    sys.settrace(counter)
    try:
        module = Module(label="dump", title="dump", stage=None, number=None, analysis=analysed(text))
        summary(module)
        for pages in page_groups(module, "Hostile") if with_pages else ():
            for page in pages():
                assert page.path
    finally:
        sys.settrace(before)
    return counter.count


@pytest.mark.parametrize("with_pages", [False, True], ids=["check", "pages"])
@pytest.mark.parametrize("name", HOSTILE)
def test_steps_grow_no_faster_than_the_dump(name: str, with_pages: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for every pair that shares bytes is quadratic up to a limit, which is made small here."""
    module = sys.modules["reportgen.analyse.reuse"]
    monkeypatch.setattr(module, "_MOST_LOOKS", 2_000)
    monkeypatch.setattr(module, "_MOST_CONFLICTS", 500)
    small, large = (steps("\n".join(HOSTILE[name](count)), with_pages=with_pages) for count in (SMALL, SMALL * TIMES))
    assert large <= small * TIMES * 1.3
