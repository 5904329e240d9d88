"""Declare the flags of each command, and the types of their values.

They are apart from what the commands do, which takes longer to import than `--help` takes to print.
"""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

from reportgen.analyse.devices import read_capacity
from reportgen.commands import settings
from reportgen.compare.build_metadata import commit_name, growth_reason, link_url, utc
from reportgen.compare.growth import parse_growth, parse_share
from reportgen.errors import InvalidBudget, quoted
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.input.remote import is_url
from reportgen.options import DEFAULT_DUMPS, DEFAULT_HOST, DEFAULT_OUTPUT, DEFAULT_TITLE, SITES, Redaction

_Value = TypeVar("_Value")

_ADD = "Add the figures of a build to a history: to its file, or for one at a URL to the copy in the site."
_FIND = "Print the figures of the nearest commit in a history, as a baseline; if none is there, only a warning."
_MOST_DIGITS = 18  # less than what the system can count


def checked(check: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a type for texts that `check` accepts; it raises ValueError or InvalidBudget for others."""

    def text_type(text: str) -> _Value:
        try:
            return check(text)
        except (ValueError, InvalidBudget) as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return text_type


def _type(fits: Callable[[str], object], needed: str, made: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """Return a type for texts that fit, and say what is `needed` instead of any other."""

    def text_type(text: str) -> _Value:
        if not fits(text):
            raise argparse.ArgumentTypeError(needed)
        return made(text)

    return text_type


def _is_whole(text: str) -> bool:
    # isdigit() alone would accept the digits of every script.
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS


def _number_to(most: int) -> Callable[[str], int]:
    return _type(lambda text: _is_whole(text) and 1 <= int(text) <= most, f"a number from 1 to {most} is needed", int)


def _is_template(text: str) -> bool:
    """Return whether a text is a template of links to source lines; one that a browser would run is none."""
    scheme, colon, _ = text.partition(":")
    return "{path}" in text and colon != "" and scheme.lower() not in ("javascript", "data", "vbscript")


def _capacity(text: str) -> str:
    """Return a capacity as it was given. Raises ValueError if it cannot be read."""
    read_capacity(text)
    return text


def _is_cluster(text: str) -> bool:
    scheme, _, address = text.partition("://")
    host, _, port = address.rpartition(":")
    return scheme == "dask" and host != "" and _is_whole(port)


# A container may be allowed fewer processors than the machine has; not every system says so.
_PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

FLAGS: Mapping[str, Mapping[str, Any]] = {
    "paths": {
        "nargs": "+",
        "type": _type(bool, "a path is empty; is a variable unset?", str),
        "metavar": "PATH",
        "help": "a directory with dumps or profiles in it, a dump, a profile, a proto of a module, or a log with dumps;"
        " also a URL that fsspec opens, such as gs://…",
    },
    "--strict": {"action": "store_true", "help": "exit with 1 if there are warnings or errors"},
    "--jobs": {
        "type": _number_to(1024),
        "default": min(_PROCESSORS, 8),
        "metavar": "N",
        "help": "number of processes to use (default: one for each processor, at most 8)",
    },
    "--executor": {
        "type": _type(_is_cluster, "dask://HOST:PORT is needed", lambda text: text.removeprefix("dask://")),
        "metavar": "dask://HOST:PORT",
        "help": "send the work to this Dask scheduler; its workers need the same paths, and -o on a shared disk",
    },
    "--max-dump-bytes": {
        "type": _type(_is_whole, "a number is needed, such as 1000", int),
        "default": DEFAULT_MAX_DUMP_BYTES,
        "metavar": "N",
        "help": "skip files larger than N bytes after decompression (default: %(default)s)",
    },
    "--capacity": {
        "dest": "capacities",
        "action": "append",
        "type": checked(_capacity),
        "metavar": "SIZE|CHIP",
        "help": "capacity of the device: 16GiB, v5e, h100, …; host=64GiB for host memory, 3=1MiB for memory space 3;"
        " may be repeated (default: the device that the files next to a dump name)",
    },
    "--title": {"help": f'title of the site (default: "{DEFAULT_TITLE}")'},
    "--force": {"action": "store_true", "help": "write into a directory that holds other files; they are kept"},
    "--open": {"action": "store_true", "help": "open the site in a browser"},
    "--redact": {
        "dest": "redaction",
        "action": "store_const",
        "const": "paths",
        "help": "show only what is known to be safe, so that the output can be published: numbers, shapes, opcodes, and"
        " names made of words of compilers and common programs",
    },
    "--redact-names": {
        "dest": "redaction",
        "action": "store_const",
        "const": "names",
        "help": "like --redact, and also hide the words of programs and the names of modules",
    },
    "--no-redact": {
        "dest": "redaction",
        "action": "store_const",
        "const": False,
        "help": "hide nothing, whatever pyproject.toml says",
    },
    "--source-root": {
        "type": Path,
        "metavar": "DIR",
        "help": "show the source files that the dump names, from below this directory, with the bytes of each line;"
        " all lines of these files are then in the site",
    },
    "--source-url": {
        "type": _type(_is_template, "a URL with {path} in it is needed, and {line} where the line goes", str),
        "metavar": "TEMPLATE",
        "help": "link source lines, such as https://github.com/OWNER/REPO/blob/COMMIT/{path}#L{line}",
    },
    "--quiet": {"action": "store_true", "help": "print nothing but errors"},
    "--module": {"metavar": "NAME"},
    "--budgets": {
        "type": Path,
        "metavar": "FILE",
        "help": f"the budgets of modules, a TOML file (default: {settings.BUDGETS_FILE}, then"
        f" [tool.{settings.TABLE}] of {settings.FILE})",
    },
    "--max-growth": {
        "type": checked(lambda text: parse_growth(text, "growth")),
        "action": "append",
        "default": [],
        "metavar": "1%|64KiB",
        "help": "fail if the resident peak of any module grows by more; given twice, the larger amount is allowed",
    },
    "--max-recomputed": {
        "type": checked(lambda text: parse_share(text, "share")),
        "metavar": "5%",
        "help": "fail if XLA recomputes more than this part of the matrix work of any module",
    },
    "--allow-unsound": {
        "action": "store_true",
        "help": "judge also figures of dumps that contradict themselves, which may be wrong, instead of exiting with 4",
    },
    "--accept-growth": {
        "type": checked(growth_reason),
        "metavar": "REASON",
        "help": "the build may need more than the one before, for this reason, which the report then states;"
        " what is over a fixed limit still fails",
    },
    "--github": {
        "action": "store_true",
        "help": "write the job summary, outputs and at most ten annotations for GitHub Actions",
    },
}
"""The flags that several commands share, and those with settings of a project."""
_ANALYSIS = ("--strict", "--jobs", "--executor", "--max-dump-bytes", "--capacity")
_REDACTION = ("--redact", "--redact-names", "--no-redact")
_PAGES = ("--title", "--force", "--open", _REDACTION, "--source-root", "--source-url")
_GATE = ("--budgets", "--max-growth", "--max-recomputed", "--allow-unsound", "--accept-growth", "--github")


def _add(parser: argparse._ActionsContainer, *flags: str | tuple[str, ...], **changes: Any) -> None:
    """Add shared flags with some `changes`; at most one of those in a tuple may be given."""
    for flag in flags:
        if isinstance(flag, tuple):
            _add(parser.add_mutually_exclusive_group(), *flag, **changes)
        else:
            short = ["-q"] if flag == "--quiet" else []
            parser.add_argument(*short, flag, **{**FLAGS[flag], **changes})


def _add_output(parser: argparse.ArgumentParser, default: Path | None = DEFAULT_OUTPUT) -> None:
    """Add the directory of a site; without a default it has the program's name."""
    no_url = "a site is built in a directory, not at a URL; copy it there afterwards"
    parser.add_argument(
        "-o",
        "--output",
        type=_type(lambda text: not is_url(text), no_url, Path),
        default=default,
        metavar="DIR",
        help=f"write the site to this directory (default: {default or SITES / 'PROGRAM'})",
    )


def add_run_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `run`, and the command line of the program after `--`."""
    parser.usage = "%(prog)s [options] -- COMMAND [ARGUMENT ...]"
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="the program to run")
    parser.add_argument(
        "--dumps",
        type=Path,
        default=DEFAULT_DUMPS,
        metavar="DIR",
        help="keep the dumps in this directory; the next run replaces them (default: %(default)s)",
    )
    parser.add_argument("--only", metavar="REGEX", help="dump only modules whose names match")
    parser.add_argument(
        "--no-source",
        action="store_true",
        help="leave your code out of the site, which has the functions that allocate memory from files below the"
        " current directory, with the bytes of each line",
    )
    _add(parser, *_ANALYSIS)
    _add_output(parser, None)
    _add(parser, *_PAGES, "--quiet")
    parser.set_defaults(single_file=None, module=None, explains=True, own_functions=False)


def add_build_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `build`: those of a site, and of the single file that it can write instead."""
    _add(parser, "paths", *_ANALYSIS)
    _add_output(parser)
    _add(parser, *_PAGES, "--quiet")
    parser.add_argument(
        "--single-file",
        # Any other is refused, because it would be overwritten and could be a dump.
        type=_type(lambda text: text.lower().endswith((".html", ".htm")), "a name that ends in .html is needed", Path),
        metavar="FILE.html",
        help="write the report of one module as a single HTML file instead of a site, to attach to an issue:"
        " summary, charts, peak, and all values as searchable rows; of several modules, the one that needs most",
    )
    _add(parser, "--module", help="the module to write with --single-file")
    parser.set_defaults(explains=False, own_functions=False)


def add_watch_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `watch`: those of a site, and of its server."""
    _add(parser, "paths", "--max-dump-bytes", "--capacity")
    _add_output(parser)
    _add(parser, *_PAGES)
    parser.add_argument("--host", default=DEFAULT_HOST, help="address to serve at (default: %(default)s)")
    parser.add_argument(
        "--port", type=_number_to(65535), metavar="N", help="port to serve at (default: 8000, or the next free one)"
    )
    parser.add_argument(
        "--poll", action="store_true", help="poll for changes instead of waiting for events, for network drives"
    )
    parser.add_argument("--no-serve", action="store_true", help="only keep the site on disk up to date")
    parser.set_defaults(own_functions=False)


def add_check_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `check`: what it reads, what it prints, and what it judges."""
    _add(parser, "paths", *_ANALYSIS, _REDACTION)
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, the same as report.json of a site"
    )
    parser.add_argument(
        "--baseline",
        metavar="REPORT",
        help="judge growth against this report.json (path or URL) or directory of dumps; a missing one is a warning",
    )
    _add(parser, *_GATE)


def add_explain_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `explain`: which module it explains, and in which form."""
    _add(parser, "paths", *_ANALYSIS[1:], _REDACTION)
    _add(parser, "--module", help="explain this module instead of the one that needs most")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--markdown", action="store_true", help="print Markdown, for an issue or a comment")
    form.add_argument("--json", action="store_true", help="print JSON: all modules, and the errors in texts")
    form.add_argument(
        "--source",
        type=Path,
        metavar="FILE",
        help="print the lines of this source file that the peak or a suggestion comes from, with their bytes",
    )


def add_compare_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `compare`: its two sides, what it writes, and what it judges."""
    for side in ("before", "after"):
        parser.add_argument(
            side,
            metavar=side.upper(),
            help="a dump, a directory of dumps, or the report.json of a build (figures without reasons); also a URL",
        )
        parser.add_argument(
            f"--{side}-label",
            metavar="TEXT",
            help=f"what to call this build, such as main@1a2b3c (default: {side}, or the commit that a report names)",
        )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write a site with the comparison")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write compare.json to this file")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the comparison as Markdown to this file")
    parser.add_argument(
        "--link",
        type=checked(lambda text: text and link_url(text)),  # empty where a job has none
        metavar="URL",
        help="where the whole comparison can be seen, for the Markdown",
    )
    _add(parser, "--force", "--max-dump-bytes", "--capacity", _REDACTION, *_GATE)


def add_history_flags(parser: argparse.ArgumentParser) -> None:
    """Add the two commands of `history`, `add` and `find`, each with its flags."""
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    adding = commands.add_parser("add", help="add a build and write the trend", description=_ADD)
    adding.add_argument("build", metavar="REPORT", help="the report.json of the build, or its dumps; also a URL")
    adding.add_argument("--commit", type=checked(commit_name), required=True, metavar="SHA", help="what was built")
    adding.add_argument(
        "--time",
        type=checked(utc),
        required=True,
        metavar="TIME",
        help="when it was committed, with a time zone: $(git show -s --format=%%cI)",
    )
    adding.add_argument("--link", type=checked(link_url), metavar="URL", help="where its report is kept")
    adding.add_argument(
        "--comparison", type=checked(link_url), metavar="URL", help="where the comparison with the build before is kept"
    )
    adding.add_argument("-o", "--output", type=Path, metavar="DIR", help="write history.jsonl and trend.html to a site")
    _add(adding, "--title", default=DEFAULT_TITLE, help='title of a new site (default: "%(default)s")')
    _add(adding, "--force", "--capacity", "--budgets")
    _add(adding, "--allow-unsound", help=FLAGS["--allow-unsound"]["help"].replace("judge", "add", 1))
    _add(adding, "--accept-growth")
    finding = commands.add_parser("find", help="print the figures of a build", description=_FIND)
    finding.add_argument("commits", nargs="+", metavar="COMMIT", help="nearest first; - reads them from standard input")
    finding.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a report.json instead of printing it")
    for action, command in (("add", adding), ("find", finding)):
        command.add_argument(
            "--history",
            metavar="FILE",
            required=command is finding,
            help="the history.jsonl so far, a file or the URL of the published one",
        )
        _add(command, "--max-dump-bytes", _REDACTION)
        command.set_defaults(action=action)


def add_export_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `export`: what it reads, and the format that it prints."""
    _add(parser, "paths")
    parser.add_argument(
        "--trace",
        action="store_true",
        required=True,
        help="print a Chrome trace, which ui.perfetto.dev and chrome://tracing open; 1 microsecond is 1 instruction",
    )
    _add(parser, "--max-dump-bytes", _REDACTION)
    parser.set_defaults(executor=None)  # read by what the commands share


def apply_settings(options: argparse.Namespace) -> None:
    """Set the options that the command line leaves out to what the settings say. Raises InvalidSetting."""
    table = settings.read_table()
    for key, default in (("title", DEFAULT_TITLE), ("capacity", []), ("source-url", None), ("redact", None)):
        flag = FLAGS[f"--{key}"]
        name = flag.get("dest", key.replace("-", "_"))
        if key == "source-url" and getattr(options, "redaction", None):
            continue
        setting = _setting(table, key, flag.get("type", str)) if key in table.values else default
        if getattr(options, name, setting) is None:
            setattr(options, name, setting)


def _setting(table: settings.Table, key: str, accepted: Callable[[str], str]) -> Any:
    """Return a setting as the flag of the same name would have it."""
    value = table.values[key]
    if key == "redact" and value not in get_args(Redaction):
        raise table.refused(key, f'{quoted(value)}; "paths" or "names" is needed')
    if key == "redact" and "source-url" in table.values:
        raise table.refused(key, "it hides what source-url shows; leave one of them out")
    if key != "capacity" and not (isinstance(value, str) and value):
        raise table.refused(key, f"{quoted(value)}; a text in quotes is needed")
    try:
        if key == "capacity":
            return [accepted(str(one)) for one in (value if isinstance(value, list) else [value])]
        return accepted(value)
    except argparse.ArgumentTypeError as error:
        raise table.refused(key, str(error)) from None
