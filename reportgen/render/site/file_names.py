"""Call a dump by what tells it from the others, because most of a path and of a name that XLA gives is in all."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
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


def short_places(labels: Sequence[str]) -> Mapping[str, str]:
    """Return the shortest part of each dump's path that tells it apart: its folder, where it is alone there."""
    paths = {label: PurePosixPath(label) for label in labels}
    shared = shared_parts([path.parent.parts for path in paths.values()])
    alone, names = Counter(path.parent for path in paths.values()), file_names(labels)
    places = {}
    for label, path in paths.items():
        folder = path.parent.parts[shared:]
        places[label] = "/".join(folder if folder and alone[path.parent] == 1 else (*folder, names[label]))
    return places


def own_parts(paths: Sequence[str]) -> Sequence[str]:
    """Return each path without the first and the last folders that all have; empty for one that has no other."""
    folders = [tuple(path.split("/")) for path in paths]
    first = shared_parts(folders)
    last = min(shared_parts(parts[::-1] for parts in folders), min(map(len, folders)) - first)
    return ["/".join(parts[first : len(parts) - last]) for parts in folders]


def shared_parts(paths: Iterable[tuple[str, ...]]) -> int:
    """Return how many parts all the paths begin with."""
    return sum(1 for _ in takewhile(lambda parts: len(set(parts)) == 1, zip(*paths, strict=False)))
