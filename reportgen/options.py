"""What a user can ask for, with the defaults in one place."""

from dataclasses import dataclass
from pathlib import Path

from reportgen.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.remote import AnyPath

DEFAULT_TITLE = "XLA memory report"
DEFAULT_OUTPUT = Path("site")


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """`jobs` is the number of processes; `force` allows writing into a directory that is not ours.

    `value_pages` limits the pages of values in each module to those of that many of the largest, and of all that
    are live at a peak; None is no limit.

    Of no file are more than `max_dump_bytes` read, decompressed.

    `cluster` is host:port of the Dask scheduler that gives out the work instead; paths must be absolute then.
    """

    paths: tuple[AnyPath, ...]
    output: Path = DEFAULT_OUTPUT
    title: str = DEFAULT_TITLE
    force: bool = False
    jobs: int = 1
    value_pages: int | None = None
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES
    cluster: str | None = None
