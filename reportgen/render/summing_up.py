"""From a module to its summary."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.judgements import SEVERITY_ORDER, Severity
from reportgen.analyse.records import Analysis, Space
from reportgen.analyse.signature import signature
from reportgen.render.evidence import Badge, badge, checks_run, objects_checked
from reportgen.render.module import Module
from reportgen.render.report_json import module_report
from reportgen.render.summary import Summary


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
