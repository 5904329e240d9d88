"""Define the options of the commands."""

from pathlib import Path
from typing import Literal

from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.input.remote import AnyPath
from reportgen.record import record

DEFAULT_TITLE = "XLA memory report"
DEFAULT_OUTPUT = Path("site")
SITES = Path("xla-memory")
"""Where the sites of programs are that were run, each in a directory of its name."""
DEFAULT_DUMPS = Path("xla-dumps")
DEFAULT_HOST = "127.0.0.1"

Redaction = Literal["paths", "names"]
"""Show the words of compilers and common programs, or those of compilers alone."""


@record
class SiteOptions:
    """The options of every site: where it is written, and how dumps are read.

    `force` allows writing into a directory with files of other origin. `redaction` says what the site must hide; with
    None it shows everything. Files with more than `max_dump_bytes` after decompression are skipped.

    `capacities` describe the memory of the device, such as `16GiB`, `v5e` or `5=64GiB`; by default it comes from the
    files next to a dump.
    """

    output: Path
    force: bool = False
    redaction: Redaction | None = None
    max_dump_bytes: int = DEFAULT_MAX_DUMP_BYTES
    capacities: tuple[str, ...] = ()


@record
class ReportOptions(SiteOptions):
    """The options of the site of some dumps; the same ones give the same site.

    Pages show lines of the source files below `source_root`, and link them to `source_url`, a pattern with `{path}` and
    `{line}`. Neither can be combined with redaction. With `own_functions`, only files that a dump names by their whole
    path are shown, and of these only the functions that have bytes or a suggestion.
    """

    paths: tuple[AnyPath, ...]
    output: Path = DEFAULT_OUTPUT
    title: str = DEFAULT_TITLE
    source_root: Path | None = None
    source_url: str | None = None
    own_functions: bool = False


@record
class BuildOptions(ReportOptions):
    """Options of a build in `jobs` processes.

    `cluster` is host:port of a Dask scheduler that does the work instead; paths must then be absolute.
    """

    jobs: int = 1
    cluster: str | None = None


@record
class ComparisonOptions(SiteOptions):
    """The options of the site of a comparison, with both paths that are compared."""

    before: AnyPath
    after: AnyPath


@record
class WatchOptions(ReportOptions):
    """Options of watching. With `port` None, take the next free one; `polls` is for file systems without events."""

    paths: tuple[Path, ...]
    host: str = DEFAULT_HOST
    port: int | None = None
    polls: bool = False
    serves: bool = True
