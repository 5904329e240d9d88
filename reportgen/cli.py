"""Flags → options, and errors → a message and an exit code.

Exit codes: 0 fine; 1 a problem with the input or the output, or findings under --strict; 2 usage;
130 interrupted. Heavy packages are imported only by the command that needs them.
"""

import argparse
import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import reportgen
from reportgen.defaults import DEFAULT_HOST, DEFAULT_MAX_DUMP_BYTES, DEFAULT_OUTPUT, DEFAULT_TITLE
from reportgen.errors import ReportgenError, UnreadableInput
from reportgen.terminal import Terminal

if TYPE_CHECKING:
    from reportgen.build import Report
    from reportgen.remote import AnyPath

INTERRUPTED = 130
BROKEN_PIPE = 141  # 128 + SIGPIPE, which Windows does not have

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Python's own 700 cost a twentieth of a build, and there are few cycles to find: 4 MB more were measured for it."""

_DESCRIPTION = """\
Turn XLA buffer-assignment dumps into a static site that says what memory each module needs, what its
peak is made of, and where every value lies."""
_EPILOG = """\
Dumps are written by XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text".
Exit codes: 0 fine, 1 a problem with input or output (or findings under --strict), 2 usage, 130 interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit code."""
    options = _parser().parse_args(arguments)
    _replace_what_cannot_be_encoded()
    terminal = Terminal(quiet=getattr(options, "quiet", False), verbose=getattr(options, "verbose", False))
    try:
        code: int = options.run(options, terminal)
        sys.stdout.flush()
        return code
    except ReportgenError as error:
        terminal.error(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        terminal.error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return BROKEN_PIPE
    except OSError as error:  # of files the name is known; results are written to none
        _discard_output()
        terminal.error(str(error) if error.filename else f"stdout: cannot be written: {error.strerror or error}")
        return 1


def run() -> None:
    """The installed command. It ends at once: to give back millions of records one by one takes a tenth of a check."""
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(code)


def _replace_what_cannot_be_encoded() -> None:
    """A `?` where stdout has no sign for a character; Python would stop with an error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _discard_output() -> None:
    """Python writes what stdout still holds when it ends, and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="reportgen",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show program's version number and exit")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_build(commands)
    _add_watch(commands)
    _add_check(commands)
    return parser


class _Version(argparse.Action):
    """As argparse does it, without the tools by which it folds a text to the width of the terminal."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"reportgen {reportgen.__version__}")
        parser.exit()


def _add_build(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _command(commands, "build", "build the site")
    _add_judging(parser)
    _add_site(parser)
    parser.add_argument(
        "--value-pages",
        type=_count,
        metavar="N",
        help="give pages only to the N largest values of each module and to those live at a peak;"
        " the others stay in tables and search (default: to all)",
    )
    redaction = parser.add_mutually_exclusive_group()
    redaction.add_argument(
        "--redact",
        dest="redaction",
        action="store_const",
        const="paths",
        help="show no paths, people or machines, nor the folders and notes of the dumps: a site that can be published",
    )
    redaction.add_argument(
        "--redact-names",
        dest="redaction",
        action="store_const",
        const="names",
        help="as --redact, and no names of operations and modules either",
    )
    volume = parser.add_mutually_exclusive_group()
    volume.add_argument("-q", "--quiet", action="store_true", help="say nothing but errors")
    volume.add_argument("-v", "--verbose", action="store_true", help="say what is found in each module")
    parser.set_defaults(run=_build)


def _add_watch(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _command(commands, "watch", "build the site, serve it, and follow what the compiler writes")
    _add_site(parser)
    parser.add_argument("--host", default=DEFAULT_HOST, help="the address to serve at (default: %(default)s)")
    parser.add_argument(
        "--port",
        type=_number_to(65535),
        metavar="N",
        help="the port to serve at (default: 8000, or the next one that is free)",
    )
    parser.add_argument(
        "--poll", action="store_true", help="look now and then instead of waiting for events: for network drives"
    )
    parser.add_argument("--no-serve", action="store_true", help="keep the site on disk up to date and serve nothing")
    parser.set_defaults(run=_watch)


def _add_check(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = _command(commands, "check", "parse and analyse without building a site")
    _add_judging(parser)
    parser.add_argument(
        "--json", action="store_true", help="print the figures as JSON, the same as report.json of a site"
    )
    parser.set_defaults(run=_check, verbose=True)


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, purpose: str
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=purpose, description=purpose.capitalize() + ".", allow_abbrev=False)
    parser.add_argument(
        "paths",
        nargs="+",
        type=_not_empty,
        metavar="PATH",
        help="a directory with dumps in it, a dump, or a log with dumps; also a URL that fsspec opens, such as gs://…",
    )
    return parser


def _add_judging(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--strict", action="store_true", help="exit with 1 when there are warnings or errors")
    parser.add_argument(
        "--jobs",
        type=_number_to(1024),
        default=_processors(),
        metavar="N",
        help="processes to use (default: %(default)s)",
    )
    parser.add_argument(
        "--max-dump-bytes",
        type=_count,
        default=DEFAULT_MAX_DUMP_BYTES,
        metavar="N",
        help="leave out a file with more bytes than this, decompressed (default: %(default)s)",
    )
    parser.add_argument(
        "--executor",
        type=_cluster,
        metavar="dask://HOST:PORT",
        help="a Dask scheduler that gives out the work instead; its workers need the same paths and -o on shared disks",
    )


def _add_site(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", type=_directory, default=DEFAULT_OUTPUT, metavar="DIR", help="(default: %(default)s)"
    )
    parser.add_argument("--title", default=DEFAULT_TITLE, help='the title of the site (default: "%(default)s")')
    parser.add_argument(
        "--force", action="store_true", help="write into a directory that holds other files; they are kept"
    )
    parser.add_argument("--open", action="store_true", help="show the site in a browser")


def _not_empty(text: str) -> str:
    if not text:
        raise argparse.ArgumentTypeError("a path is empty; is a variable unset?")
    return text


def _local(text: str) -> Path:
    from reportgen.remote import located

    path = located(text)
    if not isinstance(path, Path):
        raise UnreadableInput(f"{text}: what is behind a URL can be built, but not watched")
    return path


def _directory(text: str) -> Path:
    from reportgen.remote import is_url

    if is_url(text):
        raise argparse.ArgumentTypeError("a site is built in a directory, not behind a URL; copy it there")
    return Path(text)


def _cluster(text: str) -> str:
    """The address of a Dask scheduler, host:port."""
    scheme, found, address = text.partition("://")
    host, _, port = address.rpartition(":")
    if scheme != "dask" or not found or not host or not port.isdigit():
        raise argparse.ArgumentTypeError("dask://HOST:PORT is needed")
    return address


def _number_to(most: int) -> Callable[[str], int]:
    def parsed(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"a number from 1 to {most} is needed")
        return int(text)

    return parsed


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise argparse.ArgumentTypeError("a number is needed, such as 1000")
    return int(text)


def _processors() -> int:
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return min(count or 1, 8)


def _located(options: argparse.Namespace) -> tuple["AnyPath", ...]:
    from reportgen.remote import located

    paths = (located(text) for text in options.paths)
    return tuple(_for_all(path, options) for path in paths)


def _for_all(path: "AnyPath", options: argparse.Namespace) -> "AnyPath":
    """Workers on other machines start in other directories."""
    return path.absolute() if options.executor and isinstance(path, Path) else path


def _check(options: argparse.Namespace, terminal: Terminal) -> int:
    from reportgen.build import check

    report = check(_located(options), options.jobs, terminal.progress, options.executor, options.max_dump_bytes)
    terminal.problems(report.problems)
    if options.json:
        from reportgen.render.report_json import report_json

        sys.stdout.buffer.write(report_json(entry.report for entry in report.summaries))
    else:
        terminal.modules(report.summaries)
    return _exit_code(report, options)


def _build(options: argparse.Namespace, terminal: Terminal) -> int:
    from reportgen.build import build
    from reportgen.options import BuildOptions

    report = build(
        BuildOptions(
            paths=_located(options),
            output=options.output.absolute() if options.executor else options.output,
            title=options.title,
            force=options.force,
            jobs=options.jobs,
            value_pages=options.value_pages,
            redaction=options.redaction,
            max_dump_bytes=options.max_dump_bytes,
            cluster=options.executor,
        ),
        terminal.progress,
    )
    index = (options.output / "index.html").resolve()
    terminal.problems(report.problems)
    terminal.modules(report.summaries if options.verbose else ())
    terminal.finished(report, options.output, index)
    if options.open:
        import webbrowser

        webbrowser.open(index.as_uri())
    return _exit_code(report, options)


def _watch(options: argparse.Namespace, terminal: Terminal) -> int:
    """Until it is interrupted, by Ctrl-C or by a SIGTERM, which is treated alike."""
    from reportgen.options import WatchOptions
    from reportgen.watch.loop import Watcher

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    watcher = Watcher(
        WatchOptions(
            paths=tuple(map(_local, options.paths)),
            output=options.output,
            title=options.title,
            force=options.force,
            host=options.host,
            port=options.port,
            polls=options.poll,
            serves=not options.no_serve,
        ),
        terminal.line,
    )
    with watcher.running() as server:
        index = (options.output / "index.html").resolve()
        terminal.line(server.url if server else str(index))
        watcher.look()
        if options.open:
            import webbrowser

            webbrowser.open(server.url if server else index.as_uri())
        watcher.wait()
        watcher.run()
    return 0


def _exit_code(report: "Report", options: argparse.Namespace) -> int:
    return 1 if report.has_problems(strict=options.strict) else 0
