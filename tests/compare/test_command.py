"""`reportgen compare` and the gate of `check`: the documents, texts and pages that they write."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.compare.texts import IN_PLACE, NAME, written
from tests.support.builds import add_modules
from tests.support.commands import Run, outputs_of
from tests.support.site import link_problems, read_pages, tree

pytestmark = pytest.mark.usefixtures("two_builds")

GROWN = "[[budget]]\nmodule = 'jit_f'\nmax = '5 MiB'\nmax-growth = '1%'\n"


def compared(run: Run, *arguments: object) -> dict[str, Any]:
    assert run("compare", *arguments, "--json", "c.json").code == 0
    document: dict[str, Any] = json.loads(Path("c.json").read_text(encoding="utf-8"))
    return document


def test_the_document_has_modules_spaces_terms_and_recognised_values(run: Run) -> None:
    (module,) = compared(run, "before", "after")["modules"]
    assert (module["before"], module["after"], module["status"]) == (NAME, NAME, "changed")
    space = module["spaces"]["0"]
    assert space["terms"] == [{"kind": "held or temporary", "change_bytes": 4194304, "count": 1}]
    assert space["after_bytes"] - space["before_bytes"] == 4194304
    assert module["recognised"] == {"sure": 3, "likely": 0, "in its place": 0}


def test_a_dump_beside_itself_has_no_term_and_recognises_every_value(run: Run) -> None:
    (module,) = compared(run, "before", "before")["modules"]
    assert (module["status"], module["paired_by"]) == ("same", "content")
    assert [space["terms"] for space in module["spaces"].values()] == [[]]
    assert module["recognised"] == {"sure": 3, "likely": 0, "in its place": 0}


def test_new_and_missing_modules_have_a_null_side(run: Run) -> None:
    add_modules()
    modules = compared(run, "before", "after")["modules"]
    sides = {(module["before"], module["after"]) for module in modules}
    assert sides == {(NAME, NAME), (NAME.replace("jit_f", "jit_gone"), None), (None, NAME.replace("jit_f", "jit_new"))}


def test_a_report_gives_figures_and_says_that_it_explains_nothing(run: Run) -> None:
    document = compared(run, "report.json", "after")
    (module,) = document["modules"]
    assert document["explains"] is False
    assert (module["spaces"]["0"]["before_bytes"], module["spaces"]["0"]["after_bytes"]) == (4194308, 8388612)
    assert "differences are not explained" in run("compare", "report.json", "after").out


def test_json_of_a_gated_check_stays_json(run: Run) -> None:
    ran = run("check", "after", "--json", "--baseline", "report.json", "--github")
    assert json.loads(ran.out)["schema"] == 2
    assert "::error title=Memory%3A grown::" in ran.err


def test_the_markdown_explains_and_escapes(run: Run) -> None:
    name = "module_0001.jit_<b>|`x`.cpu_after_optimizations-buffer-assignment.txt"
    for side in (Path("before"), Path("after")):
        (side / NAME).rename(side / name)
    run("compare", "before", "after", "--markdown", "m.md")
    text = Path("m.md").read_text(encoding="utf-8")
    assert "+4.00 MiB (+100.0 %) in memory" in text
    assert "temporaries now, arguments or outputs before | +4,194,304 |" in text
    assert "<b>" not in text.replace("`jit_<b>¦'x'`", "")


def test_github_gets_a_summary_outputs_and_few_annotations(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    Path("b.toml").write_text(GROWN * 8, encoding="utf-8")
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    ran = run("compare", "before", "after", "--budgets", "b.toml", "--github")
    assert sum(line.startswith("::error ") for line in ran.out.splitlines()) == 10
    assert outputs_of(tmp_path / "outputs") == {"verdict": "over", "change-bytes": "4194304", "markdown": ""}
    assert "over budget" in (tmp_path / "summary").read_text(encoding="utf-8")


def test_a_name_is_no_command_for_github(run: Run, tmp_path: Path) -> None:
    side = written(tmp_path / "x", IN_PLACE, "a%0A::error::b-buffer-assignment.txt")
    ran = run("check", side, "--max-growth", "0%", "--github")
    starts = [line for line in ran.out.splitlines() if line.startswith("::")]
    assert all(line.startswith(("::stop-commands::", "::warning title=")) or line.count("::") == 2 for line in starts)


COMMANDS = re.compile(r"##\w*\[|^[ \t]*::(?!stop-commands::|\w+::$|warning title=)", re.MULTILINE)


@pytest.mark.parametrize("name", ["##[stop-commands]abc", "::error::x", "  ::add-mask::x", "##vso[task.complete]x"])
def test_no_command_prints_a_name_that_orders_the_runner(run: Run, tmp_path: Path, name: str) -> None:
    written(tmp_path / "dumps" / name, IN_PLACE, f"{name}-buffer-assignment.txt")
    for command in (
        *(
            "check",
            "check --json",
            "check --github",
            "check --json --github --max-recomputed 5%",
            "check --capacity 1B",
        ),
        *("explain", "explain --markdown", "explain --json", "export --trace", "build --single-file x.html"),
        *("compare", "compare --markdown - --github", "compare --json -"),
    ):
        ran = run(*command.split(), *[tmp_path / "dumps"] * (2 if command.startswith("compare") else 1))
        assert COMMANDS.findall(ran.out + "\n" + ran.err) == [], command


def test_the_site_of_a_comparison_has_no_broken_link(run: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    add_modules()
    assert run("compare", "before", "after", "-o", site).code == 0
    assert {"before", "after", "compare", "compare.json", "index.html"} <= {path.name for path in site.iterdir()}
    pages = read_pages(site)
    assert link_problems(pages, frozenset(tree(site))) == []
    overview = pages["index.html"].references
    assert [sum(url.startswith(folder) for url in overview) for folder in ("before/m/", "after/m/")] == [1, 1]


def test_a_site_is_equal_when_it_is_built_again(run: Run, tmp_path: Path) -> None:
    for name in ("one", "other"):
        run("compare", "before", "after", "-o", tmp_path / name)
    assert tree(tmp_path / "one") == tree(tmp_path / "other")


def test_a_comparison_is_not_written_over_other_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("x")
    assert run("compare", "before", "after", "-o", tmp_path / "notes").code == 1


def test_redaction_hides_names_with_one_table_for_both_sides(run: Run, tmp_path: Path) -> None:
    for side in (Path("before"), Path("after")):
        text = (side / NAME).read_text(encoding="utf-8").replace("jit(f)/exp", "secret_layer/exp")
        (side / NAME).write_text(text, encoding="utf-8")
    site = tmp_path / "site"
    ran = run("compare", "before", "after", "--redact-names", "-o", site, "--markdown", "m.md", "--json", "c.json")
    shown = ran.out + Path("m.md").read_text(encoding="utf-8") + Path("c.json").read_text(encoding="utf-8")
    shown += "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.html"))
    assert "secret_layer" not in shown
    assert "jit_f" not in shown
    (module,) = json.loads(Path("c.json").read_text(encoding="utf-8"))["modules"]
    assert module["before"] == module["after"] == "dump-1"
    assert module["spaces"]["0"]["terms"][0]["kind"] == "held or temporary"
