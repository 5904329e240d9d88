"""The manifest names each module's part of report.json by its digest, and the next build reads it from there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.output.kept_reports import with_reports, without_reports
from reportgen.output.manifest import MANIFEST
from reportgen.reports.json_lines import json_line
from reportgen.work import Part
from tests.support.site import SAMPLES, build_site, tree

REPORTS = st.dictionaries(
    st.text(), st.integers() | st.text() | st.none() | st.lists(st.text(), max_size=2), max_size=3
)


def part(report: Any) -> Part:
    return Part("key", ("a.html",), 1, 2, {"summary": {"title": "step", "report": report}, "problems": []})


def document(*reports: Any) -> bytes:
    return b'{"schema": 1, "modules": [\n' + b",\n".join(map(json_line, reports)) + b'\n], "errors": []}\n'


@given(st.lists(REPORTS, max_size=4))
def test_reports_come_back_from_the_lines_of_report_json(reports: list[Any]) -> None:
    parts = {str(number): part(report) for number, report in enumerate(reports)}
    seen = [json.loads(json_line(report)) for report in reports]  # a lone surrogate is replaced
    back = with_reports(without_reports(parts), document(*reports))
    assert [one.outcome["summary"]["report"] for one in back.values()] == seen


@pytest.mark.parametrize("text", [b"", b"{", document({"other": 1})])
def test_a_part_whose_line_is_missing_has_no_outcome(text: bytes) -> None:
    kept = without_reports({"a": part({"peak": 1}), "": Part("key", ())})
    assert [one.outcome for one in with_reports(kept, text).values()] == [None, None]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return build_site(SAMPLES / "cpu-tiny", tmp_path / "site")


def test_the_manifest_has_no_figures_of_report_json(site: Path) -> None:
    assert b"peak_resident" in (site / "report.json").read_bytes()
    assert b'"spaces"' not in (site / MANIFEST).read_bytes()


@pytest.mark.parametrize("damage", [b"", b'{"schema": 1, "modules": [\n{}\n]}\n', None])
def test_a_report_json_that_was_changed_is_made_again(site: Path, damage: bytes | None) -> None:
    before = tree(site)
    if damage is None:
        (site / "report.json").unlink()
    else:
        (site / "report.json").write_bytes(damage)
    assert tree(build_site(SAMPLES / "cpu-tiny", site)) == before
