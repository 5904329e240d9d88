"""What users install builds what the checkout builds: the wheel, with nothing but its own dependencies."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from tests.release.bare_wheel import try_commands
from tests.support.site import ROOT, SAMPLES, Tree, tree

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the command of a fresh environment that has the wheel and, in the versions used here, what it requires."""
    folder = tmp_path_factory.mktemp("installed")
    environment, constraints = folder / "environment", folder / "constraints.txt"
    used_here = [f"{package.name}=={package.version}" for package in metadata.distributions()]
    constraints.write_text("\n".join(line for line in used_here if "reportgen" not in line), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
    install: list[str | Path] = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*install, "-c", constraints, wheel], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return scripts / "reportgen"


def test_the_installed_wheel_builds_the_same_bytes(installed: Path, tmp_path: Path) -> None:
    one = site_of([sys.executable, "-m", "reportgen"], tmp_path / "one", path=str(ROOT))
    other = site_of([str(installed)], tmp_path / "other", path="")
    assert sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path)) == []
    assert "index.html" in one


def test_the_installed_commands_work(installed: Path, tmp_path: Path) -> None:
    try_commands(installed.parent, tmp_path)


def site_of(command: list[str], output: Path, *, path: str) -> Tree:
    """Return the site of the samples, built in a directory that has no checkout around it."""
    command = [*command, "build", str(SAMPLES), "-o", str(output), "--quiet"]
    environment = os.environ | {"PYTHONPATH": path}
    built = subprocess.run(command, cwd=output.parent, env=environment, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stderr) == (0, "")
    return tree(output)
