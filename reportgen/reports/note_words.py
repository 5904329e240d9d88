"""Say in a note at a line of source what a suggestion does there, what it saves and what it costs."""

from collections.abc import Collection

from reportgen.advice.fitting import fitting_of
from reportgen.record import record
from reportgen.reports.advice_words import card_words, cost_words, result_words, saving_words
from reportgen.reports.annotated_source import LineNote
from reportgen.reports.report_document import ModuleFigures
from reportgen.reports.source_code import numbers_in
from reportgen.reports.source_words import short_words


@record
class NoteWords:
    """A suggestion in a note: `what` to do, its `outcome` in bytes and work, and the other `lines` that it is about.

    `gain` is the outcome in short: what is saved and, of a program that is too large, whether it fits then.
    """

    what: str
    gain: str
    outcome: str
    lines: tuple[int, ...]


def note_words(note: LineNote, number: int, names: Collection[str], module: ModuleFigures) -> NoteWords:
    """Return the words of a note at the line `number` of a file, whose names in the dump are `names`."""
    suggestion, advice = note.suggestion, module.advice
    what, line = card_words(suggestion)
    if line and line not in {f"{name}:{number}" for name in names}:
        what += f" at {line}"
    exceeded = advice.capacity_bytes if advice and advice.excess_bytes else None
    saving = saving_words(suggestion)
    fits = exceeded is not None and suggestion.is_computed and fitting_of(suggestion, exceeded) == "fits"
    outcome = [
        saving,
        result_words(suggestion, exceeded) if suggestion.is_computed else "",
        cost_words(suggestion, module.work),
    ]
    about = sorted({line for line in numbers_in(suggestion.lines, names) if line != number})
    return NoteWords(
        what=short_words(what),
        gain=f"{saving}, fits" if fits else saving,
        outcome=", ".join(filter(None, outcome)),
        lines=tuple(about),
    )
