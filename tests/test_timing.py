"""The program that times commands runs them, from each checkout."""

from pathlib import Path
from subprocess import CalledProcessError

import pytest

from tests.support.samples import ROOT, SAMPLES
from tests.timing import cost, main

pytestmark = pytest.mark.slow


def test_each_folder_has_a_row_for_each_checkout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(SAMPLES / "cpu-tiny"), "--rounds", "1", "--against", str(ROOT)]) == 0
    assert capsys.readouterr().out.count("\n| cpu-tiny |") == 1


def test_a_command_that_fails_has_no_cost(tmp_path: Path) -> None:
    with pytest.raises(CalledProcessError):
        cost(ROOT, "check", tmp_path)
