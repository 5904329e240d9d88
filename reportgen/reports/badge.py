"""Sum up in few words what "no errors" rests on: how many checks ran, on how many objects, with what result."""

from collections.abc import Sequence

from reportgen.analyse.results import CheckResult, Severity
from reportgen.record import record
from reportgen.reports.formats import counted


@record(kw_only=False)
class Badge:
    """The words of a badge; `look` is the worst severity found, notes aside, or "sound"."""

    look: str
    words: str

    def __str__(self) -> str:
        return self.words


def badge(evidence: Sequence[CheckResult], counts: Sequence[tuple[Severity, int]]) -> Badge:
    """Return the badge for the checks that had anything to check, and for findings by severity, the worst first."""
    checks = sum(result.looked_at > 0 for result in evidence)
    # Checks of one subject look at the same objects, which count once.
    objects = sum({result.subject: result.looked_at for result in evidence if result.looked_at}.values())
    found = [(severity, count) for severity, count in counts if severity != "note"]
    problems = ["no error"] * ("error" not in dict(found)) + [counted(count, severity) for severity, count in found]
    return Badge(
        found[0][0] if found else "sound", ", ".join((counted(checks, "check"), counted(objects, "object"), *problems))
    )
