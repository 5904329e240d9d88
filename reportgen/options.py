"""What a user can ask for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from reportgen.defaults import DEFAULT_HOST, DEFAULT_MAX_DUMP_BYTES, DEFAULT_OUTPUT, DEFAULT_TITLE
from reportgen.remote import AnyPath

Redaction = Literal["paths", "names"]
"""What is hidden: paths, people and machines; or these and the names that the program gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """`jobs` is the number of processes; `force` allows writing into a directory that is not ours.

    `value_pages` limits the pages of values in each module to those of that many of the largest, and of all that
    are live at a peak; None is no limit.

    `redaction` is what the site shall not say; None is nothing.

    Of no file are more than `max_dump_bytes` read, decompressed.

    `cluster` is host:port of the Dask scheduler that gives out the work instead; paths must be absolute then.
    """

    paths: tuple[AnyPath, ...]
    output: Path = DEFAULT_OUTPUT
    title: str = DEFAULT_TITLE
    force: bool = False
    jobs: int = 1
    value_pages: int | None = None
    redaction: Redaction | None = None
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES
    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """`port` is None for the next free one; `polls` looks at the files without waiting for events."""

    paths: tuple[Path, ...]
    output: Path = DEFAULT_OUTPUT
    title: str = DEFAULT_TITLE
    force: bool = False
    host: str = DEFAULT_HOST
    port: int | None = None
    polls: bool = False
    serves: bool = True
