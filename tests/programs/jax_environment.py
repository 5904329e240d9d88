"""Make `.venv-jax`, a Python that has JAX, because reportgen does not depend on JAX.

`python -m tests.programs.jax_environment` makes it before the tests ask for it.
"""

import subprocess
import sys
import tomllib

from tests.support.samples import ROOT
from tests.support.shared import one_process_at_a_time

ENVIRONMENT = ROOT / ".venv-jax"
PYTHON = ENVIRONMENT / "bin" / "python"


def make_environment() -> str:
    """Make the environment unless it is there; return why that failed, empty if it did not."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = [*project["dependency-groups"]["jax"], *project["project"]["dependencies"]]
    stamp = ENVIRONMENT / "installed"
    # Because files of tests run beside each other, and two of them want the same environment.
    with one_process_at_a_time(ROOT / ".venv-jax.lock"):
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == str(packages):
            return ""
        subprocess.run([sys.executable, "-m", "venv", "--clear", ENVIRONMENT], check=True)
        pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--retries", "1", "--no-compile"]
        installed = subprocess.run([*pip, *packages], capture_output=True, text=True, check=False)
        if installed.returncode:
            return installed.stderr.strip().splitlines()[-1]
        stamp.write_text(str(packages), encoding="utf-8")
        return ""


if __name__ == "__main__":
    sys.exit(make_environment() or 0)
