"""What `reportgen.report` returns: the site that it built, and its figures for Python and for notebooks.

A notebook shows the whole report in the cell, as a document of its own in a sandboxed frame: a link to a file is one
that VS Code and Colab cannot follow.
"""

import os
import webbrowser
from functools import cached_property
from html import escape
from pathlib import Path

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.build import single_page
from reportgen.compare.builds import BuildComparison
from reportgen.compare.compare_markdown import markdown
from reportgen.compare.verdicts import judge
from reportgen.input.reading import DEFAULT_MAX_DUMP_BYTES
from reportgen.options import BuildOptions
from reportgen.reports.explain_document import ExplainedModule, explained
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_text import explanation_lines
from reportgen.reports.formats import cut, end_of, human_bytes, least_words
from reportgen.reports.peak_table import PeakBuffers
from reportgen.reports.report_document import SpaceFigures
from reportgen.reports.styled_text import plain
from reportgen.reports.summary import Summary
from reportgen.sides import compare_pair, compare_sources, load_source

_WIDTH = 100
_LONGEST_NAME, _LONGEST_PATH = 60, 80
_HEAD, _BASE = "<head>\n", '<base href="about:srcdoc">\n'
"""Links to places in the report would lead to places in the page around the frame without it."""

_FRAME = (
    '<iframe srcdoc="{document}" sandbox="allow-scripts" title="{title}"'
    ' style="width: 100%; height: 720px; border: 0"></iframe>'
)


class ReportComparison:
    """What changes from one report to another: `change_bytes` is the largest change of a peak, with its sign.

    It is None where no peak is known on both sides.

    `str` of it is the whole comparison in Markdown, which a notebook shows.
    """

    def __init__(self, comparison: BuildComparison) -> None:
        self.change_bytes = comparison.change_bytes
        judgement = judge(None, comparison.pairs, has_baseline=True)
        self._markdown = markdown(comparison, judgement)

    def __repr__(self) -> str:
        if self.change_bytes is None:
            return "ReportComparison(unknown)"
        sign = "-" if self.change_bytes < 0 else "+"
        return f"ReportComparison({sign}{human_bytes(abs(self.change_bytes))})"

    def __str__(self) -> str:
        return self._markdown

    def _repr_markdown_(self) -> str:
        return self._markdown


class MemoryReport:
    """The memory of a program: of its module that needs most, in that module's main memory space. Sizes are bytes.

    `page` is the first page of the site, and `modules` has the summary of each module, biggest first. `error` is XLA's
    text if the compiler refused the program for want of memory, else None.

    The examples are of the dump in `samples/cpu-tiny`, with a capacity of 512 KiB.
    """

    def __init__(
        self,
        *,
        page: Path,
        modules: tuple[Summary, ...],
        error: str | None = None,
        dumps: Path | None = None,
        capacities: tuple[str, ...] = (),
    ) -> None:
        """Keep what was built; without `dumps` there is no comparison and no single file."""
        self.page = page
        self.modules = modules
        self.error = error
        self._dumps = dumps
        self._capacities = capacities

    @property
    def peak_bytes(self) -> int | None:
        """The most that is resident at one moment; None without live ranges.

        >>> report.peak_bytes
        917504
        """
        return self._space.peak_bytes if self._space else None

    @property
    def needed_bytes(self) -> int:
        """What must be allocated for the program; 0 without a module.

        >>> report.needed_bytes
        917504
        """
        return self._space.needed_bytes if self._space else 0

    @property
    def fits(self) -> bool | None:
        """Whether the device has enough memory for it; None if its capacity is unknown.

        >>> report.fits
        False
        """
        if self.error:
            return False
        return self._main.sentences.fits if self._main else None

    @property
    def spaces(self) -> tuple[SpaceFigures, ...]:
        """What is needed in each memory space.

        >>> [(space.name, space.needed_bytes, space.capacity_bytes) for space in report.spaces]
        [('memory', 917504, 524288)]
        """
        return tuple(self._main.figures.spaces.values()) if self._main else ()

    @property
    def largest(self) -> tuple[PeakBuffers, ...]:
        """The five buffers that take most of the peak, those of one name and shape together.

        >>> for buffers in report.largest[:2]:
        ...     print(buffers.size_bytes, buffers.name, buffers.shape, buffers.source)
        524288 w f32[256,512] None
        262144 jit(tiny_matmul_gelu)/mul f32[128,512] /home/u/corpus/scripts/progs.py:11
        """
        return self._main.largest if self._main else ()

    @property
    def suggestions(self) -> tuple[SuggestionFigures, ...]:
        """What would lower the peak, each suggestion on its own, the best first.

        >>> [(suggestion.what, suggestion.confidence, suggestion.saving_bytes) for suggestion in report.suggestions]
        [('use a narrower type for w', 'unknown', None)]
        """
        advice = self._main.figures.advice if self._main else None
        return advice.best_suggestions if advice else ()

    def compare(self, other: "MemoryReport") -> ReportComparison:
        """Return what changes from this report to `other`, and why.

        >>> report.compare(report).change_bytes
        0
        """
        before = load_source(self._folder, None, "before", DEFAULT_MAX_DUMP_BYTES)
        after = load_source(other._folder, None, "after", DEFAULT_MAX_DUMP_BYTES)
        if len(before.dumps) == len(after.dumps) == 1:  # two functions may have two names
            return ReportComparison(compare_pair(before, after))
        return ReportComparison(compare_sources(before, after, lambda *_: None)[0])

    def open(self) -> None:
        """Show the site in a browser."""
        webbrowser.open(self.page.resolve().as_uri())

    @property
    def _folder(self) -> Path:
        if self._dumps is None:
            raise ValueError("this report has kept no dumps")
        return self._dumps

    @cached_property
    def _main(self) -> ExplainedModule | None:
        return explained(self.modules[0]) if self.modules else None

    @property
    def _space(self) -> SpaceFigures | None:
        return self._main.figures.main_space if self._main else None

    @cached_property
    def _document(self) -> str:
        """The whole report in a single file; empty where the dumps are gone or cannot be read."""
        if self._dumps is None or not self.modules:
            return ""
        options = BuildOptions(paths=(self._dumps,), capacities=self._capacities, title=self.modules[0].title)
        _, page = single_page(options)
        return page.decode("utf-8").replace(_HEAD, _HEAD + _BASE, 1) if page else ""

    def __repr__(self) -> str:
        needs = (
            f"{cut(self._main.figures.name, _LONGEST_NAME)} needs"
            f" {least_words(self.needed_bytes, self._space.certainty if self._space else 'exact')}"
            if self._main
            else "refused"
        )
        return f"MemoryReport({needs}; {end_of(str(self.page), _LONGEST_PATH)})"

    def __str__(self) -> str:
        """Return what `reportgen explain` prints, and where the site is."""
        text = plain(explanation_lines(sections(map(explained, self.modules), ()), _WIDTH))
        return "\n\n".join(filter(None, (self.error, text, str(self.page))))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the whole report in a frame that can reach nothing around it."""
        error = ""
        if self.error:
            error = f"<p><strong>The compiler refused this program.</strong></p><pre>{escape(self.error)}</pre>"
        body = (
            _FRAME.format(document=escape(self._document), title=escape(f"Memory of {self.modules[0].title}"))
            if self._document
            else f"<pre>{escape(str(self))}</pre>"
        )
        site = escape(os.path.relpath(self.page).replace(os.sep, "/"))
        return f"{error}{body}<p>The whole site: <code>{site}</code></p>"
