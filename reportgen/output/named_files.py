"""Write the files that a user names: each is replaced whole, and none of them is one that the command reads.

What is in the place of such a file stays until the new one is on the disk. A link is followed, because the user has
made it, and a pipe or a device such as `/dev/stdout` is written to.
"""

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from reportgen.errors import OptionError, OutputRefused
from reportgen.input.remote import AnyPath
from reportgen.output.own_files import plain_bytes

_STDOUT = frozenset({"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
_STREAMS = ("/dev/fd/", "/dev/stderr", "/proc/self/fd/")
_OWN = re.compile(
    rb'\{"schema": \d+, "before": |### Memory|<!DOCTYPE html>.*Made by (?:<a [^>]*>)?reportgen', re.DOTALL
)


def is_stdout(path: Path | None) -> bool:
    """Return whether a path is stdout, which must then have nothing else in it."""
    return path is not None and path.as_posix() in _STDOUT


def write_file(path: Path, content: bytes) -> None:
    """Replace a file whole, or write to the stream that a path names. Raises OutputRefused if it cannot be written."""
    with refusing(path):
        if is_stdout(path):
            sys.stdout.flush()
            sys.stdout.buffer.write(content)
            sys.stdout.flush()
        elif _is_stream(path):
            with path.open("ab") as stream:  # a stream has no place to begin at
                stream.write(content)
        else:
            replace_file(path.resolve(), content)


def append_file(path: Path, content: bytes) -> None:
    """Append to a file that somebody names. Raises OutputRefused if it cannot be written."""
    with refusing(path), path.open("ab") as file:
        file.write(content)


def replace_file(target: Path, content: bytes) -> None:
    """Replace a regular file by a new one with its permissions. Raises OSError, and then keeps the old one."""
    # With the number of the process, because two may write one file, and short, because the name may be as long as any.
    unfinished = target.with_name(f".reportgen-{os.getpid()}.unfinished")
    with replacing(target, unfinished), unfinished.open("wb") as file:
        with suppress(OSError):  # there is no earlier file, or it has other permissions than the disk allows
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        file.write(content)


@contextmanager
def replacing(target: Path, unfinished: Path) -> Iterator[None]:
    """Put the file that is written inside the `with` in the place of another, or remove it if that fails."""
    try:
        yield
        unfinished.replace(target)
    except BaseException:  # also when interrupted
        unfinished.unlink(missing_ok=True)
        raise


@contextmanager
def refusing(target: Path) -> Iterator[None]:
    """Turn an OSError inside the `with` into OutputRefused, with the file that cannot be written."""
    try:
        yield
    except OSError as error:
        raise OutputRefused(f"{target}: cannot be written: {error.strerror or error}") from error


def confirm_apart(outputs: Mapping[str, Path | None], inputs: Iterable[AnyPath | None]) -> None:
    """Raise OptionError if a file to write is one to read, under whatever name, or is written twice.

    `outputs` are by option. A directory stands for all files in it; one that an earlier command has left there may be
    replaced.
    """
    read = [path for path in inputs if isinstance(path, Path)]
    written: list[tuple[str, Path]] = []
    for option, path in outputs.items():
        if path is None or is_stdout(path) or _is_stream(path):
            continue
        for earlier_option, earlier in written:
            if is_same(path, earlier):
                raise OptionError(f"{option} {path}: {earlier_option} is the same file")
        written.append((option, path))
        for source in read:
            if is_same(path, source) or (_is_in(path, source) and not _is_own(path)):
                raise OptionError(f"{option} {path}: it is what the command reads: {source}; write to another file")


def confirm_outside(site: Path | None, inputs: Iterable[AnyPath | None]) -> None:
    """Raise OptionError if something to read is in the directory of a site, whose pages are written and removed."""
    if site is None:
        return
    for source in inputs:
        if isinstance(source, Path) and source.exists() and source.resolve().is_relative_to(site.resolve()):
            raise OptionError(f"-o {site}: it has what is read: {source}; choose another directory")


def is_same(first: Path, second: Path) -> bool:
    """Return whether two paths lead to one file, also where it does not exist yet."""
    with suppress(OSError):
        return first.samefile(second)
    with suppress(OSError):
        return first.resolve() == second.resolve()
    return first == second


def _is_in(path: Path, source: Path) -> bool:
    """Return whether an existing file is in a directory."""
    with suppress(OSError):
        return source.is_dir() and path.exists() and path.resolve().is_relative_to(source.resolve())
    return False


def _is_own(path: Path) -> bool:
    """Return whether a file is a comparison, its Markdown, or a page that an earlier command has written."""
    with suppress(OSError):
        return _OWN.match(plain_bytes(path)) is not None
    return False


def _is_stream(path: Path) -> bool:
    """Return whether a path names a pipe, a socket or a device, and not a file that can be replaced."""
    if path.as_posix().startswith(_STREAMS):  # what stderr or a file descriptor leads to may be a regular file
        return True
    with suppress(OSError):
        mode = path.stat().st_mode
        return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    return False
