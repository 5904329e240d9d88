"""Find the Python that a program is for, where the one that comes first on PATH is reportgen's own.

`uvx` puts the environment of the tool first on PATH, and so does an activated environment in which reportgen was
installed alone. `python` is then a Python without JAX, TensorFlow or PyTorch/XLA, whatever the user's own one has.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from reportgen.record import record

FRAMEWORKS = ("jax", "tensorflow", "torch_xla")
NO_FRAMEWORK = "has no JAX, TensorFlow or PyTorch/XLA"

_NAMES = ("python", "python3")
_LONGEST_START = 20  # seconds, in which any Python has started
# Without the current directory, where a folder may have the name of a framework.
_ASK = (
    "import sys; sys.path = [path for path in sys.path if path]; from importlib.util import find_spec;"
    f" print(next((name for name in {FRAMEWORKS} if find_spec(name)), ''))"
)


@record
class Chosen:
    """The command and the PATH that lead to a Python with a framework, and a sentence that says why it was chosen."""

    command: tuple[str, ...]
    path: str
    words: str


def chosen_python(command: Sequence[str], environ: Mapping[str, str]) -> Chosen | None:
    """Return the command that starts with the user's Python; None if the given one needs no change.

    Only reportgen's own Python is passed over, only if it has no framework, and only if another one on PATH has.
    """
    name, path = command[0], environ.get("PATH", os.defpath)
    first = shutil.which(name if name in _NAMES else _NAMES[0], path=path)
    if Path(name).name != name or first is None or not _is_own(Path(first)) or any(map(find_spec, FRAMEWORKS)):
        return None
    for python in _pythons(path):
        if framework := framework_of(python, environ):
            # With its directory first on PATH, so that a script finds it too, and the tools next to it.
            searched = os.pathsep.join([str(python.parent), path])
            named = name
            if name in _NAMES:
                named = shutil.which(name, path=str(python.parent)) or str(python)
            words = (
                f"{name} finds {python}, which has {framework}; reportgen’s own Python, first on PATH, {NO_FRAMEWORK}"
            )
            return Chosen(command=(named, *command[1:]), path=searched, words=words)
    return None


def framework_of(python: Path, environ: Mapping[str, str]) -> str:
    """Return the framework that a Python can import, as `jax`; empty if it has none or does not start."""
    try:
        process = subprocess.run(
            [python, "-c", _ASK],
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_START,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    framework = process.stdout.strip()
    return framework if process.returncode == 0 and framework in FRAMEWORKS else ""


def python_without_framework(command: Sequence[str], environ: Mapping[str, str]) -> str | None:
    """Return the path of the Python that a command names if it has no framework; None if that is not known."""
    if not Path(command[0]).name.startswith(_NAMES):
        return None
    python = shutil.which(command[0], path=environ.get("PATH", os.defpath))
    return python if python and not framework_of(Path(python), environ) else None


def name_on_path(name: str, environ: Mapping[str, str]) -> str | None:
    """Return `python3` for `python` where only that is on PATH; None for other commands."""
    path = environ.get("PATH", os.defpath)
    return _NAMES[1] if name == _NAMES[0] and shutil.which(_NAMES[1], path=path) else None


def _is_own(python: Path) -> bool:
    """Return whether a Python is in the environment that reportgen runs in."""
    own = Path(sys.executable).parent
    return python.parent == own or python.parent.resolve() == own.resolve()


def _pythons(path: str) -> Iterator[Path]:
    """Yield the Pythons on PATH that are not reportgen's own, one for each directory."""
    for folder in dict.fromkeys(filter(None, path.split(os.pathsep))):
        candidates = (shutil.which(name, path=folder) for name in _NAMES)
        python = next(filter(None, candidates), None)
        if python and not _is_own(Path(python)):
            yield Path(python).absolute()
