"""Everything that anybody shows of one dump: its names, figures, advice and look-ups, without any page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property

from reportgen.advice.advise import Advice, AdviceBySpace, advise
from reportgen.advice.memory import Memory
from reportgen.advice.withheld import NAMES_REDACTED
from reportgen.analyse.attributed import Attributed, attributed
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.decompose import Group, by_source_line
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.divided import DividedArgument, divided_arguments
from reportgen.analyse.fit import DeviceFit, Fit
from reportgen.analyse.peak_groups import PeakGroup, peak_groups
from reportgen.analyse.phases import Phase, phases
from reportgen.analyse.records import Analysis, Space
from reportgen.input.dump_text import TextOrigin
from reportgen.model import WHOLE, ValueKey
from reportgen.options import Redaction
from reportgen.program.author import Author
from reportgen.program.join import Join
from reportgen.record import record
from reportgen.reports.formats import function_name
from reportgen.reports.source_links import NO_SOURCES, Sources

ORIGIN_WORDS: Mapping[TextOrigin, str] = {
    "dump": "",
    "schedule": (
        "Made from a proto, which has none: they are rebuilt from its schedule by XLA’s own rules. Where XLA has"
        " printed them too, all peaks were equal; before libtpu 0.0.51 the results of asynchronous work began an"
        " instruction earlier."
    ),
    "trace": (
        "Made from a proto without a schedule: the order of instructions is that of the heap simulator’s trace, and the"
        " live ranges follow from it. Where XLA has printed them too, all peaks were equal and half of the ranges."
    ),
    "proto": "Made from a proto that is damaged or has no schedule, so what is live when is unknown: there is no peak.",
}
"""Where a report has its live ranges from, and what may differ from what XLA would print."""

_UNKNOWN_DIVISION = "how the arguments are sharded is unknown"
_HOW_TO_DIVIDE = "; to see it, dump again with --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"


@record(slots=False)
class Report:
    """One analysed dump: `label` is its path as reported, `title` the name that people know the module by.

    `redaction` is what was taken out of the dump before it was read. `device_fit` says whether the program fits.
    `sources` says what is shown of the source files.
    """

    label: str
    title: str
    stage: str | None
    number: int | None
    timestamp_microseconds: int | None = None
    analysis: Analysis
    device_fit: DeviceFit = DeviceFit()
    notes: str = ""
    redaction: Redaction | None = None
    sources: Sources = NO_SOURCES

    @property
    def name(self) -> str:
        """The name of the function that the module was compiled from."""
        return function_name(self.title)

    @property
    def dumped_at(self) -> str | None:
        """The time in the dump's name, for people; None if it has none."""
        if self.timestamp_microseconds is None:
            return None
        try:
            moment = datetime.fromtimestamp(self.timestamp_microseconds / 1_000_000, UTC)
        except (ValueError, OverflowError, OSError):  # because anybody may put any number into a name
            return str(self.timestamp_microseconds)
        return f"{moment:%Y-%m-%d %H:%M:%S} UTC"

    @cached_property
    def advice(self) -> AdviceBySpace:
        """What would lower the peak of each memory space; nothing where the names that it rests on are hidden."""
        if self.redaction == "names":
            return dict.fromkeys(self.analysis.spaces, Advice(withheld=NAMES_REDACTED))
        known = self.fits.get(MAIN_SPACE)
        return advise(self.analysis, known.capacity.size_bytes if known else None)

    @property
    def main_memory(self) -> Memory | None:
        """The main memory space over time, to ask what a value's absence changes; None where advice is withheld."""
        advice = self.advice.get(MAIN_SPACE)
        return advice.memory if advice else None

    @property
    def join(self) -> Join:
        """The names and source lines that come from the files beside the dump."""
        return self.analysis.program.join

    def attribution(self, number: int) -> Author:
        """Return who fills the buffer that a value is part of."""
        return self.analysis.authors.of(number)

    @property
    def fits(self) -> Mapping[int, Fit]:
        """Whether the program fits each memory space whose capacity is known, by its color."""
        return self.device_fit.fits

    @cached_property
    def divided(self) -> Sequence[DividedArgument]:
        """What each device holds of the arguments; empty for a program on one device."""
        return divided_arguments(self.analysis.program)

    @cached_property
    def attributed(self) -> Mapping[int, Attributed]:
        """How many bytes of the peak of each memory space are attributed, by its color."""
        return {color: attributed(self.analysis, space) for color, space in self.analysis.spaces.items()}

    @cached_property
    def peak_groups(self) -> Mapping[int, Sequence[PeakGroup]]:
        """The groups of the peak of each memory space, by its color, the largest first."""
        return {color: peak_groups(self.analysis, space) for color, space in self.analysis.spaces.items()}

    @cached_property
    def source_lines(self) -> Mapping[int, Sequence[Group]]:
        """The source lines that fill the peak of each memory space, by its color, the line that fills most first."""
        return {color: by_source_line(self.analysis, space) for color, space in self.analysis.spaces.items()}

    @cached_property
    def phases(self) -> Sequence[Phase]:
        """The phases of the program, in the order of the schedule."""
        return phases(self.analysis)

    @cached_property
    def source_files(self) -> tuple[str, ...]:
        """The source files of the program that the dump names, sorted."""
        return tuple(sorted(self.analysis.program.source_files))

    def instruction_text(self, name: str) -> str | None:
        """Return the text of the instruction that defines values `name{…}`; None if the dump has none."""
        raw = self.analysis.dump.instruction_text(name)
        return None if raw is None else raw.decode("utf-8", "replace")


def peak_by_class(analysis: Analysis, space: Space) -> Counter[MemoryClass]:
    """Return the bytes of a space's resident peak by class of memory; empty without live ranges."""
    sizes: Counter[MemoryClass] = Counter()
    for share in space.composition:
        sizes[memory_class(analysis.dump.allocations[share.allocation])] += share.size_bytes
    return sizes


def needed_by_class(analysis: Analysis, space: Space) -> Counter[MemoryClass]:
    """Return the bytes that a space needs by class of memory, so without thread-local ones."""
    sizes: Counter[MemoryClass] = Counter()
    for number in space.allocations:
        allocation = analysis.dump.allocations[number]
        if not allocation.is_thread_local:
            sizes[memory_class(allocation)] += allocation.size_bytes
    return sizes


def allocation_kind(report: Report, number: int) -> str:
    """Return what an allocation is for in words: `parameter 3, donated`, `output`, `temporary`."""
    allocation = report.analysis.dump.allocations[number]
    is_parameter, is_live_out = allocation.parameter is not None, allocation.is_maybe_live_out
    words = {
        f"parameter {allocation.parameter}": is_parameter,
        "donated": is_parameter and is_live_out,
        "output": not is_parameter and (is_live_out or allocation.output_shape is not None),
        "constant": allocation.is_constant,
        "thread-local": allocation.is_thread_local,
        "temporary": allocation.is_preallocated_temp,
    }
    return ", ".join(word for word, applies in words.items() if applies) or "no kind"


def key_text(key: ValueKey) -> str:
    """Return `fusion.10{0}`, or just the name for a value that is not an element of a tuple."""
    return key.name if key.shape_index == WHOLE else str(key)


def unknown_division(report: Report) -> str:
    """Return why it is not known what each device holds of the arguments; empty where it is, or for one device."""
    program = report.analysis.program
    arguments = sum(program.dump.values.sizes[number] for number in program.arguments.values())
    if (program.partitions.devices or 1) == 1 or report.divided or not arguments:
        return ""
    # Texts since jaxlib 0.12 do not say it, and the proto of the module does.
    has_proto = report.join.division is not None or report.analysis.dump.text.origin != "dump"
    return _UNKNOWN_DIVISION + ("" if has_proto else _HOW_TO_DIVIDE)
