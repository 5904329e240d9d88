"""A source file with its bytes of the peak in the margin, what these are, and the changes that would lower them."""

from collections.abc import Mapping, Sequence

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.record import record
from reportgen.render import routes
from reportgen.render.html.links import Links
from reportgen.render.module.advice_box import suggestion_keys
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.reports.annotated_source import SMALL_PART, AnnotatedLine, LineNote, LineRun, line_runs
from reportgen.reports.note_words import NoteWords, note_words
from reportgen.reports.report_document import SpaceFigures
from reportgen.work import Page

_LARGEST = 5


@record
class NoteOfLine:
    """A suggestion at a line, with its words and the href that shows it in the chart."""

    note: LineNote
    words: NoteWords
    href: str


@record
class LineOfSource:
    """A line of the file; `look` is its color, and `is_large` whether its bytes are worth a note."""

    line: AnnotatedLine
    look: str
    is_large: bool
    notes: Sequence[NoteOfLine]


@record
class LineChange:
    """The line that a suggestion changes or, unless it `is_changed`, follows with another; and what that gains."""

    number: int
    is_changed: bool
    gain: str


@record
class SourceView:
    """A file of the program. Bars of lines are in the scale of `largest_bytes`.

    `changes` are the lines that suggestions change, the best first, and `largest` the lines with the most bytes.
    `others` are the hrefs of the other files by path, with the bytes that they fill.
    """

    path: str
    space: SpaceFigures
    color: int
    line_runs: Sequence[tuple[LineRun, Sequence[LineOfSource]]]
    size_bytes: int
    largest_bytes: int
    changes: Sequence[LineChange]
    largest: Sequence[AnnotatedLine]
    others: Sequence[tuple[str, str, int]]


def source_page(module: Module, number: int, site_title: str) -> Page:
    """Return the page of a source file, by its position among those of the module."""
    source = _SourcePage(module, number)
    return view_page(
        module,
        site_title,
        routes.source(number),
        "pages/source.html",
        links=source.links,
        source=source.view(),
    )


class _SourcePage:
    def __init__(self, module: Module, number: int) -> None:
        self.links = Links(module)
        self._module, self._number = module, number
        self._file, self._annotated = module.annotated_files[number]
        space = module.main_space
        assert space is not None  # because a file is shown only where a space has a peak
        self._color, self._space = space.color, module.figures.spaces[space.color]
        self._looks = module.line_looks
        self._keys = _keys(module) if space.color == MAIN_SPACE else {}

    def view(self) -> SourceView:
        """Return what the page shows of the file."""
        runs = line_runs(self._annotated, self._file.published)
        shown = [line for run in runs for line in run.lines]
        large = [line for line in shown if line.size_bytes * SMALL_PART >= (self._space.peak_bytes or 0) > 0]
        return SourceView(
            path=self._file.path,
            space=self._space,
            color=self._color,
            line_runs=[(run, self._lines(run)) for run in runs],
            size_bytes=_size_bytes(self._annotated),
            largest_bytes=max((line.size_bytes for line in self._space.peak_resident_lines), default=0),
            changes=self._changes(shown),
            largest=sorted(large, key=lambda line: -line.size_bytes)[:_LARGEST],
            others=[
                (file.path, self.links.listing(routes.source(other)), _size_bytes(lines))
                for other, (file, lines) in enumerate(self._module.annotated_files)
                if other != self._number
            ],
        )

    def _lines(self, line_run: LineRun) -> Sequence[LineOfSource]:
        return [
            LineOfSource(
                line=line,
                look=self._look(line),
                is_large=line.size_bytes * SMALL_PART >= (self._space.peak_bytes or 0),
                notes=[self._note(line, note) for note in line.notes],
            )
            for line in line_run.lines
        ]

    def _changes(self, lines: Sequence[AnnotatedLine]) -> Sequence[LineChange]:
        """Return the first line that each of the best suggestions changes."""
        first: dict[int, LineChange] = {}
        for line in lines:
            for note in line.notes:
                if note.edit and note.position not in first:
                    gain = note_words(note, line.number, self._file.names, self._module.figures).gain
                    first[note.position] = LineChange(number=line.number, is_changed=bool(note.edit.removed), gain=gain)
        return [first[position] for position in sorted(first)]

    def _look(self, line: AnnotatedLine) -> str:
        looks = (self._looks.get(f"{name}:{line.number}", "") for name in self._file.names)
        return next(filter(None, looks), "other")

    def _note(self, line: AnnotatedLine, note: LineNote) -> NoteOfLine:
        key = self._keys.get(note.position, "")
        return NoteOfLine(
            note=note,
            words=note_words(note, line.number, self._file.names, self._module.figures),
            href=f"{self.links.listing('index')}#suggestion={key}" if key else "",
        )


def _size_bytes(lines: Sequence[AnnotatedLine]) -> int:
    return sum(line.size_bytes for line in lines)


def _keys(module: Module) -> Mapping[int, str]:
    """Return the keys of the best suggestions, by their positions."""
    advice = module.advice.get(MAIN_SPACE)
    if advice is None or advice.withheld:
        return {}
    keys = list(suggestion_keys(advice))  # of all suggestions first, in their order
    return {position: keys[advice.suggestions.index(best)] for position, best in enumerate(advice.best)}
