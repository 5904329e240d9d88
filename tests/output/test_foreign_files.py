"""No command changes a file of anybody else, whatever folders, links and forged lists there are.

`python -m tests.output.test_foreign_files 200` tries so many random trees.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from reportgen.cli import main
from reportgen.errors import ReportgenError
from reportgen.output.lock import LOCK
from reportgen.output.writer import MANIFEST, UNFINISHED
from reportgen.programs.dumps import MARKER, claimed, marker_of, tidy, write_marker
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")

FOLDERS = (
    "",
    "main",
    "pid-17",
    "rank-0",
    "process-0",
    "m",
    "m/jit-f-0a1b2c3d",
    "v",
    "assets",
    "data",
    "before",
    "trend",
)
FILES = ("results.csv", "1.html", "notes.md", "values.js", NAME, "train.log", "report.html")
HOSTILE = ["", ".", "..", "m", "m/../../dumps", "a\0b", "\\\\x", "\ud800", "x" * 5000]
COMMANDS = ("build", "compare", "history", "run")


def tree_of(folder: Path, random: Random) -> set[Path]:
    """Put files of somebody else into a folder, and return their paths."""
    foreign = set()
    for _ in range(random.randint(1, 6)):
        path = folder / random.choice(FOLDERS) / random.choice(FILES)
        if not path.exists() and not any(above.is_symlink() for above in path.parents):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"of somebody else {random.random()}", encoding="utf-8")
            foreign.add(path)
    return foreign


def add_links(target: Path, elsewhere: Path, foreign: set[Path], random: Random) -> set[Path]:
    """Replace files and folders by links to files of somebody else with the same names, and return those."""
    added = set()
    inside = [path for path in sorted(target.rglob("*")) if not path.is_symlink()]
    for number, path in enumerate(random.sample(inside, min(len(inside), random.randint(1, 4)))):
        own = [path, *path.rglob("*")]
        if not path.exists() or any(above.is_symlink() for above in path.parents) or foreign & set(own):
            continue
        stranger = random.choice([elsewhere, target]) / f"strange-{number}"
        for file in [file for file in own if file.is_file() and not file.is_symlink()]:
            copy = stranger / file.relative_to(path)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("of somebody else", encoding="utf-8")
            added.add(copy)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(stranger)
    return added


def add_lists(target: Path, foreign: set[Path], random: Random) -> None:
    """Write lists that name files outside, as nobody but a forger would."""
    outside = [path for path in foreign if target not in path.parents]
    names = [os.path.relpath(path, target) for path in outside] + [str(path) for path in outside]
    links = [path for path in target.rglob("*") if path.is_symlink()]
    names += [below.relative_to(target).as_posix() for link in links for below in (link, *link.rglob("*"))]
    names += HOSTILE
    part = {"key": "", "paths": names, "size_bytes": 0, "digest": "0", "outcome": None}
    forged = {
        MANIFEST: json.dumps({"parts": {"": part}}),
        UNFINISHED: json.dumps(names) + "\n",
        LOCK: "1\n",
        MARKER: json.dumps({"files": names}),
    }
    for name, text in forged.items():
        path = target / name
        if random.random() < 0.4 and not path.is_symlink():
            path.write_text(text, encoding="utf-8")
        elif random.random() < 0.1 and not os.path.lexists(path):
            path.symlink_to(random.choice(sorted(foreign)))
        elif random.random() < 0.1 and not os.path.lexists(path):
            os.mkfifo(path)


def run_command(command: str, target: Path, dumps: Path) -> None:
    """Let a command write into the target, or refuse it."""
    if command == "run":
        try:
            with claimed(target) as working:
                written(working / "pid-1", IN_PLACE)
                left = tidy(target, working)
                write_marker(target, marker_of(["x"], 0, 1.0, "", left))
        except ReportgenError:
            pass
        return
    about = ["--commit", "1" * 40, "--time", "2026-01-01T00:00:00Z"]
    words = {
        "build": ["build", str(dumps), "--jobs", "1", "--quiet"],
        "compare": ["compare", str(dumps), str(dumps)],
        "history": ["history", "add", str(dumps), *about],
    }
    main([*words[command], "-o", str(target), "--force"])


def changed(folder: Path, seed: int) -> Iterator[str]:
    """Yield the files of somebody else that a command has changed in a random tree."""
    random = Random(seed)
    command = COMMANDS[seed % len(COMMANDS)]
    dumps, target, elsewhere = folder / "dumps", folder / "target", folder / "elsewhere"
    written(dumps, IN_PLACE)
    elsewhere.mkdir()
    foreign = tree_of(elsewhere, random)
    if random.random() < 0.6:
        run_command(command, target, written(folder / "other", NOT_IN_PLACE, NAME.replace("jit_f", "jit_g")))
    target.mkdir(exist_ok=True)
    foreign |= tree_of(target, random)
    foreign |= add_links(target, elsewhere, foreign, random)
    add_lists(target, foreign, random)
    foreign.discard(target / NAME if command == "run" else dumps)  # the place of a dump, which is replaced
    before = {path: hashlib.sha256(path.read_bytes()).digest() for path in foreign}
    for _ in range(2):
        run_command(command, target, dumps)
        for path, digest in before.items():
            if not path.is_file() or hashlib.sha256(path.read_bytes()).digest() != digest:
                yield f"{seed} {command}: {path.relative_to(folder)}"


@pytest.mark.parametrize("seed", range(24))
def test_no_command_changes_a_file_of_somebody_else(tmp_path: Path, seed: int) -> None:
    assert list(changed(tmp_path, seed)) == []


if __name__ == "__main__":
    found: list[str] = []
    for number in range(int(sys.argv[1])):
        with TemporaryDirectory() as place:
            found += changed(Path(place), number)
    sys.stdout.write(f"{sys.argv[1]} trees, {len(found)} files changed\n{chr(10).join(found)}\n")
