"""An environment with what pip gives today to the newest Python at hand, in `.venv-world`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from tests.support.samples import ROOT

ENVIRONMENT = ROOT / ".venv-world"
FRAMEWORKS = ("flax", "equinox", "dm-haiku", "keras")
PACKAGES = ("jax", "jaxlib", "libtpu", "jax-cuda13-plugin", "jax-cuda13-pjrt", *FRAMEWORKS)
CUDNN = "nvidia-cudnn-cu13"

_NEWEST_MINOR = 30
_OLDEST_MINOR = 11


def make_environment() -> str:
    """Return a Python that has the newest JAX, libtpu and frameworks. Raises CalledProcessError."""
    subprocess.run([newest_python(os.environ["PATH"]), "-m", "venv", "--clear", str(ENVIRONMENT)], check=True)
    python = str(ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    # Whatever the other tests are pinned to, these are not.
    environment = {name: value for name, value in os.environ.items() if name != "PIP_CONSTRAINT"}
    install = [*pip, "install", "--quiet", "--no-compile", "--upgrade"]
    subprocess.run([*install, *PACKAGES], check=True, env=environment)
    # Alone, because to compile for a GPU that is not there JAX only asks for the version of cuDNN.
    subprocess.run([*install, "--no-deps", CUDNN], check=True, env=environment)
    versions = subprocess.check_output([*pip, "freeze"], text=True).splitlines()
    found = [line for line in versions if line.partition("==")[0] in (*PACKAGES, CUDNN)]
    print(*[subprocess.check_output([python, "--version"], text=True).strip(), *found], sep=", ", flush=True)
    return python


def run_module(python: str, *module: str) -> None:
    """Run a module of the tests with arguments. Raises CalledProcessError."""
    foreign = ("JAX", "LIBTPU", "TPU", "XLA", "KERAS")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    subprocess.run([python, "-m", *module], check=True, cwd=ROOT, env=environment)


def newest_python(path: str) -> str:
    """Return the newest Python in the directories of `path` that starts, or the one that runs this if there is none.

    A shim of pyenv is there for each version that is installed, and fails unless that version is active.
    """
    return next(filter(_starts, _pythons(path)), sys.executable)


def _pythons(path: str) -> Iterator[str]:
    for minor in range(_NEWEST_MINOR, _OLDEST_MINOR - 1, -1):
        for directory in path.split(os.pathsep):
            if found := shutil.which(f"python3.{minor}", path=directory):
                yield found


def _starts(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0
