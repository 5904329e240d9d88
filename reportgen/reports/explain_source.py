"""The lines of a source file that cost memory as text for a terminal, with their neighbours."""

from collections.abc import Iterator, Sequence

from reportgen.reports.annotated_source import AnnotatedLine, LineCosts
from reportgen.reports.explain_document import Explanation
from reportgen.reports.formats import cut, human_bytes, percent, visible
from reportgen.reports.source_words import short_words
from reportgen.reports.styled_text import Span, TextLine

_AROUND = 2
_SIZE, _SHARE = 11, 8


def source_text(
    name: str, lines: Sequence[AnnotatedLine], costs: LineCosts, module: Explanation, width: int
) -> Iterator[TextLine]:
    """Yield what the file fills of a module's peak, and then each line with bytes or steps and those around it."""
    filled = sum(line.size_bytes for line in lines)
    yield (Span(f"{name} in {module.name}: {module.backend}, {module.space}", "title"),)
    yield (
        Span(
            f"Its lines account for {human_bytes(filled)} of the {human_bytes(costs.peak_bytes)} peak"
            f" ({percent(filled, costs.peak_bytes)}). Arguments come from no line."
        ),
    )
    shown = {
        near
        for place, line in enumerate(lines)
        if line.size_bytes or line.steps
        for near in range(place - _AROUND, place + _AROUND + 1)
    }
    digits = len(str(len(lines)))
    last = -1
    for place in sorted(shown.intersection(range(len(lines)))):
        if place != last + 1 or last < 0:
            yield ()
        last = place
        yield from _line(lines[place], costs, module, digits, width)


def _line(line: AnnotatedLine, costs: LineCosts, module: Explanation, digits: int, width: int) -> Iterator[TextLine]:
    size = human_bytes(line.size_bytes) if line.size_bytes else ""
    share = percent(line.size_bytes, costs.peak_bytes) if line.size_bytes else ""
    margin = f"{size:>{_SIZE}} {share:>{_SHARE}}  "
    number = f"{line.number:>{digits}}  "
    text = cut(visible(line.text.expandtabs(4)), max(width - len(margin) - len(number), 10))
    yield Span(margin, "bar"), Span(number, "quiet"), Span(text)
    for step in line.steps:
        words = f"{' ' * len(margin)}{' ' * len(number)}^ suggestion {step + 1}: {short_words(module.best[step].what)}"
        yield (Span(words[:width], "quiet"),)
