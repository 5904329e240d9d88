"""Templates keep one style, and their README lists the parts."""

import re
from pathlib import Path

import pytest

from reportgen.render.html.marks import percent_of
from reportgen.render.site.assets import template_root
from reportgen.reports.formats import counted

TEMPLATES = sorted(template_root().rglob("*.html"))
LONGEST_LINE = 120
_UNQUOTED = re.compile(r"<[a-z][^<>{}]*\s[a-z-]+=[^\"'\s{]")
_QUOTED = re.compile(r'"[^"]*"')
_HREF = re.compile(r"""(?:href|src)="[^"]*\.(?:html|js|css)""")


def text_of(template: Path) -> str:
    return template.read_text(encoding="utf-8")


def test_the_readme_lists_every_part() -> None:
    listed = re.findall(r"^\| `(\w+/\w+\.html)` \|", text_of(template_root() / "README.md"), re.MULTILINE)
    assert sorted(listed) == [f"parts/{template.name}" for template in TEMPLATES if template.parent.name == "parts"]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_lines_are_short_and_attributes_quoted(template: Path) -> None:
    lines = text_of(template).splitlines()
    assert [line for line in lines if len(line) > LONGEST_LINE] == []
    assert [line for line in lines if _UNQUOTED.search(_QUOTED.sub('""', line))] == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_no_template_knows_a_path(template: Path) -> None:
    assert _HREF.findall(text_of(template)) == []


@pytest.mark.parametrize(("number", "text"), [(0, "0 values"), (1, "1 value"), (2345, "2,345 values")])
def test_things_are_counted_in_singular_and_plural(number: int, text: str) -> None:
    assert counted(number, "value") == text


def test_a_part_of_a_whole_is_written_as_css() -> None:
    assert percent_of(1, 3) == "33.33%"


def test_every_size_of_type_is_one_of_the_five_of_the_theme() -> None:
    stylesheets = [*template_root().rglob("*.css")]
    sizes = [
        (path.name, size) for path in stylesheets for size in re.findall(r"font(?:-size)?: ([^;}]+)", text_of(path))
    ]
    five = "body|figure|heading|label|title"
    assert len(sizes) > len(stylesheets)
    assert [size for size in sizes if not re.match(rf"inherit|0$|var\(--({five})\)", size[1])] == []
