"""Flags that several commands share, and the types of their values."""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reportgen.analyse.devices import read_capacity
from reportgen.errors import OptionError
from reportgen.input.archives import kept_pipe
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.input.remote import AnyPath, is_url, located
from reportgen.options import DEFAULT_OUTPUT, DEFAULT_TITLE, SITES

_MOST_DIGITS = 18  # less than what the system can count


def add_paths(parser: argparse.ArgumentParser) -> None:
    """Add the paths of the dumps."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=_not_empty,
        metavar="PATH",
        help="a directory with dumps or profiles in it, a dump, a profile, a proto of a module, or a log with dumps;"
        " also a URL that fsspec opens, such as gs://…",
    )


def add_analysis(parser: argparse.ArgumentParser) -> None:
    """Add the flags that `build` and `check` share."""
    parser.add_argument("--strict", action="store_true", help="exit with 1 if there are warnings or errors")
    add_jobs(parser)
    add_contents(parser)


def add_jobs(parser: argparse.ArgumentParser) -> None:
    """Add the number of processes, and the cluster."""
    # A container may be allowed fewer processors than the machine has; not every system says so.
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument(
        "--jobs",
        type=number_to(1024),
        default=min(processors, 8),
        metavar="N",
        help="number of processes to use (default: one for each processor, at most 8)",
    )
    parser.add_argument(
        "--executor",
        type=_cluster,
        metavar="dask://HOST:PORT",
        help="send the work to this Dask scheduler; its workers need the same paths, and -o on a shared disk",
    )


def add_contents(parser: argparse.ArgumentParser) -> None:
    """Add the size limit of files, and the capacity of the device."""
    add_max_dump_bytes(parser)
    add_capacity(parser)


def add_capacity(parser: argparse.ArgumentParser) -> None:
    """Add the capacity of the device."""
    parser.add_argument(
        "--capacity",
        dest="capacities",
        action="append",
        type=capacity,
        metavar="SIZE|CHIP",
        help="capacity of the device: 16GiB, v5e, h100, …; host=64GiB for host memory, 3=1MiB for memory space 3;"
        " may be repeated (default: the device that the files next to a dump name)",
    )


def add_site(parser: argparse.ArgumentParser, output: Path | None = DEFAULT_OUTPUT) -> None:
    """Add the flags that `build`, `run` and `watch` share; without an `output`, the site has the program's name."""
    parser.add_argument(
        "-o",
        "--output",
        type=_directory,
        default=output,
        metavar="DIR",
        help=f"write the site to this directory (default: {output or SITES / 'PROGRAM'})",
    )
    parser.add_argument("--title", help=f'title of the site (default: "{DEFAULT_TITLE}")')
    add_force(parser)
    parser.add_argument("--open", action="store_true", help="open the site in a browser")


def add_pages(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the content of pages."""
    add_redaction(parser)
    parser.add_argument(
        "--source-root",
        type=Path,
        metavar="DIR",
        help="show the source files that the dump names, from below this directory, with the bytes of each line;"
        " all lines of these files are then in the site",
    )
    parser.add_argument(
        "--source-url",
        type=source_url,
        metavar="TEMPLATE",
        help="link source lines, such as https://github.com/OWNER/REPO/blob/COMMIT/{path}#L{line}",
    )
    parser.set_defaults(own_functions=False)


def add_max_dump_bytes(parser: argparse.ArgumentParser) -> None:
    """Add the limit on the size of a file."""
    parser.add_argument(
        "--max-dump-bytes",
        type=count,
        default=DEFAULT_MAX_DUMP_BYTES,
        metavar="N",
        help="skip files larger than N bytes after decompression (default: %(default)s)",
    )


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the permission to write into a directory with other files."""
    parser.add_argument(
        "--force", action="store_true", help="write into a directory that holds other files; they are kept"
    )


def add_redaction(parser: argparse.ArgumentParser) -> None:
    """Add the redaction of all output: of nothing, of paths, or of names as well."""
    redaction = parser.add_mutually_exclusive_group()
    redaction.add_argument(
        "--redact",
        dest="redaction",
        action="store_const",
        const="paths",
        help="show only what is known to be safe, so that the output can be published: numbers, shapes, opcodes, and"
        " names made of words of compilers and common programs",
    )
    redaction.add_argument(
        "--redact-names",
        dest="redaction",
        action="store_const",
        const="names",
        help="like --redact, and also hide the words of programs and the names of modules",
    )
    redaction.add_argument(
        "--no-redact",
        dest="redaction",
        action="store_const",
        const=False,
        help="hide nothing, whatever pyproject.toml says",
    )


def report_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of a `ReportOptions`, without its paths. Raises OptionError for options that contradict."""
    if options.redaction and (options.source_root or options.source_url):
        raise OptionError("--source-root and --source-url show what redaction hides; leave out one, or add --no-redact")
    if options.source_root and not options.source_root.is_dir():
        raise OptionError(f"--source-root {options.source_root}: there is no such directory")
    return {
        "output": options.output,
        "title": options.title,
        "force": options.force,
        "redaction": options.redaction or None,
        "max_dump_bytes": options.max_dump_bytes,
        "capacities": tuple(options.capacities),
        "source_root": options.source_root.absolute() if options.source_root else None,
        "source_url": options.source_url,
        "own_functions": options.own_functions,
    }


def paths_of(options: argparse.Namespace) -> tuple[AnyPath, ...]:
    """Return the given paths; absolute for a cluster, whose workers start in other directories."""
    # What comes through a pipe can be read once, and every file is read twice: its head, to find dumps, then all of it.
    paths = (kept_pipe(path) if isinstance(path, Path) else path for path in map(located, options.paths))
    return tuple(path.absolute() if options.executor and isinstance(path, Path) else path for path in paths)


def checked(check: Callable[[str], str]) -> Callable[[str], str]:
    """Return a type for texts that `check` accepts; it raises ValueError for others."""

    def text_type(text: str) -> str:
        try:
            return check(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return text_type


def count(text: str) -> int:
    """Return a number that is not negative."""
    number = _digits(text)
    if number is None:
        raise argparse.ArgumentTypeError("a number is needed, such as 1000")
    return number


def number_to(most: int) -> Callable[[str], int]:
    """Return a type for numbers from 1 to `most`."""

    def number(text: str) -> int:
        digits = _digits(text)
        if digits is None or not 1 <= digits <= most:
            raise argparse.ArgumentTypeError(f"a number from 1 to {most} is needed")
        return digits

    return number


def _digits(text: str) -> int | None:
    """Return the whole number that a text states; None for any other text, and for one with too many digits."""
    # isdigit() alone would accept the digits of every script.
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None


def capacity(text: str) -> str:
    """Return a capacity as it was given, if it can be read."""
    try:
        read_capacity(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def source_url(text: str) -> str:
    """Return a template of links to source lines; one that a browser would run is refused."""
    scheme, colon, _ = text.partition(":")
    if "{path}" not in text or not colon or scheme.lower() in ("javascript", "data", "vbscript"):
        raise argparse.ArgumentTypeError("a URL with {path} in it is needed, and {line} where the line goes")
    return text


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("a path is empty; is a variable unset?")
    return text


def _directory(text: str) -> Path:
    if is_url(text):
        raise argparse.ArgumentTypeError("a site is built in a directory, not at a URL; copy it there afterwards")
    return Path(text)


def _cluster(text: str) -> str:
    """Return the address of a Dask scheduler, host:port."""
    scheme, separator, address = text.partition("://")
    host, _, port = address.rpartition(":")
    if scheme != "dask" or not separator or not host or _digits(port) is None:
        raise argparse.ArgumentTypeError("dask://HOST:PORT is needed")
    return address
