"""Bytes that two values hold at once are marked wherever the two are shown, and their lines are quoted."""

import pytest

from tests.support.modules import views_of
from tests.support.site import own_views
from tests.support.sound import SOUND, damaged

IN_CONFLICT = damaged(("offset=256", "offset=128"))
OLD_ALIASES = damaged(
    ("allocation 0: size", "allocation 0: 0x15c664b0, size"), ("offset=256", "offset=0"), ("b{}:2-6", "b{}:1-6")
)


def marked(text: str) -> list[str]:
    return sorted(path for path, page in views_of(text).items() if 'class="conflict"' in page)


def views_with(words: str) -> list[str]:
    """Return the ids of the views that have some words."""
    return sorted(name for name, view in own_views(views_of(IN_CONFLICT)["explore.html"]).items() if words in view)


def test_the_map_of_the_allocation_marks_the_overlap_and_both_values_state_it() -> None:
    assert views_with("<title>a{} and b{}: bytes 128 to 256, 2 to 6</title>") == ["a3"]
    assert views_with("bytes 128 to 256, instructions 2 to 6") == ["v1", "v2"]


@pytest.mark.parametrize("text", [SOUND, OLD_ALIASES])
def test_allowed_sharing_is_not_marked(text: str) -> None:
    assert marked(text) == []
    assert '"conflicting":[]' in views_of(text)["data/values.js"]


def test_the_map_of_the_module_knows_both_values() -> None:
    assert '"conflicting":[3,4]' in views_of(IN_CONFLICT)["data/values.js"]


def test_the_finding_quotes_the_bytes_and_the_live_ranges_of_both() -> None:
    page = views_of(IN_CONFLICT)["findings.html"]
    quotes = page[page.index('id="lines"') :]
    for line in ("value: &lt;1 a @0&gt;", "value: &lt;2 b @0&gt;", "a{}:1-6", "b{}:2-6"):
        assert line in quotes
