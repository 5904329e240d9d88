"""A disk that is full or read-only: the message names the file, and the next build repairs the site."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reportgen.output.writer import MANIFEST, UNFINISHED
from tests.support.site import SAMPLES, build_site, tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs limits and devices that Windows does not have"),
]

TINY = SAMPLES / "cpu-tiny"
_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
from reportgen.cli import main
raise SystemExit(main())
"""


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_site(TINY, tmp_path_factory.mktemp("clean") / "site", "XLA memory report")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of a megabyte, less than a site has. Only the superuser can make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    yield disk
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


def run(*arguments: object, limit: int | None = None, **streams: Any) -> "subprocess.CompletedProcess[str]":
    """Return the command in a process of its own, whose files may have no more than `limit` bytes."""
    program = ["-m", "reportgen"] if limit is None else ["-c", _LIMITED, str(limit)]
    command = [sys.executable, *program, *map(str, arguments)]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    return subprocess.run(command, text=True, check=False, **streams)


def assert_one_message(ran: "subprocess.CompletedProcess[str]", *words: str) -> None:
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    message = ran.stderr.splitlines()[-1]
    assert message.startswith("reportgen: error: ")
    assert all(word in message for word in words), message


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk_is_reported_and_the_site_repaired_later(small_disk: Path, clean: Path, jobs: int) -> None:
    site = small_disk / "site"
    ran = run("build", TINY, SAMPLES / "cpu-odd-names", "-o", site, "--jobs", jobs)
    assert_one_message(ran, f"{site}/", "cannot be written: No space left on device")
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    assert run("build", TINY, "-o", site).returncode == 0
    assert tree(site) == tree(clean)


def test_a_finished_site_survives_a_full_disk(small_disk: Path, clean: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    site = build_site(TINY, small_disk / "site", "XLA memory report")
    fill(small_disk)
    assert_one_message(run("build", SAMPLES / "cpu-odd-names", "-o", site), "No space left on device")
    assert tree(site).items() >= {name: page for name, page in tree(clean).items() if name != "index.html"}.items()
    assert run("build", TINY, "-o", site).returncode == 0
    assert tree(site) == tree(clean)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        for size in (1 << 20, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


# A manifest of this site has 4 KB, and the first page 10 KB.
@pytest.mark.parametrize(("limit", "file"), [(0, MANIFEST), (5_000, "m/")])
def test_any_file_may_be_the_one_that_does_not_fit(tmp_path: Path, clean: Path, limit: int, file: str) -> None:
    site = tmp_path / "site"
    assert_one_message(
        run("build", TINY, "-o", site, limit=limit), f"{site}/{file}", "cannot be written: File too large"
    )
    assert run("build", TINY, "-o", site).returncode == 0
    assert tree(site) == tree(clean)


def test_the_list_of_unfinished_pages_may_not_fit(tmp_path: Path, clean: Path) -> None:
    site = tmp_path / "site"
    assert run("build", TINY, "-o", site, "--title", "Another one").returncode == 0
    assert_one_message(
        run("build", TINY, "-o", site, limit=20), f"{site}/{UNFINISHED}", "cannot be written: File too large"
    )
    assert run("build", TINY, "-o", site).returncode == 0
    assert tree(site) == tree(clean)


def test_a_manifest_that_does_not_fit_leaves_the_previous_one(tmp_path: Path, clean: Path) -> None:
    """All pages are right already, so nothing else is written."""
    site = shutil.copytree(clean, tmp_path / "site")
    rows = json.loads((site / MANIFEST).read_bytes())["parts"]
    manifest = json.dumps({"parts": {name: row | {"key": f"0{row['key']}"} for name, row in rows.items()}}).encode()
    (site / MANIFEST).write_bytes(manifest)
    assert_one_message(run("build", TINY, "-o", site, limit=1_000), f"{site}/{MANIFEST}: cannot be written")
    assert tree(site) == {**tree(clean), MANIFEST: manifest}


def test_a_read_only_disk_is_reported(small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    ran = run("build", TINY, "-o", small_disk / "site")
    assert_one_message(ran, f"{small_disk}/site", "cannot be written: Read-only file system")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("command", ["build", "check", "check --json"])
def test_a_full_disk_under_stdout_is_reported(tmp_path: Path, command: str) -> None:
    output = ["-o", str(tmp_path)] if command == "build" else []
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ran = run(*command.split(), TINY, *output, stdout=full)
    assert_one_message(ran, "stdout", "No space left on device")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_under_stderr_stops_no_build(tmp_path: Path, clean: Path) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ran = run("build", TINY, "-o", tmp_path / "site", stderr=full)
    assert ran.stdout.startswith("1 module")
    assert tree(tmp_path / "site") == tree(clean)
