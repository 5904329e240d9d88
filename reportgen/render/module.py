"""One analysed dump as the pages see it: its names, its look-ups, and what the overview needs of it."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property

from reportgen.analyse.origins import Origin, origins
from reportgen.analyse.records import Analysis
from reportgen.model import WHOLE, UsedValue, ValueKey
from reportgen.options import Redaction
from reportgen.render.routes import ModuleRoutes, module_slug

_LINE = re.compile(r":\d+$")


@dataclass(frozen=True, kw_only=True)
class Module:
    """`label` is the dump's path as reported, `title` the name people know the module by.

    `value_pages` is how many of the largest values have a page at least; None where all have one. `redaction` is
    what was taken out of the dump before it was read.
    """

    label: str
    title: str
    stage: str | None
    number: int | None
    timestamp_microseconds: int | None = None
    analysis: Analysis
    notes: str = ""
    value_pages: int | None = None
    redaction: Redaction | None = None
    routes: ModuleRoutes = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "routes", ModuleRoutes(module_slug(self.label, self.title), self.analysis))

    @property
    def dumped_at(self) -> str | None:
        """The time in the dump's name, for people."""
        if self.timestamp_microseconds is None:
            return None
        try:
            moment = datetime.fromtimestamp(self.timestamp_microseconds / 1_000_000, UTC)
        except (ValueError, OverflowError, OSError):
            return str(self.timestamp_microseconds)
        return f"{moment:%Y-%m-%d %H:%M:%S} UTC"

    @cached_property
    def _origins(self) -> Mapping[str, Origin]:
        return origins(self.analysis.dump)

    def origin(self, number: int) -> Origin:
        """Opcode, scope and source of the instruction that defines a value."""
        return self._origins.get(self.analysis.facts[number].value.key.name, Origin())

    @cached_property
    def source_files(self) -> tuple[str, ...]:
        """The files of the program that the dump names, sorted."""
        sources = {origin.source for origin in self._origins.values() if origin.source}
        return tuple(sorted({_LINE.sub("", source) for source in sources}))

    @cached_property
    def op_name_count(self) -> int:
        """How many different op_names the dump has."""
        return len({origin.scope for origin in self._origins.values() if origin.scope})

    @cached_property
    def by_size(self) -> Sequence[int]:
        """The numbers of the values, the largest first: the order of the table of values."""
        facts = self.analysis.facts
        return sorted(range(len(facts)), key=lambda n: (-facts[n].value.size_bytes, facts[n].value.id))

    @cached_property
    def _row_of(self) -> Mapping[int, int]:
        return {number: row for row, number in enumerate(self.by_size)}

    @cached_property
    def with_page(self) -> Set[int]:
        """The values that have a page of their own."""
        if self.value_pages is None:
            return frozenset(range(len(self.analysis.facts)))
        peaks = {peak.moment for space in self.analysis.spaces.values() if (peak := space.peak_resident)}
        live_at_peak = (
            number
            for number, fact in enumerate(self.analysis.facts)
            if (live := fact.live) and any(live.start <= moment <= live.end for moment in peaks)
        )
        return frozenset((*self.by_size[: self.value_pages], *live_at_peak))

    @cached_property
    def by_instruction(self) -> Sequence[int]:
        """The values that have a page of their own, those of one instruction together: the order to make them in."""
        return [number for made in self.made_by.values() for number in made if number in self.with_page]

    def row_of(self, number: int) -> int:
        """Which row of the table of values a value is in, counted from 0."""
        return self._row_of[number]

    @cached_property
    def number_of(self) -> Mapping[ValueKey, int]:
        """The number of each value, by its key."""
        return {fact.value.key: number for number, fact in enumerate(self.analysis.facts)}

    @cached_property
    def made_by(self) -> Mapping[str, Sequence[int]]:
        """The values that each instruction defines, by its name."""
        made: defaultdict[str, list[int]] = defaultdict(list)
        for number, fact in enumerate(self.analysis.facts):
            made[fact.value.key.name].append(number)
        return made

    @cached_property
    def _carriers(self) -> Mapping[ValueKey, int]:
        """Which value lies at each position: an element that is passed on has no value of its own."""
        carriers: dict[ValueKey, int] = {}
        for used in self.analysis.dump.used_values or ():
            number = None if used.is_only_where_defined else self.number_of.get(used.key)
            if number is not None:
                for position in used.positions:
                    carriers.setdefault(ValueKey(*position), number)
        return carriers

    def value_of(self, key: ValueKey) -> int | None:
        """The value at a position: the one defined there, or passed on there, or the instruction's first."""
        exact = self.number_of.get(key)
        if exact is not None:
            return exact
        carried = self._carriers.get(key)
        return carried if carried is not None else next(iter(self.made_by.get(key.name, ())), None)

    @cached_property
    def scheduled_moments(self) -> Sequence[int]:
        """The moments that the schedule lists, in order: the rows of its pages."""
        return sorted(self.analysis.dump.name_at)

    def instruction_at(self, moment: int) -> str | None:
        return self.analysis.dump.name_at.get(moment)

    def used(self, number: int) -> UsedValue | None:
        return self.analysis.dump.used_by_key.get(self.analysis.facts[number].value.key)

    def instruction_text(self, name: str) -> str | None:
        """The text of the instruction that defines values `name{…}`."""
        raw = self.analysis.dump.instruction_text(name)
        return None if raw is None else raw.decode("utf-8", "replace")

    def is_first_of_instruction(self, number: int) -> bool:
        """Whether the instruction's text is shown in full on this value's page."""
        return self.made_by[self.analysis.facts[number].value.key.name][0] == number


def allocation_kinds(module: Module, number: int) -> list[str]:
    """An allocation's attributes in words."""
    allocation = module.analysis.dump.allocations[number]
    words = {
        f"parameter {allocation.parameter}": allocation.parameter is not None,
        "output": allocation.output_shape is not None,
        "constant": allocation.is_constant,
        "thread-local": allocation.is_thread_local,
        "maybe live out": allocation.is_maybe_live_out,
        "preallocated temp": allocation.is_preallocated_temp,
    }
    return [word for word, applies in words.items() if applies]


def key_text(key: ValueKey) -> str:
    """`fusion.10{0}`, and just the name for a value that is no element of a tuple."""
    return key.name if key.shape_index == WHOLE else str(key)
