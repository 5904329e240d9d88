"""Notes are somebody's text: their headings move down, nothing else in them changes, and nothing in them runs."""

from reportgen.render.html.markdown import note_markup


def test_headings_are_one_level_lower_than_the_page_s_own() -> None:
    assert "<h2>One</h2>" in note_markup("# One")
    assert "<h2>Underlined</h2>" in note_markup("Underlined\n==========")
    assert "<h6>Deep</h6>" in note_markup("###### Deep")


def test_what_only_looks_like_a_heading_stays_as_it_is() -> None:
    shown = note_markup("```sh\n#!/bin/sh\n# run it\n```")
    assert "#!/bin/sh\n# run it\n" in shown
    assert "##" not in shown


def test_markup_and_scripts_in_a_note_are_shown_as_text() -> None:
    shown = note_markup("<script>alert(1)</script> [x](javascript:alert(1)) ![i](https://example.org/i.png)")
    assert "<script" not in shown
    assert 'href="javascript' not in shown
    assert "<img" not in shown


def test_an_empty_note_is_nothing() -> None:
    assert note_markup("  \n") == ""


def test_a_drawing_in_a_note_is_shown_as_text() -> None:
    assert "<svg" not in note_markup("```svg\n<svg></svg>\n```")
