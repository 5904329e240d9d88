"""The Python that has JAX, in `.venv-jax`, because reportgen does not depend on JAX. The first run installs it."""

import os
import subprocess
import sys
import tomllib

import pytest

from tests.support.samples import ROOT
from tests.support.shared import one_process_at_a_time

ENVIRONMENT = ROOT / ".venv-jax"


@pytest.fixture(scope="session")
def python() -> str:
    """Return a Python with JAX; without one the tests are skipped, or fail with REPORTGEN_REQUIRE_JAX set."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = [*project["dependency-groups"]["jax"], *project["project"]["dependencies"]]
    python, stamp = ENVIRONMENT / "bin" / "python", ENVIRONMENT / "installed"
    # Because files of tests run beside each other, and two of them want the same environment.
    with one_process_at_a_time(ROOT / ".venv-jax.lock"):
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != str(packages):
            subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1", "--no-compile"]
            installed = subprocess.run([*pip, *packages], capture_output=True, text=True, check=False)
            if installed.returncode:
                give_up = pytest.fail if os.environ.get("REPORTGEN_REQUIRE_JAX") else pytest.skip
                give_up(f"no JAX: {installed.stderr.strip().splitlines()[-1]}")
            stamp.write_text(str(packages), encoding="utf-8")
    return str(python)
