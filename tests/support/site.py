"""A site as its readers have it, files that link to each other; nothing here knows how they are made."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urlsplit

from reportgen.build import build
from reportgen.options import BuildOptions

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
SEEDS = ROOT.parent / "shared" / "dumps" / "seeds"

_REFERENCES = frozenset({"href", "src", "srcset", "action", "formaction", "poster", "xlink:href"})
_UNSEEN = frozenset({"script", "style", "title"})

Attributes = Mapping[str, str]
Tree = Mapping[str, bytes]


def build_site(dumps: Path, output: Path, title: str = "Memory", capacities: tuple[str, ...] = ()) -> Path:
    """Build the site of `dumps` in `output`, and return that."""
    options = BuildOptions(paths=(dumps,), output=output, title=title, capacities=capacities)
    report = build(options, lambda done, total, label: None)
    assert not report.problems, report.problems
    return output


def tree(directory: Path) -> Tree:
    """Return every file, by its path with forward slashes."""
    files = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}


def own_views(page: str) -> dict[str, str]:
    """Return the HTML of each view of a value or an allocation on the page of all values, by its id."""
    found = re.finditer(r'<section class="own" id="([^"]*)".*?</section>', page, re.DOTALL)
    return {view[1]: view[0] for view in found}


def shard(path: Path) -> Any:
    """Return the data that a data file of a site hands to the scripts; large data are packed."""
    data = json.loads(path.read_text(encoding="utf-8").partition(",")[2].removesuffix(");\n"))
    return unpacked(data) if isinstance(data, str) else data


def unpacked(text: str | bytes) -> Any:
    """Return data from compressed JSON in base 64."""
    return json.loads(gzip.decompress(b64decode(text)))


@dataclass
class SitePage:
    """What is in a page, in its order; `text` is what a reader sees, and `made` are the ids of what scripts make."""

    elements: list[tuple[str, Attributes]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    inline_scripts: list[str] = field(default_factory=list)
    made: frozenset[str] = frozenset()

    def all(self, tag: str) -> list[Attributes]:
        return [attributes for name, attributes in self.elements if name == tag]

    @cached_property
    def ids(self) -> list[str]:
        return [attributes["id"] for _, attributes in self.elements if "id" in attributes]

    @cached_property
    def places(self) -> frozenset[str]:
        """All that a link can lead to."""
        return self.made.union(self.ids)

    @property
    def references(self) -> list[str]:
        return [url for _, attributes in self.elements for name, url in attributes.items() if name in _REFERENCES]

    @property
    def text(self) -> str:
        return "".join(self.texts)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = SitePage()
        self._inside: tuple[str, Attributes] = ("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = (tag, {name: value or "" for name, value in attrs})
        self.page.elements.append(self._inside)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ("", {})

    def handle_data(self, data: str) -> None:
        tag, attributes = self._inside
        if tag == "script" and attributes.get("type") != "application/json":
            self.page.inline_scripts.append(data)
        if tag not in _UNSEEN:
            self.page.texts.append(data)


def read_page(html: str) -> SitePage:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.page


def read_pages(site: Path) -> dict[str, SitePage]:
    """Return every page of a site, by its path from the root."""
    paths = sorted(site.rglob("*.html"))
    pages = {path.relative_to(site).as_posix(): read_page(path.read_text(encoding="utf-8")) for path in paths}
    for path in site.glob("**/m/*/explore.html"):
        pages[path.relative_to(site).as_posix()].made = views_by_scripts(path.parent / "data")
    return pages


def views_by_scripts(data: Path) -> frozenset[str]:
    """Return the ids of the views that scripts can make from the data of a module."""
    values, names = shard(data / "values.js"), shard(data / "timeline.js")["names"]
    of_values = {f"v{name}" for name in values["id"]}
    of_allocations = {f"a{name}" for name in values["allocations"]["id"]}
    return frozenset(of_values | of_allocations | {f"i{moment}" for moment, name in enumerate(names) if name})


def relative(site: Path, pages: Iterable[Path]) -> list[str]:
    """Return paths of pages from the root of their site."""
    return sorted(page.relative_to(site).as_posix() for page in pages)


def target(page: str, url: str) -> str:
    """Return the path from the site's root that a reference on `page` leads to."""
    path = unquote(urlsplit(url).path)
    return normpath(join(dirname(page), path)) if path else page


def link_problems(pages: Mapping[str, SitePage], files: frozenset[str]) -> list[str]:
    """Return every place that a page should not or cannot lead to, with the first reference to it."""
    problems: dict[tuple[str, str], str] = {}
    for path, page in pages.items():
        for url in dict.fromkeys(page.references):
            if problem := _problem(pages, files, path, url):
                problems.setdefault((target(path, url), urlsplit(url).fragment), f"{path}: {url}: {problem}")
    return list(problems.values())


def _problem(pages: Mapping[str, SitePage], files: frozenset[str], page: str, url: str) -> str | None:
    parts = urlsplit(url)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return "leaves the site"
    path = target(page, url)
    if path not in files:
        return "leads to no file"
    if "=" in parts.fragment:  # choices for scripts, such as a filter, as in fragment.js
        return None
    name = unquote(parts.fragment)
    if name and (path not in pages or name not in pages[path].places):
        return "leads to no id"
    return None


def reachable(pages: Mapping[str, SitePage], start: str = "index.html") -> set[str]:
    """Return the pages that a reader finds from `start` by following links alone."""
    found, waiting = {start}, [start]
    while waiting:
        path = waiting.pop()
        links = {target(path, link["href"]) for link in pages[path].all("a") if "href" in link}
        new = (links & pages.keys()) - found
        found |= new
        waiting += new
    return found
