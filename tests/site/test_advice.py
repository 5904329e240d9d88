"""What a site says of advice: the curve of each suggestion has its peak, and every value has its sentence."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.build import build
from reportgen.options import BuildOptions
from reportgen.render.value.story import HELD, OFF_PEAK
from reportgen.reports.source_words import short_words
from tests.support.site import SitePage, build_site, own_views, read_page, shard

PAIRS = Path(__file__).parents[1] / "advice" / "pairs"


@pytest.fixture(scope="session")
def pairs_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a site of programs with every kind of suggestion."""
    return build_site(PAIRS / "gpu", tmp_path_factory.mktemp("pairs") / "site")


def modules(site: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((site / "report.json").read_text(encoding="utf-8"))["modules"]
    return found


def folders(site: Path) -> list[Path]:
    """Return the folders of the modules that have advice."""
    return sorted(path.parents[1] for path in site.glob("m/*/data/advice.js"))


def suggestions_of(folder: Path) -> SitePage:
    return read_page((folder / "suggestions.html").read_text(encoding="utf-8"))


def resident(folder: Path, change: dict[str, Any]) -> list[int]:
    """Return the bytes of the main memory at each moment, with a change."""
    timeline = shard(folder / "data" / "timeline.js")
    space = timeline["spaces"]["0"]
    length = max(*space["temp"]["moments"], *change["moments"], len(timeline["names"]) - 1) + 1
    totals = [space["static"]] * length
    for steps in (space["temp"], change):
        ends = [*steps["moments"][1:], length]
        for first, end, amount in zip(steps["moments"], ends, steps["amounts"], strict=True):
            totals[first:end] = [total + amount for total in totals[first:end]]
    return totals


@pytest.mark.parametrize("name", ["samples_site", "pairs_site"])
def test_the_curve_of_each_suggestion_has_the_peak_of_the_suggestion(name: str, request: pytest.FixtureRequest) -> None:
    site = request.getfixturevalue(name)
    compared = 0
    for folder in folders(site):
        for change in shard(folder / "data" / "advice.js").values():
            curve = resident(folder, change)
            assert (max(curve), curve.index(max(curve))) == (change["peak"], change["moment"])
            compared += 1
    assert compared >= 20


def test_the_moves_in_the_chart_are_those_of_the_report(pairs_site: Path) -> None:
    """Numbers and words: each peak in the data of the chart is one that `report.json` has, but for combinations."""
    reported = [module["spaces"]["0"]["advice"] for module in modules(pairs_site)]
    peaks = {suggestion["peak_bytes"] for advice in reported for suggestion in advice["suggestions"]}
    peaks |= {step["peak_bytes"] for advice in reported for step in advice["combined"]}
    found = [change for folder in folders(pairs_site) for change in shard(folder / "data" / "advice.js").items()]
    assert {change["peak"] for key, change in found if "." not in key} <= peaks
    assert all(f"at instruction {change['moment']} (" in change["words"] for _, change in found)
    assert all(change["least"] <= change["needs"] for _, change in found)


def test_what_is_ticked_needs_no_more_than_any_of_it(pairs_site: Path) -> None:
    several = 0
    for folder in folders(pairs_site):
        changes = shard(folder / "data" / "advice.js")
        for key, change in changes.items():
            for part in key.split(".") if "." in key else ():
                assert change["least"] <= changes[part]["least"]
                several += 1
    assert several > 10


def test_every_suggestion_leads_to_its_curve_in_the_chart(pairs_site: Path) -> None:
    for folder in folders(pairs_site):
        keys = {key for key in shard(folder / "data" / "advice.js") if "." not in key}
        links = [link["href"] for link in suggestions_of(folder).all("a") if "show" in link.get("class", "")]
        shown = {link.partition("index.html#suggestion=")[2] for link in links} - {""}
        # What follows another suggestion is ticked with it.
        assert shown <= keys
        assert all(key.startswith("then-") for key in keys - shown)


def test_the_tables_of_advice_can_be_taken_along(pairs_site: Path) -> None:
    names = {
        table["data-csv"]
        for folder in folders(pairs_site)
        for table in suggestions_of(folder).all("table")
        if "data-csv" in table
    }
    assert names == {"suggestions", "groups", "arguments", "results"}


def test_a_program_that_does_not_fit_begins_with_what_makes_it_fit(tmp_path: Path) -> None:
    options = BuildOptions(
        paths=(PAIRS / "gpu" / "mid" / "base",), output=tmp_path / "site", capacities=("600MiB",), title="x"
    )
    build(options, lambda done, total, label: None)
    (folder,) = folders(tmp_path / "site")
    text = (folder / "index.html").read_text(encoding="utf-8")
    (heading,) = re.findall(r'<h2 id="first-steps">([^<]*)', text)
    assert text.count("Does not fit, by ") == 1
    assert heading == "Make it fit"
    assert "Does not fit, by " in suggestions_of(folder).text


def test_each_value_of_the_main_memory_that_matters_has_a_sentence(samples_site: Path) -> None:
    """Of a temporary: what is needed without its buffer; of an argument: whether it can be donated."""
    sentence = re.compile(
        f"{re.escape(OFF_PEAK)}|{re.escape(HELD)}"
        "|Without (?:it|its buffer of [0-9]+ values), live from [0-9]+ to [0-9]+,"
        " this schedule would need"
        "|An argument: |It cannot be donated: |It is donated, |An output that reuses no input"
    )
    counted = 0
    for folder in folders(samples_site):
        values = shard(folder / "data" / "values.js")
        colors = values["allocations"]["color"]
        views = own_views((folder / "explore.html").read_text(encoding="utf-8"))
        for name, allocation in zip(values["id"], values["allocation"], strict=True):
            if view := views.get(f"v{name}"):
                assert bool(sentence.search(view)) == (colors[allocation] == 0)
                counted += 1
    assert counted > 500


def test_the_overview_says_what_each_module_should_do_first(pairs_site: Path) -> None:
    """It is the best suggestion, with what it saves; without a capacity nothing is said to fit then."""
    text = (pairs_site / "index.html").read_text(encoding="utf-8")
    cells = [read_page(cell).text for cell in re.findall(r'<td class="do">.*?</td>', text, re.DOTALL)]
    first = []
    for module in modules(pairs_site):
        advice = module["spaces"]["0"]["advice"]
        best = [advice["suggestions"][place] for place in advice["best"]]
        first += [step for step in best if step["kind"] != "type"][:1]
    assert len(first) == len([cell for cell in cells if cell])
    for step in first:
        assert any(cell.lower().startswith(short_words(step["what"]).lower()[:60]) for cell in cells)
    assert all("saves" in cell or "involves" in cell for cell in cells if cell)
