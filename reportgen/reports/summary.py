"""The summary of a module: what the overview and the terminal say of it, cheap to hand between processes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.identity import Leaf, Signature, signature
from reportgen.analyse.results import SEVERITY_ORDER, Finding, Severity
from reportgen.input.dump_text import Location
from reportgen.reports.badge import Badge, badge, checks_run, objects_checked

# Imported by `summary`, because an unchanged build reads summaries and analyses nothing: half of it would be imports.
if TYPE_CHECKING:
    from reportgen.analyse.records import Analysis
    from reportgen.reports.report import Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures of one module, those of space 0, the device's main memory.

    Where a module has nothing in space 0 they are those of the space that needs most. `report` is the module's part
    of report.json, and `bytes_by_class` adds up to the peak resident or, where that is not known, to what is
    allocated. `is_over` is whether any memory space needs more than it has. `checks` counts the checks that had
    something to check, and `objects` what they checked.

    `first_move` is what would lower the peak, in a sentence, and `can_be_bytes` the peak after donation.
    `capacity` says in words whether the module fits, empty where it is not known what the device has.

    `content_digest`, `source_files` and `op_names`, the number of different ones, are empty unless a site is built,
    because only the overview and the last lines of a build need them.
    """

    label: str
    title: str
    backend: str
    space_name: str
    peak_resident_bytes: int | None
    allocated_bytes: int
    xla_bytes: int | None
    values: int
    schedule_length: int | None
    finding_counts: tuple[tuple[Severity, int], ...]
    checks: int
    objects: int
    bytes_by_class: Mapping[MemoryClass, int]
    signature: Signature
    findings: tuple[Finding, ...]
    report: Mapping[str, Any]
    capacity_bytes: int | None = None
    is_over: bool = False
    first_move: str = ""
    can_be_bytes: int | None = None
    capacity: str = ""
    content_digest: str = ""
    source_files: tuple[str, ...] = ()
    op_names: int = 0

    @property
    def excess_bytes(self) -> int | None:
        """What the module needs more than the device has; negative if something is left, None if nothing is known."""
        return None if self.capacity_bytes is None else self.allocated_bytes - self.capacity_bytes

    @property
    def severity_rank(self) -> int:
        """A number that sorts modules by their errors, then their warnings, then their notes."""
        # So far apart that no number of warnings outweighs an error.
        counts = dict(self.finding_counts)
        return counts.get("error", 0) * 10**12 + counts.get("warning", 0) * 10**6 + counts.get("note", 0)

    @property
    def badge(self) -> Badge:
        return badge(self.checks, self.objects, self.finding_counts)

    def as_json(self) -> dict[str, Any]:
        """Return everything in values that JSON can hold: a build keeps summaries for the next one."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Summary":
        """Return the summary that `as_json` has written; raise KeyError, TypeError or ValueError for anything else."""
        return cls(
            **{
                **data,
                "finding_counts": tuple((severity, number) for severity, number in data["finding_counts"]),
                "signature": tuple(Leaf(*leaf) for leaf in data["signature"]),
                "findings": tuple(map(_finding, data["findings"])),
                "source_files": tuple(data["source_files"]),
            }
        )


def _finding(data: Mapping[str, Any]) -> Finding:
    location = data["location"]
    return Finding(**{**data, "location": location and Location(**location), "values": tuple(data["values"])})


def needed_bytes(entry: Summary) -> int:
    """Return the peak resident, or what is allocated where no peak is known."""
    peak = entry.peak_resident_bytes
    return entry.allocated_bytes if peak is None else peak


def biggest_first(entry: Summary) -> tuple[int, str]:
    """Return the sort key of the overview."""
    return (-needed_bytes(entry), entry.label)


def summary(report: "Report") -> Summary:
    """Return the summary of a module."""
    from reportgen.analyse.devices import MAIN_SPACE
    from reportgen.analyse.spaces import main_space
    from reportgen.reports.advice_words import capacity_words, first_move, sentence
    from reportgen.reports.report import peak_by_class
    from reportgen.reports.report_json import module_report

    analysis = report.analysis
    space = main_space(analysis.spaces)
    peak = space.peak_resident if space else None
    known = report.fits.get(space.color) if space else None
    advice = report.advice.get(MAIN_SPACE)
    move = first_move(advice)
    sizes = peak_by_class(analysis, space) if space else Counter[MemoryClass]()
    for number in space.allocations if space and not peak else ():
        sizes[memory_class(analysis.dump.allocations[number])] += analysis.dump.allocations[number].size_bytes
    return Summary(
        label=report.label,
        title=report.title,
        backend=analysis.backend,
        space_name=f"{space.color} · {space.name}" if space else "–",
        peak_resident_bytes=peak.amount if peak else None,
        allocated_bytes=space.allocated_bytes if space else 0,
        xla_bytes=analysis.xla_peak.sum_bytes if analysis.xla_peak else None,
        values=len(analysis.facts),
        schedule_length=analysis.dump.schedule_length,
        finding_counts=finding_counts(analysis),
        checks=checks_run(analysis.evidence),
        objects=objects_checked(analysis.evidence),
        bytes_by_class=dict(sizes),  # because `asdict` would count the items of a Counter
        signature=signature(analysis.dump),
        capacity_bytes=known.capacity.size_bytes if known else None,
        is_over=any(one.is_over for one in report.fits.values()),
        findings=analysis.findings,
        report=module_report(report),
        first_move=sentence(move) if move else "",
        capacity=capacity_words(known, advice.capacity if advice else None) if known else "",
        can_be_bytes=advice.ladder.donated_bytes if advice and advice.ladder else None,
    )


def summary_for_site(report: "Report", content_digest: str) -> Summary:
    """Return the summary with what only a site needs."""
    return replace(
        summary(report),
        content_digest=content_digest,
        source_files=report.source_files,
        op_names=report.op_name_count,
    )


def badge_of(analysis: "Analysis") -> Badge:
    """Return the badge of a module: how much was checked, and with what result."""
    evidence = analysis.evidence
    return badge(checks_run(evidence), objects_checked(evidence), finding_counts(analysis))


def finding_counts(analysis: "Analysis") -> tuple[tuple[Severity, int], ...]:
    """Return the number of findings of each severity that occurs, the worst first; unlisted ones count too."""
    counts: Counter[Severity] = Counter()
    for result in analysis.evidence:
        for kind in result.found:
            counts[kind.severity] += kind.times
    return tuple((severity, counts[severity]) for severity in SEVERITY_ORDER if counts[severity])
