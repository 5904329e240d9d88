"""Run a program and keep the dumps of what it compiles: environment, command and folder, put together."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from reportgen.options import DEFAULT_DUMPS
from reportgen.programs.command import run_command
from reportgen.programs.dumps import Left, claimed, marker_of, tidy, write_marker
from reportgen.programs.environment import dump_flags, dumps_elsewhere, own_flags, program_environment
from reportgen.programs.interpreters import python_without_framework
from reportgen.programs.signs import why_nothing
from reportgen.record import record


@record
class RunOptions:
    """`only` is a regular expression for names of modules; `path` is the program's PATH, by default ours."""

    command: tuple[str, ...]
    path: str | None = None
    dumps: Path = DEFAULT_DUMPS
    only: str | None = None


@record
class Run:
    """A finished program: its exit code, the files that it left, and warnings for the user.

    `why_nothing` is None unless no module was dumped.
    """

    exit_code: int
    left: Left
    warnings: tuple[str, ...]
    why_nothing: str | None


def run_program(options: RunOptions) -> Run:
    """Run the command to its end and return the outcome, also when it failed.

    Raises OutputRefused if the folder for dumps is not ours to use, UnreadableInput if XLA_FLAGS names a file that
    cannot be read, and CommandNotFound or CommandNotStarted.
    """
    dumps = options.dumps.absolute()
    environ = os.environ if options.path is None else {**os.environ, "PATH": options.path}
    own_flags(environ)  # first, because an unreadable file of flags must fail before anything is cleared
    with claimed(dumps) as working:
        environment = program_environment(environ, working, only=options.only)
        begun = time.monotonic()
        exit_code = run_command(options.command, environment)
        seconds = time.monotonic() - begun
        left = tidy(dumps, working)
        write_marker(dumps, marker_of(options.command, exit_code, seconds, dump_flags(options.only), left))
    return Run(
        exit_code=exit_code,
        left=left,
        warnings=_warnings(options),
        why_nothing=None if left.signs.assignments else _why_nothing(options, left, exit_code, environ),
    )


def _why_nothing(options: RunOptions, left: Left, exit_code: int, environ: Mapping[str, str]) -> str:
    python = python_without_framework(options.command, environ) if exit_code else None
    return why_nothing(left.signs, exit_code, only=options.only, python=python)


def _warnings(options: RunOptions) -> tuple[str, ...]:
    if dumps_elsewhere(os.environ):
        return (f"--xla_dump_to in your XLA_FLAGS was overridden for this run; its dumps are in {options.dumps}",)
    return ()
