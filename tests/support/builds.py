"""Two builds of one program in a directory of their own, as the commands that compare find them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.support.commands import Run

WITHOUT_LIVE_RANGES = NOT_IN_PLACE.partition("HloLiveRange")[0]
BUILT = ("--commit", "1a2b3c4", "--time", "2026-01-01T00:00:00Z")
"""What `history add` is told of a build."""


def write_builds(run: Run) -> None:
    """Write the dumps `before` and `after`, and the report of the first, into the current directory."""
    written(Path("before"), IN_PLACE)
    written(Path("after"), NOT_IN_PLACE)
    write_report(run, "before", "report.json")


def add_modules() -> None:
    """Add to each of the two builds a module that the other lacks."""
    written(Path("before"), IN_PLACE.replace("1048576", "9"), NAME.replace("jit_f", "jit_gone"))
    written(Path("after"), IN_PLACE.replace("1048576", "7"), NAME.replace("jit_f", "jit_new"))


def write_report(run: Run, dumps: object, name: str, *options: object) -> None:
    Path(name).write_text(run("check", "--json", *options, dumps).out, encoding="utf-8")


def change_report(change: Callable[[Any], object], name: str = "report.json") -> str:
    """Return the text of report.json after a change; it is written where `name` says."""
    document = json.loads(Path("report.json").read_bytes())
    change(document)
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return Path(name).read_text(encoding="utf-8")


def budgets(text: str) -> tuple[str, str]:
    """Write a file of budgets, and return the option that names it."""
    Path("b.toml").write_text(text, encoding="utf-8")
    return "--budgets", "b.toml"
