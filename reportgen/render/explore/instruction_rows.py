"""The instructions of a module in their order: what each computes and uses for the last time, and the bytes then."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from markupsafe import Markup

from reportgen.analyse.phases import PASSES, label
from reportgen.analyse.records import Space
from reportgen.model import WHOLE
from reportgen.render.explore.folds import folded
from reportgen.render.html.links import Links, listed
from reportgen.render.html.marks import bar
from reportgen.render.html.markup import whole_name
from reportgen.render.html.page_table import PageTable, table
from reportgen.render.routes import ROWS_ON_PAGE, instruction_id
from reportgen.render.view import Module
from reportgen.reports.column import Column
from reportgen.reports.formats import LONGEST_NAME, human_bytes, shortened, signed_bytes
from reportgen.reports.source_words import line_words

_MOST_NAMED, _MOST_SPACES = 6, 3
_LEAST_CHANGE = 1_000
"""The part of the largest change that has a row of its own."""


def _marks(module: Module) -> list[tuple[int, str]]:
    """Return moment and label of the peak of each memory space that has a column, then of XLA's peak."""
    peaks = [(space, space.peak_resident) for space in module.large_spaces[:_MOST_SPACES]]
    marks = [
        (peak.moment, f"Peak of {space.name}: {human_bytes(peak.amount)}")
        for space, peak in peaks
        if peak and peak.amount
    ]
    found = module.analysis.xla_peak
    return [*marks, (found.moment, "XLA’s peak")] if found else marks


class InstructionRows:
    """Makes the table of the instructions of one module; `marks` are its peaks, and `brackets` its passes and loops."""

    def __init__(self, module: Module, links: Links) -> None:
        self.marks = _marks(module)
        self.spaces = [space for space in module.large_spaces[:_MOST_SPACES] if space.temp]
        self._moments, self._changes = module.scheduled_moments, _changes(module.main_space)
        self.brackets = [phase for phase in module.phases if phase.kind in (*PASSES, "loop")]
        self._dump, self._facts, self._program = module.analysis.dump, module.analysis.facts, module.analysis.program
        self._links, self._last_used = links, _last_used(module)
        self._labels: defaultdict[int, list[str]] = defaultdict(list)
        for moment, label_of_peak in self.marks:
            self._labels[moment].append(label_of_peak)

    @property
    def rows(self) -> Sequence[Sequence[int]]:
        """The moments of each row: one, or those of a fold; no bracket begins or ends in one."""
        ends = (moment for phase in self.brackets for moment in (phase.first, phase.last))
        least = max(map(abs, self._changes.values()), default=0) // _LEAST_CHANGE
        changes = {moment: size for moment, size in self._changes.items() if abs(size) >= least}
        return folded(self._moments, changes, [*self._labels, *ends], ROWS_ON_PAGE)

    def table(self, rows: Sequence[Sequence[int]]) -> PageTable:
        """Return a row for each moment: what is resident, what runs, and what it uses last; several are a fold."""
        last, link = self._last_used, self._links.value
        columns: Sequence[Column[int]] = (
            Column("moment", "Number", "moment", self._number),
            *(self._of_main(self.spaces[0]) if self.spaces else ()),
            Column("step", "Operation or argument", "step", self._step, names_rows=True),
            Column("last-use", "Last use of", "values", lambda at: Markup(listed(last.get(at, ()), link, _MOST_NAMED))),
            *map(_resident, self.spaces[1:]),
        )
        main = self.spaces[0].peak_resident if self.spaces else None
        largest = main.amount if main else 0
        drawn = (row[0] if len(row) == 1 else self._fold(row, len(columns), largest) for row in rows)
        return table(columns, drawn, largest=largest, attributes=self._attributes, for_scripts=True)

    def _of_main(self, space: Space) -> Sequence[Column[int]]:
        """Return what is resident in the main memory, drawn and in words, and how it differs from the moment before."""
        amount, changes = _resident(space), self._changes
        level = Column[int]("bar", "Of the peak", "bar", lambda moment: ("other", amount.of(moment)))
        change = Column[int](
            "change", "Change", "change", lambda at: signed_bytes(changes[at]) if changes.get(at) else ""
        )
        return level, amount, change

    def _fold(self, moments: Sequence[int], width: int, largest: int) -> Markup:
        """Return a row of `width` columns for several moments, with the most bytes and the largest change of them."""
        change = max(abs(self._changes.get(moment, 0)) for moment in moments)
        words = f"{len(moments):,} instructions, {f'at most ±{human_bytes(change)}' if change else 'no change'}"
        before = ""
        if self.spaces:
            most = max(map(_resident(self.spaces[0]).of, moments))
            before = f'<td class="bars">{bar([("other", most)], max(largest, 1))}<td colspan="2">'
            width -= 3
        looks = " ".join(("fold", *self._looks(moments[0])))
        row = f'<tr class="{looks}" data-first="{moments[0]}" data-last="{moments[-1]}">'
        return Markup(f'{row}<td>{before}<td colspan="{width - 1}">{words}')

    def _attributes(self, moment: int) -> str:
        looks = " ".join((*(["peak"] if self.marks and moment == self.marks[0][0] else ()), *self._looks(moment)))
        return f' id="{instruction_id(moment)}"' + (f' class="{looks}"' if looks else "")

    def _looks(self, moment: int) -> Iterator[str]:
        """Yield the classes that draw the brackets next to a row: what it is in, and what begins and ends with it."""
        for phase in self.brackets:
            kind = "loop" if phase.instruction else "pass"
            if phase.first <= moment <= phase.last:
                yield kind
            if moment == phase.first:
                yield f"{kind}-first"
            if moment == phase.last:
                yield f"{kind}-last"

    def _number(self, moment: int) -> Markup:
        """Return the number of an instruction after the labels of the brackets that begin with it."""
        begun = [phase for phase in self.brackets if phase.first == moment]
        names = [(label(phase.kind, phase.passes), line_words(phase.source) or phase.instruction) for phase in begun]
        labels = (f'<small class="bracket">{escape(" ".join(words).rstrip())}</small> ' for words in names)
        return Markup(f'{"".join(labels)}<a href="{self._links.moment_href(moment)}">{moment:,}</a>')

    def _step(self, moment: int) -> Markup:
        """Return the operation of what is defined first, and the instruction."""
        name = self._dump.name_at[moment]
        marked = "".join(f' <strong class="mark">{escape(label)}</strong>' for label in self._labels.get(moment, ()))
        whole = whole_name(name) if len(name) > LONGEST_NAME else ""
        first = self._program.repeated_from.get(name)
        again = f" <small>recomputes {self._links.instruction(first)}</small>" if first else ""
        origin = ""
        if numbers := self._in_order(name):
            is_whole = (one for one in numbers if self._facts[one].value.key.shape_index == WHOLE)
            origin = f"{self._links.short_origin(next(is_whole, numbers[0]))} "
        own = escape(shortened(name)) if numbers else self._links.instruction(name)
        link = f'<small class="xla">{own}</small>'
        return Markup(f"{origin}{link}{whole}{again}{marked}")

    def _in_order(self, name: str) -> Sequence[int]:
        return sorted(self._dump.made_by.get(name, ()), key=lambda number: self._facts[number].value.id)


def _resident(space: Space) -> Column[int]:
    """Return the column of what is resident in a space."""
    assert space.temp, "a space with live ranges"
    temp, static = space.temp, space.static_bytes
    return Column(f"resident-{space.color}", space.name, "bytes", lambda moment: static + temp.at(moment))


def _changes(space: Space | None) -> Mapping[int, int]:
    """Return the changes of what is resident in a space, by moment; at the first, all that is there."""
    changes = dict(space.temp.changes()) if space and space.temp else {}
    return {**changes, 0: space.static_bytes + changes[0]} if space and changes else {}


def _last_used(module: Module) -> Mapping[int, list[int]]:
    """Return the values that are read at a moment and never after it, by the moment."""
    last_used: defaultdict[int, list[int]] = defaultdict(list)
    for number, moments in enumerate(module.reads):
        if moments:
            last_used[moments[-1]].append(number)
    return last_used
