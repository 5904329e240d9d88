"""Read the source lines that pages show, only from files below a directory that the user names."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from importlib.util import decode_source
from itertools import takewhile
from pathlib import Path, PurePath, PurePosixPath

from reportgen.input.line_ends import lines_of, with_newlines
from reportgen.record import record

MOST_BYTES, MOST_LINES = 4_000_000, 100_000
_OF_PACKAGES = ("site-packages", "dist-packages")
_OF_PYTHON = re.compile(r"python\d[\d.]*t?")
"""The name of the folder of Python's own library."""


def names_of(file: PurePath, names: Collection[str]) -> Sequence[str]:
    """Return the dump's names for `file`: those that share the longest path suffix with it.

    A name that is itself a suffix, such as `train.py`, counts too. A file of an installed package must agree
    from the package on: `optax/_src/transform.py`.
    """
    lengths = {name: _equal_ends(file.parts, _parts(name)) for name in names}
    lengths = {name: length for name, length in lengths.items() if length >= _fewest(_parts(name))}
    longest = max(lengths.values(), default=0)
    return sorted(name for name, length in lengths.items() if length in (longest, len(_parts(name))))


def are_of_one_file(names: Collection[str]) -> bool:
    """Return whether names can be of one file: each is a suffix of the longest."""
    paths = [_parts(name) for name in names]
    longest = max(paths, key=len, default=())
    return all(_equal_ends(longest, path) == len(path) for path in paths)


def is_below(name: str, directory: Path) -> bool:
    """Return whether a dump names a file by its whole path, below a directory, and it belongs to no Python there."""
    path = Path(name)
    is_of_python = any(part in _OF_PACKAGES or _OF_PYTHON.fullmatch(part) for part in path.parts)
    return path.is_absolute() and path.is_relative_to(directory) and path.is_file() and not is_of_python


def _equal_ends(left: Sequence[str], right: Sequence[str]) -> int:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _parts(name: str) -> Sequence[str]:
    return PurePosixPath(name.replace("\\", "/")).parts


def _fewest(parts: Sequence[str]) -> int:
    """Return how many last parts of a name a file must share: for an installed package, all from the package on."""
    inside = (number for number, part in enumerate(reversed(parts)) if part in _OF_PACKAGES)
    return max(next(inside, 1), 1)


@record(kw_only=False)
class SourceLines:
    """The code of a file, as bytes and in lines: `path` is below the directory of sources."""

    path: str
    code: bytes
    lines: Sequence[str]


def read_source(file: Path, path: str) -> SourceLines:
    """Return a file up to `MOST_BYTES` and one, decoded as Python does, or as UTF-8 if it cannot. Raises OSError."""
    with file.open("rb") as stream:
        code = stream.read(MOST_BYTES + 1)
    try:
        text = decode_source(code).encode("utf-8", "replace").decode()  # because of halves of characters
    except (SyntaxError, LookupError, UnicodeError):
        text = with_newlines(code).decode("utf-8", "replace")
    return SourceLines(path, code, lines_of(text))


# Cached, because many values come from lines of the same file.
@lru_cache(maxsize=1024)
def source_lines(directory: Path, file: str) -> SourceLines | None:
    """Return all lines of `file`; None if the directory does not have it.

    `file` is the path that the compiler was given, often on another machine, so it is matched by its longest end that
    exists below the directory.
    """
    parts = _parts(file)
    if ".." in parts:
        return None
    root = directory.resolve()
    for start in range(len(parts) - _fewest(parts) + 1):
        below = [part for part in parts[start:] if part.strip("/")]  # because an absolute path begins with a slash
        # Hidden files are no sources, and whoever wrote the dump could name them to have them published.
        if not below or any(part.startswith(".") for part in below):
            continue
        place = root.joinpath(*below)
        try:
            # No link is followed, because it may lead to a file that the directory only seems to have.
            if place.resolve() == place and place.is_file():
                return read_source(place, "/".join(below))
        except (OSError, ValueError):  # because a name from a dump may contain anything, such as a null byte
            continue
    return None
