"""The flags of a gate, for `check` and for `compare`: budgets, growth, and what GitHub is told."""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.commands import settings
from reportgen.errors import InvalidBudget
from reportgen.terminal import counted

# Imported by the functions that need it, because it imports the analysis, which most commands need later or never.
if TYPE_CHECKING:
    from reportgen.compare.budgets import Budgets
    from reportgen.compare.growth import Growth
    from reportgen.compare.verdicts import Judgement

_FILE = "reportgen.toml"


def add_budgets(parser: argparse.ArgumentParser) -> None:
    """Add the file of budgets."""
    parser.add_argument(
        "--budgets",
        type=Path,
        metavar="FILE",
        help=f"the budgets of modules, a TOML file (default: {_FILE}, then [tool.{settings.TABLE}] of {settings.FILE})",
    )


def add_gate(parser: argparse.ArgumentParser) -> None:
    """Add the flags that hold modules to budgets."""
    add_budgets(parser)
    parser.add_argument(
        "--max-growth",
        type=_growth,
        action="append",
        default=[],
        metavar="1%|64KiB",
        help="fail if the resident peak of any module grows by more; given twice, the larger amount is allowed",
    )
    parser.add_argument(
        "--github",
        action="store_true",
        help="write the job summary, outputs and at most ten annotations for GitHub Actions",
    )


def _growth(text: str) -> "Growth":
    from reportgen.compare.growth import parse_growth

    try:
        return parse_growth(text, "growth")
    except InvalidBudget as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def budgets_of(options: argparse.Namespace, *, default_growth: bool = False) -> "Budgets | None":
    """Return the budgets of the file and the flags; None if there are none.

    With `default_growth` and without any other limit on growth, not one byte more is allowed. Raises InvalidBudget.
    """
    from reportgen.compare.budgets import Budget, Budgets
    from reportgen.compare.growth import Growth

    found = budgets_in_file(options.budgets)
    growth: tuple[Growth, ...] = tuple(options.max_growth)
    if default_growth and not growth and not any(budget.growth for budget in (found.budgets if found else ())):
        growth = (Growth(),)
    if not growth:
        return found
    # It holds whatever modules there are, so none of them is missed.
    budget = Budget(growth=growth, required=False)
    return replace(found or Budgets(), budgets=(*(found.budgets if found else ()), budget))


def budgets_in_file(path: Path | None) -> "Budgets | None":
    """Return the budgets of a file, by default of the one in the current directory. Raises InvalidBudget."""
    from reportgen.compare.budgets import parse_budgets

    if path is not None:
        # In a pyproject.toml our table has other settings beside the budgets.
        others = settings.KEYS if path.name == settings.FILE.name else None
        return parse_budgets(_text(path), path.as_posix(), settings=others)
    if Path(_FILE).is_file():
        return parse_budgets(_text(Path(_FILE)), _FILE)
    table = settings.read_table()
    if table.values.keys() & set(settings.BUDGET_KEYS):
        return parse_budgets(table.text, settings.FILE.name, settings=settings.KEYS)
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidBudget(f"{path}: cannot be read: {reason}") from error


def print_verdicts(judgement: "Judgement", say: Callable[[str], None], baseline: str | None = None) -> None:
    """Print each verdict that is not a pass, and the whole in one line; `baseline` is what it was compared with."""
    for verdict in judgement.reported:
        place = f"{verdict.place}: " if verdict.place else ""
        say(f"{place}{verdict.level}: {verdict.status}: {verdict.message}")
    judged = sum(verdict.status in ("pass", "over", "grown") for verdict in judgement.verdicts)
    compared = f", compared with {baseline}" if baseline else ""
    say(f"budgets: {judgement.overall}; {counted(judged, 'figure')} judged{compared}")


def exit_code(judgement: "Judgement | None", *, has_failed: bool) -> int:
    """Return the exit code; a certain regression comes before what could not be read or judged."""
    from reportgen.compare.verdicts import REGRESSED

    judged = judgement.exit_code if judgement else 0
    return judged if judged == REGRESSED else 1 if has_failed else judged
