"""No byte that a redacted command writes shows a secret: files, their names, output, Markdown, the action's steps."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.compare.history import parse_history
from tests.compare.test_action import posix_only, script
from tests.redact.test_secrets import NAME, SECRETS, folder, leaks

_ADD_SOUND = ("history", "add", "--commit", "1a2b3c4", "--time", "2026-01-01T00:00:00Z")
_ADD = (*_ADD_SOUND, "--allow-unsound")
_FORMS = (
    *("host", "address", "path", "url", "address in a name", "address with other separators", "person by number"),
    *("account", "card", "first group of an address", "other letters as they are"),
)
COMMANDS = {
    "build": ["build", "{dumps}", "-o", "out/site", "--jobs", "1"],
    "single file": ["build", "{dump}", "--single-file", "out/report.html"],
    "check": ["check", "{dumps}", "--jobs", "1"],
    "check for programs": ["check", "--json", "{dumps}", "--jobs", "1"],
    "check with budgets": [
        "check",
        "{dumps}",
        "--budgets",
        "budgets.toml",
        "--baseline",
        "{before}",
        "--github",
        "--jobs",
        "1",
    ],
    "explain": ["explain", "{dumps}", "--jobs", "1"],
    "explain in Markdown": ["explain", "--markdown", "{dumps}", "--jobs", "1"],
    "explain to programs": ["explain", "--json", "{dumps}", "--jobs", "1"],
    "export": ["export", "--trace", "{dumps}"],
    "compare": [
        *("compare", "{before}", "{dumps}", "-o", "out/site", "--json", "out/c.json", "--markdown", "out/c.md"),
        *("--github", "--budgets", "budgets.toml"),
    ],
    "compare and judge": ["compare", "{before}", "{dumps}", "--github", "--budgets", "budgets.toml", "--allow-unsound"],
    "history": [*_ADD, "{dumps}", "-o", "out/site", "--history", "out/history.jsonl", "--budgets", "budgets.toml"],
    "history of sound builds": [*_ADD_SOUND, "{dumps}", "-o", "out/site"],
    "nothing found": ["check", "{empty}"],
    "missing": ["build", "{missing}", "-o", "out/site"],
    "damaged report": ["compare", "{damaged}", "{dumps}"],
    "damaged history": [*_ADD, "{dumps}", "--history", "{damaged}"],
}


def prepared(path: Path, secret: str, redact: str) -> dict[str, str]:
    """Write the dumps of two builds, what is damaged and the settings; return the paths by the name in a command."""
    before, dumps = folder(path / "before", secret), folder(path / "after", secret)
    changed = dumps / f"{NAME}-buffer-assignment.txt"
    changed.write_text(changed.read_text(encoding="utf-8").replace("size 8", "size 16"), encoding="utf-8")
    empty = path / "empty" / dumps.name
    empty.mkdir(parents=True)
    damaged = empty.parent / f"{dumps.name}.json"
    damaged.write_text(f'{{"schema": "{secret}"}}', encoding="utf-8")
    (path / "out").mkdir()
    (path / "pyproject.toml").write_text(f'[tool.xla-reportgen]\nredact = "{redact}"\n', encoding="utf-8")
    budget = f"[[budget]]\nmodule = '{dumps.name}*'\nmax = \"1B\"\n[[budget]]\nmodule = '*'\nmax = \"1B\"\n"
    (path / "budgets.toml").write_text(budget, encoding="utf-8")
    missing = str(empty.parent / "missing" / dumps.name)
    return {
        "before": str(before),
        "dumps": str(dumps),
        "dump": str(changed),
        "empty": str(empty),
        "damaged": str(damaged),
        "missing": missing,
    }


def written(path: Path) -> Iterator[str]:
    """Yield the names and bytes of all files that a command has written; those of the program show no dump."""
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path).as_posix()
        if file.is_file() and not any(part in f"/{name}" for part in ("/assets/", "/help/")):
            yield f"{name}\n{file.read_text(encoding='utf-8', errors='replace')}"


@pytest.mark.parametrize("redact", ["paths", "names"])
@pytest.mark.parametrize("form", _FORMS)
def test_no_command_shows_a_secret_where_the_settings_of_the_project_hide_it(
    form: str, redact: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = SECRETS[form]
    paths = prepared(tmp_path, secret, redact)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_OUTPUT", "out/output")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "out/summary")
    # A mark of random digits could contain a part of a secret.
    monkeypatch.setattr("reportgen.commands.verdicts.secrets.token_hex", lambda count: "g" * count)
    for name, command in COMMANDS.items():
        main([word.format(**paths) for word in command])
        captured = capfd.readouterr()
        printed = captured.out + captured.err
        assert not leaks(printed, secret), (name, printed)
        assert str(tmp_path) not in printed, (name, printed)
        assert [page.partition("\n")[0] for page in written(tmp_path / "out") if leaks(page, secret)] == [], name


@posix_only
@pytest.mark.parametrize("redact", ["true", "names", ""])
@pytest.mark.parametrize("baseline", ["{before}", ""])
def test_no_step_of_the_action_shows_a_secret(redact: str, baseline: str, tmp_path: Path) -> None:
    secret = SECRETS["address in a name"]
    paths = prepared(tmp_path, secret, "paths")
    inputs = {
        "DUMPS": paths["dumps"],
        "BASELINE": baseline.format(**paths),
        "REDACT": redact,
        "MAX_GROWTH": "0%",
        "SITE": "out/site",
        "BASELINE_LABEL": "",
        "HISTORY": "",
        "BUDGETS": "budgets.toml",
        "LINK": "",
        "FAIL": "true",
        "ALLOW_UNSOUND": "true",
        "ACCEPT_GROWTH": "",
        "REPORTGEN": str(Path(sys.executable).with_name("reportgen")),
        "GITHUB_OUTPUT": "out/output",
        "GITHUB_STEP_SUMMARY": "out/summary",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script("Compare")],
        env=os.environ | inputs,
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    printed = (ran.stdout + ran.stderr).decode("utf-8", "replace")
    assert ran.returncode in (1, 3), printed
    kept = [file.read_text(encoding="utf-8") for file in (*tmp_path.glob("*.json"), *tmp_path.glob("*.md"))]
    assert len(kept) >= 1
    for text in (printed, *kept, *written(tmp_path / "out")):
        assert not leaks(text, secret), text


@posix_only
def test_the_action_refuses_an_unknown_redaction(tmp_path: Path) -> None:
    names = ("BASELINE", "BASELINE_LABEL", "HISTORY", "BUDGETS", "MAX_GROWTH", "LINK", "FAIL", "ALLOW_UNSOUND")
    empty = dict.fromkeys((*names, "ACCEPT_GROWTH"), "") | {"REPORTGEN": "reportgen", "GITHUB_OUTPUT": "output"}
    ran = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script("Compare")],
        env=os.environ | empty | {"DUMPS": ".", "SITE": "site", "REDACT": "yes"},
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 2


def test_budgets_judge_real_names_and_say_tokens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = prepared(tmp_path, "zorblax", "names")
    monkeypatch.chdir(tmp_path)
    assert main(["check", paths["dumps"], "--budgets", "budgets.toml", "--jobs", "1", "--allow-unsound"]) == 3
    verdicts = [line for line in capsys.readouterr().out.splitlines() if line.startswith("fail: over: ")]
    assert len(verdicts) == 6  # two of them by the budget that names what is hidden
    assert all(line.startswith("fail: over: program-") for line in verdicts)


def test_a_history_with_names_is_not_continued_where_they_are_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = prepared(tmp_path, "zorblax", "names")
    monkeypatch.chdir(tmp_path)
    command = [*_ADD, paths["dumps"], "--history", "h.jsonl"]
    assert main([*command, "--no-redact"]) == 0
    before = Path("h.jsonl").read_bytes()
    assert main(command) == 2
    assert "the history has names that redaction hides" in capsys.readouterr().err
    assert Path("h.jsonl").read_bytes() == before


def test_modules_of_a_redacted_history_are_told_apart_by_their_shapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = prepared(tmp_path, "zorblax", "names")
    monkeypatch.chdir(tmp_path)
    for commit in ("1a2b3c4", "2a2b3c4"):
        assert main([*_ADD, paths["dumps"], "--history", "h.jsonl", "--commit", commit]) == 0
    history = parse_history(Path("h.jsonl").read_bytes())
    first, second = (record.modules for record in history.records)
    assert first == second
    assert {key.name for key in first} == {"program"}
