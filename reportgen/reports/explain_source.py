"""The lines of a source file that cost memory as text for a terminal, with their neighbours."""

from collections.abc import Iterator, Sequence

from reportgen.reports.annotated_source import AnnotatedLine, LineCosts
from reportgen.reports.formats import cut, human_bytes, percent, visible
from reportgen.reports.report_document import ModuleFigures
from reportgen.reports.source_words import short_words
from reportgen.reports.styled_text import Span, TextLine

_AROUND = 2
_SIZE, _SHARE = 11, 8


def source_text(
    name: str, lines: Sequence[AnnotatedLine], costs: LineCosts, module: ModuleFigures, width: int
) -> Iterator[TextLine]:
    """Yield what the file fills of a module's peak, then each line with bytes or suggestions and those around it."""
    filled = sum(line.size_bytes for line in lines)
    space = module.main_space.name if module.main_space else ""
    yield (Span(f"{name} in {module.name}: {module.backend}, {space}", "title"),)
    yield (
        Span(
            f"Its lines account for {human_bytes(filled)} of the {human_bytes(costs.peak_bytes)} peak"
            f" ({percent(filled, costs.peak_bytes)}). Arguments come from no line."
        ),
    )
    shown = {
        near
        for place, line in enumerate(lines)
        if line.size_bytes or line.suggestions
        for near in range(place - _AROUND, place + _AROUND + 1)
    }
    digits = len(str(len(lines)))
    before: int | None = None
    for place in sorted(shown.intersection(range(len(lines)))):
        if before is None or place != before + 1:  # an empty line stands for the lines that are left out
            yield ()
        before = place
        yield from _line(lines[place], costs, module, digits, width)


def _line(line: AnnotatedLine, costs: LineCosts, module: ModuleFigures, digits: int, width: int) -> Iterator[TextLine]:
    """Yield a line of source with its bytes, then a line for each suggestion that is about it."""
    size = human_bytes(line.size_bytes) if line.size_bytes else ""
    share = percent(line.size_bytes, costs.peak_bytes) if line.size_bytes else ""
    margin = f"{size:>{_SIZE}} {share:>{_SHARE}}  "
    number = f"{line.number:>{digits}}  "
    text = cut(visible(line.text.expandtabs(4)), max(width - len(margin) - len(number), 10))
    yield Span(margin, "bar"), Span(number, "quiet"), Span(text)
    best = module.advice.best_suggestions if module.advice else ()
    for position in line.suggestions:
        what = short_words(best[position].what)
        indent = " " * len(margin + number)
        yield (Span(f"{indent}^ suggestion {position + 1}: {what}"[:width], "quiet"),)
