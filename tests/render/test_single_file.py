"""A report in a single file: it needs no other, and each of its links leads to a place in it."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from reportgen.dump_pages import module_of
from reportgen.input.discover import discover
from reportgen.pipeline import DumpReading
from reportgen.render.single_file import single_file
from tests.support.site import SAMPLES, SitePage, read_page, unpacked

NAMES = ("cpu-train-step", "tpu-train-step", "cpu-odd-names", "tpu-odd-shapes", "tf-train-step")
IN_SCRIPTS = re.compile(r"[va]\d+(-again-\d+)?")


@pytest.fixture(scope="module", params=NAMES)
def report(request: pytest.FixtureRequest) -> bytes:
    return made(SAMPLES / request.param)


@pytest.fixture(scope="module")
def page(report: bytes) -> SitePage:
    return read_page(report.decode("utf-8"))


def made(path: Path) -> bytes:
    (files,) = discover([path]).dumps
    return single_file(module_of(DumpReading(files)), "Memory")


def data(report: bytes, name: str) -> dict[str, Sequence[object]]:
    found = re.search(
        rb'<script type="application/gzip" id="data-%s">(.*?)</script>' % name.encode(), report, re.DOTALL
    )
    assert found
    read: dict[str, Sequence[object]] = unpacked(found[1].decode())
    return read


def test_nothing_outside_of_the_file_is_referred_to(page: SitePage) -> None:
    assert [url for url in page.references if not url.startswith(("#", "data:"))] == []
    assert not any("src" in attributes for attributes in page.all("script"))


def test_every_link_leads_to_a_place_or_to_what_scripts_show(page: SitePage) -> None:
    anchors = {url[1:] for url in page.references if url.startswith("#") and "=" not in url}
    assert {anchor for anchor in anchors if anchor not in page.ids and not IN_SCRIPTS.fullmatch(anchor)} == set()


def test_no_two_places_have_the_same_id(page: SitePage) -> None:
    assert len(page.ids) == len(set(page.ids))


def test_every_value_is_in_the_data(report: bytes) -> None:
    values = data(report, "values")
    assert len(values["name"]) == len(values["size"]) == len(values["id"]) > 0
    assert all(re.fullmatch(r"\d+(-again-\d+)?", str(name)) for name in values["id"])


def test_only_scripts_of_the_report_may_run(report: bytes) -> None:
    policy = re.search(rb'content="(default-src[^"]*)"', report)
    assert policy
    assert b"unsafe-inline" not in policy[1].partition(b"script-src")[2].partition(b";")[0]
    assert policy[1].count(b"sha256-") == 3


def test_the_same_dump_gives_the_same_bytes() -> None:
    assert made(SAMPLES / NAMES[0]) == made(SAMPLES / NAMES[0])
