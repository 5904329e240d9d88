"""Hostile dumps cost what their size allows: four times the dump takes about four times the steps and the memory.

Steps are calls of functions and lines of Python, and memory is what Python allocates: both are the same on every
machine, unlike seconds.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reportgen.build import build
from reportgen.options import BuildOptions
from reportgen.program.readers import Readers
from reportgen.render.module.module_pages import module_pages, page_makers
from reportgen.reports.summary_of_report import summary
from tests.compare.texts import IN_PLACE, NAME, written
from tests.support.costly import HOSTILE
from tests.support.dumps import analysed
from tests.support.memory import peak_bytes
from tests.support.modules import module_of
from tests.support.steps import steps

pytestmark = pytest.mark.slow

TIMES = 4
SMALL = {name: 20 if name == "spaces" else 80 for name in HOSTILE}
"""How large the smaller text is; a memory space has several sections and charts on the pages."""


def reported(text: str, *, with_pages: bool) -> None:
    module = module_of(analysed(text))
    summary(module)
    for page in module_pages(module, "Hostile") if with_pages else ():
        assert page.path


@pytest.mark.parametrize("with_pages", [False, True], ids=["check", "pages"])
@pytest.mark.parametrize("name", HOSTILE)
def test_steps_grow_no_faster_than_the_dump(name: str, with_pages: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search for every pair that shares bytes is quadratic up to a limit, which is made small here."""
    module = sys.modules["reportgen.analyse.reuse"]
    monkeypatch.setattr(module, "_MOST_LOOKS", 2_000)
    monkeypatch.setattr(module, "_MOST_CONFLICTS", 500)
    texts = ("\n".join(HOSTILE[name](count)) for count in (SMALL[name], SMALL[name] * TIMES))
    small, large = (steps(lambda text=text: reported(text, with_pages=with_pages)) for text in texts)  # type: ignore[misc]
    assert large <= small * TIMES * 1.3


@pytest.mark.parametrize("name", ["spaces", "allocations", "chain", "one_shape", "schedule"])
def test_memory_of_pages_grows_no_faster_than_the_dump(name: str) -> None:
    texts = ["\n".join(HOSTILE[name](count)) for count in (SMALL[name], SMALL[name], SMALL[name] * TIMES)]
    # The first one fills caches, which are not counted.
    _, small, large = (peak_bytes(lambda text=text: reported(text, with_pages=True)) for text in texts)  # type: ignore[misc]
    assert large <= small * TIMES * 1.3


REPEATED = """\
BufferAssignment:
allocation 0: size 8, parameter 0, shape |f32[2]| at ShapeIndex {{}}:
 value: <1 p @0> (size=8,offset=0): f32[2]{{0}}
Total bytes used: 8 (8B)

Used values:
<1 p @0>
 positions:
  p
{positions} uses:
{uses} from instruction: %p = f32[2]{{0}} parameter(0)
"""


@pytest.mark.parametrize(("positions", "uses"), [("  a\n", ""), ("", "  a1f, operand 0\n")], ids=["positions", "uses"])
def test_rows_that_repeat_take_thirty_times_their_bytes_at_most(positions: str, uses: str) -> None:
    text = REPEATED.format(positions=positions * 100_000, uses=uses * 25_000)
    assert peak_bytes(lambda: _rows(text)) < 30 * len(text)


def _rows(text: str) -> None:
    used = analysed(text).dump.used_values
    assert used is not None
    assert len(used.row(0).positions) + len(used.row(0).uses) > 25_000


def test_a_reader_that_repeats_is_looked_at_once() -> None:
    text = REPEATED.format(positions="", uses="  a, operand 0\n" * 100_000)
    readers = Readers(analysed(text).program.writers)
    assert peak_bytes(lambda: readers.first(0)) < 2 * len(text)


def test_a_page_takes_little_more_memory_than_its_own_bytes() -> None:
    text = "\n".join(HOSTILE["spaces"](200))
    module = module_of(analysed(text))
    pages: dict[str, bytes] = {}
    page_makers(module, "Spaces")[module.routes.index]()
    peak = peak_bytes(lambda: pages.update([page_makers(module, "Spaces")[module.routes.index]()]))
    assert peak <= 4 * sum(map(len, pages.values()))


def test_a_build_of_more_modules_takes_as_many_more_steps_and_hardly_more_memory(tmp_path: Path) -> None:
    builds: list[Callable[[], object]] = []
    for count in (1, 2, 4):
        for number in range(count):
            written(tmp_path / str(count), IN_PLACE, NAME.replace("0001", f"{number:04}"))
        options = BuildOptions(paths=(tmp_path / str(count),), output=tmp_path / f"site-{count}", title="Many")
        builds.append(lambda options=options: build(options, lambda *_: None))  # type: ignore[misc]
    builds[0]()
    assert peak_bytes(builds[2]) <= 1.5 * peak_bytes(builds[1])
    for site in tmp_path.glob("site-*"):
        shutil.rmtree(site)
    assert steps(builds[2]) <= 2.1 * steps(builds[1])
