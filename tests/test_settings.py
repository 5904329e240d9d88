"""The settings of a project: they are defaults of the options, and what cannot be understood is refused."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from reportgen.cli import INTERRUPTED, main
from reportgen.input.toml_lines import line_of_key
from reportgen.options import WatchOptions
from tests.support.site import ROOT, SAMPLES

pytestmark = pytest.mark.usefixtures("empty_folder")

COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
TINY = str(SAMPLES / "cpu-tiny")
ALL = """\
[project]
name = "model"

[tool.xla-reportgen]
title = "Nightly"
capacity = ["64 KiB"]
source-url = "https://example.com/{path}#{line}"
"""


def set_up(text: str) -> None:
    Path("pyproject.toml").write_text(text, encoding="utf-8")


def build(*options: str) -> str:
    assert main(["build", TINY, "-q", "--jobs", "1", *options]) == 0
    return Path("site/index.html").read_text(encoding="utf-8")


def capacity_of_report() -> int | None:
    [module] = json.loads(Path("site/report.json").read_bytes())["modules"]
    capacities = [space["capacity"] for space in module["spaces"].values() if space["capacity"]]
    return capacities[0]["size_bytes"] if capacities else None


def test_settings_are_what_options_default_to() -> None:
    set_up(ALL)
    assert "<title>Nightly</title>" in build()
    assert capacity_of_report() == 64 << 10


def test_the_example_of_the_documentation_is_understood() -> None:
    [example] = re.findall(r"```toml\n(\[tool\.xla-reportgen\].*?)```", COMMANDS, re.DOTALL)
    set_up(example)
    assert "<title>Nightly training</title>" in build()
    assert capacity_of_report() == 15.75 * (1 << 30)
    assert main(["check", TINY, "--jobs", "1"]) == 1  # the sample has no module of that budget


def test_the_command_line_wins() -> None:
    set_up(ALL)
    assert "<title>Today</title>" in build("--title", "Today", "--capacity", "1 GiB")
    assert capacity_of_report() == 1 << 30


def test_a_capacity_of_the_project_is_checked() -> None:
    set_up(ALL)
    assert main(["check", TINY, "--jobs", "1"]) == 3
    assert main(["check", TINY, "--jobs", "1", "--capacity", "1 GiB"]) == 0


def test_a_project_can_ask_for_redaction_and_the_command_line_against_it() -> None:
    set_up('[tool.xla-reportgen]\nredact = "names"\n')
    assert "jit_tiny" not in build()
    assert "jit_tiny" in build("--no-redact")


def test_redaction_that_the_command_line_asks_for_leaves_out_the_links_of_the_settings() -> None:
    set_up(ALL)
    assert "example.com" not in build("--redact")


def test_source_links_against_redaction_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    set_up('[tool.xla-reportgen]\nredact = "paths"\n')
    assert main(["build", TINY, "--source-url", "https://example.com/{path}"]) == 2
    assert "--no-redact" in capsys.readouterr().err


def watched(*arguments: str, monkeypatch: pytest.MonkeyPatch) -> WatchOptions:
    """Return the options with which watching would begin."""
    asked: list[WatchOptions] = []

    def watcher(options: WatchOptions, say: object) -> None:
        asked.append(options)
        raise KeyboardInterrupt

    monkeypatch.setattr("reportgen.commands.watch.Watcher", watcher)
    assert main(["watch", TINY, *arguments]) == INTERRUPTED
    return asked[0]


def test_watch_obeys_the_settings_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(ALL)
    options = watched(monkeypatch=monkeypatch)
    assert (options.title, options.capacities) == ("Nightly", ("64 KiB",))
    assert options.source_url == "https://example.com/{path}#{line}"
    options = watched("--redact", "--capacity", "v5e", monkeypatch=monkeypatch)
    assert (options.redaction, options.source_url, options.capacities) == ("paths", None, ("v5e",))


def test_watch_hides_what_the_project_hides(monkeypatch: pytest.MonkeyPatch) -> None:
    set_up('[tool.xla-reportgen]\nredact = "names"\n')
    assert watched(monkeypatch=monkeypatch).redaction == "names"
    assert watched("--no-redact", monkeypatch=monkeypatch).redaction is None
    assert main(["watch", TINY, "--source-root", "."]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('\n[tool.xla-reportgen]\ntitel = "x"', "pyproject.toml:3: [tool.xla-reportgen] titel: there is no such"),
        ("[tool]\nxla-reportgen.title = 3", "pyproject.toml:2: [tool.xla-reportgen] title: 3; a text"),
        (
            "[tool.xla-reportgen]\ncapacity = [\n'1GiB',\n'much']",
            "pyproject.toml:2: [tool.xla-reportgen] capacity",
        ),
        ("[tool.xla-reportgen]\nredact = true", 'pyproject.toml:2: [tool.xla-reportgen] redact: True; "paths" or'),
        ("[tool.xla-reportgen]\nsource-url = 'x'", "pyproject.toml:2: [tool.xla-reportgen] source-url: a URL with"),
        ("[tool.xla-reportgen]\nredact = 'paths'\nsource-url = 'https://x/{path}'", "pyproject.toml:2: "),
        ("[tool.xla-reportgen\n", "pyproject.toml: not valid TOML"),
        ("[tool]\nxla-reportgen = 3", "pyproject.toml: tool.xla-reportgen is 3; a table is needed"),
    ],
)
def test_a_setting_that_cannot_be_understood_is_refused(
    text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up(text)
    assert main(["check", TINY]) == 2
    assert f"reportgen: error: {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"[tool.xla-reportgen]\n{'a.' * 40_000}b = 1", "pyproject.toml:2: the line has more than 10,000 characters"),
        ("[tool.xla-reportgen]\n" * 50_000, "pyproject.toml: it has more than 1,000,000 characters"),
    ],
)
def test_what_takes_long_to_parse_is_refused(text: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    set_up(text)
    assert main(["check", "--redact", TINY]) == 2
    assert capsys.readouterr().err == f"reportgen: error: {message}\n"


@pytest.mark.parametrize(
    "text",
    [
        "not TOML",
        "[project]\nname = 'xla-reportgen'",
        "[tool.other]\ntitle = 3",
        f"a.{'b' * 20_000} = 1",
        "\n" * 1_000_001,
    ],
    ids=lambda text: text[:20],
)
def test_a_file_without_our_table_is_not_ours_to_judge(text: str) -> None:
    set_up(text)
    assert "<title>XLA memory report</title>" in build()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\n[t]\nk = 2", 3),
        ("[t]\n# k = 1\n\nk = [\n1,\n2,\n]\n", 4),
        ("t.k = '''\n[t]\nk = 1\n'''", 1),
        ("t = {j = 1, k = 2}", 1),
        ("[t]\nj = 1", None),
        ("t = 1", None),
    ],
)
def test_the_line_of_a_key(text: str, line: int | None) -> None:
    assert line_of_key(text, ("t", "k")) == line


def test_few_beginnings_of_a_text_are_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    loads = tomllib.loads

    def counted(text: str) -> object:
        parsed.append(text)
        return loads(text)

    monkeypatch.setattr(tomllib, "loads", counted)
    lines = ["[t]", *(f"k{number} = 1" for number in range(5_000))]
    assert line_of_key("\n".join(lines), ("t", "k4000")) == 4_002
    assert len(parsed) < 20
