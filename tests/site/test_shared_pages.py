"""A hundred values share a page, each in a section or, if it matters little, in a row below the sections."""

import re
from collections import Counter
from pathlib import Path

import pytest

from reportgen.analyse.notable import MOST_IN_ROW, MOST_SECTIONS, notable_values
from reportgen.input.discover import discover
from reportgen.pipeline import read_report
from tests.support.site import SitePage, build_site, link_problems, reachable, read_pages, shard, tree
from tests.support.synthetic import write_dump

VALUES = MOST_SECTIONS + 130
ON_PAGE = 100


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("large")
    write_dump(directory / "dumps", VALUES, seed=3)
    return build_site(directory / "dumps", directory / "site")


@pytest.fixture(scope="module")
def pages(large: Path) -> dict[str, SitePage]:
    return read_pages(large)


def sections(page: SitePage) -> list[str]:
    return [attributes["id"] for attributes in page.all("section") if "id" in attributes]


def values_on(page: SitePage) -> list[str]:
    """Return the ids of sections and rows, in the order of the page."""
    return [name for name in page.ids if re.fullmatch(r"v\d+", name)]


def allocations_on(page: SitePage) -> list[str]:
    return [name for name in page.ids if re.fullmatch(r"a\d+", name)]


def pages_in(pages: dict[str, SitePage], folder: str) -> dict[str, SitePage]:
    return {path: page for path, page in pages.items() if f"/{folder}/" in path}


def test_every_value_has_its_place_with_its_name_and_its_bytes(large: Path, pages: dict[str, SitePage]) -> None:
    (files,) = discover([large.parent / "dumps"]).dumps
    report, _ = read_report(files)
    assert report is not None
    shown = pages_in(pages, "v").values()
    found = {name: page for page in shown for name in values_on(page)}
    assert Counter(name for page in shown for name in values_on(page)).most_common(1)[0][1] == 1
    facts = report.analysis.facts
    assert found.keys() == {f"v{fact.value.id}" for fact in facts}
    for fact in facts:
        text = found[f"v{fact.value.id}"].text
        assert fact.value.key.name in text
        assert f"{fact.value.size_bytes:,}" in text


def test_moments_are_written_in_one_way(large: Path, pages: dict[str, SitePage]) -> None:
    texts = {path: page.text for path, page in pages.items()}
    found = {path: re.findall(r"moments? (?:\d+ to )?\d{4,}", text) for path, text in texts.items()}
    assert not {path: plain for path, plain in found.items() if plain}
    assert any("instruction 1,0" in text for text in texts.values())


def test_about_a_hundred_share_a_page_in_the_order_in_which_they_are_made(
    large: Path, pages: dict[str, SitePage]
) -> None:
    (path,) = large.glob("m/*/data/values.js")
    values = shard(path)
    first = {f"v{name}": moment for name, moment in zip(values["id"], values["first"], strict=True)}
    on_pages = [values_on(page) for page in pages_in(pages, "v").values()]
    shown = sorted(on_pages, key=lambda names: min(first[name] for name in names))
    assert [len(names) for names in shown] == [ON_PAGE] * (VALUES // ON_PAGE) + [VALUES % ON_PAGE]
    assert [moment for names in shown for moment in sorted(first[name] for name in names)] == sorted(first.values())
    for page in pages_in(pages, "v").values():
        with_section = sections(page)
        for names in (with_section, [name for name in values_on(page) if name not in with_section]):
            assert [first[name] for name in names] == sorted(first[name] for name in names)


def test_every_link_holds_and_leads_from_the_overview_to_each_page(large: Path, pages: dict[str, SitePage]) -> None:
    assert link_problems(pages, frozenset(tree(large))) == []
    assert sorted(pages.keys() - reachable(pages)) == ["404.html"]


def test_the_data_says_where_each_value_and_allocation_is(large: Path, pages: dict[str, SitePage]) -> None:
    (path,) = large.glob("m/*/data/values.js")
    values, folder = shard(path), path.parents[1].relative_to(large).as_posix()
    places = [
        (f"v/{values['pages'][page]}.html", f"v{name}") for page, name in zip(values["page"], values["id"], strict=True)
    ]
    own = values["allocations"]
    places += [(f"a/{page}.html", f"a{name}") for page, name in zip(own["page"], own["id"], strict=True)]
    assert [place for place in places if place[1] not in pages[f"{folder}/{place[0]}"].ids] == []


def test_each_allocation_of_a_small_module_has_a_section_and_each_value_at_least_a_row(tmp_path: Path) -> None:
    write_dump(tmp_path / "dumps", 40, seed=3)
    pages = read_pages(build_site(tmp_path / "dumps", tmp_path / "site"))
    (page,) = pages_in(pages, "v").values()
    assert len(values_on(page)) == 40 > len(sections(page)) > 30
    allocations = pages_in(pages, "a").values()
    assert all(sections(page) == allocations_on(page) for page in allocations)
    assert "An allocation has a section if" not in "".join(page.text for page in allocations)


def test_a_section_has_what_matters_and_a_row_each_other_value(large: Path, pages: dict[str, SitePage]) -> None:
    (files,) = discover([large.parent / "dumps"]).dumps
    report, _ = read_report(files)
    assert report is not None
    notable = notable_values(report.analysis)
    assert 0 < sum(notable) < VALUES
    names = {name for page in pages_in(pages, "v").values() for name in sections(page)}
    ids = report.analysis.dump.values.ids
    assert names == {f"v{number}" for number, is_notable in zip(ids, notable, strict=True) if is_notable}


def test_an_allocation_of_few_values_is_a_row_in_a_large_module(large: Path, pages: dict[str, SitePage]) -> None:
    (path,) = large.glob("m/*/data/values.js")
    values, shown = shard(path), pages_in(pages, "a").values()
    held = Counter(f"a{values['allocations']['id'][number]}" for number in values["allocation"])
    assert sorted(name for page in shown for name in allocations_on(page)) == sorted(held)
    many = {name for name, count in held.items() if count > MOST_IN_ROW}
    assert {name for page in shown for name in sections(page)} == many != held.keys()
    (page,) = (page for page in shown if "a0" in page.ids)
    assert "if it has more than 3 values or is in a finding, and a row otherwise" in " ".join(page.text.split())
    assert f"{values['name'][values['allocation'].index(0)]} 0 to " in page.text
