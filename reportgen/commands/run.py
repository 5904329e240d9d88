"""Run a program, dump what XLA compiles in it, and build the site."""

import argparse
import sys
from contextlib import redirect_stdout
from pathlib import Path

from reportgen.commands import build
from reportgen.errors import MissingCommand, ReportgenError
from reportgen.options import DEFAULT_DUMPS
from reportgen.terminal import Terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command to run, the flags of its dumps, and those of `build`."""
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
        "--cache", action="store_true", help="leave compilation caches on; modules from a cache are not dumped"
    )
    parser.add_argument(
        "--keep-all", action="store_true", help="keep also dumped files that no report reads, such as LLVM IR"
    )
    build.add_flags(parser)
    parser.set_defaults(single_file=None)


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the program, build the report also if it failed, and return its exit code unless that is 0.

    Every message goes to stderr, because stdout is the program's.
    """
    from reportgen.programs.run import RunOptions, run_program

    # argparse leaves the separator in front of the rest.
    command = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not command:
        raise MissingCommand("run: no command given; write it after --, as in: reportgen run -- python train.py")
    ran = run_program(
        RunOptions(
            command=tuple(command),
            dumps=options.dumps,
            only=options.only,
            cache=options.cache,
            keep_all=options.keep_all,
        )
    )
    for warning in ran.warnings:
        terminal.warning(warning)
    if ran.why_nothing:
        terminal.error(ran.why_nothing)
        return ran.exit_code or 1
    options.paths = [str(options.dumps)]
    with redirect_stdout(sys.stderr):
        terminal.dumped(ran.left, options.dumps)
        try:
            code = build.run(options, terminal)
        except ReportgenError as error:
            terminal.error(str(error))
            code = error.exit_code
    return ran.exit_code or code
