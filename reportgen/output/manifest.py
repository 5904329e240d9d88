"""Read and write the manifest of a site: the pages of each part, and a digest of what they were made from.

A site has a part for each dump and one for the pages that belong to no dump. The manifest depends only on the input,
so the same input gives the same manifest:

    {"parts": {
        "run1/module_0001.jit_step.cpu_after_optimizations-buffer-assignment.txt": {
            "key": "5e8f0c…",                    digest of everything that the pages are made from
            "folder": "m/jit-step-0a1b2c3d/",    common beginning of the paths
            "files": ["index.html", "v/1.html", …],
            "size_bytes": 123456,
            "digest": "02ab49…",                 of the pages' paths and bytes
            "outcome": {"summary": {…}, "problems": […]}},    with a digest of its line of report.json
        "": {…}},
     "seal": "9d3c17…"}                          detects changes by other programs

Pages are up to date if their key has not changed and the files on disk still have the bytes that were written.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from os.path import commonprefix
from typing import Any

from reportgen.work import Part

MANIFEST = ".reportgen.json"
UNFINISHED = ".reportgen.unfinished"
"""Lists the pages that a build is about to write, one `SEAL "PATH"` per line; exists only while a build runs."""

COMMON = ""
"""The name of the part that belongs to no dump."""

TREND = "\0trend"
"""The name of the part of a history, which builds keep; no dump has it as its label, because no path has this byte."""

_MODULUS = 1 << 128
_SEAL = b',"seal":"'


def page_digest(path: str, content: bytes) -> int:
    """Return the digest of one page. Digests of several pages are added, so their order does not matter."""
    hashed = hashlib.sha256(content)
    # The path too, because two pages that have changed places add up to the same digest of contents.
    hashed.update(path.encode("utf-8", "surrogateescape"))
    return int.from_bytes(hashed.digest()[:16], "big")


def sum_of_digests(digests: Iterable[int]) -> int:
    """Return the digest of several pages."""
    return sum(digests) % _MODULUS


def manifest_row(name: str, part: Part) -> bytes:
    """Return the row of a part, with its name."""
    prefix = commonprefix(part.paths)  # noqa: RUF071 - the next line cuts it at a slash
    folder = prefix[: prefix.rfind("/") + 1]
    row = {
        "key": part.key,
        "folder": folder,
        "files": sorted(path[len(folder) :] for path in part.paths),
        "size_bytes": part.size_bytes,
        "digest": f"{part.digest:032x}",
        "outcome": part.outcome,
    }
    return json.dumps({name: row}, separators=(",", ":")).encode()[1:-1]


def serialize(rows: Mapping[str, bytes]) -> bytes:
    """Return the manifest as a file; `rows` are those of the parts, by name."""
    body = b'{"parts":{' + b",".join(row for _, row in sorted(rows.items())) + b"}"
    return body + _SEAL + _seal(body) + b'"}\n'


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest()[:16].encode()


def parse_manifest(content: bytes) -> dict[str, Part] | None:
    """Return the parts, or None if `content` is not a manifest, or not as it was written.

    A list that somebody has changed must not say which files are removed.
    """
    body, _, seal = content.rpartition(_SEAL)
    if seal != _seal(body) + b'"}\n':
        return None
    try:
        rows = json.loads(content)["parts"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return {str(name): _part(row) for name, row in rows.items()} if isinstance(rows, dict) else None


def _part(row: Any) -> Part:
    """Return a part, an empty one for any other row, because a seal proves no origin: anyone can make one."""
    files, folder = (row.get("files"), row.get("folder")) if isinstance(row, dict) else (None, None)
    if not isinstance(files, list) or not isinstance(folder, str):
        return Part("", ())
    paths = tuple(folder + file for file in files if isinstance(file, str))
    try:
        return Part(row["key"], paths, row["size_bytes"], int(row["digest"], 16), row["outcome"])
    except (KeyError, TypeError, ValueError):
        return Part("", paths)


def sealed_line(path: str) -> bytes:
    """Return a line of the list of pages about to be written."""
    text = json.dumps(path).encode()
    return _seal(text) + b" " + text


def unsealed_line(line: bytes) -> str | None:
    """Return the path in such a line; None for one that was cut off, or that somebody else has written."""
    seal, _, text = line.partition(b" ")
    if seal != _seal(text):
        return None
    try:
        path = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return path if isinstance(path, str) else None
