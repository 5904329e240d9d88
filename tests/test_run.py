"""The command that runs the tests installs what they need once, and for the Python that runs it."""

import os
import platform
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests import run
from tests.world.newest import newest_python

FILES = ("pyproject.toml", "hatch_build.py", "reportgen/render/drawings/charts.py")


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the calls that `tests.run` makes in a checkout of its own; of each, only what it leaves behind happens."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((run.ROOT / name).read_bytes())
    made: list[list[str]] = []

    def call(command: list[str], *, quiet: bool = False) -> int:
        assert not quiet
        made.append(command)
        if "venv" in command:
            venv.create(command[-1], clear=True, symlinks=sys.platform != "win32")
        if "pip" in command:
            assets = tmp_path / "templates" / "assets"
            assets.mkdir(parents=True, exist_ok=True)
            for name in ("chart-specifications.js", "vega.js"):
                (assets / name).touch()
        return 0

    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "call", call)
    monkeypatch.setattr(run, "_is_installed_here", lambda: False)
    return made


def test_a_second_call_makes_no_environment_and_installs_nothing(calls: list[list[str]]) -> None:
    run.prepared_python()
    assert [command[2] for command in calls] == ["venv", "pip"]
    calls.clear()
    run.prepared_python()
    assert calls == []


def test_an_environment_of_another_python_is_made_anew(calls: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    run.prepared_python()
    calls.clear()
    monkeypatch.setattr(platform, "python_version", lambda: "3.99.0")
    run.prepared_python()
    assert [command[2] for command in calls] == ["venv", "pip"]


def test_a_changed_template_is_installed_again(calls: list[list[str]]) -> None:
    run.prepared_python()
    calls.clear()
    (run.ROOT / "templates" / "page.html").write_text("<p>", encoding="utf-8")
    run.prepared_python()
    assert [command[2] for command in calls] == ["pip"]


def test_an_installation_makes_what_a_later_call_looks_for() -> None:
    assert run._is_made()


def test_a_test_that_ends_its_process_fails_by_name_and_the_rest_runs(tmp_path: Path) -> None:
    tests = "def test_one(): pass\ndef test_two(): __import__('os')._exit(1)\ndef test_three(): pass\n"
    (tmp_path / "test_it.py").write_text(tests, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-n", "1", "--dist", "loadfile", str(tmp_path)]
    ran = subprocess.run(
        [*command, "--rootdir", tmp_path, "-c", os.devnull], capture_output=True, text=True, check=False
    )
    assert "crashed while running 'test_it.py::test_two'" in ran.stdout, ran
    assert "1 failed, 2 passed" in ran.stdout


def test_for_the_newest_compiler_neither_a_browser_nor_npm_is_asked_for(calls: list[list[str]]) -> None:
    assert run.main(["--world"]) == 0
    assert [command[2] for command in calls] == ["venv", "pip", "pytest"]
    assert "--world" in calls[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="needs scripts that are programs")
def test_the_newest_python_is_the_newest_that_starts(tmp_path: Path) -> None:
    for minor, code in ((13, 0), (14, 0), (15, 1)):
        (tmp_path / f"python3.{minor}").write_text(f"#!/bin/sh\nexit {code}\n", encoding="utf-8")
        (tmp_path / f"python3.{minor}").chmod(0o755)
    assert newest_python(str(tmp_path)) == str(tmp_path / "python3.14")
    assert newest_python(str(tmp_path / "nothing")) == sys.executable
