"""Keep what comes through a pipe, such as `/dev/stdin` or `<(zcat dump.gz)`, because a dump is read more than once."""

import atexit
import shutil
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

from reportgen.errors import UnreadableInput


def kept_pipe(path: Path) -> Path:
    """Return a copy of what comes through a pipe, which lasts until this process ends; other paths as they are.

    Raises UnreadableInput if the pipe cannot be read or its content cannot be kept.
    """
    try:
        if not stat.S_ISFIFO(path.stat().st_mode):
            return path
    except OSError:  # reported where the path is searched
        return path
    folder = TemporaryDirectory(prefix="reportgen-")
    atexit.register(folder.cleanup)
    copy = Path(folder.name) / f"{path.name}.txt"
    try:
        with path.open("rb") as source, copy.open("wb") as target:
            shutil.copyfileobj(source, target)
    except OSError as error:
        raise UnreadableInput(f"{path}: it cannot be read: {error.strerror or error}") from error
    return copy
