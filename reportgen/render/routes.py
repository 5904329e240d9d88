"""Where every page is, and how one links to another: the only module that knows paths.

File names are ids or slugs with a digest, never raw names: two names may differ only by case, or hold
anything at all. Every href is relative, so the site works from `file://` and under any path.
"""

import hashlib
import re
from collections.abc import Iterable

from reportgen.analyse.records import Analysis

OVERVIEW = "index.html"
GLOSSARY = "help/glossary.html"
FINDINGS_HELP = "help/findings.html"
NOT_FOUND = "404.html"
RECOMPILED = "recompiled.html"
REPORT = "report.json"
ROWS_PER_PAGE = 1_000
VALUES_FOLDER = "v/"
ALLOCATIONS_FOLDER = "a/"
_LATER_PAGE = re.compile(r"\.page-[0-9]+(?=\.html$)")
_SLUG_LENGTH = 60
_DIGEST_LENGTH = 8


def root_from(path: str) -> str:
    """What leads from a page back to the site's root: `../` for each folder."""
    return "../" * path.count("/")


def overview(page: int = 1) -> str:
    """A page of the table of modules; the first is the overview itself."""
    return OVERVIEW if page == 1 else f"modules.page-{page}.html"


def module_slug(label: str, name: str) -> str:
    """A folder name for a module: readable, and unique by a digest of the dump's path."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    digest = hashlib.sha256(label.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{readable}-{digest}" if readable else digest


def _unique(ids: Iterable[int]) -> tuple[str, ...]:
    """Each id as a file name; only a damaged dump repeats one, and then it gets a suffix."""
    seen: dict[int, int] = {}
    names = []
    for number in ids:
        seen[number] = seen.get(number, 0) + 1
        names.append(str(number) if seen[number] == 1 else f"{number}-again-{seen[number] - 1}")
    return tuple(names)


class ModuleRoutes:
    """Paths of one module's pages, from the site's root."""

    def __init__(self, slug: str, analysis: Analysis) -> None:
        self.slug = slug
        self.folder = f"m/{slug}/"
        self.value_names = _unique(fact.value.id for fact in analysis.facts)
        self.allocation_names = _unique(allocation.index for allocation in analysis.dump.allocations)

    @property
    def index(self) -> str:
        return self.folder + "index.html"

    def value(self, number: int) -> str:
        return f"{self.folder}{VALUES_FOLDER}{self.value_names[number]}.html"

    def allocation(self, number: int, page: int = 1) -> str:
        suffix = "" if page == 1 else f".page-{page}"
        return f"{self.folder}{ALLOCATIONS_FOLDER}{self.allocation_names[number]}{suffix}.html"

    def listing(self, kind: str, page: int = 1) -> str:
        """A page of a long table: `kind` is `values`, `allocations`, or `peak-` and a color."""
        return f"{self.folder}{kind}.html" if page == 1 else f"{self.folder}{kind}.page-{page}.html"


def first_page(path: str) -> str:
    """The page that a table begins on which goes on at `path`."""
    return _LATER_PAGE.sub("", path)


def pages_of(rows: int, per_page: int = ROWS_PER_PAGE) -> int:
    """How many pages a table of `rows` rows takes; an empty table has one."""
    return max(1, -(-rows // per_page))


def rows_of(page: int, per_page: int = ROWS_PER_PAGE) -> slice:
    """Which rows are on a page, counted from 1."""
    return slice((page - 1) * per_page, page * per_page)
