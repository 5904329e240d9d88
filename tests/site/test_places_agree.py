"""The pages, the commands and the documents give one answer to each question about a dump."""

import json
import lzma
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reportgen import cli
from reportgen.reports.formats import exact_bytes, human_bytes, shortened
from tests.support.samples import ROOT, SAMPLES, sample_labels

PROGRAMS = ROOT / "tests" / "advice" / "programs"
REFUSED = ROOT / "tests" / "oom" / "refused"
CASES = {
    **{name: (SAMPLES / name, ()) for name in sorted({Path(label).parts[0] for label in sample_labels()})},
    **{path.name: (path, ()) for path in sorted(REFUSED.iterdir()) if path.is_dir()},
    "sample that does not fit": (SAMPLES / "tpu-train-step", ("--capacity", "17MiB")),
    "sample that fits": (SAMPLES / "gpu-train-step", ("--capacity", "1GiB")),
    "program that fits": (PROGRAMS / "vjp_ce", ("--capacity", "95GiB")),
    "program that does not fit": (PROGRAMS / "flax_gpt+donate", ("--capacity", "15.75GiB")),
}
VERDICTS = {"yes": True, "no": False, "unknown": None}


class Seen(HTMLParser):
    """The verdict, the headline and the steps of a module's page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.verdict: bool | None = None
        self.needed: list[int] = []
        self.steps: list[str] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        names = (found.get("class") or "").split()
        if "data-fits" in found:
            self.verdict = VERDICTS[found["data-fits"] or ""]
        if "figure" in names and tag == "strong":
            self._inside = "needed"
        elif self._inside == "needed" and tag == "data":
            self.needed.append(int(found["value"] or 0))
            self._inside = ""
        if tag == "ol" and "step-list" in names:
            self._inside = "steps"
        elif self._inside == "steps" and tag == "strong":
            self.steps.append(found["title"] or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "ol":
            self._inside = ""


def _unpacked(source: Path, directory: Path) -> Path:
    shutil.copytree(source, directory)
    for packed in directory.rglob("*.xz"):
        packed.with_suffix("").write_bytes(lzma.decompress(packed.read_bytes()))
        packed.unlink()
    return directory


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    code = cli.main([*arguments])
    assert code in (0, 1, 3, 4)
    return capsys.readouterr().out


@pytest.mark.parametrize("case", CASES)
def test_every_place_gives_the_same_answers(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, options = CASES[case]
    dumps = _unpacked(source, tmp_path / "dumps")
    asked = (str(dumps), "--jobs", "1", *options)
    site, single = tmp_path / "site", tmp_path / "one.html"
    assert cli.main(["build", *asked, "-o", str(site)]) in (0, 1)
    assert cli.main(["build", *asked, "--single-file", str(single)]) in (0, 1)
    capsys.readouterr()
    explained: dict[str, Any] = json.loads(_printed(capsys, "explain", *asked, "--json"))["modules"][0]
    checked: dict[str, Any] = json.loads(_printed(capsys, "check", *asked, "--json"))["modules"][0]
    written = json.loads((site / "report.json").read_text(encoding="utf-8"))["modules"][0]
    lines, told = _printed(capsys, "check", *asked), _printed(capsys, "explain", *asked)

    assert checked == written
    space = next(one for one in checked["spaces"].values() if one["name"] == explained["space"])
    assert explained["needed_bytes"] == space["allocated_bytes"]
    assert explained["peak_bytes"] == space["peak_resident_bytes"]
    assert [group["name"] for group in explained["largest"]] == [
        group["name"] for group in space["peak_resident_groups"][: len(explained["largest"])]
    ]
    needed, peak = explained["needed_bytes"], explained["peak_bytes"]
    assert human_bytes(needed) in lines
    assert peak is None or exact_bytes(peak) in lines
    assert peak is None or f"Peak: {human_bytes(peak)}" in told

    page = next(site.glob("m/*/index.html")).read_text(encoding="utf-8")
    for text in (page, single.read_text(encoding="utf-8")):
        seen = Seen(text)
        assert seen.verdict is explained["fits"]
        assert seen.needed[:1] == [needed]
        steps = [shortened(step["what"]).lower() for step in [*explained["steps"], *explained["sequence"]]]
        assert {step.lower() for step in seen.steps} <= set(steps)
    overview = (site / "index.html").read_text(encoding="utf-8")
    assert f'value="{needed}"' in overview
    if explained["fits"] is not None:
        assert ("1 of 1" in _glance(overview)) is explained["fits"]
    assert ("Does not fit" in told or "refused" in told) == (explained["fits"] is False)


def _glance(overview: str) -> str:
    found = re.search(r'aria-label="Fit the device">.*?</section>', overview, re.DOTALL)
    assert found
    return found[0]
