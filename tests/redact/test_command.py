"""The command says what a site shows of the program, and hides it if asked to."""

import shutil
from pathlib import Path

import pytest

from reportgen.cli import main
from tests.support.site import SAMPLES

_TRAIN = SAMPLES / "cpu-train-step"
_NEWER = SAMPLES / "cpu-tiny"


_PATHS_AND_NAMES = "The site shows 1 source path and 39 op names; --redact hides the paths, --redact-names both."


@pytest.mark.parametrize(
    ("dumps", "flag", "line"),
    [
        (_TRAIN, "--strict", _PATHS_AND_NAMES),
        (_TRAIN, "--redact", "The site shows 39 op names; --redact-names hides them."),
        (_TRAIN, "--redact-names", None),
        (
            _NEWER,
            "--strict",
            "The site shows 2 source paths and 4 op names; --redact hides the paths, --redact-names both.",
        ),
    ],
)
def test_a_build_says_what_the_site_shows_of_the_program(
    dumps: Path, flag: str, line: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in ("first", "nothing to do"):
        assert main(["build", str(dumps), "-o", str(tmp_path / "site"), flag]) == 0
        said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("The site shows")]
        assert said == ([line] if line else [])


def test_only_one_kind_of_redaction_is_accepted(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["build", str(_NEWER), "-o", str(tmp_path / "site"), "--redact", "--redact-names"])


def test_an_unreadable_dump_is_named_by_its_token(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = tmp_path / "alice" / "secret-buffer-assignment.txt.gz"
    damaged.parent.mkdir()
    damaged.write_bytes(b"\x1f\x8b no gzip")
    shutil.copytree(_NEWER, tmp_path / "bob")
    assert main(["build", str(tmp_path), "-o", str(tmp_path / "site"), "--redact"]) == 1
    assert "folder-1/dump-1-buffer-assignment.txt.gz: " in capsys.readouterr().err
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert "folder-1" in index
    assert "alice" not in index
    assert "secret" not in index
