"""What a program is known by: it changes with everything that decides about a page, wherever it is installed."""

from pathlib import Path

import pytest

from reportgen import fingerprint as module
from reportgen.render.assets import COMPILED


def fingerprint() -> str:
    """Anew: a program asks once."""
    return module.fingerprint.__wrapped__()


@pytest.fixture(params=["somewhere", COMPILED])
def templates(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In a folder of any name, also of that of the templates as Python."""
    directory: Path = tmp_path / request.param / "templates"
    directory.mkdir(parents=True)
    (directory / "page.html").write_text("before", encoding="utf-8")
    monkeypatch.setattr(module, "template_root", lambda: directory)
    return directory


def test_a_changed_template_is_another_program(templates: Path) -> None:
    before = fingerprint()
    (templates / "page.html").write_text("behind", encoding="utf-8")
    assert fingerprint() != before


def test_what_is_made_from_the_templates_is_the_same_program(templates: Path) -> None:
    before = fingerprint()
    (templates / COMPILED).mkdir()
    (templates / COMPILED / "page.py").write_text("made", encoding="utf-8")
    assert fingerprint() == before
