"""What the overview and the terminal say of a module: small, and cheap to hand between processes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Any

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.identity import Leaf, Signature, signature
from reportgen.analyse.records import SEVERITY_ORDER, Analysis, Finding, Severity, Space
from reportgen.render.evidence import Badge, badge, checks_run, objects_checked
from reportgen.render.module import Module
from reportgen.render.report_json import module_report
from reportgen.source import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The figures are those of space 0, the device's main memory; `report` is the module in report.json.

    Where a module has nothing in space 0 they are those of the space that needs most.

    `bytes_by_class` adds up to the peak resident or, where that is not known, to what is allocated.
    `checks` is how many had something to look at, `objects` how many they looked at.
    `content_digest`, `source_files` and `op_names`, how many different ones there are, are empty unless a site is
    built: only the overview and the last lines of a build need them.

    `as_json` and `from_json` are inverse to each other: a build keeps summaries for the next one.
    """

    label: str
    title: str
    href: str
    backend: str
    space_name: str
    peak_resident_bytes: int | None
    allocated_bytes: int
    xla_bytes: int | None
    values: int
    schedule_length: int | None
    findings_href: str
    finding_counts: tuple[tuple[Severity, int], ...]
    checks: int
    objects: int
    bytes_by_class: Mapping[MemoryClass, int]
    signature: Signature
    findings: tuple[Finding, ...]
    report: Mapping[str, Any]
    content_digest: str = ""
    source_files: tuple[str, ...] = ()
    op_names: int = 0

    @property
    def badge(self) -> Badge:
        return badge(self.checks, self.objects, self.finding_counts)

    def as_json(self) -> dict[str, Any]:
        """Everything, in values that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Summary":
        """Raises KeyError, TypeError or ValueError for what `as_json` has not made."""
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


def summary(module: Module) -> Summary:
    analysis = module.analysis
    space = _main_space(analysis)
    peak = space.peak_resident if space else None
    return Summary(
        label=module.label,
        title=module.title,
        href=module.routes.index,
        backend=analysis.backend,
        space_name=f"{space.color} · {space.name}" if space else "–",
        peak_resident_bytes=peak.amount if peak else None,
        allocated_bytes=space.allocated_bytes if space else 0,
        xla_bytes=analysis.xla_peak.sum_bytes if analysis.xla_peak else None,
        values=len(analysis.facts),
        schedule_length=analysis.dump.schedule_length,
        findings_href=module.routes.listing("findings"),
        finding_counts=finding_counts(analysis),
        checks=checks_run(analysis.evidence),
        objects=objects_checked(analysis.evidence),
        bytes_by_class=_bytes_by_class(analysis, space) if space else {},
        signature=signature(analysis.dump),
        findings=analysis.findings,
        report=module_report(module.label, module.title, analysis),
    )


def summary_for_site(module: Module, content_digest: str) -> Summary:
    """The same with what only a site needs."""
    return replace(
        summary(module),
        content_digest=content_digest,
        source_files=module.source_files,
        op_names=module.op_name_count,
    )


def needed_bytes(entry: Summary) -> int:
    """The peak resident; where none is known, what is allocated stands in for it."""
    peak = entry.peak_resident_bytes
    return entry.allocated_bytes if peak is None else peak


def biggest_first(entry: Summary) -> tuple[int, str]:
    """The order of the overview."""
    return (-needed_bytes(entry), entry.label)


def _main_space(analysis: Analysis) -> Space | None:
    device = analysis.spaces.get(0)
    if device and device.allocated_bytes:
        return device

    def size(space: Space) -> int:
        peak = space.peak_resident
        return space.allocated_bytes if peak is None else peak.amount

    return max(analysis.spaces.values(), key=size, default=None)


def _bytes_by_class(analysis: Analysis, space: Space) -> Mapping[MemoryClass, int]:
    allocations = analysis.dump.allocations
    parts = [(share.allocation, share.size_bytes) for share in space.composition]
    if space.peak_resident is None:
        parts = [(number, allocations[number].size_bytes) for number in space.allocations]
    sizes: Counter[MemoryClass] = Counter()
    for number, size_bytes in parts:
        sizes[memory_class(allocations[number])] += size_bytes
    return dict(sizes)


def badge_of(analysis: Analysis) -> Badge:
    evidence = analysis.evidence
    return badge(checks_run(evidence), objects_checked(evidence), finding_counts(analysis))


def finding_counts(analysis: Analysis) -> tuple[tuple[Severity, int], ...]:
    """How many findings there are of each severity, worst first, listed or not, without those there are none of."""
    counts: Counter[Severity] = Counter()
    for kind in chain.from_iterable(result.found for result in analysis.evidence):
        counts[kind.severity] += kind.times
    return tuple((severity, counts[severity]) for severity in SEVERITY_ORDER if counts[severity])
