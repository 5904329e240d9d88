"""Names in Markdown are shown as they are, and nothing in them acts on what is around them."""

import pytest

from reportgen.cli import main
from reportgen.reports.markdown_text import code, escaped


@pytest.mark.parametrize("control", ["\u202e", "\u2066", "\u200b", "\u061c", "\x1b"])
def test_invisible_characters_are_named(control: str) -> None:
    for text in (code(f"a{control}b"), escaped(f"a{control}b")):
        assert control not in text
    assert code("a\u202eb") == "`a[U+202E]b`"


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "https://x.org/\u202e", "https://x/a b"])
def test_a_link_that_is_no_url_of_the_web_is_refused(link: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["compare", "before", "after", "--link", link])
    assert "is not a URL" in capsys.readouterr().err
