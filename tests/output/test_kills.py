"""After a build or watch was killed at any moment, the next build makes the same site as in a clean directory.

Five kills of each kind run here, more with `pytest tests/test_kills.py --kills 200`; 0 is one at every change to
the disk and none at random.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import psutil
import pytest

from reportgen.output import lock as locking
from tests.support.guards import PATIENCE
from tests.support.site import ROOT, SAMPLES, build_site, tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs fork and SIGKILL"),
]

COMMANDS = {
    "build": (("build", "--jobs", "2", "--quiet"), ("first", "worker", "all")),
    "watch": (("watch", "--no-serve"), ("first",)),
}
"""The commands that are killed, without paths and -o, and which of their processes."""

NAMES = ("cpu-odd-names", "cpu-tiny", "tf-train-step")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for the processes of a killed build as long as they need to end."""
    monkeypatch.setattr(locking, "PATIENCE_SECONDS", PATIENCE)


@pytest.fixture
def kills(request: pytest.FixtureRequest) -> int:
    count: int = request.config.getoption("--kills")
    return count


@pytest.mark.parametrize("earlier", ["nothing", "cpu-odd-names"])
def test_a_kill_at_any_change_to_the_disk_is_repaired_by_the_next_build(
    tmp_path: Path, earlier: str, kills: int
) -> None:
    """Build into a new directory, and into the site of other dumps, whose pages must go."""
    folders = [SAMPLES / earlier, SAMPLES / "cpu-tiny", tmp_path]
    command = [sys.executable, "-m", "tests.support.kill_points", *map(str, folders), str(kills)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) >= min(kills or 50, 50)


@pytest.mark.parametrize("name", COMMANDS)
def test_kills_at_random_moments_are_repaired_by_the_next_build(tmp_path: Path, name: str, kills: int) -> None:
    """Kill the first process, a worker, or all at once; each build goes into what the one before has left."""
    random = Random(name)
    site = tmp_path / "site"
    folders = [_dumps(tmp_path / str(number), NAMES[: number + 1]) for number in range(len(NAMES))]
    expected = [tree(build_site(folder, tmp_path / f"clean {folder.name}", "XLA memory report")) for folder in folders]
    lasts = _seconds_of(_started("build", folders[-1], tmp_path / "timed")) * (2 if name == "watch" else 1)
    for number in range(kills):
        chosen = random.randrange(len(folders))
        victim = random.choice(COMMANDS[name][1])
        _kill(_started(name, folders[chosen], site), victim, after=random.uniform(0, lasts))
        if random.random() < 0.7:
            chosen = random.randrange(len(folders))
            build_site(folders[chosen], site, "XLA memory report")
            assert tree(site) == expected[chosen], f"kill number {number}, of {victim}"
            if random.random() < 0.3:
                shutil.rmtree(site)


def _dumps(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        shutil.copytree(SAMPLES / name, folder / name)
    return folder


def _started(name: str, dumps: Path, site: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "reportgen", *COMMANDS[name][0], str(dumps), "-o", str(site)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def _seconds_of(process: subprocess.Popen[bytes]) -> float:
    start = time.monotonic()
    assert process.wait() == 0
    return time.monotonic() - start


def _kill(process: subprocess.Popen[bytes], victim: str, after: float) -> None:
    """Kill a process after some seconds, unless it has ended; its workers may need another moment."""
    try:
        process.wait(timeout=after)
    except subprocess.TimeoutExpired:
        _kill_one(process, victim)
        process.wait()


def _kill_one(process: subprocess.Popen[bytes], victim: str) -> None:
    if victim == "all":
        os.killpg(process.pid, signal.SIGKILL)
    elif victim == "first":
        process.kill()
    else:
        workers = psutil.Process(process.pid).children()
        with suppress(psutil.NoSuchProcess):  # a worker may end by itself meanwhile
            (workers[0] if workers else process).kill()
