"""Say in a note at a line of source what a suggestion does there, what it saves and what it costs."""

from collections.abc import Collection, Sequence

from reportgen.reports.advice_words import card_words, cost_words, result_words, saving_words
from reportgen.reports.annotated_source import LineNote
from reportgen.reports.report_document import ModuleFigures
from reportgen.reports.source_code import numbers_in
from reportgen.reports.source_words import short_words


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
