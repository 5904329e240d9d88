"""The manifest names each module's part of report.json by its digest, and the next build reads it from there."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.output.writer import MANIFEST
from reportgen.reports.json_lines import json_line, line_digest, module_lines
from reportgen.reports.module_figures import json_document
from reportgen.reports.summary import Summary
from tests.support.site import SAMPLES, build_site, tree
from tests.support.summaries import made_up


@given(st.lists(st.text() | st.dictionaries(st.text(), st.integers() | st.text()), max_size=4))
def test_the_lines_of_modules_are_found_by_their_digests(modules: list[Any]) -> None:
    lines = [json_line(module) for module in modules]
    document = json_document(1, lines, ())
    found = {line_digest(line): line for line in module_lines(document)}
    assert [found[line_digest(line)] for line in lines] == lines


def test_a_summary_comes_back_from_what_a_build_keeps_and_its_line() -> None:
    kept = made_up(1)
    lines = {line_digest(kept.report_line): kept.report_line}
    assert Summary.from_json(json.loads(json.dumps(kept.as_json())), lines) == kept
    with pytest.raises(KeyError):
        Summary.from_json(kept.as_json(), {})


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return build_site(SAMPLES / "cpu-tiny", tmp_path / "site")


def test_the_manifest_has_no_figures_of_report_json(site: Path) -> None:
    assert b"peak_resident" in (site / "report.json").read_bytes()
    assert b'"spaces"' not in (site / MANIFEST).read_bytes()


@pytest.mark.parametrize("damage", [b"", b'{"schema": 2, "modules": [\n{}\n]}\n', None])
def test_a_report_json_that_was_changed_is_made_again(site: Path, damage: bytes | None) -> None:
    before = tree(site)
    if damage is None:
        (site / "report.json").unlink()
    else:
        (site / "report.json").write_bytes(damage)
    assert tree(build_site(SAMPLES / "cpu-tiny", site)) == before
