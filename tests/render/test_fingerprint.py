"""The fingerprint of the program changes with everything that decides about a page, wherever it is installed."""

from pathlib import Path

import pytest

from reportgen.render.site import assets


def fingerprint() -> str:
    """Return the fingerprint, which a program computes only once."""
    return assets.fingerprint.__wrapped__()


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with one template."""
    directory = tmp_path / "templates"
    directory.mkdir()
    (directory / "page.html").write_text("before", encoding="utf-8")
    monkeypatch.setattr(assets, "template_root", lambda: directory)
    return directory


def test_a_changed_template_changes_the_fingerprint(templates: Path) -> None:
    before = fingerprint()
    (templates / "page.html").write_text("after", encoding="utf-8")
    assert fingerprint() != before
