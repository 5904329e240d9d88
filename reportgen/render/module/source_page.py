"""A source file with its bytes of the peak in the margin, what these are, and the suggestions that would lower them."""

from collections.abc import Mapping, Sequence
from functools import partial

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.render import routes
from reportgen.render.html.links import Links
from reportgen.render.html.templates import view_page
from reportgen.render.module.advice_box import suggestion_keys
from reportgen.render.view import Module
from reportgen.reports.annotated_source import SMALL_PART, AnnotatedLine, line_runs, note_words
from reportgen.work import Page

_LARGEST = 5


def source_page(module: Module, number: int, site_title: str) -> Page:
    """Return the page of a source file, by its position among those of the module."""
    links, space, files = Links(module), module.main_space, module.annotated_files
    assert space is not None  # because a file is shown only where a space has a peak
    figures, (file, lines) = module.figures.spaces[space.color], files[number]
    runs = line_runs(lines, file.published)
    shown = [line for run in runs for line in run.lines]
    peak_bytes = figures.peak_bytes or 0
    edits = [(line, note) for line in shown for note in line.notes if note.edit]
    # The first line that each of the best suggestions changes.
    changes = {note.position: (line, note) for line, note in reversed(edits)}
    large = [line for line in shown if line.size_bytes * SMALL_PART >= peak_bytes > 0]
    return view_page(
        module,
        site_title,
        routes.source(number),
        "pages/source.html",
        links=links,
        file=file,
        peak_bytes=figures.peak_bytes,
        size_bytes=_size_bytes(lines),
        largest_bytes=max((line.size_bytes for line in figures.peak_resident_lines), default=0),
        least_bytes=peak_bytes / SMALL_PART,
        runs=runs,
        look=partial(_look, module, file.names),
        words_of=lambda line, note: note_words(note, line.number, file.names, module.figures),
        keys=_keys(module) if space.color == MAIN_SPACE else {},
        changes=[change for _, change in sorted(changes.items())],
        largest=sorted(large, key=lambda line: -line.size_bytes)[:_LARGEST],
        others=[
            (other.path, links.listing(routes.source(position)), _size_bytes(lines_of_other))
            for position, (other, lines_of_other) in enumerate(files)
            if position != number
        ],
    )


def _look(module: Module, names: Sequence[str], line: AnnotatedLine) -> str:
    """Return the color of a line of a file that the dump calls by some names."""
    looks = (module.line_looks.get(f"{name}:{line.number}") for name in names)
    return next(filter(None, looks), "other")


def _size_bytes(lines: Sequence[AnnotatedLine]) -> int:
    return sum(line.size_bytes for line in lines)


def _keys(module: Module) -> Mapping[int, str]:
    """Return the keys of the best suggestions, by their positions."""
    advice = module.advice.get(MAIN_SPACE)
    if advice is None or advice.withheld:
        return {}
    keys = list(suggestion_keys(advice))  # of all suggestions first, in their order
    return {position: keys[advice.suggestions.index(best)] for position, best in enumerate(advice.best)}
