"""XProf's memory viewer as the yardstick: the same module, from the proto among the dump's sibling files.

Its answer is compared before its time is believed: in every memory space it must find as many bytes
allocated as `reportgen check` says are needed, because it leaves out thread-local allocations, too.
"""

import venv
from collections.abc import Mapping
from pathlib import Path

from benchmarks.commands import NotMeasured, answer, reportgen, seconds
from benchmarks.setting import Setting

REQUIREMENT = "xprof==2.24.2"

_PROTO = ".hlo.pb"
_MODULE = "module"
_SCRIPT = Path(__file__).with_name("xprof_conversion.py")


def installed(directory: Path) -> Path:
    """Return the Python of an environment with XProf; make the environment if there is none."""
    interpreter = directory / "bin" / "python"
    if not interpreter.exists():
        venv.create(directory, with_pip=True)
        seconds([str(interpreter), "-m", "pip", "install", "--quiet", REQUIREMENT])
    return interpreter


class Yardstick:
    """XProf ready to convert the one module in a folder. Raises NotMeasured without its proto, or if it disagrees."""

    def __init__(self, setting: Setting, xprof: Path, folder: Path) -> None:
        proto = next(folder.glob(f"*{_PROTO}"), None)
        if proto is None:
            raise NotMeasured(f"no {_PROTO} file beside the dump in {folder.name}")
        session = setting.fresh("xprof-session")
        session.mkdir(parents=True)
        (session / f"{_MODULE}.hlo_proto.pb").symlink_to(proto.resolve())
        expected = _needed_bytes(folder)
        self.spaces = len(expected)
        self.command = [str(xprof), "-I", str(_SCRIPT), str(session), _MODULE, *expected]
        said = answer(self.command)
        if said["allocated_bytes"] != expected:
            raise NotMeasured(f"XProf finds {said['allocated_bytes']} bytes, reportgen {expected}")

    def seconds(self) -> float:
        """Return the seconds of its process, from start to end."""
        return seconds(self.command)


def _needed_bytes(folder: Path) -> Mapping[str, int]:
    """Return what is needed of each memory space."""
    (module,) = answer(reportgen("check", "--json", folder))["modules"]
    spaces = module["spaces"].items()
    return {number: space["needed_bytes"] for number, space in spaces}
