"""One analysed dump as its pages see it: their paths, and the order of the rows in tables."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from reportgen.analyse.spaces import main_space
from reportgen.record import record
from reportgen.render.routes import ModuleRoutes, module_slug
from reportgen.reports.report import Report
from reportgen.reports.sources import SourceFile


@record(slots=False)
class Module(Report):
    """A report with pages."""

    @cached_property
    def routes(self) -> ModuleRoutes:
        """The paths of the pages."""
        return ModuleRoutes(module_slug(self.label, self.title), self.analysis.dump)

    @cached_property
    def source_files_shown(self) -> Sequence[SourceFile]:
        """The source files that have a page: those below the directory of sources, if a peak is known."""
        space = main_space(self.analysis.spaces)
        return self.sources.files() if space and space.peak_resident else ()

    @cached_property
    def source_places(self) -> Mapping[str, tuple[int, int]]:
        """The position of a file among those with a page, and how many lines it has, by its name in the dump."""
        shown = enumerate(self.source_files_shown)
        return {name: (number, len(file.lines)) for number, file in shown for name in file.names}

    @cached_property
    def scheduled_moments(self) -> Sequence[int]:
        """The moments that the schedule lists, in order: the rows of its pages."""
        return sorted(self.analysis.dump.name_at)
