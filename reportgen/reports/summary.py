"""The summary of a module: what the overview and the terminal say of it, cheap to hand between processes."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from reportgen.analyse.contested import Certainty
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.results import Finding, Severity
from reportgen.input.dump_text import Location
from reportgen.record import record
from reportgen.reports.json_lines import json_line, line_digest

if TYPE_CHECKING:
    from reportgen.reports.report_document import ModuleFigures


@record
class LargestLine:
    """The source line, without its directories, or else the scope that most temporaries at a peak come from.

    `href` leads to it from the site's root, or on the web; empty where its file has no page.
    """

    place: str
    size_bytes: int
    href: str = ""
    is_scope: bool = False


@record
class FirstSuggestion:
    """What to do first and what that saves, in words, and the line where to do it, which may be unknown.

    `href` is that of the line, as in `LargestLine`. `is_smaller_batch` says that the program itself stays as it is.
    From a capacity of `fits_from_bytes` on, the module is predicted to fit then; None where that is not known.
    """

    what: str
    saving: str
    place: str = ""
    fits_from_bytes: int | None = None
    href: str = ""
    is_smaller_batch: bool = False


@record
class Summary:
    """The figures of one module, those of space 0, the device's main memory.

    Where a module has nothing in space 0 they are those of the space that needs most. `report` is the module's part of
    report.json: the record or, in a site, its line, which takes half of the memory; empty where nobody reads it.
    `argument_bytes` and `output_bytes` are those of the peak resident or, where that is not known, of what is needed.
    `fits` is whether it fits its device, None where nothing says so, and `is_refused` whether the compiler said no.

    `first_suggestion` is what would lower the peak, in a sentence, and `to_do_first` the same in parts. `filled` says
    which lines fill the peak, or how to learn it.

    `device` is the name of the one that has the capacity, empty where that is not known.

    `capacity` says in words whether the module fits, empty where it is not known what the device has.

    `certainty` is what is known of the need.
    `is_peak_least` is whether each peak is the least that it can be, because of that or of missing live ranges.

    `phases` are the passes of a gradient and their loops in words, empty for a program of one phase.

    `devices` says in words how many devices run it and what each holds whole; empty for one.

    `host_bytes` are needed of the host's memory.

    `largest_lines`, the largest two, `content_digest`, `source_files` and `op_names`, the number of different ones, are
    empty unless a site is built, because only the overview and the last lines of a build need them.
    """

    label: str
    title: str
    backend: str
    space_name: str
    peak_resident_bytes: int | None
    needed_bytes: int
    finding_counts: tuple[tuple[Severity, int], ...]
    argument_bytes: int
    output_bytes: int
    findings: tuple[Finding, ...]
    report: "ModuleFigures | bytes"
    capacity_bytes: int | None = None
    device: str = ""
    fits: bool | None = None
    is_refused: bool = False
    certainty: Certainty = "exact"
    first_suggestion: str = ""
    filled: str = ""
    to_do_first: FirstSuggestion | None = None
    largest_lines: tuple[LargestLine, ...] = ()
    capacity: str = ""
    is_peak_least: bool = False
    phases: str = ""
    devices: str = ""
    host_bytes: int = 0
    content_digest: str = ""
    source_files: tuple[str, ...] = ()
    op_names: int = 0

    @property
    def figures(self) -> "ModuleFigures":
        """The figures of the module."""
        if not isinstance(self.report, bytes):
            return self.report
        # Imported here, because an unchanged build only reads summaries.
        from reportgen.document import parsed, read
        from reportgen.reports.report_document import ModuleFigures

        return read(ModuleFigures, parsed(self.report))

    @property
    def report_line(self) -> bytes:
        """The module's line of report.json."""
        return self.report if isinstance(self.report, bytes) else json_line(self.report)

    @property
    def excess_bytes(self) -> int | None:
        """What the module needs more than the device has; negative if something is left, None if nothing is known."""
        return None if self.capacity_bytes is None else self.needed_bytes - self.capacity_bytes

    @property
    def asks_device(self) -> bool:
        """Whether the figures are of a device's main memory, and it is not known how much that device has."""
        is_unknown = self.fits is None and self.certainty == "exact"
        return is_unknown and self.backend in ("tpu", "gpu") and self.space_name.startswith(f"{MAIN_SPACE} ")

    @property
    def severity_rank(self) -> int:
        """A number that sorts modules by their errors, then their warnings, then their notes."""
        # So far apart that no number of warnings outweighs an error.
        counts = dict(self.finding_counts)
        return counts.get("error", 0) * 10**12 + counts.get("warning", 0) * 10**6 + counts.get("note", 0)

    def as_json(self) -> dict[str, Any]:
        """Return what a build keeps for the next one, with a digest of the line that report.json has anyway."""
        return asdict(replace(self, report=b"")) | {"report": line_digest(self.report_line)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], lines: Mapping[str, bytes]) -> "Summary":
        """Return the summary that `as_json` has written; `lines` are those of report.json by their digests.

        Raises KeyError, TypeError or ValueError for anything else.
        """
        return cls(
            **{
                **data,
                "report": lines[data["report"]],
                "finding_counts": tuple((severity, number) for severity, number in data["finding_counts"]),
                "findings": tuple(map(_finding, data["findings"])),
                "to_do_first": data["to_do_first"] and FirstSuggestion(**data["to_do_first"]),
                "largest_lines": tuple(LargestLine(**line) for line in data["largest_lines"]),
                "source_files": tuple(data["source_files"]),
            }
        )


def _finding(data: Mapping[str, Any]) -> Finding:
    location = data["location"]
    return Finding(**{**data, "location": location and Location(**location), "values": tuple(data["values"])})


def biggest_first(entry: Summary) -> tuple[int, int, str]:
    """Return the sort key of the overview: what the module needs, then the peak, which is no more than that."""
    peak = entry.peak_resident_bytes
    return (-entry.needed_bytes, -(entry.needed_bytes if peak is None else peak), entry.label)
