"""A source file with what each of its lines costs: the bytes of a peak, what they are, and what would lower them.

Coverage tools and profilers show their figures in the margin of the source, and so does this report.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence, Set
from itertools import groupby

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.record import record
from reportgen.reports.advice_words import card_words, cost_words, result_words, saving_words
from reportgen.reports.formats import function_name
from reportgen.reports.report_document import ModuleFigures, SpaceFigures
from reportgen.reports.source_code import SourceCode, SourceEdit, numbers_in, source_code
from reportgen.reports.source_words import short_words

SMALL_PART = 200
"""What a line fills is not told in words where it is less than this part of the peak."""

_AROUND = 3
"""Lines farther than this from one that is told something about are folded."""
_LEAST_FOLDED = 4


@record
class LineNote:
    """A suggestion at a line, by its position among the best. With an `edit`, its code changes the line."""

    position: int
    suggestion: SuggestionFigures
    edit: SourceEdit | None = None


@record
class AnnotatedLine:
    """A line of a file, from 1, with its bytes of the peak; `what` says what these are, and is empty without any.

    `marked` are the first character and the one after the last of the expression that writes most of the bytes.
    """

    number: int
    text: str
    size_bytes: int = 0
    what: str = ""
    marked: tuple[int, int] = (0, 0)
    notes: tuple[LineNote, ...] = ()

    @property
    def parts(self) -> tuple[str, str, str]:
        """Return the text before the expression that is marked, that expression, and the text after it."""
        first, last = self.marked
        return self.text[:first], self.text[first:last], self.text[last:]

    @property
    def is_told_about(self) -> bool:
        """Return whether the line has bytes or a suggestion."""
        return bool(self.size_bytes or self.notes)

    @property
    def is_changed(self) -> bool:
        """Return whether a suggestion puts another line in its place."""
        return any(note.edit and note.edit.removed for note in self.notes)


@record
class LineRun:
    """Lines that follow each other; those that `is_folded` are far from any that has bytes or a suggestion.

    `left_out` counts lines that may not be shown, and that are not among the lines.
    """

    lines: Sequence[AnnotatedLine]
    is_folded: bool = False
    left_out: int = 0


def annotated(
    lines: Sequence[str], names: Collection[str], module: ModuleFigures, space: SpaceFigures
) -> Sequence[AnnotatedLine]:
    """Return the lines of a file with what they cost in a memory space; `names` are those of the file in the dump.

    A suggestion stands where its code changes the file, else at the first of its lines.
    """
    own = {line.source: line for line in space.peak_resident_lines}
    code = None if files_of(space).isdisjoint(names) else source_code(lines, names)
    notes: defaultdict[int, list[LineNote]] = defaultdict(list)
    for number, note in _notes(code, names, module, space):
        notes[number].append(note)
    found = []
    for number, text in enumerate(lines, 1):
        known = [own[line] for name in names if (line := f"{name}:{number}") in own]
        largest = max(known, key=lambda line: line.size_bytes, default=None)
        found.append(
            AnnotatedLine(
                number=number,
                text=text,
                size_bytes=sum(line.size_bytes for line in known),
                what=largest.what if largest else "",
                marked=code.expression(number, largest.columns) if code and largest else (0, 0),
                notes=tuple(notes.get(number, ())),
            )
        )
    return found


def _notes(
    code: SourceCode | None, names: Collection[str], module: ModuleFigures, space: SpaceFigures
) -> Iterator[tuple[int, LineNote]]:
    """Yield the numbers of lines with the suggestions that stand there, the best first."""
    for position, suggestion in enumerate(space.advice.best_suggestions if space.advice else ()):
        edits = code.edits(suggestion, function_name(module.name)) if code else ()
        for edit in edits:
            yield edit.number, LineNote(position=position, suggestion=suggestion, edit=edit)
        about = numbers_in(suggestion.code_lines or suggestion.lines, names)
        if about and not edits:
            yield about[0], LineNote(position=position, suggestion=suggestion)


def line_runs(lines: Sequence[AnnotatedLine], published: Set[int] | None = None) -> Sequence[LineRun]:
    """Return the lines in their order, divided into those that are shown, those that are folded, and those left out.

    Only lines with the numbers that are `published` may be shown; all without any.
    """
    told = [place for place, line in enumerate(lines) if line.is_told_about]
    near = {place + step for place in told for step in range(-_AROUND, _AROUND + 1)}
    parts: list[LineRun] = []
    for (is_published, is_near), run in groupby(
        enumerate(lines), lambda at: (published is None or at[1].number in published, at[0] in near)
    ):
        part = [line for _, line in run]
        last = parts[-1] if parts else LineRun(lines=(), is_folded=True)
        if not is_published:
            left_out = len(part) + last.left_out
            parts[-1 if last.left_out else len(parts) :] = [LineRun(lines=(), left_out=left_out)]
        elif not is_near and len(part) >= _LEAST_FOLDED:
            parts.append(LineRun(lines=part, is_folded=True))
        elif last.is_folded or last.left_out:
            parts.append(LineRun(lines=part))
        else:
            parts[-1] = LineRun(lines=[*last.lines, *part])
    return parts


def own_functions(lines: Sequence[AnnotatedLine], names: Collection[str]) -> Set[int]:
    """Return the numbers of the lines of functions that have bytes or a suggestion, and of the empty lines between.

    There are none in a file without any.
    """
    told = {line.number for line in lines if line.is_told_about}
    code = source_code([line.text for line in lines], names)
    inside = told | (code.around(told) if code else set())
    between = set[int]()
    for is_inside, run in groupby(lines, lambda line: line.number in inside):
        outside = [] if is_inside else list(run)
        if outside and not any(line.text.strip() for line in outside):
            between.update(line.number for line in outside)
    return inside | between if inside else inside


def files_of(space: SpaceFigures) -> Set[str]:
    """Return the files whose lines cost something in a memory space, as a dump names them."""
    suggestions = space.advice.best_suggestions if space.advice else ()
    lines = [line for suggestion in suggestions for line in (*suggestion.lines, *suggestion.code_lines)]
    return {line.rpartition(":")[0] for line in (*(line.source for line in space.peak_resident_lines), *lines)}


def note_words(
    note: LineNote, number: int, names: Collection[str], module: ModuleFigures
) -> tuple[str, str, Sequence[int]]:
    """Return what to do, its outcome in bytes and work, and the other lines that a note is about.

    It stands at the line `number` of a file, whose names in the dump are `names`.
    """
    suggestion, advice = note.suggestion, module.advice
    what, line = card_words(suggestion)
    if line and line not in {f"{name}:{number}" for name in names}:
        what += f" at {line}"
    exceeded = advice.capacity_bytes if advice and advice.excess_bytes else None
    outcome = [
        saving_words(suggestion),
        result_words(suggestion, exceeded) if suggestion.is_computed else "",
        cost_words(suggestion, module.work),
    ]
    about = sorted({line for line in numbers_in(suggestion.lines, names) if line != number})
    return short_words(what), ", ".join(filter(None, outcome)), about
