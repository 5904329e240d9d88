"""Whatever is given as a number, in an option, a setting or the environment, ends in no traceback."""

from pathlib import Path

import pytest

from tests.support.commands import Run
from tests.support.site import SAMPLES

pytestmark = pytest.mark.usefixtures("empty_folder")

TINY = SAMPLES / "cpu-tiny"
NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "1e400",
    "-1",
    "٣",
    "²",
    "1_000",
    "0x10",
    "+5",
    "5.",
    ".5",
    "",
    "9" * 400,
    "9" * 5_000,
]
OPTIONS = {
    "capacity": ["check", TINY, "--capacity=@"],
    "capacity in GiB": ["check", TINY, "--capacity=@GiB"],
    "capacity of a space": ["check", TINY, "--capacity=@=1GiB"],
    "capacity in a space": ["check", TINY, "--capacity=5=@GiB"],
    "jobs": ["check", TINY, "--jobs=@"],
    "bytes": ["check", TINY, "--max-dump-bytes=@"],
    "port": ["watch", TINY, "--port=@"],
    "cluster": ["check", TINY, "--executor=dask://host:@"],
    "growth": ["compare", TINY, TINY, "--max-growth=@%"],
    "growth in KiB": ["compare", TINY, TINY, "--max-growth=@KiB"],
    "time": ["history", "add", TINY, "--commit=1a2b3c4", "--time=@", "-o", "site"],
}


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:10])
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_takes_a_number_or_says_what_it_needs(run: Run, option: str, number: str) -> None:
    arguments = [str(argument).replace("@", number) for argument in OPTIONS[option]]
    ran = run(*arguments)
    assert (ran.code, "error: " in ran.err, len(ran.err.splitlines()[-1]) < 15_000) == (2, True, True), ran.err


@pytest.mark.parametrize("number", [*NUMBERS, "0", "1", "7", "1000000000"], ids=lambda number: number[:10])
def test_any_width_of_the_terminal_gives_lines(run: Run, monkeypatch: pytest.MonkeyPatch, number: str) -> None:
    with monkeypatch.context() as patched:  # because pytest draws by the same variable after the test
        patched.setenv("COLUMNS", number)
        ran = run("explain", TINY)
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 1000


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "0", "true", "[[1]]", "'٣'", "9" * 400, "9" * 5_000, "1e400"])
def test_a_setting_is_checked_as_the_option_is(run: Run, number: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.xla-reportgen]\ncapacity = {number}\n", encoding="utf-8")
    ran = run("check", TINY)
    assert (ran.code, "pyproject.toml" in ran.err) == (2, True), ran.err
