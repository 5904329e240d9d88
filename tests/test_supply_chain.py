"""The dependencies of the program and its sites are pinned and licensed, and none uses a network at run time."""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from reportgen.render.site.assets import MADE_AT_INSTALLATION, SCRIPTS, template_root
from tests.support.site import ROOT, SAMPLES

DUMPS = [str(SAMPLES / name) for name in ("cpu-tiny", "cpu-odd-names")]
CONSTRAINTS = ROOT / ".ci" / "constraints.txt"

# Audit hooks see every way to a network, below what Python code could go around, and go along into processes.
WITHOUT_NETWORK = """\
import sys
def refuse(event, arguments):
    if event in {"socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}:
        raise RuntimeError(f"a network is asked for: {event} {arguments}")
sys.addaudithook(refuse)
"""
MAIN = WITHOUT_NETWORK + "from reportgen.cli import main\nsys.exit(main(sys.argv[1:]))\n"


def _isolated(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize("command", ["build", "check"])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_no_command_asks_for_a_network(command: str, jobs: str, tmp_path: Path) -> None:
    more = ["-o", str(tmp_path / "site")] if command == "build" else []
    ran = _isolated(sys.executable, "-c", MAIN, command, *DUMPS, "--jobs", jobs, *more)
    assert ran.returncode == 0, ran.stderr
    assert "network" not in ran.stderr


@pytest.mark.parametrize(
    "statement",
    ["socket.create_connection(('127.0.0.1', 9))", "urllib.request.urlopen('http://127.0.0.1:9')"],
)
def test_a_program_that_asks_for_a_network_is_stopped(statement: str) -> None:
    ran = _isolated(sys.executable, "-c", f"{WITHOUT_NETWORK}import socket, urllib.request\n{statement}")
    assert "a network is asked for" in ran.stderr


def test_every_script_and_style_of_a_site_is_ours_or_brings_its_licences(samples_site: Path) -> None:
    ours = {path.name for path in _tracked(template_root() / "assets")} | {"site.css", *SCRIPTS}
    foreign = {path.name for path in (samples_site / "assets").iterdir()} - ours
    assert foreign == set(MADE_AT_INSTALLATION)
    head = (samples_site / "assets" / "vega.js").read_text(encoding="utf-8").partition("*/")[0]
    assert head.startswith("/*! Vega")
    for licence in ("BSD 3-Clause License", "ISC License", "MIT License"):
        assert f"\n{licence}" in head
    for holder in ("University of Washington Interactive Data Lab", "Mike Bostock", "Joachim Wester", "Cynthia Brewer"):
        assert holder in head
    for clause in ("Redistributions in binary form", "Permission to use, copy", "Permission is hereby granted"):
        assert clause in head


def test_the_charts_are_data_and_no_library(samples_site: Path) -> None:
    text = (samples_site / "assets" / "chart-specifications.js").read_text(encoding="utf-8")
    assert "function" not in text
    assert len(text) < 100_000


def _tracked(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if path.name not in MADE_AT_INSTALLATION)


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _requirements() -> list[Requirement]:
    """Return all that pyproject.toml asks for: to build, to run, for extras and for developing."""
    project = _project()
    extras = project["project"]["optional-dependencies"].values()
    groups = [project["dependency-groups"][name] for name in ("dev", "jax")]
    lists = [project["build-system"]["requires"], project["project"]["dependencies"], *extras]
    return [Requirement(text) for listed in (*lists, *groups) for text in listed]


def _locked() -> dict[str, str]:
    lines = CONSTRAINTS.read_text(encoding="utf-8").splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


@pytest.mark.parametrize("requirement", _requirements(), ids=str)
def test_every_requirement_has_a_range_and_an_exact_version_within_it(requirement: Requirement) -> None:
    operators = {specifier.operator for specifier in requirement.specifier}
    assert {">=", "<"} <= operators
    assert _locked()[canonicalize_name(requirement.name)] in requirement.specifier


def test_the_exact_versions_come_from_no_place_in_particular() -> None:
    lines = [line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line)] == []
    assert lines == sorted(set(lines))


def test_continuous_integration_installs_these_versions() -> None:
    assert 'PIP_CONSTRAINT="$PWD/.ci/constraints.txt"' in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "pages.yml").read_text(encoding="utf-8")
    assert "pip install --constraint .ci/constraints.txt ." in workflow


def _used_actions() -> list[tuple[str, str]]:
    """Return each action that a workflow of ours or of the documentation uses, with its file."""
    files = [ROOT / "action.yml", *(ROOT / ".github").rglob("*.yml"), *(ROOT / "docs").glob("*.md")]
    uses = re.compile(r"^\s*(?:- )?uses: (\S+/.*)$", re.MULTILINE)
    return [(file.name, used) for file in files for used in uses.findall(file.read_text(encoding="utf-8"))]


def test_actions_are_pinned_by_commit() -> None:
    used = [(file, action) for file, action in _used_actions() if not action.startswith("example/reportgen@")]
    assert len(used) > 20
    pinned = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
    assert [one for one in used if not pinned.fullmatch(one[1])] == []
    commits: dict[str, set[str]] = {}
    for _, action in used:
        name, _, commit = action.partition("@")
        commits.setdefault(name, set()).add(commit)
    assert {name: one for name, one in commits.items() if len(one) > 1} == {}


def test_what_the_action_installs_has_a_version() -> None:
    action = (ROOT / "action.yml").read_text(encoding="utf-8")
    installed = re.findall(r'"\$\{install\[@\]\}" "[^"]*" ([^;\n]*)', action)
    assert len(installed) == action.count('"${install[@]}"') == 2
    assert all(re.fullmatch(r"[a-z]+==[0-9.]+", word) for others in installed for word in others.split())
