"""What a site consists of: for each part its pages, and what they were made from.

A site has a part for each dump and one for what they have in common. A part whose `key` is the same as
before and whose pages are still on disk need not be made again. The manifest holds nothing but what
follows from the input, so the same input gives the same manifest.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

MANIFEST = ".reportgen.json"
UNFINISHED = ".reportgen.unfinished"
"""Paths of pages that a build was about to write, as JSON, one on each line; it is there only while a build runs."""

COMMON = ""
"""The name of the part that belongs to no dump."""

_MODULUS = 1 << 128
_SEAL = b',"seal":"'

_SUSPICIOUS = ("\\", ":", "/../", "/..\n", "\n.", "\n/", "\n\n")
"""Each path that is not safe has one of these, between newlines; to look through all at once takes no time."""


@dataclass(frozen=True, slots=True)
class Part:
    """`key` is a digest of all that the part was made from; empty when that is not known.

    `digest` is that of the pages' paths and bytes, `size_bytes` how many bytes they have. `note` is what the
    build keeps of the part besides: any value that JSON can hold.
    """

    key: str
    paths: tuple[str, ...]
    size_bytes: int = 0
    digest: int = 0
    note: Any = None


def page_digest(path: str, content: bytes) -> int:
    """The digest of one page; those of several are added, so that their order does not matter."""
    made = hashlib.sha256(content)
    made.update(path.encode("utf-8", "surrogateescape"))
    return int.from_bytes(made.digest()[:16], "big")


def sum_of_digests(digests: Iterable[int]) -> int:
    return sum(digests) % _MODULUS


def serialised(parts: Mapping[str, Part]) -> bytes:
    """The manifest as a file, which is the same for the same parts."""
    rows = {name: _row(part) for name, part in sorted(parts.items())}
    stated = json.dumps({"parts": rows}, separators=(",", ":")).encode().removesuffix(b"}")
    return stated + _SEAL + _seal(stated) + b'"}\n'


def _seal(stated: bytes) -> bytes:
    """What a manifest that was changed on disk does not have."""
    return hashlib.sha256(stated).hexdigest()[:16].encode()


def _row(part: Part) -> dict[str, Any]:
    folder = _common_folder(part.paths)
    return {
        "key": part.key,
        "folder": folder,
        "files": sorted(path[len(folder) :] for path in part.paths),
        "size_bytes": part.size_bytes,
        "digest": f"{part.digest:032x}",
        "note": part.note,
    }


def _common_folder(paths: Iterable[str]) -> str:
    folders = {path[: path.rfind("/") + 1] for path in paths}
    shortest = min(folders, key=len, default="")
    while not all(folder.startswith(shortest) for folder in folders):
        shortest = shortest[: shortest.rstrip("/").rfind("/") + 1]
    return shortest


def parsed(content: bytes) -> dict[str, Part] | None:
    """The parts, with paths that are safe; None for what is no manifest. A damaged one tells nothing but the paths."""
    try:
        rows = json.loads(content)["parts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(rows, dict):
        return None
    stated, _, seal = content.rpartition(_SEAL)
    is_whole = seal == _seal(stated) + b'"}\n'
    return {str(name): _part(row, is_whole=is_whole) for name, row in rows.items()}


def _part(row: Any, *, is_whole: bool) -> Part:
    if not isinstance(row, dict):
        return Part("", ())
    paths = _paths(row)
    try:
        if is_whole:
            return Part(row["key"], paths, row["size_bytes"], int(row["digest"], 16), row["note"])
    except (KeyError, TypeError, ValueError):
        pass  # sealed by somebody else
    return Part("", paths)


def _paths(row: Mapping[str, Any]) -> tuple[str, ...]:
    files, folder = row.get("files"), row.get("folder")
    if not isinstance(files, list) or not isinstance(folder, str):
        return ()
    paths = tuple(folder + file for file in files if isinstance(file, str))
    lines = "\n".join(["", *paths, ""])
    return tuple(filter(is_safe, paths)) if any(sign in lines for sign in _SUSPICIOUS) else paths


def is_safe(path: str) -> bool:
    """Whether a path stays in the site's directory."""
    names = {*path.split("/")} - {"", "."}
    return bool(names) and ".." not in names and path[0] != "/" and "\\" not in path and ":" not in path
