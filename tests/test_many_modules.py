"""Many modules cost what their number allows: three times the modules take about three times the steps."""

import shutil
from collections.abc import Callable
from itertools import count, product
from pathlib import Path

import pytest

from reportgen.build import build
from reportgen.check import check
from reportgen.input.discover import discover
from reportgen.live.loop import Watcher
from reportgen.options import BuildOptions, Redaction, WatchOptions
from reportgen.redact.labels import redact_labels
from tests.support.protos import profile, sample_proto
from tests.support.samples import SAMPLES
from tests.support.steps import steps
from tests.support.watching import NO_TIME, settle

FEW, MANY = 10, 30
PARTS = ("-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")
STEM = "module_{:04d}.jit_tiny_matmul_gelu.cpu_after_optimizations"
TEXTS = [(SAMPLES / "cpu-tiny" / (STEM.format(0) + part)).read_text(encoding="utf-8") for part in PARTS]


def _log(numbers: list[int]) -> str:
    names = ((STEM.format(number) + part, text) for number in numbers for part, text in zip(PARTS, TEXTS, strict=True))
    return "".join(f"*** Begin {name} ***\n{text}\n*** End {name} ***\n" for name, text in names)


def separate(folder: Path, many: int) -> None:
    for number in range(many):
        for part, text in zip(PARTS, TEXTS, strict=True):
            (folder / (STEM.format(number) + part)).write_text(text, encoding="utf-8")


def beside_errors(folder: Path, many: int) -> None:
    separate(folder, many)
    for number in range(many):
        (folder / f"rank{number}.log").write_text("RESOURCE_EXHAUSTED: Out of memory\n" * 9, encoding="utf-8")


def in_a_profile(folder: Path, many: int) -> None:
    modules = {f"jit_f({number})": sample_proto("cpu-tiny") for number in range(many)}
    (folder / "host.xplane.pb").write_bytes(profile(modules))


def in_a_log(folder: Path, many: int) -> None:
    (folder / "run.log").write_text(_log(list(range(many))), encoding="utf-8")


def again_in_a_log(folder: Path, many: int) -> None:
    (folder / "run.log").write_text(_log([0] * many), encoding="utf-8")


def unreadable(folder: Path, many: int) -> None:
    separate(folder, 1)
    for number in range(many * 9):
        (folder / f"zq{number}x-live-range.txt").write_text("x", encoding="utf-8")


def checked(folder: Path, site: Path, redaction: Redaction | None) -> None:
    check(redact_labels(discover([folder]), redaction), 1, lambda *_: None, redaction=redaction)


def built(folder: Path, site: Path, redaction: Redaction | None) -> None:
    build(BuildOptions(paths=(folder,), output=site, jobs=1, redaction=redaction), lambda *_: None)


def watched(folder: Path, site: Path, redaction: Redaction | None) -> None:
    options = WatchOptions(paths=(folder,), output=site, serves=False, polls=True, redaction=redaction)
    watcher = Watcher(options, lambda line: None, NO_TIME)
    with watcher.running():
        settle(watcher)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("work", "redaction", "make"),
    [
        *product(
            [checked], [None, "names"], [separate, beside_errors, in_a_profile, in_a_log, again_in_a_log, unreadable]
        ),
        *product([built, watched], ["names"], [separate, in_a_log]),
    ],
)
def test_steps_grow_no_faster_than_the_modules(
    make: Callable[[Path, int], None],
    work: Callable[[Path, Path, Redaction | None], None],
    redaction: Redaction | None,
    tmp_path: Path,
) -> None:
    sites = (tmp_path / f"site{number}" for number in count())
    counts = []
    for many in (3, FEW, MANY):  # the first imports what the others need, and fills what is kept
        folder = tmp_path / f"dumps{many}"
        folder.mkdir()
        make(folder, many)
        counts.append(steps(lambda folder=folder: work(folder, next(sites), redaction)))  # type: ignore[misc]
    assert counts[2] <= counts[1] * MANY / FEW * 1.1
    shutil.rmtree(tmp_path)
