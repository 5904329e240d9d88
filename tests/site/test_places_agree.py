"""Pages, single files, commands and documents give one answer to each question about a dump."""

import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from reportgen.advice.advice_records import CombinedFigures, SuggestionFigures
from reportgen.commands.check import print_modules
from reportgen.dump_pages import largest_lines, module_of
from reportgen.input.discover import discover
from reportgen.pipeline import DumpReading
from reportgen.render.module.module_pages import PageMaker, page_makers
from reportgen.render.routes import value_id
from reportgen.render.single_file import single_file
from reportgen.render.site.overview import overview_pages
from reportgen.render.view import Module
from reportgen.reports.advice_words import cost_words, needed_words, result_words, saving_words
from reportgen.reports.explain_document import ExplainedModule, explain_json, explained
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_text import explanation_lines
from reportgen.reports.formats import (
    capital,
    exact_bytes,
    human_bytes,
    logged_bytes,
    more_lines,
    percent,
    shortened,
    visible,
)
from reportgen.reports.report_document import SpaceFigures
from reportgen.reports.source_words import line_words, short_words
from reportgen.reports.summary import Summary
from reportgen.reports.summary_of_report import summary
from reportgen.work import Front, Settings
from tests.support.commands import Run
from tests.support.markup_tree import Element, tree_of
from tests.support.samples import ROOT, SAMPLE_FOLDERS, SAMPLES
from tests.support.site import SEEDS, own_views

PROGRAMS = ROOT / "tests" / "advice" / "programs"
REFUSED = ROOT / "tests" / "oom" / "refused"
WIDE = 400
MOST_CARDS = 4
LOOKED_AT = 5
SEED_NAMES = ("000_a3085531593bac68", "001_04aa0d3336074bf8", "002_b0117d631587537a")
SMALL_SEEDS = ("003_58de9a4b501a9eb8", "004_79ae6c566c7e6550")
CASES: Mapping[str, tuple[Path, tuple[str, ...]]] = {
    **{name: (SAMPLES / name, ()) for name in SAMPLE_FOLDERS},
    **{path.name: (path, ()) for path in sorted(REFUSED.iterdir()) if path.is_dir()},
    **{path.name: (path, ()) for path in sorted(PROGRAMS.iterdir()) if path.is_dir()},
    **{name: (SEEDS / f"{name}.txt", ()) for name in (*SEED_NAMES, *SMALL_SEEDS)},
    "a sample that does not fit": (SAMPLES / "tpu-train-step", ("17MiB",)),
    "a sample that slack keeps from fitting": (SAMPLES / "tpu-odd-shapes", ("650KiB",)),
    "a sample that fits": (SAMPLES / "gpu-train-step", ("1GiB",)),
    "a program that does not fit": (PROGRAMS / "vjp_ce", ("2GiB",)),
    "a refused program that would fit": (REFUSED / "out-oom_vmem", ("95GiB",)),
}


@dataclass(frozen=True)
class Places:
    """One dump, analysed once, in every place that shows it."""

    module: Module

    @cached_property
    def entry(self) -> Summary:
        return replace(summary(self.module), largest_lines=largest_lines(self.module))

    @cached_property
    def report(self) -> dict[str, Any]:
        """The module in `report.json`, which `check --json` prints."""
        found: dict[str, Any] = json.loads(self.entry.report_line)
        return found

    @cached_property
    def explained(self) -> ExplainedModule:
        return explained(self.entry)

    @property
    def shown(self) -> SpaceFigures:
        space = self.explained.figures.main_space
        assert space is not None
        return space

    @property
    def best(self) -> Sequence[SuggestionFigures]:
        advice = self.explained.figures.advice
        return advice.best_suggestions if advice else ()

    @property
    def every(self) -> Sequence[SuggestionFigures]:
        advice = self.explained.figures.advice
        return advice.suggestions if advice else ()

    @property
    def combined(self) -> Sequence[CombinedFigures]:
        advice = self.explained.figures.advice
        return advice.combined if advice else ()

    @cached_property
    def document(self) -> dict[str, Any]:
        """What `explain --json` prints of the module."""
        found: dict[str, Any] = json.loads(explain_json([self.entry], ()))["modules"][0]
        return found

    @cached_property
    def told(self) -> str:
        """What `explain` prints, as one line."""
        lines = explanation_lines(sections([self.explained], ()), WIDE)
        return " ".join(" ".join("".join(span.text for span in line) for line in lines).split())

    @cached_property
    def checked(self) -> str:
        """What `check` prints."""
        with redirect_stdout(io.StringIO()) as out:
            print_modules([self.entry])
        return out.getvalue()

    @cached_property
    def pages(self) -> Sequence[Element]:
        """The module's own page, and its report in a single file."""
        own = self.makers[self.module.routes.index]().content
        return [tree_of(page.decode()) for page in (own, single_file(self.module, "Memory"))]

    @cached_property
    def makers(self) -> Mapping[str, PageMaker]:
        return page_makers(self.module, "Memory")

    @cached_property
    def overview(self) -> Element:
        pages = {page.path: page.content for page in overview_pages("Memory", [self.entry], Front())}
        return tree_of(pages["index.html"].decode())

    @property
    def space(self) -> dict[str, Any]:
        """The main memory in `report.json`."""
        found: dict[str, Any] = self.report["spaces"][self.entry.space_name.partition(" ")[0]]
        return found

    @property
    def advice(self) -> dict[str, Any]:
        found: dict[str, Any] | None = self.report["spaces"].get("0", {}).get("advice")
        return found or {}

    @cached_property
    def views(self) -> Mapping[str, str]:
        return own_views(self.makers[self.module.routes.listing("explore")]().content.decode())

    def value_view(self, number: int) -> str:
        """Return what the view of a value says; empty for a small one, which scripts make."""
        return tree_of(self.views.get(value_id(self.module.routes.value_names[number]), "")).text


@pytest.fixture(scope="module", params=CASES)
def places(request: pytest.FixtureRequest) -> Places:
    path, capacities = CASES[request.param]
    if not path.exists():
        pytest.skip(f"{'/'.join(path.parts[-3:])} is not beside this checkout")
    files, *_ = discover([path]).dumps
    settings = Settings(site_title="Memory", output=Path(), fingerprint="", capacities=capacities)
    return Places(module_of(DumpReading(files, settings)))


def test_what_is_needed_and_whether_it_fits(places: Places) -> None:
    one, space = places.explained, places.space
    needed = places.shown.needed_bytes
    assert needed == space["needed_bytes"] == main_of(places.document)["needed_bytes"]
    assert human_bytes(needed) in places.checked
    assert human_bytes(needed) in places.told or logged_bytes(needed) in places.told
    for page in places.pages:
        headline = page.first("p", class_="headline")
        assert exact(headline.first("strong", class_="figure")) == [needed]
        assert verdict_of(headline) is one.sentences.fits
    row = places.overview.first("table", id="modules-table").first("tbody")
    assert exact(row)[0] == needed
    verdicts = (one.sentences.fits is True, one.sentences.fits is False)
    assert ("left" in row.text, "Does not fit" in row.text) == verdicts
    counts = places.overview.first("p", class_="fits").text
    assert ("1 fits" in counts, "1 does not fit" in counts) == verdicts
    is_refused = places.report["refused"] is not None
    assert ("Does not fit:" in places.told or "refused" in places.told) == (one.sentences.fits is False)
    assert ("refused" in places.told) == ("refused" in places.checked) == is_refused
    assert places.document["sentences"]["fits"] == one.sentences.fits
    known = places.report["spaces"].values()
    over = any(one["capacity"] and one["capacity"]["excess_bytes"] > 0 for one in known)
    assert (over or is_refused) == (one.sentences.fits is False)


def largest_line_of_temporaries(space: Mapping[str, Any]) -> Sequence[str]:
    """Return the line that fills most of the groups that are listed; nothing where those name none."""
    sizes: Counter[str] = Counter()
    for group in space["peak_resident_groups"]:
        if group["class"] == "temporary" and group["source"]:
            sizes[group["source"]] += group["size_bytes"]
    return [line for line, _ in sizes.most_common(1)]


def test_the_peak_and_the_lines_that_fill_it(places: Places) -> None:
    one, space = places.explained, places.space
    assert places.shown.peak_bytes == space["peak_resident_bytes"] == main_of(places.document)["peak_resident_bytes"]
    for page in places.pages:
        answer = page.first("p", class_="answer")
        if one.sentences.filled not in answer.text:
            bar = page.first("ul", class_="segments").text
            assert re.search(r"\.py:\d", bar)
            assert all(line_words(line) in bar for line in largest_line_of_temporaries(space))
        if places.shown.peak_bytes is None:
            assert "the peak is unknown" in answer.text
            continue
        assert exact(answer)[0] == places.shown.peak_bytes
        where = (
            f"instruction {places.shown.peak_resident_moment:,}" if space["peak_temp_bytes"] else "every instruction"
        )
        assert f"at {where}" in answer.text
    if places.shown.peak_bytes is None:
        return
    assert exact_bytes(places.shown.peak_bytes) in places.checked
    assert (
        f"Peak: {human_bytes(places.shown.peak_bytes)} at instruction {places.shown.peak_resident_moment:,}"
        in places.told
    )
    assert one.sentences.filled in places.told
    if largest := places.entry.largest_lines[:2]:
        cell = places.overview.first("td", class_="line")
        assert all(line.place in cell.text for line in largest)
        assert exact(cell) == [line.size_bytes for line in largest]
        assert all(largest[0].place in page.first("ul", class_="segments").text for page in places.pages)
    lines = [(line_words(line["source"]), line["size_bytes"]) for line in space["peak_resident_lines"]]
    for page in places.pages:
        table = grouped(page, "source line")
        named = [row for row in table if [*row.first("th").all("code")]]
        assert [(line_words(row.first("th").text), exact(row)[0]) for row in named] == lines[: len(named)]
        assert bool(named) == bool(lines)
    assert all(words in one.sentences.filled for words, size in lines[:3] if size * 1000 >= places.shown.peak_bytes)


def test_what_dominates_and_who_fills_it(places: Places) -> None:
    groups = places.space["peak_resident_groups"]
    assert [(one.size_bytes, one.name, one.source) for one in places.explained.largest] == [
        (group["size_bytes"], group["name"], group["source"]) for group in groups[:LOOKED_AT]
    ]
    named = [group for group in groups if group["name"]]
    for page in places.pages if named else ():
        rows = grouped(page, "operation")
        assert [exact(row)[0] for row in rows[: len(groups)]] == [group["size_bytes"] for group in groups[: len(rows)]]
        assert len(rows) >= min(LOOKED_AT, len(groups))
        for row, group in zip(rows, groups, strict=False):
            told, line = row.first("th").text, group["source"] or group["read_first"]
            assert not group["name"] or last_part(group["name"]) in told
            assert not line or f"{line_words(line)}{more_lines(group['lines'])}" in told
    for group in places.explained.largest:
        assert not group.source or f"{line_words(group.source)}{more_lines(group.lines)}" in places.told


def test_no_row_of_the_table_has_more_of_a_line_than_the_sentence_above_it(places: Places) -> None:
    """A row of several lines says that there are more, so its bytes are not all of the line that it names."""
    one, groups = places.explained, places.space["peak_resident_groups"]
    filled = {line["source"]: line["size_bytes"] for line in places.space["peak_resident_lines"]}
    in_rows: Counter[str] = Counter()
    for group in groups:
        if group["source"] and group["lines"] == 1:
            in_rows[group["source"]] += group["size_bytes"]
    assert all(size <= filled[line] for line, size in in_rows.items())
    assert "(0.0 %)" not in one.sentences.filled
    named = [line for line in filled if f"{line_words(line)} (" in one.sentences.filled]
    most = max((filled[line] for line in named), default=0)
    least_named = 0.001 * (places.shown.peak_bytes or 0)
    assert all(size <= max(most, least_named) for size in in_rows.values())
    assert places.document["sentences"]["filled"] == places.entry.filled == one.sentences.filled
    assert not filled or one.sentences.filled in " ".join(
        explanation_markdown(sections([one], ())).replace("\\", "").split()
    )


def test_a_value_has_one_size_and_one_author(places: Places) -> None:
    keys = {str(place): number for number, place in enumerate(places.module.analysis.dump.values.keys)}
    for share in [one for one in places.space["peak_resident_largest"] if one["value"]][:LOOKED_AT]:
        number = keys.get(share["value"], keys.get(f"{share['value']}{{}}"))
        assert number is not None
        told, size = places.value_view(number), share["size_bytes"]
        assert f"{percent(size, places.space['peak_resident_bytes'])} of the peak" in told
        assert human_bytes(size) in told
        for name in ("argument", "scope", "source"):
            assert not share[name] or visible(" ".join(share[name].split())).lower() in told.lower()
        assert not share["source"] or line_words(share["source"]) in told
        assert not share["read_first"] or f"read first at {line_words(share['read_first'])}" in told


def test_without_a_buffer_the_peak_is_that_without_its_family(places: Places) -> None:
    keys = {str(place): number for number, place in enumerate(places.module.analysis.dump.values.keys)}
    alone = [group for group in places.advice.get("groups", ()) if group["value_count"] == 1]
    for group in alone[:2]:
        told = places.value_view(keys[group["values"][0]])
        saving = places.advice["breakdown"]["peak_bytes"] - group["peak_without_bytes"]
        if "this schedule would" in told:
            assert (f"up to about {human_bytes(saving)} less" if saving else "no less") in told


def test_the_steps_and_what_is_needed_then_in_documents_and_the_terminal(places: Places) -> None:
    one, advice = places.explained, places.advice
    suggestions = [advice["suggestions"][number] for number in advice.get("best", ())]
    assert [step.what for step in places.best] == [suggestion["what"] for suggestion in suggestions]
    for step, suggestion in zip(places.best, suggestions, strict=True):
        slack = advice["breakdown"]["needed_bytes"] - advice["breakdown"]["peak_bytes"]
        assert step.needed_bytes == suggestion["needed_bytes"] == suggestion["peak_bytes"] + slack
        assert step.needed_bytes == places.shown.needed_bytes - (step.saving_bytes or 0)
    for step in places.best[:LOOKED_AT]:
        assert saving_words(step) in places.told
        assert left_words(places, step) in places.told
        assert cost_words(step, places.module.analysis.work) in places.told
    assert one.sentences.first_suggestion in places.checked
    known = [step.what for step in places.best] + [step.what for step in places.combined]
    assert ("First suggestion:" in places.told) == one.sentences.first_suggestion.startswith(tuple(known))


def test_the_steps_and_what_is_needed_then_on_pages(places: Places) -> None:
    for page in places.pages:
        cards = list(page.first("ol", class_="step-list").all("li")) if places.best else []
        assert min(MOST_CARDS, len(places.best)) <= len(cards) <= MOST_CARDS
        steps = (*places.every, *places.combined, *places.best)
        known = {shortened(step.what).lower(): step for step in steps}
        assert len({card.first("strong").attributes["title"] for card in cards}) == len(cards)
        for card in cards:
            named = card.first("strong")
            step: Any = known[(named.attributes["title"] or "").lower().removeprefix("then ")]
            assert all(
                word in short_words(step.what).lower() for word in named.text.lower().removeprefix("then ").split()[1:]
            )
            assert step.after or saving_words(step) in card.text
            assert left_words(places, step) in card.text
            assert cost_words(step, places.module.analysis.work).lower() in card.text.lower()


def test_the_steps_on_the_page_of_suggestions(places: Places) -> None:
    page = tree_of(places.makers[places.module.routes.listing("suggestions")]().content.decode())
    lists = page.all("ol", class_="step-list")
    cards = {card.first("strong").attributes["title"]: card.text for steps in lists for card in steps.all("li")}
    for step in places.best:
        card = cards[shortened(capital(step.what))]
        assert saving_words(step) in card
        assert left_words(places, step) in card
    if len(places.combined) > 1:
        assert f"{needed_words(places.combined[-1])} needed" in page.text


def test_the_overview_says_what_to_do_first(places: Places) -> None:
    first, cell = places.entry.to_do_first, places.overview.first("td", class_="do")
    sentence = places.explained.sentences.first_suggestion
    assert bool(first) == bool(cell.text) == (bool(sentence) and "may save nothing" not in sentence)
    if first:
        said = "smaller batch" if first.is_smaller_batch else short_words(first.what).lower()[:60]
        assert said in cell.text.lower()
        assert first.saving in cell.text
        exceeded = places.advice["excess_bytes"]
        assert "then it fits" not in cell.text or exceeded or places.entry.asks_device


def test_commands_print_what_pages_are_made_from(run: Run, tmp_path: Path) -> None:
    """One dump goes through the commands, so that no place is only compared with a function."""
    dumps, site = SAMPLES / "tpu-odd-shapes", tmp_path / "site"
    asked = [str(dumps), "--jobs", "1", "--capacity", "650KiB"]
    assert run("build", *asked, "-o", site).code == 0
    written = json.loads((site / "report.json").read_text(encoding="utf-8"))["modules"]
    [written_module] = json.loads(run("explain", "--json", *asked).out)["modules"]
    assert json.loads(run("check", "--json", *asked).out)["modules"] == written
    files, *_ = discover([dumps]).dumps
    settings = Settings(site_title="Memory", output=Path(), fingerprint="", capacities=("650KiB",))
    places = Places(module_of(DumpReading(files, settings)))
    assert (places.report, places.document) == (written[0], written_module)
    assert places.checked in run("check", *asked).out
    page = next(site.glob("m/*/index.html")).read_text(encoding="utf-8")
    assert [one.text for one in tree_of(page).all("p", class_="answer")] == [
        one.text for one in places.pages[0].all("p", class_="answer")
    ]


def main_of(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the memory space that an explained module is about."""
    named = [
        space for space in document["figures"]["spaces"].values() if space["name"] == document["sentences"]["space"]
    ]
    space: Mapping[str, Any] = named[0]
    return space


def left_words(places: Places, step: Any) -> str:
    """Return what is needed after a step, and whether that fits; empty where it is not computed."""
    is_over = bool(places.advice["excess_bytes"])
    return "" if not step.is_computed else result_words(step, places.advice["capacity_bytes"] if is_over else None)


def exact(element: Element) -> list[int]:
    """Return the exact amounts in an element, in their order."""
    return [int(one.attributes["value"]) for one in element.all("data") if one.text]


def verdict_of(headline: Element) -> bool | None:
    words = [one.attributes["data-fits"] for one in headline.all("span", class_="pill")]
    return {"yes": True, "no": False, "unknown": None}[words[0]] if words else None


def grouped(page: Element, key: str) -> list[Element]:
    """Return the rows of the main memory's peak in one grouping."""
    for table in page.first(aria_labelledby="peak").all("div"):
        if table.attributes.get("data-part") == key:
            return [*table.first("tbody").all("tr")]
    return []


def last_part(name: str) -> str:
    """Return what every place shows of a name, however narrow it is."""
    return re.sub(r"\[\w+=.*", "", " ".join(visible(name).split())).rpartition("/")[2][-10:]
