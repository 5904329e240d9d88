"""A site with fewer value pages lacks nothing else, and every link still leads to its value."""

from pathlib import Path

import pytest

from reportgen.build import build
from reportgen.input.discover import discover
from reportgen.options import BuildOptions
from tests.support.samples import SAMPLES
from tests.support.site import link_problems, reachable, read_pages, tree

SAMPLE = SAMPLES / "tpu-train-step"


def site_with(value_pages: int | None, output: Path) -> Path:
    options = BuildOptions(paths=(SAMPLE,), output=output, value_pages=value_pages)
    build(options, lambda done, total, label: None)
    return output


def values_in(site: Path) -> set[str]:
    return {path.stem for path in site.glob("m/*/v/*.html")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_with(None, tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module", params=[0, 7])
def reduced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return site_with(request.param, tmp_path_factory.mktemp("reduced"))


def test_only_value_pages_are_left_out(whole: Path, reduced: Path) -> None:
    left_out = tree(whole).keys() - tree(reduced).keys()
    assert values_in(reduced) < values_in(whole)
    assert len(left_out) == len(values_in(whole)) - len(values_in(reduced))
    assert not tree(reduced).keys() - tree(whole).keys()


def test_every_link_leads_to_a_page_or_to_a_row_of_the_table(reduced: Path) -> None:
    pages = read_pages(reduced)
    assert link_problems(pages, frozenset(tree(reduced))) == []
    assert sorted(pages.keys() - reachable(pages)) == ["404.html"]


def test_each_value_without_a_page_has_its_row(whole: Path, reduced: Path) -> None:
    rows = {name for page in read_pages(reduced).values() for name in page.ids if name.startswith("v")}
    assert rows >= {f"v{name}" for name in values_in(whole) - values_in(reduced)}


def test_values_live_at_a_peak_keep_their_page(whole: Path, reduced: Path) -> None:
    (peak,) = reduced.glob("m/*/peak-0.html")
    at_peak = {link["href"] for link in read_pages(whole)[peak.relative_to(reduced).as_posix()].all("a")}
    assert {f"v/{name}.html" for name in values_in(reduced)} >= {href for href in at_peak if href.startswith("v/")}


def test_named_values_have_a_page_in_any_case(whole: Path, tmp_path: Path) -> None:
    (label,) = (files.label for files in discover([SAMPLE]).dumps)
    every = frozenset(range(len(values_in(whole))))
    options = BuildOptions(paths=(SAMPLE,), output=tmp_path, value_pages=0, named_values={label: every})
    build(options, lambda done, total, label: None)
    assert values_in(tmp_path) == values_in(whole)


def test_asking_for_more_pages_than_values_gives_all(whole: Path, tmp_path: Path) -> None:
    assert values_in(site_with(10_000, tmp_path)) == values_in(whole)
