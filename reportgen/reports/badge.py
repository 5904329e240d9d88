"""Sum up in few words what "no errors" rests on: how many checks ran, on how many objects, with what result."""

from collections.abc import Sequence
from typing import Literal

from reportgen.analyse.results import CheckResult, Severity
from reportgen.record import record
from reportgen.reports.formats import counted


@record(kw_only=False)
class Badge:
    """The words of a badge; `look` is the worst severity found, notes aside."""

    look: Literal["error", "warning", "sound"]
    checks: str
    objects: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.checks}, {self.objects}, {self.verdict}"


def badge(checks: int, objects: int, counts: Sequence[tuple[Severity, int]]) -> Badge:
    """Return the badge for the number of checks that ran, the objects they checked, and the findings by severity."""
    found = dict(counts)
    errors, warnings = found.get("error", 0), found.get("warning", 0)
    verdict = counted(errors, "error") if errors else "no error"
    if warnings:
        verdict = f"{verdict}, {counted(warnings, 'warning')}"
    look: Literal["error", "warning", "sound"] = "warning" if warnings else "sound"
    if errors:
        look = "error"
    return Badge(look, counted(checks, "check"), counted(objects, "object"), verdict)


def checks_run(evidence: Sequence[CheckResult]) -> int:
    """Return how many checks had anything to check."""
    return sum(result.looked_at > 0 for result in evidence)


def objects_checked(evidence: Sequence[CheckResult]) -> int:
    """Return how many objects were checked, each counted once, however many checks looked at it."""
    # Checks of one subject look at the same objects.
    return sum({result.subject: result.looked_at for result in evidence if result.looked_at}.values())
