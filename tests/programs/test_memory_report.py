"""What `reportgen.report` returns: its attributes are as documented, and a notebook gets the whole report."""

import doctest
import re
from html import unescape
from pathlib import Path

import pytest

import reportgen
from reportgen.build import build
from reportgen.options import BuildOptions
from reportgen.programs import memory_report
from reportgen.programs.memory_report import MemoryReport
from tests.compare.texts import IN_PLACE, NAME, NOT_IN_PLACE, written
from tests.programs.test_functions import FakeJitted
from tests.support.site import SAMPLES

ATTRIBUTES = ("peak_bytes", "needed_bytes", "fits", "spaces", "largest", "suggestions", "compare")
TINY = SAMPLES / "cpu-tiny"


def report_of(dumps: Path, output: Path, *capacities: str, error: str | None = None) -> MemoryReport:
    built = build(BuildOptions(paths=(dumps,), output=output, capacities=capacities), lambda *_: None)
    page = output / "index.html"
    return MemoryReport(page=page, modules=built.summaries, error=error, dumps=dumps, capacities=capacities)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> MemoryReport:
    return report_of(TINY, tmp_path_factory.mktemp("site") / "site", "512KiB")


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_the_examples_of_the_documentation_are_true(report: MemoryReport, name: str) -> None:
    found = doctest.DocTestFinder().find(vars(MemoryReport)[name], name, module=memory_report, globs={"report": report})
    examples = [test for test in found if test.examples]
    assert examples
    assert [test.name for test in examples if doctest.DocTestRunner(verbose=False).run(test).failed] == []


def test_every_public_attribute_has_an_example_or_is_data() -> None:
    public = {name for name in vars(MemoryReport) if not name.startswith("_")}
    assert public - {"open"} == set(ATTRIBUTES)


def test_a_report_without_modules_knows_nothing(tmp_path: Path) -> None:
    empty = MemoryReport(page=tmp_path / "index.html", modules=())
    assert (empty.peak_bytes, empty.needed_bytes, empty.fits) == (None, 0, None)
    assert (empty.spaces, empty.largest, empty.suggestions) == ((), (), ())


@pytest.mark.parametrize("capacity", ["512KiB", "1GiB"])
def test_it_fits_or_not_as_the_capacity_says_and_a_refused_program_never_does(tmp_path: Path, capacity: str) -> None:
    assert report_of(TINY, tmp_path / "site", capacity).fits is (capacity == "1GiB")
    assert report_of(TINY, tmp_path / "site", capacity, error="RESOURCE_EXHAUSTED").fits is False


def test_its_repr_is_short_whatever_the_names_are(report: MemoryReport, tmp_path: Path) -> None:
    assert re.fullmatch(r"MemoryReport\(jit_tiny_matmul_gelu needs 896 KiB; .*/index\.html\)", repr(report))
    long = report_of(
        written(tmp_path / ("d" * 100), IN_PLACE, f"module_0000.{'jit_x' * 30}.cpu_after_optimizations.txt"),
        tmp_path / ("s" * 200) / ("t" * 200),
    )
    assert len(repr(long)) <= 200


def test_its_text_is_what_explain_prints(report: MemoryReport) -> None:
    text = str(report)
    assert text.startswith("jit_tiny_matmul_gelu: cpu, memory of 512 KiB (given)\nDoes not fit: ")
    assert text.endswith(f"\n\n{report.page}")


def test_a_notebook_gets_the_whole_report_in_a_frame_that_reaches_nothing(report: MemoryReport) -> None:
    shown = report._repr_html_()
    frame = re.search(r'<iframe srcdoc="([^"]*)" sandbox="allow-scripts" title="Memory of jit_tiny_matmul_gelu"', shown)
    assert frame
    document = unescape(frame[1])
    assert document.startswith("<!DOCTYPE html>")
    assert "Does not fit" in document or "more than" in document
    assert shown.count("<iframe") == 1
    assert "/site/index.html</code>" in shown


def test_a_notebook_shows_the_text_where_the_dumps_are_gone_and_names_are_text(report: MemoryReport) -> None:
    gone = MemoryReport(page=Path("<b>"), modules=report.modules, error="<script>")
    assert "<pre>&lt;script&gt;" in gone._repr_html_()
    assert "<b>" not in gone._repr_html_()
    assert "Needs 896 KiB" in gone._repr_html_() or "Does not fit" in gone._repr_html_()


def test_two_reports_are_compared_with_reasons(tmp_path: Path) -> None:
    before = report_of(written(tmp_path / "before", IN_PLACE), tmp_path / "one")
    other_name = NAME.replace("jit_f", "jit_changed")
    after = report_of(written(tmp_path / "after", NOT_IN_PLACE, other_name), tmp_path / "two")
    found = before.compare(after)
    assert (found.change_bytes, after.compare(before).change_bytes) == (4 << 20, -4 << 20)
    assert repr(found) == "ReportComparison(+4.00 MiB)"
    assert repr(after.compare(before)) == "ReportComparison(-4.00 MiB)"
    assert "step by step" in str(found)
    assert found._repr_markdown_() == str(found)


def test_the_dumps_of_a_report_are_kept_as_long_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setattr("reportgen.programs.functions._imported_jax", lambda: None)
    made = reportgen.report(FakeJitted())
    assert "<iframe" in made._repr_html_()
    assert len(list(temporary.iterdir())) == 1
    del made
    assert list(temporary.iterdir()) == []
