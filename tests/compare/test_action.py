"""The action and the workflows of docs/ci.md: steps run as the runner would, and actionlint accepts the workflows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, written
from tests.support.site import ROOT
from tests.support.workflows import findings

ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
WORKFLOWS = dict(re.findall(r"<!-- workflow: (\S+) -->\n```yaml\n(.*?)```", CI, re.DOTALL))

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs bash")


def script(name: str) -> str:
    """Return the shell script of a step of the action."""
    step = ACTION.partition(f"- name: {name}\n")[2].partition("\n    - name:")[0]
    folded = re.search(r"^ {6}run: \|\n((?: {8}.*\n|\n)+)", step + "\n", re.MULTILINE)
    if folded:
        return re.sub(r"^ {8}", "", folded[1], flags=re.MULTILINE)
    plain = re.search(r"^ {6}run: (.*)$", step, re.MULTILINE)
    assert plain
    return plain[1]


def run_step(name: str, folder: Path, **inputs: str) -> "subprocess.CompletedProcess[str]":
    defaults = {"BASELINE": "", "BASELINE_LABEL": "", "HISTORY": "", "BUDGETS": "", "MAX_GROWTH": ""}
    defaults |= {"SITE": "memory-site", "LINK": "", "REDACT": "false", "FAIL": "true"}
    runner = {
        "GITHUB_OUTPUT": str(folder / "output"),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script(name)],
        env=os.environ | defaults | inputs | runner,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_expression_is_put_into_a_script() -> None:
    assert "${{" not in script("Install") + script("Compare")


@posix_only
def test_the_step_compares_judges_and_leaves_its_files(tmp_path: Path) -> None:
    written(tmp_path / "before $(x)", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before $(x)", MAX_GROWTH="1%")
    assert ran.returncode == 3, ran.stderr
    assert "::error title=Memory%3A grown::" in ran.stdout
    assert "verdict<<" in (tmp_path / "output").read_text(encoding="utf-8")
    assert "+4.00 MiB" in (tmp_path / "summary").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "report.json").read_bytes())["schema"] == 1
    assert (tmp_path / "memory-site" / "index.html").is_file()


@posix_only
def test_a_broken_budget_need_not_fail_the_step(tmp_path: Path) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", MAX_GROWTH="1%", FAIL="false")
    assert ran.returncode == 0, ran.stderr


@posix_only
def test_a_missing_baseline_passes(tmp_path: Path) -> None:
    written(tmp_path / "after", NOT_IN_PLACE)
    for baseline in ("", "no/report.json"):
        ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE=baseline, MAX_GROWTH="1%")
        assert ran.returncode == 0, ran.stderr


@posix_only
def test_the_nearest_commit_of_the_history_is_the_baseline(tmp_path: Path) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    for message in ("recorded", "not recorded", "now"):
        git(tmp_path, "commit", "--quiet", "--allow-empty", f"--message={message}")
    recorded = git(tmp_path, "rev-parse", "HEAD~2")
    add = [sys.executable, "-m", "reportgen", "history", "add", "before", "--commit", recorded]
    subprocess.run([*add, "--time", "2026-01-01T00:00:00Z", "--history", "h.jsonl"], cwd=tmp_path, check=True)
    ran = run_step("Compare", tmp_path, DUMPS="after", HISTORY="h.jsonl", MAX_GROWTH="1%")
    assert ran.returncode == 3, ran.stderr
    assert f"Base `{recorded} (1 commit earlier)`" in (tmp_path / "memory.md").read_text(encoding="utf-8")


@posix_only
@pytest.mark.parametrize("has_commits", [True, False])
def test_a_history_without_the_commits_passes(tmp_path: Path, has_commits: bool) -> None:
    written(tmp_path / "after", NOT_IN_PLACE)
    if has_commits:
        git(tmp_path, "init", "--quiet")
        git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=first")
    ran = run_step("Compare", tmp_path, DUMPS="after", HISTORY="h.jsonl", MAX_GROWTH="1%")
    assert ran.returncode == 0, ran.stderr
    assert "there is no baseline" in ran.stderr


def git(folder: Path, *arguments: str) -> str:
    """Return what git prints, in a repository that knows no user of this machine."""
    author = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    command = ["git", *arguments]
    ran = subprocess.run(command, cwd=folder, env=os.environ | author, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@posix_only
@pytest.mark.parametrize("redact", ["true", "names"])
def test_a_redacted_comparison_leaves_no_report_with_names(tmp_path: Path, redact: str) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", REDACT=redact)
    assert ran.returncode == 0, ran.stderr
    assert not (tmp_path / "report.json").exists()
    assert ("jit_f" in (tmp_path / "memory.md").read_text(encoding="utf-8")) == (redact == "true")


@posix_only
def test_an_invalid_budget_fails_the_step(tmp_path: Path) -> None:
    written(tmp_path / "after", NOT_IN_PLACE)
    assert run_step("Compare", tmp_path, DUMPS="after", MAX_GROWTH="much").returncode == 2


def test_there_are_workflows_for_all_three_cases() -> None:
    assert set(WORKFLOWS) == {"memory.yml", "memory-history.yml", "memory-comment.yml"}


def test_actionlint_accepts_the_workflows(tmp_path: Path) -> None:
    own = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
    assert findings(tmp_path, WORKFLOWS | own) == []


def test_actionlint_finds_a_mistake(tmp_path: Path) -> None:
    wrong = WORKFLOWS["memory.yml"].replace("runs-on: ubuntu-latest", "runs-in: ubuntu-latest")
    assert findings(tmp_path, {"memory.yml": wrong})
