"""Run a program, dump what XLA compiles in it, and build the site."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path

from reportgen.commands import build
from reportgen.errors import MissingCommand, OptionError, ReportgenError
from reportgen.options import SITES
from reportgen.programs.dumps import Left
from reportgen.programs.interpreters import chosen_python
from reportgen.programs.run import RunOptions, run_program
from reportgen.redact.vocabulary import redact_message
from reportgen.terminal import Terminal, counted, say


def run(options: argparse.Namespace, terminal: Terminal) -> int:
    """Run the program, build the report also if it failed, and return its exit code unless that is 0.

    Every message goes to stderr, because stdout is the program's.
    """
    # argparse leaves the separator in front of the rest.
    command = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not command:
        raise MissingCommand("run: no command given; write it after --, as in: reportgen run -- python train.py")
    options.output = options.output or SITES / _name(command)
    if options.dumps.resolve().is_relative_to(options.output.resolve()):
        raise OptionError(f"--dumps {options.dumps}: it is in the directory of the site, which is not searched")
    chosen = chosen_python(command, os.environ)
    if chosen and not options.quiet:
        terminal.aside(redact_message(chosen.words) if options.redaction else chosen.words)
    ran = run_program(
        RunOptions(
            command=chosen.command if chosen else tuple(command),
            path=chosen.path if chosen else None,
            dumps=options.dumps,
            only=options.only,
        )
    )
    for warning in ran.warnings:
        terminal.warning(warning)
    if ran.why_nothing:
        terminal.error(ran.why_nothing)
        return ran.exit_code or 1
    options.paths = [str(options.dumps)]
    if not (options.no_source or options.redaction or options.source_root):
        options.source_root, options.own_functions = Path.cwd(), True
    with redirect_stdout(sys.stderr):
        if not options.quiet:
            say(_dumped_words(ran.left, Path(options.dumps.name) if options.redaction else options.dumps))
        try:
            code = build.run(options, terminal)
        except ReportgenError as error:
            terminal.error(str(error))
            code = error.exit_code
    return ran.exit_code or code


def _name(command: Sequence[str]) -> str:
    """Return the name of a program: of its Python file or module, else of its command."""
    for word, following in zip(command, [*command[1:], ""], strict=True):
        if word.endswith(".py"):
            return Path(word).stem
        if word == "-m" and following:
            return following
    return Path(command[0]).name


def _dumped_words(left: Left, dumps: Path) -> str:
    """Return how much a run dumped, and how much of that remains in `dumps`."""
    return (
        f"{counted(left.signs.assignments, 'module')} of {counted(left.processes, 'process', 'processes')};"
        f" {left.dumped_bytes / 1e6:.1f} MB dumped, {left.kept_bytes / 1e6:.1f} MB kept in {dumps}"
    )
