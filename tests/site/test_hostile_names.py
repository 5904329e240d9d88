"""Whatever things are called: names are text on the pages, and nothing else."""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element

import html5lib
import pytest

from reportgen.cli import main
from reportgen.reports.formats import visible
from tests.support import hostile
from tests.support.site import SitePage, link_problems, own_views, read_page, read_pages, tree

pytestmark = pytest.mark.slow

_FILE = re.compile(r"(?:[a-z0-9][a-z0-9-]*/)*[A-Za-z0-9.][A-Za-z0-9.-]*")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)")
_UNSEEN = re.compile("[\0-\b\v-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

Forms = set[tuple[str, tuple[str, ...]]]


@pytest.fixture(scope="module")
def large(hostile_site: Path) -> Path:
    """Return the module in which every name is that of an instruction."""
    return max(hostile_site.glob("m/jit-all-*"), key=lambda folder: (folder / "explore.html").stat().st_size)


@pytest.fixture(scope="module")
def views(large: Path) -> dict[str, str]:
    """Return the view of each value and allocation of that module, by its id."""
    return own_views((large / "explore.html").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def pages(hostile_site: Path, large: Path) -> dict[str, SitePage]:
    """Return the pages of the site itself, those of the large module, and the index of each small one."""
    paths = [*hostile_site.glob("*.html"), *hostile_site.glob("m/*/index.html"), *large.rglob("*.html")]
    texts = {path.relative_to(hostile_site).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    return {path: read_page(text) for path, text in texts.items()}


def test_every_page_is_valid_html_without_an_element_or_attribute_that_others_lack(
    hostile_site: Path, large: Path, samples_site: Path
) -> None:
    of_samples = ("*.html", "m/jit-odd-*/**/*.html", "m/*/findings.html")
    known = forms(path for pattern in of_samples for path in samples_site.glob(pattern))
    pages = [*hostile_site.glob("*.html"), *large.rglob("*.html"), *sorted(hostile_site.glob("m/*/index.html"))[:9]]
    of_code_in_notes, of_large_groups = ("pre", ()), ("span", ("data-values",))
    of_few_modules = ("table", ("aria-label", "class", "data-limit", "id", "style"))
    of_findings = ("article", ("class",))
    assert forms(pages) - known == {of_code_in_notes, of_large_groups, of_few_modules, of_findings}


def forms(paths: Iterable[Path]) -> Forms:
    """Return each tag with its attributes; the page itself must have no error."""
    found: Forms = set()
    for path in paths:
        parser = html5lib.HTMLParser(namespaceHTMLElements=False)
        root: Element = parser.parse(path.read_bytes())
        assert [(str(path), *error[:2]) for error in parser.errors] == []
        found |= {(str(element.tag), tuple(sorted(element.attrib))) for element in root.iter()}
    return found


def test_no_link_leads_out_of_the_site_or_to_nothing(hostile_site: Path) -> None:
    pages = read_pages(hostile_site)
    problems = link_problems(pages, frozenset(tree(hostile_site)))
    written_in_the_note = ("https://example.org", ": &#1;javascript:")
    assert [problem for problem in problems if not any(map(problem.__contains__, written_in_the_note))] == []
    links = [link["href"] for page in pages.values() for link in page.all("a") if "href" in link]
    assert [link for link in links if re.match(r"(?i)\s*(javascript|data|vbscript):", link)] == []


def test_names_of_files_are_plain_and_differ_not_by_case_alone(hostile_site: Path) -> None:
    paths = list(tree(hostile_site))
    assert [path for path in paths if not _FILE.fullmatch(path) and not path.startswith(".")] == []
    assert [path for path in paths if any(map(_RESERVED.match, path.split("/")))] == []
    assert len({path.lower() for path in paths}) == len(paths)
    assert max(map(len, paths)) < 120


def test_scripts_hold_data_and_nothing_that_ends_them(hostile_site: Path) -> None:
    for path, content in tree(hostile_site).items():
        if "/data/" in path or path.startswith("data/"):
            call = re.fullmatch(r'Report\.put\("[\w-]+",(.*)\);\n', content.decode(), re.DOTALL)
            assert call
            assert not _UNSEEN.search(json.dumps(json.loads(call[1]), ensure_ascii=False))


def test_no_page_runs_a_script_of_its_own(pages: dict[str, SitePage]) -> None:
    assert [path for path, page in pages.items() if page.inline_scripts] == []
    attributes = {name for page in pages.values() for _, has in page.elements for name in has}
    assert {name for name in attributes if name.startswith("on")} == set()


def test_what_cannot_be_seen_is_shown_by_a_sign(hostile_site: Path) -> None:
    pages = {path: content for path, content in tree(hostile_site).items() if path.endswith(".html")}
    assert [path for path, content in pages.items() if _UNSEEN.search(content.decode())] == []
    assert visible("a\x1b[2J\x7f\x9b\u202ea\tb\n") == "a␛[2J␡[U+009B][U+202E]a\tb\n"


@pytest.mark.parametrize("text", hostile.TEXTS, ids=lambda text: ascii(text[:12]))
def test_every_text_can_be_read_as_it_is(text: str, views: dict[str, str]) -> None:
    number = hostile.TEXTS.index(text)
    page = read_page(views[f"v{number}"])
    if text.strip():
        assert " ".join(visible(text).split()) in " ".join(page.text.split())
    assert visible(hostile.instruction_names()[number]) in page.text


def test_a_long_name_is_cut_but_where_it_is_asked_for(large: Path, views: dict[str, str]) -> None:
    longest = max(hostile.instruction_names(), key=len)
    whole = [path.name for path in large.rglob("*.html") if longest in path.read_text(encoding="utf-8")]
    with_it = [name for name, view in views.items() if longest in view]
    assert with_it == [f"v{hostile.instruction_names().index(longest)}"]
    assert len(whole) <= 5
    of_tables = (large / "explore.html").stat().st_size - sum(len(view.encode()) for view in views.values())
    assert of_tables < 200_000


def test_headings_of_notes_take_no_id_of_a_page(pages: dict[str, SitePage]) -> None:
    assert [path for path, page in pages.items() if len(page.ids) != len(set(page.ids))] == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs files of such names")
def test_no_control_reaches_the_terminal_and_json_is_json(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    hostile.write(tmp_path)
    assert main(["check", str(tmp_path), "--jobs", "1"]) == 0
    said = capfdbinary.readouterr()
    unseen = re.compile("[\0-\t\v-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
    assert not unseen.search(said.out.decode() + said.err.decode())
    assert main(["check", str(tmp_path), "--jobs", "1", "--json"]) == 0
    said = capfdbinary.readouterr()
    assert not unseen.search(said.out.decode())
    assert len(json.loads(said.out)["modules"]) > 60
    assert "\x1b[31m" in "".join(module["path"] for module in json.loads(said.out)["modules"])
