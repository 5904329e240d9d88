"""The evidence behind "no errors" in few words: how many checks ran, on how many objects, with what result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.analyse.judgements import CheckResult, Severity


@dataclass(frozen=True, slots=True)
class Badge:
    """`look` is the worst of what was found, notes aside."""

    look: Literal["error", "warning", "sound"]
    checks: str
    objects: str
    verdict: str

    def __str__(self) -> str:
        return f"{self.checks}, {self.objects}, {self.verdict}"


def badge(checks: int, objects: int, counts: Sequence[tuple[Severity, int]]) -> Badge:
    """`checks` that had something to look at, `objects` that they looked at, and what was found by severity."""
    found = dict(counts)
    errors, warnings = found.get("error", 0), found.get("warning", 0)
    verdict = _counted(errors, "error") if errors else "no error"
    if warnings:
        verdict = f"{verdict}, {_counted(warnings, 'warning')}"
    look: Literal["error", "warning", "sound"] = "error" if errors else "warning" if warnings else "sound"
    return Badge(look, _counted(checks, "check"), _counted(objects, "object"), verdict)


def checks_run(evidence: Sequence[CheckResult]) -> int:
    """How many had something to look at."""
    return sum(result.looked_at > 0 for result in evidence)


def objects_checked(evidence: Sequence[CheckResult]) -> int:
    """Each object once, however many checks looked at it."""
    return sum({result.subject: result.looked_at for result in evidence if result.looked_at}.values())


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
