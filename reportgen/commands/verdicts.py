"""Print the verdicts of a gate for `check` and `compare`, and choose the exit code."""

from collections.abc import Callable, Sequence

from reportgen.compare.verdicts import REGRESSED, UNSOUND, Judgement, Verdict
from reportgen.terminal import counted


def print_verdicts(
    judgement: Judgement, say: Callable[[str], None], baseline: str | None = None, annotated: Sequence[Verdict] = ()
) -> None:
    """Print each verdict that is not a pass, and that of all budgets; `baseline` names the earlier build.

    Those that are `annotated` are left out.
    """
    for verdict in judgement.reported:
        if verdict in annotated:
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
    if judged in (UNSOUND, REGRESSED):
        return judged
    return 1 if has_failed else judged
