"""A text with out-of-memory errors has a page for each, which says what is there and never what is not."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import html5lib
import pytest

from reportgen.build import build
from reportgen.cli import main
from reportgen.errors import NoDumpFound
from reportgen.options import BuildOptions
from reportgen.work import BuildResult
from tests.support.samples import ROOT
from tests.support.site import SAMPLES, link_problems, read_page, read_pages, tree

TEXTS = sorted((ROOT / "tests" / "oom" / "texts").glob("*.txt"))


COUNT = 33


def made(output: Path, *paths: Path) -> BuildResult:
    return build(BuildOptions(paths=paths, output=output, redaction=None), lambda *_: None)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("oom") / "site"
    assert len(made(output, *TEXTS).errors) == COUNT
    return output


def test_every_error_has_a_page_and_every_link_leads_somewhere(site: Path) -> None:
    files = tree(site)
    assert sum(name.startswith("oom/") for name in files) == COUNT
    assert link_problems(read_pages(site), frozenset(files)) == []


def test_the_pages_are_valid_html(site: Path) -> None:
    for page in (site / "index.html", *(site / "oom").iterdir()):
        parser = html5lib.HTMLParser()
        parser.parse(page.read_text(encoding="utf-8"))
        assert parser.errors == [], page


def test_a_page_has_totals_and_buffers(site: Path) -> None:
    text = " ".join(read_page((site / "oom" / "1.html").read_text(encoding="utf-8")).text.split())
    cause = (
        "copy.40488 takes 32.00 GiB for 1.00 GiB of data (96.9 % padding): its last dimension of 4 is padded to 128."
    )
    figures = ("41.74 GiB", "25.74 GiB over capacity", "capacity 16.00 GiB", "padding31.0 GiB")
    step = ("saves up to 31.0 GiB", "- s32[8388608,8,4]", "+ s32[4,8,8388608]", "reportgen run --")
    order = [*map(text.index, (cause, *figures, *step, "As it is, it would fit on", "Totals in the message"))]
    assert order == sorted(order)
    assert "everything else563 MiB" in text
    assert "s32[8388608,8,4]{2,1,0:T(8,128)}" in text


def test_a_site_of_one_error_opens_on_it(tmp_path: Path) -> None:
    made(tmp_path / "site", TEXTS[0])
    assert 'content="0; url=oom/1.html"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")


def test_a_page_says_what_to_do_and_has_no_charts(site: Path) -> None:
    for page in (site / "oom").iterdir():
        html = page.read_text(encoding="utf-8")
        assert 'id="next"' in html
        assert "data-chart" not in html


COMMANDS = [("build", "-o", "site"), ("check",), ("check", "--json")]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_a_text_is_enough_for_each_command(
    path: Path, command: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs" / "first").mkdir(parents=True)
    shutil.copy(path, tmp_path / "logs" / "first" / "run.log")
    for where in (path, tmp_path / "logs"):
        assert main([command[0], str(where), *command[1:]]) == 0


def test_errors_are_found_in_directories_and_at_the_end_of_long_logs(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    text = TEXTS[0].read_bytes()
    (tmp_path / "logs" / "a.log").write_bytes(text)
    (tmp_path / "logs" / "long.log").write_bytes(b"step 1: loss 0.3\n" * 1_100_000 + text)
    (tmp_path / "logs" / "model.py").write_bytes(text)
    (tmp_path / "logs" / "other.log").write_text("step 1: loss 0.3, out of memory: never\n", encoding="utf-8")
    assert [error.label for error in made(tmp_path / "site", tmp_path / "logs").errors] == ["a.log", "long.log"]


def test_a_text_without_errors_is_refused_alone_and_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text("never out of memory\n", encoding="utf-8")
    for path in (tmp_path, tmp_path / "a.log"):
        with pytest.raises(NoDumpFound, match="no dump found"):
            made(tmp_path / "site", path)


def test_a_check_prints_the_cause_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(TEXTS[0])]) == 0
    first, cause, figures = capsys.readouterr().out.splitlines()
    assert first == f"{TEXTS[0].name}:3: The compiler refused the program"
    assert cause.startswith("  copy.40488 takes 32.00 GiB for 1.00 GiB of data (96.9 % padding)")
    assert figures == "  41.74 GiB needed, 16.00 GiB usable, 25.74 GiB over capacity."
    assert main(["check", "--strict", str(TEXTS[0])]) == 1


def test_errors_and_dumps_can_be_in_one_site(tmp_path: Path) -> None:
    report = made(tmp_path / "site", SAMPLES / "cpu-tiny", TEXTS[0])
    assert (len(report.summaries), len(report.errors)) == (1, 1)
    overview = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert 'href="oom/1.html"' in overview
    assert 'href="m/' in overview


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("explain --redact", "redaction leaves out the texts of errors"),
        ("check --redact-names", "redaction leaves out the texts of errors"),
        ("export --trace", "this command needs a dump"),
        ("build --single-file x.html", "this command needs a dump"),
        ("compare --redact", "this command needs a dump"),
    ],
)
def test_an_error_that_is_not_shown_is_not_denied(command: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), *[str(TEXTS[0])] * (2 if command.startswith("compare") else 1)]) in (1, 2)
    said = capsys.readouterr().err
    assert f": the out-of-memory error in it is not shown, because {why}" in said
    assert "no error about memory" not in said


@pytest.mark.parametrize("size", ["3.00GiB", "0.25GiB"])
def test_a_buffer_has_no_share_of_the_one_request_that_failed(
    size: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 512.00MiB."
    listed = f"\nPeak buffers:\n\tBuffer 1:\n\t\tSize: {size}\n\t\tEntry Parameter Subshape: f32[16384,49152]\n"
    (tmp_path / "e.log").write_text(sentence + listed, encoding="utf-8")
    assert main(["explain", str(tmp_path / "e.log")]) == 0
    said = capsys.readouterr().out
    assert ("f32[16384,49152]" in said, "%" in said) == (True, False)
    made(tmp_path / "site", tmp_path / "e.log")
    assert " %" not in read_page((tmp_path / "site" / "oom" / "1.html").read_text(encoding="utf-8")).text


def test_names_in_a_text_are_text_and_nothing_else(tmp_path: Path) -> None:
    text = TEXTS[0].read_text(encoding="utf-8").replace("slicewise_79", "<script>alert(1)</script>")
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    made(tmp_path / "site", tmp_path / "log.txt")
    assert b"<script>alert" not in b"".join(tree(tmp_path / "site" / "oom").values())


def shown(tmp_path: Path, text: str) -> str:
    """Return the words on the page of the only error of a text."""
    (tmp_path / "log.txt").write_text(text, encoding="utf-8")
    made(tmp_path / "site", tmp_path / "log.txt")
    return " ".join(read_page((tmp_path / "site" / "oom" / "1.html").read_text(encoding="utf-8")).text.split())


BFC = """\
Allocator (GPU_0_bfc) ran out of memory trying to allocate 5.00GiB (rounded to 5368709120)requested by op
22 Chunks of size 256 totalling 5.5KiB
8 Chunks of size 1342177280 totalling 10.00GiB
Stats:
Limit:                     17179869184
InUse:                     {in_use}
NumAllocs:                       12345
Reserved:                            0
LargestFreeBlock:           2147483648
"""


def test_a_request_that_failed_is_judged_by_what_is_free(tmp_path: Path) -> None:
    text = shown(tmp_path, BFC.format(in_use=13421772800))
    assert "This command runs the program once more with a dump" in text
    assert "reportgen run -- COMMAND Copy COMMAND is your own" in text
    figures = ("Needed", "5.00 GiB", "1.50 GiB short", "Free 3.50 GiB", "Of that in one piece 2.00 GiB")
    order = [*map(text.index, (*figures, "capacity 16.00 GiB", "in use"))]
    assert order == sorted(order)


def test_a_request_that_has_room_in_pieces_lacks_one_piece(tmp_path: Path) -> None:
    text = shown(tmp_path, BFC.format(in_use=10737418240))
    assert "3.00 GiB short in one piece" in text


def test_totals_begin_with_the_largest_and_have_no_empty_rows(tmp_path: Path) -> None:
    text = shown(tmp_path, BFC.format(in_use=13421772800))
    rows = ("8 Chunks", "22 Chunks", "Stats", "Limit", "InUse", "LargestFreeBlock")
    order = [text.index(row, text.index("Totals in the message")) for row in rows]
    assert order == sorted(order)
    assert "NumAllocs" not in text
    assert "Reserved" not in text


def test_the_overview_says_by_how_much_a_request_was_short(tmp_path: Path) -> None:
    (tmp_path / "log.txt").write_text(BFC.format(in_use=13421772800), encoding="utf-8")
    made(tmp_path / "site", tmp_path / "log.txt", TEXTS[0])
    text = " ".join(read_page((tmp_path / "site" / "index.html").read_text(encoding="utf-8")).text.split())
    assert "1.50 GiB short" in text
