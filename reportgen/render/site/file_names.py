"""Call a dump's file by what tells it apart in its folder, because most of a name that XLA gives is in all of them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

_NUMBER = re.compile(r"(?:\d{10,}\.)?module_\d+")
_SUFFIX = re.compile(r"(?:[.]?after_optimizations)?-buffer-assignment[.]txt(?:[.][gx]z)?$")


def file_names(labels: Iterable[str]) -> Mapping[str, str]:
    """Return a short name for each dump: the number of its module or, where others have it too, all but the suffix."""
    paths = {label: PurePosixPath(label) for label in labels}
    stems = {label: _SUFFIX.sub("", path.name) for label, path in paths.items()}
    short = {label: match[0] if (match := _NUMBER.match(stem)) else stem for label, stem in stems.items()}
    times = Counter((paths[label].parent, name) for label, name in short.items())
    return {label: name if times[paths[label].parent, name] == 1 else stems[label] for label, name in short.items()}
