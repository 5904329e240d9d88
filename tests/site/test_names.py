"""Whatever a dump knows, each buffer has a name: no page calls one by a dash, or arguments by a blank."""

from pathlib import Path

from reportgen.analyse.peak_groups import spoken_name


def test_no_page_lacks_a_name(site: Path) -> None:
    for page in (site / "m").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert 'title="no name in the dump"' not in text, page
        assert ">no name<" not in text, page
        assert "argument #" not in text, page
        assert '<th scope="row"><code></code>' not in text, page


def test_arguments_with_numbers_are_spoken() -> None:
    assert spoken_name(["argument 3", "argument 3"]) == "argument 3"
    assert spoken_name(["argument 10", "argument 3"]) == "arguments 3 and 10"
    assert spoken_name([f"argument {number}" for number in range(3, 15)]) == "arguments 3 to 14"
    assert spoken_name([f"argument {number}" for number in (1, 2, 7, 9)]) == "4 arguments from 1 to 9"
    assert spoken_name(["argument 0{1}", "argument 0{2}"]) == "arguments 0{1} and 0{2}"
    assert spoken_name(["fusion.1", "fusion.2"]) == "fusion.#"
    assert spoken_name(["layer_0/w1", "layer_3/w1"]) == "layer_#/w1"
