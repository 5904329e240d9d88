"""Give each Python process of a captured program a dump folder of its own, whatever the program does to XLA_FLAGS.

XLA numbers the modules of each process from 0, so processes that dump into one folder overwrite each other's files.
`reportgen run` puts the folder of this file first on PYTHONPATH, and Python imports a module of this name when it
starts. The interpreter is the user's: this file needs Python 3.6 and the standard library, and nothing of it may ever
stop the program. A process that does not load it still dumps, into the folder that XLA_FLAGS names already.
"""

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import TracebackType

DIRECTORY = "REPORTGEN_RUN_DIRECTORY"
FLAGS = "REPORTGEN_RUN_FLAGS"
OOM_FILE = "out-of-memory.txt"

_XLA_FLAGS = "XLA_FLAGS"
_DUMP_TO = "--xla_dump_to="
_RANKS = (
    "RANK",
    "JAX_PROCESS_ID",
    "OMPI_COMM_WORLD_RANK",
    "PMI_RANK",
    "SLURM_PROCID",
    "TPU_WORKER_ID",
    "CLOUD_TPU_TASK_ID",
)
_OUT_OF_MEMORY = ("RESOURCE_EXHAUSTED", "Resource exhausted", "Ran out of memory", "Out of memory")


def quoted(value: str) -> str:
    """Return `value` as XLA reads it back: quotes protect blanks, and backslashes protect quotes."""
    if not any(sign.isspace() or sign in "\"'" for sign in value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read_flags(own: str) -> str:
    """Return the flags in `own`; a value without a leading dash is the name of a file with flags. Raises OSError."""
    own = own.strip()
    if not own or own.startswith("-"):
        return own
    with open(own, encoding="utf-8", errors="surrogateescape") as file:
        return file.read().strip()


def with_dump_flags(own: str, folder: str, flags: str) -> str:
    """Return XLA_FLAGS with our flags after the user's `own`, because the last one wins."""
    return " ".join(filter(None, [own, _DUMP_TO + quoted(folder), flags]))


def without_dump_flags(value: str, directory: str, flags: str) -> str:
    """Return the program's own part of XLA_FLAGS: a shell between two processes may have added flags on either side."""
    before, separator, after = value.partition(_DUMP_TO + quoted(directory).rstrip('"'))
    return " ".join(filter(None, [before.strip(), after.partition(flags)[2].strip()])) if separator else value


class _Process:
    """Keep XLA_FLAGS of this process pointed at its folder, while the program sees only the flags it set itself."""

    def __init__(self, directory: str, flags: str) -> None:
        self.directory = directory
        self.flags = flags
        self.folder = self._new_folder()
        self._putenv = os.putenv

    def _new_folder(self) -> str:
        """Return a folder that no process has used: a program that replaces itself keeps its process id."""
        rank = next((os.environ[name] for name in _RANKS if os.environ.get(name, "").isdigit()), None)
        name = ("rank-" + rank + "-" if rank else "") + "pid-" + str(os.getpid())
        folder, number = os.path.join(self.directory, name), 1
        while os.path.exists(folder):
            number += 1
            folder = os.path.join(self.directory, name + "." + str(number))
        return folder

    def install(self) -> None:
        """Replace `os.putenv` and `os.unsetenv`, so that XLA sees our flags and the program only its own."""
        own = without_dump_flags(os.environ.get(_XLA_FLAGS, ""), self.directory, self.flags)
        unsetenv = os.unsetenv

        def putenv(key: "str | bytes", value: "str | bytes") -> None:
            name, text = os.fsdecode(key), os.fsdecode(value)
            self._putenv(name, self._merged(text) if name == _XLA_FLAGS else text)

        def unset(key: "str | bytes") -> None:
            if os.fsdecode(key) == _XLA_FLAGS:
                putenv(key, "")
            else:
                unsetenv(key)

        replaced = {"putenv": putenv, "unsetenv": unset}
        vars(os).update(replaced)
        if hasattr(os.environ, "putenv"):  # before Python 3.9, os.environ keeps the functions it was made with
            vars(os.environ).update(replaced)
        os.environ[_XLA_FLAGS] = own
        if not own:  # gone for the program, but XLA still reads what `unset` puts there
            del os.environ[_XLA_FLAGS]
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _merged(self, value: str) -> str:
        try:
            own = read_flags(value)
        except OSError:  # XLA says so itself, and ends the program as it would have done without us
            return value
        return with_dump_flags(own, self.folder, self.flags)

    def _after_fork(self) -> None:
        self.folder = self._new_folder()
        self._putenv(_XLA_FLAGS, self._merged(os.environ.get(_XLA_FLAGS, "")))


def _keep_out_of_memory_errors(process: _Process) -> None:
    """Write the text of an uncaught out-of-memory error next to the dump, without a pipe that would change `isatty`."""
    previous_hook = sys.excepthook

    def excepthook(kind: type, error: BaseException, traceback: "TracebackType | None") -> None:
        try:
            text = str(error)
            if any(sign in text for sign in _OUT_OF_MEMORY):
                os.makedirs(process.folder, exist_ok=True)
                path = os.path.join(process.folder, OOM_FILE)
                with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
                    file.write(kind.__name__ + ": " + text + "\n")
        except Exception:
            pass
        previous_hook(kind, error, traceback)

    sys.excepthook = excepthook


def _load_hidden() -> None:
    """Import the `sitecustomize` that this one hides, and leave the program a sys.path without our folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    sys.modules["sitecustomize"] = hidden = module_from_spec(spec)
    spec.loader.exec_module(hidden)


def _install() -> None:
    directory, flags = os.environ.get(DIRECTORY), os.environ.get(FLAGS)
    if not directory or not flags:
        return
    try:
        process = _Process(directory, flags)
        process.install()
        _keep_out_of_memory_errors(process)
    except Exception:
        pass


if __name__ == "sitecustomize":  # and not when reportgen itself imports its functions
    _install()
    _load_hidden()
