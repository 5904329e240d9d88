"""Declare the flags of each command.

They are apart from what the commands do, which takes longer to import than `--help` takes to print.
"""

import argparse
from fractions import Fraction
from pathlib import Path

from reportgen.commands import settings
from reportgen.commands.arguments import (
    add_analysis,
    add_capacity,
    add_contents,
    add_force,
    add_jobs,
    add_max_dump_bytes,
    add_pages,
    add_paths,
    add_redaction,
    add_site,
    checked,
    number_to,
)
from reportgen.compare.build_metadata import commit_name, growth_reason, link_url, utc
from reportgen.compare.growth import Growth, parse_growth, parse_share
from reportgen.errors import InvalidBudget
from reportgen.options import DEFAULT_DUMPS, DEFAULT_HOST, DEFAULT_OUTPUT, DEFAULT_TITLE

_ADD = "Add the figures of a build to a history: to its file, or for one at a URL to the copy in the site."
_FIND = "Print the figures of the nearest commit in a history, as a baseline; if none is there, only a warning."


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
    _add_build(parser, output=None)
    parser.set_defaults(single_file=None, module=None, explains=True)


def add_build_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `build`: those of a site, and of the single file that it can write instead."""
    add_paths(parser)
    _add_build(parser)
    parser.add_argument(
        "--single-file",
        type=_html,
        metavar="FILE.html",
        help="write the report of one module as a single HTML file instead of a site, to attach to an issue:"
        " summary, charts, peak, and all values as searchable rows; of several modules, the one that needs most",
    )
    _add_module(parser, "the module to write with --single-file")
    parser.set_defaults(explains=False)


def add_watch_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `watch`: those of a site, and of its server."""
    add_paths(parser)
    add_contents(parser)
    add_site(parser)
    add_pages(parser)
    parser.add_argument("--host", default=DEFAULT_HOST, help="address to serve at (default: %(default)s)")
    parser.add_argument(
        "--port", type=number_to(65535), metavar="N", help="port to serve at (default: 8000, or the next free one)"
    )
    parser.add_argument(
        "--poll", action="store_true", help="poll for changes instead of waiting for events, for network drives"
    )
    parser.add_argument("--no-serve", action="store_true", help="only keep the site on disk up to date")


def add_check_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `check`: what it reads, what it prints, and what it judges."""
    add_paths(parser)
    add_analysis(parser)
    add_redaction(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, the same as report.json of a site"
    )
    parser.add_argument(
        "--baseline",
        metavar="REPORT",
        help="judge growth against this report.json (path or URL) or directory of dumps; a missing one is a warning",
    )
    _add_gate(parser)


def add_explain_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `explain`: which module it explains, and in which form."""
    add_paths(parser)
    add_jobs(parser)
    add_contents(parser)
    add_redaction(parser)
    _add_module(parser, "explain this module instead of the one that needs most")
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
        "--link", type=_link, metavar="URL", help="where the whole comparison can be seen, for the Markdown"
    )
    add_force(parser)
    add_max_dump_bytes(parser)
    add_capacity(parser)
    add_redaction(parser)
    _add_gate(parser)


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
    adding.add_argument("--title", default=DEFAULT_TITLE, help='title of a new site (default: "%(default)s")')
    add_force(adding)
    add_capacity(adding)
    _add_budgets(adding)
    _add_allow_unsound(adding, "add")
    _add_accept_growth(adding)
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
        add_max_dump_bytes(command)
        add_redaction(command)
        command.set_defaults(action=action)


def add_export_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `export`: what it reads, and the format that it prints."""
    add_paths(parser)
    parser.add_argument(
        "--trace",
        action="store_true",
        required=True,
        help="print a Chrome trace, which ui.perfetto.dev and chrome://tracing open; 1 microsecond is 1 instruction",
    )
    add_max_dump_bytes(parser)
    add_redaction(parser)
    parser.set_defaults(executor=None)  # read by what the commands share


def _add_build(parser: argparse.ArgumentParser, output: Path | None = DEFAULT_OUTPUT) -> None:
    """Add the flags that `build` and `run` share."""
    add_analysis(parser)
    add_site(parser, output)
    add_pages(parser)
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")


def _add_module(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add the choice of one module."""
    parser.add_argument("--module", metavar="NAME", help=purpose)


def _html(text: str) -> Path:
    """Return the path of an HTML file. Any other is refused, because it would be overwritten and could be a dump."""
    if not text.lower().endswith((".html", ".htm")):
        raise argparse.ArgumentTypeError("a name that ends in .html is needed")
    return Path(text)


def _add_budgets(parser: argparse.ArgumentParser) -> None:
    """Add the file of budgets."""
    parser.add_argument(
        "--budgets",
        type=Path,
        metavar="FILE",
        help=f"the budgets of modules, a TOML file (default: {settings.BUDGETS_FILE}, then"
        f" [tool.{settings.TABLE}] of {settings.FILE})",
    )


def _add_allow_unsound(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the flag for those who must use figures that may be wrong."""
    parser.add_argument(
        "--allow-unsound",
        action="store_true",
        help=f"{what} also figures of dumps that contradict themselves, which may be wrong, instead of exiting with 4",
    )


def _add_accept_growth(parser: argparse.ArgumentParser) -> None:
    """Add the flag that accepts growth, with a reason."""
    parser.add_argument(
        "--accept-growth",
        type=checked(growth_reason),
        metavar="REASON",
        help="the build may need more than the one before, for this reason, which the report then states;"
        " what is over a fixed limit still fails",
    )


def _add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the flags that hold modules to budgets."""
    _add_budgets(parser)
    parser.add_argument(
        "--max-growth",
        type=_growth,
        action="append",
        default=[],
        metavar="1%|64KiB",
        help="fail if the resident peak of any module grows by more; given twice, the larger amount is allowed",
    )
    parser.add_argument(
        "--max-recomputed",
        type=_share,
        metavar="5%",
        help="fail if XLA recomputes more than this part of the matrix work of any module",
    )
    _add_allow_unsound(parser, "judge")
    _add_accept_growth(parser)
    parser.add_argument(
        "--github",
        action="store_true",
        help="write the job summary, outputs and at most ten annotations for GitHub Actions",
    )


def _link(text: str) -> str:
    """Return a URL, or an empty text where a job has none."""
    return checked(link_url)(text) if text else text


def _share(text: str) -> Fraction:
    """Return the part that a flag allows; argparse prints why any other text is refused."""
    try:
        return parse_share(text, "share")
    except InvalidBudget as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _growth(text: str) -> Growth:
    """Return the growth that a flag allows; argparse prints why any other text is refused."""
    try:
        return parse_growth(text, "growth")
    except InvalidBudget as error:
        raise argparse.ArgumentTypeError(str(error)) from error
