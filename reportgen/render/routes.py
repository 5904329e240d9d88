"""Paths of every page, shard and asset: no other module, template or script knows them.

File names are ids or slugs with a digest, never raw names, because two names may differ only by case, or contain
anything at all. Every href is relative, so the site works from `file://` and under any address.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from functools import cached_property

from reportgen.model import Dump

OVERVIEW = "index.html"
GLOSSARY = "help/glossary.html"
FINDINGS_HELP = "help/findings.html"
NOT_FOUND = "404.html"
RECOMPILED = "recompiled.html"
REPORT = "report.json"
COMPARISON = "compare.json"
TREND = "trend.html"
HISTORY = "history.jsonl"
SIDES = ("before/", "after/")
DATA_FOLDER = "data/"
MODULES_FOLDER = "m/"
VALUES_FOLDER = "v/"
ALLOCATIONS_FOLDER = "a/"
ROWS_PER_PAGE = 1_000
_LATER_PAGE = re.compile(r"\.page-[0-9]+(?=\.html$)")
_MODULE_FOLDER = re.compile(rf"{MODULES_FOLDER}[^/]+/")
_SLUG_LENGTH = 60
_DIGEST_LENGTH = 8


def root_from(path: str) -> str:
    """Return the href of the site's root from a page: `../` for each folder."""
    return "../" * path.count("/")


def asset(name: str) -> str:
    """Return the path of a style sheet or script."""
    return f"assets/{name}"


def glossary(anchor: str) -> str:
    """Return the path of a term's definition."""
    return f"{GLOSSARY}#{anchor}"


def finding_help(slug: str) -> str:
    """Return the path of the section that explains a kind of finding."""
    return f"{FINDINGS_HELP}#{slug}"


def overview(page: int | str = 1) -> str:
    """Return the path of a page of the table of modules; the first page is the overview itself."""
    return OVERVIEW if page == 1 else f"modules.page-{page}.html"


def out_of_memory(number: int) -> str:
    """Return the path of the page of an error in a text."""
    return f"oom/{number}.html"


def shard(name: str) -> str:
    """Return the path of a data shard, from the folder it belongs to: the site's root or a module's folder."""
    return f"{DATA_FOLDER}{name}.js"


def view(kind: str, page: int | str = 1) -> str:
    """Return the file name of a view, in its module's folder.

    `kind` is `index`, `peak`, `values` and so on, or `peak-` and a color for the values resident at a space's peak.
    """
    return f"{kind}.html" if page == 1 else f"{kind}.page-{page}.html"


def value(name: str) -> str:
    """Return the path of a value's page, from its module's folder."""
    return f"{VALUES_FOLDER}{name}.html"


def value_row(name: str) -> str:
    """Return the id of a value's row in the table of values."""
    return f"v{name}"


def allocation_map(name: str) -> str:
    """Return the anchor that shows an allocation on the map of a report in a single file."""
    return f"a{name}"


def allocation(name: str, page: int = 1) -> str:
    """Return the path of a page of an allocation, from its module's folder."""
    return ALLOCATIONS_FOLDER + view(name, page)


def moment_row(moment: int | str) -> str:
    """Return the id of a moment's row in the schedule."""
    return f"t{moment}"


def space_section(color: int) -> str:
    """Return the id of a memory space's section on the views that have one for each space."""
    return f"space-{color}"


def step_section(color: int, kind: str) -> str:
    """Return the id of the first row of a step in the comparison of a memory space."""
    return f"{space_section(color)}-{kind.replace(' ', '-')}"


# Patterns for scripts, which get them with the data. `{name}`, `{moment}` and `{page}` stand for what differs.
OVERVIEW_HREFS = {"row": overview(), "laterRow": overview("{page}"), "terms": shard("terms")}
VALUE_HREFS = {
    "value": value("{name}"),
    "allocation": allocation("{name}"),
    "filtered": f"{view('values')}#{{name}}={{value}}",
    "row": f"{view('values')}#{value_row('{name}')}",
    "laterRow": f"{view('values', '{page}')}#{value_row('{name}')}",
}
INSTRUCTION_HREFS = {
    "row": f"{view('schedule')}#{moment_row('{moment}')}",
    "laterRow": f"{view('schedule', '{page}')}#{moment_row('{moment}')}",
}

# The same for a report in a single file: places in it.
VALUE_HREFS_IN_FILE = {
    "value": "#v{name}",
    "allocation": "#a{name}",
    "filtered": "#{name}={value}",
    "row": "#v{name}",
    "laterRow": "#v{name}",
}
INSTRUCTION_HREFS_IN_FILE = {"row": "#moment={moment}", "laterRow": "#moment={moment}"}


def module_folder(path: str) -> str:
    """Return `m/jit-step-0a1b2c3d/` for a path inside that folder, and an empty text for pages of no module."""
    found = _MODULE_FOLDER.match(path)
    return found[0] if found else ""


def is_value(path: str) -> bool:
    """Return whether a path inside a module's folder is that of a value's page."""
    return path.startswith(module_folder(path) + VALUES_FOLDER)


def alternatives(path: str) -> Iterator[tuple[str, str]]:
    """Yield the pages to show where `path` does not exist, nearest first, each with a word for what is missing."""
    folder = module_folder(path)
    if first_page(path) != path:
        yield first_page(path), "page of the table"
    if not folder:
        yield OVERVIEW, "page"
        return
    if path.startswith(folder + ALLOCATIONS_FOLDER):
        yield folder + view("allocations"), "allocation"
    yield folder + view("index"), "value" if is_value(path) else "page"
    yield OVERVIEW, "module"


def first_page(path: str) -> str:
    """Return the first page of a table that continues at `path`."""
    return _LATER_PAGE.sub("", path)


def pages_of(rows: int, per_page: int = ROWS_PER_PAGE) -> int:
    """Return how many pages a table of `rows` rows takes; an empty table has one."""
    return max(1, -(-rows // per_page))


def page_of(row: int, per_page: int = ROWS_PER_PAGE) -> int:
    """Return the page, counted from 1, that has a row, counted from 0."""
    return row // per_page + 1


def rows_of(page: int, per_page: int = ROWS_PER_PAGE) -> slice:
    """Return the rows of a page; pages are counted from 1."""
    return slice((page - 1) * per_page, page * per_page)


def comparison_page(label: str, name: str) -> str:
    """Return the path of the page that compares two builds of a module."""
    return f"compare/{module_slug(label, name)}/{OVERVIEW}"


def trend_of_module(key: str, name: str) -> str:
    """Return the path of the page of a module in a history."""
    return f"trend/{module_slug(key, name)}.html"


def module_slug(label: str, name: str) -> str:
    """Return a folder name for a module: readable, and unique by a digest of the dump's path."""
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_SLUG_LENGTH].strip("-")
    digest = hashlib.sha256(label.encode()).hexdigest()[:_DIGEST_LENGTH]
    return f"{readable}-{digest}" if readable else digest


def module_view(label: str, name: str, kind: str = "index") -> str:
    """Return the path of a view of a module, by default its first page."""
    return f"{MODULES_FOLDER}{module_slug(label, name)}/{view(kind)}"


class ModuleRoutes:
    """Paths of one module's pages, from the site's root."""

    def __init__(self, slug: str, dump: Dump) -> None:
        self.slug = slug
        self.folder = f"{MODULES_FOLDER}{slug}/"
        self._dump = dump

    @cached_property
    def value_names(self) -> tuple[str, ...]:
        """The name of each value's page; made when a page is, because a check needs none."""
        return _unique(self._dump.values.ids)

    @cached_property
    def allocation_names(self) -> tuple[str, ...]:
        """The name of each allocation's page."""
        return _unique(allocation.index for allocation in self._dump.allocations)

    @property
    def index(self) -> str:
        return self.listing("index")

    def listing(self, kind: str, page: int = 1) -> str:
        """Return the path of a page of a view; `kind` is that of `view`."""
        return self.folder + view(kind, page)

    def shard(self, name: str) -> str:
        return self.folder + shard(name)

    def value(self, number: int) -> str:
        return self.folder + value(self.value_names[number])

    def allocation(self, number: int, page: int = 1) -> str:
        return self.folder + allocation(self.allocation_names[number], page)


def _unique(ids: Iterable[int]) -> tuple[str, ...]:
    """Return each id as a file name; only a damaged dump repeats one, which then gets a suffix."""
    seen: dict[int, int] = {}
    names = []
    for number in ids:
        seen[number] = seen.get(number, 0) + 1
        names.append(str(number) if seen[number] == 1 else f"{number}-again-{seen[number] - 1}")
    return tuple(names)
