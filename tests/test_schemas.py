"""Every document for programs is as its published schema says, and the schemas say what the code does."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reportgen.compare import compare_document, history
from reportgen.document import Misstated, read
from reportgen.reports import explain_document, report_document
from reportgen.reports.report_document import ReportDocument
from tests.compare.texts import IN_PLACE, written
from tests.support.builds import add_modules, budgets
from tests.support.commands import Run
from tests.support.documents import GENERATED, PAGES, text_of
from tests.support.samples import ROOT, SAMPLES
from tests.support.schemas import problems, records, schema, validator

pytestmark = pytest.mark.usefixtures("empty_folder")

SHARED = ROOT.parent / "shared" / "dumps"
SHARED_FOLDERS = ("small", "pairs", "seeds")
NUMBERS = {
    "report": report_document.SCHEMA,
    "explain": explain_document.SCHEMA,
    "compare": compare_document.SCHEMA,
    "history": history.SCHEMA,
}


@pytest.fixture
def sides(two_builds: None) -> None:
    """Work in a directory with two builds, each with a module that the other lacks."""
    add_modules()


def compared(run: Run, *arguments: object) -> dict[str, Any]:
    run("compare", *arguments, "--json", "compare.json")
    document: dict[str, Any] = json.loads(Path("compare.json").read_bytes())
    assert problems(validator("compare"), document) == []
    return document


@pytest.mark.parametrize("name", NUMBERS)
def test_a_schema_is_valid_and_describes_each_field_and_has_the_number_of_the_code(name: str) -> None:
    document = schema(name)
    Draft202012Validator.check_schema(document)
    assert document["$id"] == f"urn:xla-reportgen:{name}:{NUMBERS[name]}"
    whole = document["$defs"]["report_document"] if name == "report" else document
    assert whole["properties"]["schema"]["const"] == NUMBERS[name]
    for record in records(document):
        assert all(field["description"].endswith(".") for field in record["properties"].values())


@pytest.mark.parametrize("name", NUMBERS)
def test_a_published_schema_allows_fields_that_are_added_later(name: str) -> None:
    assert not any("additionalProperties" in record for record in records(schema(name)))


def test_the_advice_has_a_number_of_its_own() -> None:
    assert schema("report")["$defs"]["advice_figures"]["properties"]["schema"]["const"] == report_document.ADVICE_SCHEMA


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_schema_is_as_the_records_say(path: Path) -> None:
    text = text_of(GENERATED[path]()) + "\n"
    assert path.read_text(encoding="utf-8") == text, "run `python -m tests.support.documents`"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_tables_and_examples_of_a_page_are_what_the_program_has(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert page == PAGES[path](page), "run `python -m tests.support.documents`"


def mutated(
    node: Any, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Callable[[Any], None]]]:
    """Yield a change to each field of a document: it is removed, renamed, or gets a value of another type."""
    values: tuple[object, ...] = (None, True, "x y", -1, 0.5, [], {}, [None])
    parts: Any = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, part in parts:
        yield from mutated(part, (*path, key))
        for value in values:
            yield (*path, key), partial(put, key=key, value=value)
        if isinstance(node, dict):
            yield (*path, key), partial(remove, key=key)
            yield (*path, key), partial(rename, key=key)


def put(node: Any, key: str | int, value: object) -> None:
    node[key] = value


def remove(node: dict[str, Any], key: str) -> None:
    del node[key]


def rename(node: dict[str, Any], key: str) -> None:
    node[f"{key}_"] = node.pop(key)


@pytest.mark.parametrize("dumps", [SAMPLES / "cpu-tiny", ROOT / "tests" / "oom" / "texts"], ids=lambda path: path.name)
def test_the_reader_and_the_schema_judge_a_changed_document_alike(run: Run, dumps: Path) -> None:
    whole = json.loads(run("check", "--json", "--jobs", "1", dumps).out)
    # One module and some errors, because each change is judged by reading the whole document twice.
    text = json.dumps(whole | {"modules": whole["modules"][:1], "errors": whole["errors"][:5]})
    published = Draft202012Validator(schema("report"))
    changes = list(mutated(json.loads(text)))
    judgements: Counter[bool] = Counter()
    for path, change in Random(1).sample(changes, min(len(changes), 400)):
        document = json.loads(text)
        node = document
        for key in path[:-1]:
            node = node[key]
        change(node)
        judgements[published.is_valid(document)] += 1
        assert can_be_read(document) == published.is_valid(document), path
    assert min(judgements.values()) > 20


def can_be_read(document: Any) -> bool:
    try:
        read(ReportDocument, document)
    except Misstated:
        return False
    return True


@pytest.mark.usefixtures("sides")
def test_a_field_too_many_or_too_few_does_not_pass(run: Run) -> None:
    document = compared(run, "before", "after")
    (term,) = [term for term in document["modules"][0]["spaces"]["0"]["terms"] if term["change_bytes"] > 0][:1]
    term["extra"] = term.pop("count")
    assert len(problems(validator("compare"), document)) == 2


@pytest.mark.parametrize(
    ("dumps", "flags"), [("samples", ()), ("samples", ("--capacity", "1MiB")), ("tests", ("--capacity", "1MiB"))]
)
def test_a_report_is_as_its_schema_says(run: Run, dumps: str, flags: Sequence[str]) -> None:
    document = json.loads(run("check", "--json", "--jobs", "1", *flags, ROOT / dumps).out)
    assert document["modules"]
    assert problems(validator("report"), document) == []


@pytest.mark.slow
@pytest.mark.parametrize("folder", SHARED_FOLDERS)
def test_a_report_of_a_shared_dump_is_as_its_schema_says(run: Run, folder: str) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip(f"The folder {folder} of shared dumps is not beside the checkout.")
    document = json.loads(run("check", "--json", "--jobs", "1", SHARED / folder).out)
    assert problems(validator("report"), document) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("HloLiveRange (max 3):", "HloLiveRange"),
        ("BufferLiveRange:", ""),
        ("size 4194304", "size 4194303"),
        ("2-3", "3-2"),
        ("Used values:", "Unused values:"),
    ],
)
def test_a_report_of_an_unsound_dump_is_as_its_schema_says(run: Run, tmp_path: Path, old: str, new: str) -> None:
    dumps = written(tmp_path / "dumps", IN_PLACE.replace(old, new))
    document = json.loads(run("check", "--json", dumps).out)
    assert document["modules"][0]["findings"]
    assert problems(validator("report"), document) == []


def statuses(document: dict[str, Any], key: str) -> set[str]:
    return {one["status"] for one in document[key]}


@pytest.mark.usefixtures("sides")
@pytest.mark.parametrize(
    ("arguments", "is_so"),
    [
        ("before after", lambda one: statuses(one, "modules") == {"changed", "new", "missing"}),
        ("before before", lambda one: one["explains"]),
        ("PAIRS/gpu/mid/base PAIRS/gpu/mid/remat", lambda one: one["modules"]),
        ("PAIRS/tpu/kvcarry/base PAIRS/tpu/kvcarry/donate", lambda one: one["modules"]),
        (f"{SAMPLES} {SAMPLES}", lambda one: statuses(one, "modules") == {"same"}),
        ("report.json after", lambda one: not one["explains"]),
        ("after report.json", lambda one: not one["explains"]),
        ("nowhere.json after --max-growth 1%", lambda one: one["verdict"] == "cannot judge"),
        ("unsound after", lambda one: one["modules"]),
        ("before no-ranges", lambda one: one["modules"]),
        ("no-ranges no-ranges", lambda one: one["modules"]),
        (
            "before after --budgets b.toml",
            lambda one: statuses(one, "verdicts") >= {"pass", "over", "grown", "missing", "unmatched"},
        ),
    ],
)
def test_a_comparison_is_as_its_schema_says(run: Run, arguments: str, is_so: Callable[[Any], object]) -> None:
    written(Path("unsound"), IN_PLACE.replace("size 4194304", "size 4194303"))
    written(Path("no-ranges"), IN_PLACE.partition("HloLiveRange")[0])
    any_growth = "missing-modules = 'fail'\n[[budget]]\nmax = '5 MiB'\nmax-growth = '1%'\n"
    budgets(any_growth + "[[budget]]\nmodule = 'no'\nmax = '1 B'\n")
    assert is_so(compared(run, *arguments.replace("PAIRS", str(ROOT / "tests" / "advice" / "pairs")).split()))


@pytest.mark.usefixtures("sides")
def test_each_line_of_a_history_and_the_report_of_one_is_as_its_schema_says(run: Run) -> None:
    builds = ("before", "before", "after", SAMPLES)
    for number, dumps in enumerate(builds, start=1):
        about = ["--commit", str(number) * 40, "--time", f"2026-01-0{number}T00:00:00Z", "--history", "h.jsonl"]
        assert run("history", "add", dumps, *about, "--link", "https://example.org").code == 0
    lines = Path("h.jsonl").read_bytes().splitlines()
    stated = [json.loads(line) for line in lines]
    assert [error for line in stated for error in problems(validator("history"), line)] == []
    assert "gone" in stated[2]
    found = json.loads(run("history", "find", "4" * 40, "--history", "h.jsonl").out)
    assert problems(validator("report"), found) == []


@pytest.mark.parametrize("page", ["docs/report-json.md", "docs/compare.md", "docs/history.md"])
def test_pages_about_the_documents_lead_to_the_page_about_the_schemas(page: str) -> None:
    assert re.search(r"\((docs/)?schemas\.md", (ROOT / page).read_text(encoding="utf-8"))
