"""What the checks say against the figures of a module: the reason why a gate must not judge them.

A gate that passes a damaged dump is worse than none, so a module takes its flaws along with its figures, also through
the `report.json` of an earlier build.
"""

from collections.abc import Iterable

from reportgen.analyse.results import Finding
from reportgen.document import Misstated
from reportgen.errors import shown
from reportgen.reports.report_document import GateModule, ListedFinding, first_flaws, listed_finding


def flaws_of(findings: Iterable[Finding]) -> tuple[ListedFinding, ...]:
    """Return the first error and the first warning of an analysis, as far as there are any."""
    return first_flaws(map(listed_finding, findings))


def confirm_listed(module: GateModule, place: str) -> None:
    """Raise Misstated, naming the `place` of a module, if a check found what none of its findings is."""
    listed = {finding.slug for finding in module.findings}
    for number, check in enumerate(module.checks):
        for slug in check.found:
            if slug not in listed:
                raise Misstated(f"{place}.checks[{number}].found.{shown(slug)}: there is no such finding")
