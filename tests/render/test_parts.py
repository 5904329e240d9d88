"""Each part of the design has one place: a page shows them all, and no template writes one by hand."""

import re

import html5lib
import pytest

from reportgen.render.site.assets import template_root
from tests.render import parts_page

PAGE = parts_page.parts_page()
MARKUP = {
    "card": r'class="card"',
    "number with verdict": r'<p class="headline"[^>]*>\s*<strong class="figure">',
    "verdict: yes": r'data-fits="yes"',
    "verdict: no": r'data-fits="no"',
    "verdict: unknown": r'data-fits="unknown"',
    "stacked bar with its capacity": r'class="stack has-capacity"',
    "segmented control": r'<fieldset class="segmented',
    "suggestion that fits": r'class="result fits"',
    "suggestion that is over capacity": r'<span class="outcome">[^<]* over capacity</span>',
    "strip of life": r'<svg class="life class-temporary"[^>]*role="img"',
    "strip of life that is idle": r'<path class="idle"',
    "chip": r'<span class="chip class-temporary">',
    "bar row": r'<strong class="amount">',
    "capacity in a bar row": r'<span class="tick"[^>]*></span>\s*</span></li>',
}
BY_HAND = re.compile(r'class="(?:chip|pill|headline|bar|life|track|tick|segmented|stacked)[ "]')


@pytest.mark.parametrize("markup", MARKUP.values(), ids=MARKUP)
def test_the_page_shows_each_part_in_each_state(markup: str) -> None:
    assert re.search(markup, PAGE)


def test_the_page_shows_every_macro() -> None:
    texts = ((template_root() / part).read_text(encoding="utf-8") for part in parts_page.PARTS)
    macros = {name for text in texts for name in re.findall(r"{% macro ([a-z]\w*)\(", text)}
    assert macros == set(re.findall(r"\b(?:marks|cards|controls)\.(\w+)\(", parts_page.TEMPLATE))


def test_the_page_is_well_formed() -> None:
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    parser.parse(PAGE)
    assert parser.errors == []


def test_no_template_writes_a_part_by_hand() -> None:
    homes = {template_root() / part for part in parts_page.PARTS}
    found = {
        template.relative_to(template_root()).as_posix()
        for template in template_root().rglob("*.html")
        if template not in homes and BY_HAND.search(template.read_text(encoding="utf-8"))
    }
    assert found == set()
