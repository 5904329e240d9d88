"""The lines of a source file that cost memory as text for a terminal, with their neighbours."""

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap

from reportgen.reports.annotated_source import SMALL_PART, AnnotatedLine, LineNote, line_runs, note_words
from reportgen.reports.formats import counted, cut, human_bytes, percent, visible
from reportgen.reports.report_document import ModuleFigures, SpaceFigures
from reportgen.reports.styled_text import Span, Style, TextLine

_SIZE, _SHARE = 11, 8


def source_text(
    name: str,
    lines: Sequence[AnnotatedLine],
    names: Collection[str],
    module: ModuleFigures,
    space: SpaceFigures,
    width: int,
) -> Iterator[TextLine]:
    """Yield what the file fills of a module's peak, then its lines; those far from any with bytes are counted.

    `names` are those that the dump has for the file.
    """
    filled = sum(line.size_bytes for line in lines)
    peak = space.peak_bytes or 0
    yield (Span(f"{name} in {module.name}: {module.backend}, {space.name}", "title"),)
    share = percent(filled, peak)
    yield (
        Span(f"Its lines account for {human_bytes(filled)} of the {human_bytes(peak)} peak ({share})."),
        Span(" Arguments come from no line."),
    )
    yield ()
    text = _SourceText(names, module, peak, len(str(len(lines))), width)
    for line_run in line_runs(lines):
        if line_run.is_folded:
            yield (Span(f"{' ' * text.margin}⋮ {counted(len(line_run.lines), 'line')} without bytes", "quiet"),)
        else:
            for line in line_run.lines:
                yield from text.line(line)


class _SourceText:
    """Makes the text of lines; `margin` is the width of what stands in front of their code."""

    def __init__(self, names: Collection[str], module: ModuleFigures, peak_bytes: int, digits: int, width: int) -> None:
        self._names, self._module, self._peak_bytes, self._digits = names, module, peak_bytes, digits
        self.margin = _SIZE + 1 + _SHARE + 2 + digits + 2
        self._room = max(width - self.margin, 10)

    def line(self, line: AnnotatedLine) -> Iterator[TextLine]:
        """Yield a line of source with its bytes, what they are, and the suggestions that stand there."""
        size = human_bytes(line.size_bytes) if line.size_bytes else ""
        share = percent(line.size_bytes, self._peak_bytes) if line.size_bytes else ""
        sign = "-" if line.is_changed else " "
        margin = f"{size:>{_SIZE}} {share:>{_SHARE}}  "
        yield (
            Span(margin, "bar"),
            Span(f"{line.number:>{self._digits}} {sign}", "quiet"),
            self._code(line.text, is_cut=not line.is_changed),
        )
        is_told = bool(line.what) and line.size_bytes * SMALL_PART >= self._peak_bytes
        what = list(self._note(line.what)) if is_told else []
        yield from () if line.is_changed else what
        for note in line.notes:
            yield from self._suggestion(line, note)
        yield from what if line.is_changed else ()

    def _suggestion(self, line: AnnotatedLine, note: LineNote) -> Iterator[TextLine]:
        if note.edit:
            yield Span(f"{'+':>{self.margin}}", "good"), self._code(note.edit.added, "good", is_cut=False)
        what, outcome, _ = note_words(note, line.number, self._names, self._module)
        yield from self._note(f"suggestion {note.position + 1}: {what}: {outcome}")

    def _code(self, text: str, style: Style = "", *, is_cut: bool) -> Span:
        """Return a line of code; one that may be copied is not cut."""
        code = visible(text.expandtabs(4))
        return Span(cut(code, self._room) if is_cut else code, style)

    def _note(self, text: str) -> Iterator[TextLine]:
        for number, part in enumerate(wrap(visible(text), max(self._room - 2, 20))):
            yield (Span(f"{' ' * self.margin}{' ' if number else '^'} {part}", "quiet"),)
