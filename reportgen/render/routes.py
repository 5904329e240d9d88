"""Paths of every page, shard and asset: no other module, template or script knows them.

File names are ids or slugs with a digest, never raw names, because two names may differ only by case, or contain
anything at all. Every href is relative, so the site works from `file://` and under any address.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from reportgen.model import Dump

OVERVIEW = "index.html"
GLOSSARY = "help/glossary.html"
FINDINGS_HELP = "help/findings.html"
NOT_FOUND = "404.html"
REPORT = "report.json"
COMPARISON = "compare.json"
TREND = "trend.html"
HISTORY = "history.jsonl"
SIDES = ("before/", "after/")
DATA_FOLDER = "data/"
MODULES_FOLDER = "m/"
VALUES_FOLDER = "v/"
ALLOCATIONS_FOLDER = "a/"
ROWS_ON_PAGE = 150
"""The rows of a table that its page has; a script makes those after them."""
_ON_PAGE = 100
_MANY_IN_ALLOCATION = 8

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


def suggestion_help(kind: str) -> str:
    """Return the path of the section that explains a kind of suggestion."""
    return glossary(f"suggestion-{kind}")


def finding_help(slug: str) -> str:
    """Return the path of the section that explains a kind of finding."""
    return f"{FINDINGS_HELP}#{slug}"


def modules(page: int | str = 1) -> str:
    """Return the path of a page of the table of all modules, which begins on the overview."""
    return OVERVIEW if page == 1 else f"modules.page-{page}.html"


def out_of_memory(number: int) -> str:
    """Return the path of the page of an error in a text."""
    return f"oom/{number}.html"


def shard(name: str) -> str:
    """Return the path of a data shard, from the folder it belongs to: the site's root or a module's folder."""
    return f"{DATA_FOLDER}{name}.js"


def view(kind: str) -> str:
    """Return the file name of a view, in its module's folder.

    `kind` is `index`, `explore`, `findings` and so on.
    """
    return f"{kind}.html"


def source(number: int) -> str:
    """Return the kind of the view of a source file, by its position among those of the module."""
    return f"source-{number + 1}"


def source_line(number: int | str) -> str:
    """Return the id of a line on the page of its file."""
    return f"L{number}"


def value(page: str, name: str) -> str:
    """Return where a value is on the page `page`, from its module's folder."""
    return f"{VALUES_FOLDER}{page}.html#{value_id(name)}"


def value_id(name: str) -> str:
    """Return the id of a value's section on its page, and of its row in a report in a single file."""
    return f"v{name}"


def allocation(page: str, name: str) -> str:
    """Return where an allocation is on the page `page`, from its module's folder."""
    return f"{ALLOCATIONS_FOLDER}{page}.html#{allocation_id(name)}"


def allocation_id(name: str) -> str:
    """Return the id of an allocation's section on its page, and of its map in a report in a single file."""
    return f"a{name}"


def instruction_id(moment: int | str) -> str:
    """Return the id of an instruction's row, by its moment."""
    return f"i{moment}"


def explore(part: str, **asked: object) -> str:
    """Return where a table of the page of all values, allocations and instructions is, with what it is asked for."""
    return f"{view('explore')}#{'&'.join(f'{name}={word}' for name, word in {'view': part, **asked}.items())}"


def space_section(color: int) -> str:
    """Return the id of a memory space's section on the views that have one for each space."""
    return f"space-{color}"


def step_section(color: int, kind: str) -> str:
    """Return the id of the first row of a step in the comparison of a memory space."""
    return f"{space_section(color)}-{kind.replace(' ', '-')}"


# Patterns for scripts, which get them with the data. `{name}`, `{moment}` and `{page}` stand for what differs.
OVERVIEW_HREFS = {"row": modules(), "laterRow": modules("{page}"), "terms": shard("terms")}
VALUE_HREFS = {
    "value": value("{page}", "{name}"),
    "allocation": allocation("{page}", "{name}"),
    "filtered": explore("values") + "&{name}={value}",
    "line": f"{view('source-{page}')}#{source_line('{number}')}",
}
INSTRUCTION_HREFS = {"row": explore("instructions", moment="{moment}")}

# The same for a report in a single file: places in it.
VALUE_HREFS_IN_FILE = {
    "value": "#v{name}",
    "allocation": "#a{name}",
    "filtered": "#{name}={value}",
    "line": "",
}
INSTRUCTION_HREFS_IN_FILE = {"row": "#moment={moment}"}


def module_folder(path: str) -> str:
    """Return `m/jit-step-0a1b2c3d/` for a path inside that folder, and an empty text for pages of no module."""
    match = _MODULE_FOLDER.match(path)
    return match[0] if match else ""


def is_value(path: str) -> bool:
    """Return whether a path inside a module's folder is that of a value's page."""
    return path.startswith(module_folder(path) + VALUES_FOLDER)


def alternatives(path: str) -> Iterator[tuple[str, str]]:
    """Yield the pages to show where `path` does not exist, nearest first, each with a word for what is missing."""
    folder = module_folder(path)
    if not folder:
        yield OVERVIEW, "page"
        return
    if path.startswith(folder + ALLOCATIONS_FOLDER):
        yield folder + view("explore"), "allocation"
    yield folder + view("index"), "value" if is_value(path) else "page"
    yield OVERVIEW, "module"


def pages_of(rows: int, per_page: int) -> int:
    """Return how many pages a table of `rows` rows takes; an empty table has one."""
    return max(1, -(-rows // per_page))


def page_of(row: int, per_page: int) -> int:
    """Return the page, counted from 1, that has a row, counted from 0."""
    return row // per_page + 1


def rows_of(page: int, per_page: int) -> slice:
    """Return the rows of a page; pages are counted from 1."""
    return slice((page - 1) * per_page, page * per_page)


def comparison_page(label: str, name: str) -> str:
    """Return the path of the page that compares two builds of a module."""
    return f"compare/{module_slug(label, name)}/{OVERVIEW}"


def trend_of_function(key: str, name: str) -> str:
    """Return the path of the page of a function in a history."""
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
        """The name of each value; made when a page is, because a check needs none."""
        return _unique(self._dump.values.ids)

    @cached_property
    def allocation_names(self) -> tuple[str, ...]:
        """The name of each allocation."""
        return _unique(allocation.index for allocation in self._dump.allocations)

    @cached_property
    def value_groups(self) -> Sequence[Sequence[int]]:
        """The values on each page, in the order in which their instructions run; those that never run come last."""
        moment_of, made_by, ids = self._dump.moment_of, self._dump.made_by, self._dump.values.ids
        in_order = sorted(made_by, key=lambda name: (moment_of.get(name, math.inf), ids[made_by[name][0]]))
        numbers = [number for name in in_order for number in made_by[name]]
        return [numbers[start : start + _ON_PAGE] for start in range(0, len(numbers), _ON_PAGE)]

    @cached_property
    def allocation_groups(self) -> Sequence[Sequence[int]]:
        """The allocations on each page, by index; those of many values have a map to zoom and a page of their own."""
        occupants, numbers = self._dump.occupants, range(len(self._dump.allocations))
        small = [number for number in numbers if len(occupants[number]) < _MANY_IN_ALLOCATION]
        shared = [small[start : start + _ON_PAGE] for start in range(0, len(small), _ON_PAGE)]
        return sorted([*shared, *([number] for number in numbers if len(occupants[number]) >= _MANY_IN_ALLOCATION)])

    @cached_property
    def value_pages(self) -> Sequence[str]:
        """The name of the page of each value: that of the first value on it."""
        return _pages(self.value_groups, self.value_names)

    @cached_property
    def allocation_pages(self) -> Sequence[str]:
        """The name of the page of each allocation: that of the first allocation on it."""
        return _pages(self.allocation_groups, self.allocation_names)

    @property
    def index(self) -> str:
        return self.listing("index")

    def listing(self, kind: str) -> str:
        """Return the path of a view; `kind` is that of `view`."""
        return self.folder + view(kind)

    def shard(self, name: str) -> str:
        return self.folder + shard(name)

    def value(self, number: int) -> str:
        """Return where a value is: the path of its page, and its id there."""
        return self.folder + value(self.value_pages[number], self.value_names[number])

    def value_page(self, number: int) -> str:
        """Return the path of the page that has a value."""
        return self.value(number).partition("#")[0]

    def allocation(self, number: int) -> str:
        """Return where an allocation is: the path of its page, and its id there."""
        return self.folder + allocation(self.allocation_pages[number], self.allocation_names[number])

    def allocation_page(self, number: int) -> str:
        """Return the path of the page that has an allocation."""
        return self.allocation(number).partition("#")[0]


def _pages(groups: Iterable[Sequence[int]], names: Sequence[str]) -> Sequence[str]:
    """Return the name of the page of each member of the groups, by its number."""
    pages = {number: names[group[0]] for group in groups for number in group}
    return [pages[number] for number in range(len(pages))]


def _unique(ids: Iterable[int]) -> tuple[str, ...]:
    """Return each id as a file name; only a damaged dump repeats one, which then gets a suffix."""
    seen: dict[int, int] = {}
    names = []
    for number in ids:
        seen[number] = seen.get(number, 0) + 1
        names.append(str(number) if seen[number] == 1 else f"{number}-again-{seen[number] - 1}")
    return tuple(names)
