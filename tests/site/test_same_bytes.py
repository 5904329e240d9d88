"""The same dumps give the same site, byte for byte, wherever, whenever and however it is built."""

import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.site import ROOT, SAMPLES, Tree, build_site, tree

pytestmark = pytest.mark.slow

TEMPLATES = ROOT / "templates"


def built_elsewhere(dumps: Path, output: Path, *flags: str, **environment: str) -> Tree:
    """Return the site as a process of its own builds it."""
    command = [sys.executable, "-m", "reportgen", "build", str(dumps), "-o", str(output), "--quiet", *flags]
    built = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return tree(output)


def differences(one: Tree, other: Tree) -> list[str]:
    """Return the paths of files that differ, rather than megabytes of bytes."""
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Return the site, of one process and with a fixed order of hashes."""
    return built_elsewhere(SAMPLES, tmp_path_factory.mktemp("one") / "site", "--jobs", "1", PYTHONHASHSEED="1")


def test_hash_order_and_processes_change_nothing(reference: Tree, tmp_path: Path) -> None:
    other = built_elsewhere(SAMPLES, tmp_path / "site", "--jobs", "2", PYTHONHASHSEED="2")
    assert differences(reference, other) == []


def test_place_person_and_time_zone_change_nothing(reference: Tree, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(SAMPLES, copy, copy_function=shutil.copyfile)
    who = {"USER": "somebody", "LOGNAME": "somebody", "HOME": str(tmp_path), "HOSTNAME": "somewhere"}
    other = built_elsewhere(copy, tmp_path / "site", "--jobs", "1", TZ="Asia/Tokyo", LC_ALL="C", **who)
    assert differences(reference, other) == []


def test_the_order_in_which_a_disk_lists_files_changes_nothing(
    reference: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scandir, listdir = os.scandir, os.listdir

    class Reversed:
        """What `os.scandir` returns, backwards."""

        def __init__(self, path: Path) -> None:
            with scandir(path) as entries:
                self._entries = iter(list(entries)[::-1])

        def __iter__(self) -> Iterator[os.DirEntry[str]]:
            return self._entries

        def __next__(self) -> os.DirEntry[str]:
            return next(self._entries)

        def __enter__(self) -> "Reversed":
            return self

        def __exit__(self, *error: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Reversed)
    monkeypatch.setattr(os, "listdir", lambda path: listdir(path)[::-1])
    site = build_site(SAMPLES, tmp_path / "site", title="XLA memory report")
    monkeypatch.undo()
    assert differences(reference, tree(site)) == []


def test_no_file_says_where_when_or_by_whom_it_was_made(reference: Tree, tmp_path: Path) -> None:
    sources = {**tree(SAMPLES), **tree(TEMPLATES)}
    said_anyway = b"".join(content for path, content in sources.items() if "__pycache__" not in path)
    told = [str(ROOT), str(tmp_path.parent), socket.gethostname(), getpass.getuser(), f"{datetime.now(UTC):%Y-%m-%d}"]
    secrets = [secret.encode() for secret in told if secret.encode() not in said_anyway]
    assert str(ROOT).encode() in secrets
    assert [path for path, content in reference.items() if any(secret in content for secret in secrets)] == []
