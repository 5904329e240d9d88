"""Run a program and keep the dumps of what it compiles: environment, command and folder, put together."""

import os
import time
from dataclasses import dataclass
from pathlib import Path

from reportgen.options import DEFAULT_DUMPS
from reportgen.programs.command import run_command
from reportgen.programs.dumps import Left, claimed, marker_of, tidy, write_marker
from reportgen.programs.environment import dump_flags, dumps_elsewhere, own_flags, program_environment
from reportgen.programs.signs import why_nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """`only` is a regular expression for names of modules; `cache` leaves compilation caches on.

    `keep_all` keeps also those files that no report reads, such as LLVM IR.
    """

    command: tuple[str, ...]
    dumps: Path = DEFAULT_DUMPS
    only: str | None = None
    cache: bool = False
    keep_all: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A program that has ended: its exit code, what it left, and things that the user should hear.

    `why_nothing` is None unless no module was dumped.
    """

    exit_code: int
    left: Left
    warnings: tuple[str, ...]
    why_nothing: str | None


def run_program(options: RunOptions) -> Run:
    """Run the command to its end and return what came of it, also when it failed.

    Raises OutputRefused if the folder for dumps is not ours to use, UnreadableInput if XLA_FLAGS names a file that
    cannot be read, and CommandNotFound or CommandNotStarted.
    """
    dumps = options.dumps.absolute()
    own_flags(os.environ)  # so that a file of flags that cannot be read is told before anything is cleared
    with claimed(dumps) as working:
        environment = program_environment(os.environ, working, only=options.only, cache=options.cache)
        begun = time.monotonic()
        exit_code = run_command(options.command, environment)
        seconds = time.monotonic() - begun
        left = tidy(dumps, working, keep_all=options.keep_all)
        write_marker(dumps, marker_of(options.command, exit_code, seconds, dump_flags(options.only), left))
    return Run(
        exit_code=exit_code,
        left=left,
        warnings=tuple(_warnings(options, left)),
        why_nothing=None
        if left.signs.assignments
        else why_nothing(left.signs, exit_code, only=options.only, cache=options.cache),
    )


def _warnings(options: RunOptions, left: Left) -> list[str]:
    warnings = []
    if dumps_elsewhere(os.environ):
        warnings.append(
            f"--xla_dump_to in your XLA_FLAGS was overridden for this run; its dumps are in {options.dumps}"
        )
    if left.signs.assignments and left.signs.cached and options.cache:
        warnings.append(f"modules that came from a compilation cache are missing here: {left.signs.cached}")
    return warnings
