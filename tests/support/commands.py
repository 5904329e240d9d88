"""Run the command line in the process of a test, as a user would."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from reportgen.cli import main


class Ran(NamedTuple):
    """The exit code of a command, and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Ran]


def runner(capture: pytest.CaptureFixture[str]) -> Run:
    """Return `run("check", path)`; several dumps need `--jobs 1` there."""

    def run(*arguments: object) -> Ran:
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Ran(code, *capture.readouterr())

    return run


def outputs_of(path: Path) -> dict[str, str]:
    """Read the outputs of a step as the runner of GitHub does."""
    found, lines = {}, iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        name, _, delimiter = line.partition("<<")
        content = []
        while (part := next(lines)) != delimiter:
            content.append(part)
        found[name] = "\n".join(content)
    return found
