"""An explanation has the figures and names of `check --json`, and fits a terminal."""

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from reportgen.advice.advice_records import SuggestionFigures
from reportgen.check import check
from reportgen.document import encoded, read
from reportgen.input.discover import discover
from reportgen.reports.advice_words import needed_words, saving_words
from reportgen.reports.explain_document import ExplainedModule, explained
from reportgen.reports.explain_markdown import explanation_markdown
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_text import MOST_LINES, NARROWEST, explanation_lines
from reportgen.reports.formats import human_bytes, visible
from reportgen.reports.markdown_text import escaped
from reportgen.reports.report_document import ModuleFigures, SpaceFigures
from reportgen.reports.source_words import line_words
from reportgen.reports.styled_text import plain
from reportgen.terminal import Terminal
from reportgen.work import BuildResult
from tests.support.commands import Run
from tests.support.schemas import problems, validator
from tests.support.site import ROOT, SAMPLES, SEEDS

OOM = ROOT / "tests" / "oom"
DUMPS = {
    "samples": SAMPLES,
    "refused": OOM / "refused",
    "programs": ROOT / "tests" / "advice" / "pairs",
    "seeds": SEEDS,
}
CAPACITIES: Mapping[str, tuple[str, ...]] = {"programs": ("600MiB", "host=1B")}
FIRST_LINES = 15
IN_WORDS = ("verdict", "first_suggestion", "unknown", "spaces")


@cache
def checked(name: str) -> BuildResult:
    """Return the result of a check of some dumps, with a capacity that some of them exceed."""
    if not DUMPS[name].is_dir():
        pytest.skip("The dumps are not beside the checkout.")
    return check(discover([DUMPS[name]]), 1, lambda *_: None, capacities=CAPACITIES.get(name, ()), with_report=True)


def modules(name: str) -> Iterator[tuple[ExplainedModule, Mapping[str, Any]]]:
    """Yield the explanation of each module with its part of report.json."""
    return ((explained(entry), json.loads(entry.report_line)) for entry in checked(name).summaries)


def text_of(*explanations: ExplainedModule, width: int = 100) -> str:
    return plain(explanation_lines(sections(explanations, ()), width))


def best(one: ExplainedModule) -> Sequence[SuggestionFigures]:
    return one.figures.advice.best_suggestions if one.figures.advice else ()


def shown(one: ExplainedModule) -> SpaceFigures:
    space = one.figures.main_space
    assert space is not None
    return space


@pytest.mark.parametrize("name", DUMPS)
def test_the_figures_are_the_part_of_report_json(name: str) -> None:
    for one, module in modules(name):
        assert json.loads(encoded(read(ModuleFigures, module))) == module == json.loads(encoded(one.figures))
        assert one.sentences.space in {space["name"] for space in module["spaces"].values()}


@pytest.mark.parametrize("name", DUMPS)
def test_a_module_fits_if_no_memory_space_is_over_and_the_compiler_took_it(name: str) -> None:
    for one, module in modules(name):
        over = [
            space for space in module["spaces"].values() if space["capacity"] and space["capacity"]["excess_bytes"] > 0
        ]
        if over or module["refused"]:
            assert one.sentences.fits is False
            assert re.match("Does not fit|The compiler refused", one.sentences.verdict)
        else:
            assert one.sentences.fits is (None if shown(one).capacity_bytes is None else True)
            assert one.sentences.verdict.startswith("Needs " if one.sentences.fits is None else "Fits")


@pytest.mark.parametrize("width", [1, 40, 80, 132])
@pytest.mark.parametrize("name", DUMPS)
def test_a_terminal_gets_at_most_sixty_lines_that_are_not_wider(name: str, width: int) -> None:
    for one, _ in modules(name):
        lines = text_of(one, width=width).splitlines()
        assert len(lines) <= MOST_LINES
        assert max(map(len, lines)) <= max(width, NARROWEST)
    everything = [one for one, _ in modules(name)]
    lines = text_of(*everything, width=width).splitlines()
    assert len(lines) <= MOST_LINES


@pytest.mark.parametrize("name", DUMPS)
def test_the_line_to_change_is_within_the_first_fifteen(name: str) -> None:
    known = [one for one, _ in modules(name) if shown(one).peak_resident_lines]
    for one in known:
        first = "\n".join(text_of(one).splitlines()[:FIRST_LINES])
        assert line_words(shown(one).peak_resident_lines[0].source) in first
    assert known or name == "programs"


@pytest.mark.parametrize("name", DUMPS)
def test_text_and_markdown_say_every_figure_and_step(name: str) -> None:
    for one, _ in modules(name):
        sizes = [group.size_bytes for group in one.largest] + [phase.peak_bytes for phase in one.figures.phases[:8][1:]]
        words = [human_bytes(size) for size in sizes]
        words += [part for step in best(one)[:5] if step.is_computed for part in saying(step)]
        text = " ".join(text_of(one, width=200).split())
        document = explanation_markdown(sections([one], ()))
        assert [word for word in words if word not in text] == []
        assert [word for word in words if word not in document and escaped(word) not in document] == []
        ends = [end_of_name(group.name or "") for group in one.largest if group.buffers]
        assert [end for end in ends if end not in text] == []


def end_of_name(name: str) -> str:
    """Return what is shown of a name however narrow its column is."""
    return visible(re.sub(r"\[\w+=.*", "", " ".join(name.split())).rpartition("/")[2])[-11:]


def saying(step: Any) -> list[str]:
    return [saving_words(step), needed_words(step)]


@pytest.mark.parametrize("path", sorted([*(OOM / "texts").glob("*.txt"), *OOM.glob("refused/*/error.txt")]))
def test_an_error_in_a_text_has_the_figures_and_names_of_the_report(path: Path, run: Run) -> None:
    stated = json.loads(run("check", "--json", path).out)["errors"]
    assert json.loads(run("explain", "--json", path).out) == {"schema": 3, "modules": [], "errors": stated}
    text = run("explain", path).out
    lines = text.splitlines()
    assert stated
    assert len(lines) <= MOST_LINES
    for error in stated:
        assert f"{error['path']}:{error['lines'][0]}" in text
        for buffer in [buffer for buffer in error["buffers"] if buffer["size"]][:5]:
            assert end_of_name(buffer["op_name"] or buffer["instruction"] or buffer["opcode"] or "") in text
            assert not buffer["source"] or buffer["source"].rpartition("/")[2] in text
        assert all(cause[:40] in " ".join(text.split()) for cause in error["causes"])


def test_the_command_prints_what_a_check_prints(run: Run) -> None:
    reported = json.loads(run("check", "--json", "--jobs", "1", SAMPLES).out)
    document = json.loads(run("explain", "--json", "--jobs", "1", SAMPLES).out)
    assert problems(validator("explain"), document) == []
    paths = {module["path"]: module for module in reported["modules"]}
    figures = [module["figures"] for module in document["modules"]]
    assert {module["path"]: module for module in figures} == paths
    needs = [
        next(space["needed_bytes"] for space in module["figures"]["spaces"].values() if space["name"] == said)
        for module in document["modules"]
        if (said := module["sentences"]["space"])
    ]
    assert needs == sorted(needs, reverse=True)


def test_a_module_is_chosen_by_its_name_and_another_name_is_an_error(run: Run) -> None:
    ran = run("explain", "--module", "jit_tiny_matmul_gelu", SAMPLES)
    assert ran.out.startswith("jit_tiny_matmul_gelu: cpu, memory\n")
    assert "other module" not in ran.out
    ran = run("explain", "--module", "jit_nothing", SAMPLES)
    assert ran.code == 2
    assert "--module jit_nothing: no such module; there are jit_control_flow, jit_mlp_train_step," in ran.err


def test_of_several_modules_the_one_that_needs_most_is_explained_and_the_others_are_counted(run: Run) -> None:
    text = run("explain", "--jobs", "1", SAMPLES).out
    assert text.startswith("jit_train_step: tpu, ")
    assert "9 other modules" in text


def test_the_example_in_the_documentation_is_what_the_command_prints(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "100")
    page = (ROOT / "docs" / "explain.md").read_text(encoding="utf-8")
    found = re.search(r"^\$ reportgen (.+)\n((?:.*\n)*?)```", page, re.MULTILINE)
    assert found
    assert run(*found[1].split()).out == found[2], "run `python -m tests.support.documents`"


def test_no_dump_and_no_error_is_an_error(run: Run, tmp_path: Path) -> None:
    ran = run("explain", tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert "no dump found" in ran.err


@pytest.mark.parametrize("flag", ["--redact", "--redact-names"])
@pytest.mark.parametrize("form", [["--json"], ["--markdown"], []], ids=str)
def test_what_is_redacted_names_no_file_of_the_program(run: Run, flag: str, form: list[str]) -> None:
    names = {line.source for one, _ in modules("refused") for line in shown(one).peak_resident_lines}
    files = {source.rpartition("/")[2].partition(":")[0] for source in names}
    ran = run("explain", flag, *form, "--jobs", "1", OOM / "refused")
    assert files
    assert ran.code == 0
    assert [file for file in files if file in ran.out] == []


class FakeTerminal(io.TextIOWrapper):
    """A stdout that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variables", "colored"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)], ids=str
)
def test_only_a_terminal_gets_color(
    monkeypatch: pytest.MonkeyPatch, variables: Mapping[str, str], colored: bool
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    one, _ = next(modules("refused"))
    shown = io.BytesIO()
    monkeypatch.setattr("sys.stdout", FakeTerminal(shown, encoding="utf-8", write_through=True))
    terminal = Terminal()
    for line in explanation_lines(sections([one], ()), 80):
        terminal.styled(line)
    assert (b"\x1b[1;31m" in shown.getvalue()) is colored


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", "█"), ("ascii", "#")])
def test_bars_are_drawn_with_what_the_encoding_has(monkeypatch: pytest.MonkeyPatch, encoding: str, sign: str) -> None:
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    one, _ = next(modules("samples"))
    assert sign in plain(explanation_lines(sections([one], ()), 80, draws=Terminal().draws))


@pytest.mark.parametrize(("stated", "width"), [("60", 60), ("0", 100), ("", 100), ("wide", 100)])
def test_the_width_is_what_the_environment_says(monkeypatch: pytest.MonkeyPatch, stated: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", stated)
    assert Terminal().width == width
