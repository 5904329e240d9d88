"""The README is short and its commands are those that work; links between pages of the documentation lead somewhere."""

import re
from pathlib import Path

import pytest

from tests.support.samples import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
_LINK = re.compile(r"\]\(([^)\s:#]*)(?:#([^)\s]+))?\)")
_HEADING = re.compile(r"^#+ (.+?)(?: \{#([a-z0-9-]+)\})?$", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the ids of a page's headings, as GitHub makes them or as the page states them."""
    headings = _HEADING.findall(_CODE.sub("", page.read_text(encoding="utf-8")))
    return {stated or re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title, stated in headings}


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_the_set_up_is_two_commands() -> None:
    commands = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert commands[:2] == [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/reportgen build samples -o site\n",
        "python3 tests/run.py\n",
    ]


def test_the_readme_leads_to_every_page_of_the_documentation() -> None:
    linked = {path for path, _ in _LINK.findall(README)}
    assert [page.name for page in PAGES if page.parent.name == "docs" and f"docs/{page.name}" not in linked] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for path, anchor in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), f"{path}#{anchor}"
