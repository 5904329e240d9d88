"""Make the environment in which a user's program runs, so that XLA dumps what it compiles into a folder of ours.

Only flags are set that XLA has known since 2019, because an unknown flag ends the program. `LIBTPU_INIT_ARGS` is left
alone: libtpu knows no `--xla_dump_to` there and ends the program too.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import UnreadableInput
from reportgen.programs.hook import sitecustomize as hook

FALLBACK = "main"
"""The folder for processes that do not load the hook: other languages, and Python with `-I`."""

_DUMP_TO = "--xla_dump_to="


def program_environment(environ: Mapping[str, str], dumps: Path, *, only: str | None = None) -> dict[str, str]:
    """Return `environ` with everything that makes XLA dump into the absolute folder `dumps`.

    `only` is a regular expression for the names of the modules to dump. Compilation caches are turned off,
    because a module taken from a cache is not dumped. Raises UnreadableInput if XLA_FLAGS names a file that cannot be
    read.
    """
    flags = dump_flags(only)
    environment = {
        **environ,
        "XLA_FLAGS": hook.with_dump_flags(own_flags(environ), str(dumps / FALLBACK), flags),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(hook.__file__).parent), environ.get("PYTHONPATH")])),
        hook.DIRECTORY: str(dumps),
        hook.FLAGS: flags,
        "JAX_ENABLE_COMPILATION_CACHE": "false",
    }
    environment.pop("XLA_PERSISTENT_CACHE_PATH", None)
    return environment


def dump_flags(only: str | None = None) -> str:
    """Return the flags other than the folder. They ask for text, because `--xla_dump_hlo_as_proto` turns that off."""
    text = "--xla_dump_hlo_as_text"
    return text if only is None else f"{text} --xla_dump_hlo_module_re={hook.quoted(only)}"


def own_flags(environ: Mapping[str, str]) -> str:
    """Return the user's flags, from the file that XLA_FLAGS names if it names one. Raises UnreadableInput."""
    value = environ.get("XLA_FLAGS", "")
    try:
        return hook.read_flags(value)
    except OSError as error:
        raise UnreadableInput(
            f"XLA_FLAGS: {value}: {error.strerror}; XLA takes a value without a leading dash as the name of a file"
        ) from error


def dumps_elsewhere(environ: Mapping[str, str]) -> bool:
    """Return whether the user's flags name a dump folder, which ours replaces for this run."""
    return _DUMP_TO in own_flags(environ)
