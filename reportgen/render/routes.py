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
REPORT = "report.json"
COMPARISON = "compare.json"
TREND = "trend.html"
HISTORY = "history.jsonl"
SIDES = ("before/", "after/")
DATA_FOLDER = "data/"
MODULES_FOLDER = "m/"
ROWS_ON_PAGE = 150
"""The rows of a table, and the values and allocations, that their page has; a script makes those after them."""

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


def value_id(name: str) -> str:
    """Return the id of a value's view on the page of all values."""
    return f"v{name}"


def allocation_id(name: str) -> str:
    """Return the id of an allocation's view on that page."""
    return f"a{name}"


def instruction_id(moment: int | str) -> str:
    """Return the id of an instruction's row there, by its moment."""
    return f"i{moment}"


def place(own_id: str) -> str:
    """Return where a value, an allocation or an instruction is, from its module's folder."""
    return f"{view('explore')}#{own_id}"


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
    "value": place(value_id("{name}")),
    "allocation": place(allocation_id("{name}")),
    "filtered": explore("values") + "&{name}={value}",
    "line": f"{view('source-{page}')}#{source_line('{number}')}",
    "map": f"{view('index')}#{{part}}",
}
INSTRUCTION_HREFS = {"row": place(instruction_id("{moment}"))}

# The same for a report in a single file: places in it.
VALUE_HREFS_IN_FILE = {
    "value": "#v{name}",
    "allocation": "#a{name}",
    "filtered": "#{name}={value}",
    "line": "",
    "map": "#{part}",
}
INSTRUCTION_HREFS_IN_FILE = {"row": f"#{instruction_id('{moment}')}"}


def module_folder(path: str) -> str:
    """Return `m/jit-step-0a1b2c3d/` for a path inside that folder, and an empty text for pages of no module."""
    match = _MODULE_FOLDER.match(path)
    return match[0] if match else ""


def alternatives(path: str) -> Iterator[tuple[str, str]]:
    """Yield the pages to show where `path` does not exist, nearest first, each with a word for what is missing."""
    if folder := module_folder(path):
        yield folder + view("index"), "page"
    yield OVERVIEW, "module" if folder else "page"


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
        return self.folder + place(value_id(self.value_names[number]))

    def allocation(self, number: int) -> str:
        """Return where an allocation is: the path of its page, and its id there."""
        return self.folder + place(allocation_id(self.allocation_names[number]))


def _unique(ids: Iterable[int]) -> tuple[str, ...]:
    """Return each id as a file name; only a damaged dump repeats one, which then gets a suffix."""
    seen: dict[int, int] = {}
    names = []
    for number in ids:
        seen[number] = seen.get(number, 0) + 1
        names.append(str(number) if seen[number] == 1 else f"{number}-again-{seen[number] - 1}")
    return tuple(names)
