"""Call a dump's file by what tells it apart in its folder, because most of a name that XLA gives is in all of them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_NUMBER = re.compile(r"(?:\d{10,}\.)?module_\d+")
_SUFFIX = re.compile(r"(?:[.]?after_optimizations)?-buffer-assignment[.]txt(?:[.][gx]z)?$")


def file_names(paths: Iterable[PurePosixPath]) -> Mapping[PurePosixPath, str]:
    """Return a short name for each file: the number of its module or, where others have it too, all but the suffix."""
    stems = {path: _SUFFIX.sub("", path.name) for path in paths}
    short = {path: found[0] if (found := _NUMBER.match(stem)) else stem for path, stem in stems.items()}
    times = Counter((path.parent, name) for path, name in short.items())
    return {path: name if times[path.parent, name] == 1 else stems[path] for path, name in short.items()}
