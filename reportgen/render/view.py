"""One analysed dump as its pages see it: their paths, and the order of the rows in tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from reportgen.analyse.classes import memory_class
from reportgen.analyse.decompose import Group, groupings
from reportgen.analyse.records import Space
from reportgen.analyse.spaces import is_small, main_space
from reportgen.analyse.temporary_parts import TemporaryParts, temporary_parts
from reportgen.record import record
from reportgen.render.routes import ModuleRoutes, module_slug
from reportgen.reports.annotated_source import AnnotatedLine, annotated, own_functions
from reportgen.reports.module_figures import module_figures
from reportgen.reports.report import Report
from reportgen.reports.report_document import ModuleFigures
from reportgen.reports.source_links import SourceFile


@record(slots=False)
class Module(Report):
    """A report with pages."""

    @cached_property
    def routes(self) -> ModuleRoutes:
        """The paths of the pages."""
        return ModuleRoutes(module_slug(self.label, self.title), self.analysis.dump)

    @cached_property
    def small_spaces(self) -> Mapping[int, Space]:
        """The memory spaces that get a line instead of tables, by color."""
        main, refused = main_space(self.analysis.spaces), self.device_fit.refused
        return {
            color: space
            for color, space in self.analysis.spaces.items()
            if main
            and space is not main
            and is_small(
                space.name,
                space.needed_bytes,
                main.needed_bytes,
                is_short=bool(refused and refused.is_of(color, space.name))
                or (color in self.fits and self.fits[color].is_over),
            )
        }

    @property
    def large_spaces(self) -> Sequence[Space]:
        """All other memory spaces, the main one first."""
        main = main_space(self.analysis.spaces)
        large = (space for color, space in self.analysis.spaces.items() if color not in self.small_spaces)
        return sorted(large, key=lambda space: (space is not main, space.color))

    @cached_property
    def groupings(self) -> Mapping[int, Mapping[str, Sequence[Group]]]:
        """The peak of each memory space, by its color, in each grouping."""
        return {color: groupings(self.analysis, space) for color, space in self.analysis.spaces.items()}

    @cached_property
    def temporary_parts(self) -> Mapping[int, TemporaryParts | None]:
        """The largest parts of the temporaries of each memory space, by its color."""
        return {color: temporary_parts(self.analysis, space) for color, space in self.analysis.spaces.items()}

    @cached_property
    def line_looks(self) -> Mapping[str, str]:
        """The colors of the largest source lines at the peak of the main memory space: `source-1` and so on."""
        main = main_space(self.analysis.spaces)
        found = self.temporary_parts[main.color] if main else None
        if found is None or found.kind != "line":
            return {}
        return {part.label: f"source-{number}" for number, part in enumerate(found.parts, 1)}

    def color(self, number: int) -> str:
        """Return the color of a value: that of arguments, of outputs, of its line if it has one, or `other`."""
        dump = self.analysis.dump
        held = memory_class(dump.allocations[dump.values.allocations[number]])
        if held == "temporary":
            return self.line_looks.get(self.attribution(number).source, "other")
        return f"class-{held}" if held in ("parameter", "output") else "other"

    @cached_property
    def figures(self) -> ModuleFigures:
        """The figures of the module, as `report.json` has them."""
        return module_figures(self)

    @property
    def main_space(self) -> Space | None:
        """The memory space that the module is shown by; None for a module without any."""
        return main_space(self.analysis.spaces)

    @cached_property
    def annotated_files(self) -> Sequence[tuple[SourceFile, Sequence[AnnotatedLine]]]:
        """The source files that have a page, if a peak is known; of the program's own ones, those that have bytes.

        Their lines have their bytes of the peak of the main memory space.
        """
        space = self.main_space
        if space is None or space.peak_resident is None:
            return ()
        found = []
        for file in self.sources.files():
            lines = annotated(file.lines, file.names, self.figures, self.figures.spaces[space.color])
            if not self.sources.is_own:
                found.append((file, lines))
            elif published := own_functions(lines, file.names):
                found.append((replace(file, published=published), lines))
        return found

    @cached_property
    def source_pages(self) -> Mapping[str, int]:
        """The position of the file of each line with a place on a page, `FILE:LINE` as the dump names it."""
        return {
            f"{name}:{line}": number
            for number, (file, _) in enumerate(self.annotated_files)
            for name in file.names
            for line in (range(1, len(file.lines) + 1) if file.published is None else file.published)
        }

    def whole_line(self, file: str, number: str) -> str:
        """Return a line as `FILE:LINE` of the dump, which may be named without folders; empty where that is unclear."""
        files = self._files_by_name.get(file.rpartition("/")[2], ())
        if file in files:
            return f"{file}:{number}"
        return f"{files[0]}:{number}" if len(files) == 1 and "/" not in file else ""

    @cached_property
    def _files_by_name(self) -> Mapping[str, Sequence[str]]:
        """The source files of the dump by their names without folders."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for file in self.source_files:
            found[file.rpartition("/")[2]].append(file)
        return found

    @cached_property
    def reads(self) -> Sequence[Sequence[int]]:
        """The moments that read each value, in order."""
        dump = self.analysis.dump
        moments = (map(dump.moment_of_user.get, dump.users(number)) for number in range(len(dump.values)))
        return [sorted({moment for moment in of_value if moment is not None}) for of_value in moments]

    @cached_property
    def scheduled_moments(self) -> Sequence[int]:
        """The moments that the schedule lists, in order: the rows of its pages."""
        return sorted(self.analysis.dump.name_at)
