"""Two builds of one program in a directory of their own, as the commands that compare find them."""

from pathlib import Path

import pytest

from tests.compare.texts import IN_PLACE, NOT_IN_PLACE, written
from tests.support.commands import Run, runner


def beside_builds(
    report: str, capsys: pytest.CaptureFixture[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Return `run("compare", "before", "after")` in a folder with both builds and the `report` of the first."""
    monkeypatch.chdir(folder)
    run = runner(capsys)
    written(folder / "before", IN_PLACE)
    written(folder / "after", NOT_IN_PLACE)
    (folder / report).write_text(run("check", "--json", "before").out, encoding="utf-8")
    return run
