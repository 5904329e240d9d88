"""Find the budgets of a gate, and say its verdicts, for `check` and for `compare`."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from reportgen.commands import settings
from reportgen.compare.budgets import Budget, Budgets, parse_budgets
from reportgen.compare.growth import Growth
from reportgen.compare.verdicts import REGRESSED, UNSOUND, Judgement, Verdict
from reportgen.errors import InvalidBudget
from reportgen.input.toml_lines import MOST_CHARACTERS, why_refused
from reportgen.terminal import counted


def budgets_of(options: argparse.Namespace, *, default_growth: bool = False) -> Budgets | None:
    """Return the budgets of the file and the flags; None if there are none.

    With `default_growth` and without any other limit on growth, not one byte more is allowed. Raises InvalidBudget.
    """
    found = budgets_in_file(options.budgets)
    growth: tuple[Growth, ...] = tuple(options.max_growth)
    if default_growth and not growth and not any(budget.growth for budget in (found.budgets if found else ())):
        growth = (Growth(),)
    if not growth:
        return found
    # It holds whatever modules there are, so none of them is missed.
    budget = Budget(growth=growth, required=False)
    return replace(found or Budgets(), budgets=(*(found.budgets if found else ()), budget))


def budgets_in_file(path: Path | None) -> Budgets | None:
    """Return the budgets of a file, by default of the one in the current directory. Raises InvalidBudget."""
    if path is not None:
        # In a pyproject.toml our table has other settings beside the budgets.
        others = settings.KEYS if path.name == settings.FILE.name else None
        return parse_budgets(_text(path), path.as_posix(), settings=others)
    if Path(settings.BUDGETS_FILE).is_file():
        return parse_budgets(_text(Path(settings.BUDGETS_FILE)), settings.BUDGETS_FILE)
    table = settings.read_table()
    if table.values.keys() & set(settings.BUDGET_KEYS):
        return parse_budgets(table.text, settings.FILE.name, settings=settings.KEYS)
    return None


def _text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():
            raise OSError(None, "it is not a regular file")  # a pipe would be waited for
        with path.open(encoding="utf-8") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InvalidBudget(f"{path}: cannot be read: {reason}") from error
    if why := why_refused(text, path.as_posix()):
        raise InvalidBudget(why)
    return text


def print_verdicts(
    judgement: Judgement, say: Callable[[str], None], baseline: str | None = None, told: Sequence[Verdict] = ()
) -> None:
    """Print each verdict that is not a pass, and that of all budgets; `baseline` is what was compared with.

    Those that are `told` otherwise are left out.
    """
    for verdict in judgement.reported:
        if verdict in told:
            continue
        place = f"{verdict.place}: " if verdict.place else ""
        say(f"{place}{verdict.line}")
    if not judgement.has_budgets:
        return
    compared = f", compared with {baseline}" if baseline else ""
    say(f"budgets: {judgement.overall}; {counted(judgement.judged, 'figure')} judged{compared}")


def exit_code(judgement: Judgement | None, *, has_failed: bool) -> int:
    """Return the exit code; an unsound build and a certain regression come before what could not be read or judged."""
    judged = judgement.exit_code if judgement else 0
    return judged if judged in (UNSOUND, REGRESSED) else 1 if has_failed else judged
