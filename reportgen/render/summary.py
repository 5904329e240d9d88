"""What the overview and the terminal say of a module: small, and cheap to hand between processes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from reportgen.analyse.classes import MemoryClass
from reportgen.analyse.identity import Leaf, Signature
from reportgen.analyse.judgements import Finding, Severity
from reportgen.render.evidence import Badge, badge
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


def needed_bytes(entry: Summary) -> int:
    """The peak resident; where none is known, what is allocated stands in for it."""
    peak = entry.peak_resident_bytes
    return entry.allocated_bytes if peak is None else peak


def biggest_first(entry: Summary) -> tuple[int, str]:
    """The order of the overview."""
    return (-needed_bytes(entry), entry.label)
