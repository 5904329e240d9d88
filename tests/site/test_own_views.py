"""The page of all values has a view of every value and allocation, or of the largest of a large module."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from reportgen.render.routes import ROWS_ON_PAGE
from tests.support.site import build_site, link_problems, own_views, reachable, read_pages, shard, tree
from tests.support.synthetic import write_dump


@pytest.mark.parametrize(("values", "is_small"), [(380, True), (50 * ROWS_ON_PAGE + 500, False)])
def test_the_largest_of_each_have_a_view_without_scripts(tmp_path: Path, values: int, is_small: bool) -> None:
    write_dump(tmp_path / "dumps", values, seed=3)
    site = build_site(tmp_path / "dumps", tmp_path / "site")
    (page,) = site.glob("m/*/explore.html")
    data = shard(page.parent / "data" / "values.js")
    most = None if is_small else ROWS_ON_PAGE
    named = [f"v{data['id'][number]}" for number in largest(data["size"])[:most]]
    of_allocations = data["allocations"]
    named += [f"a{of_allocations['id'][number]}" for number in largest(of_allocations["size"])[:most]]
    assert [*own_views(page.read_text(encoding="utf-8"))] == named
    pages = read_pages(site)
    assert link_problems(pages, frozenset(tree(site))) == []
    assert sorted(pages.keys() - reachable(pages)) == ["404.html"]


def largest(sizes: Sequence[int]) -> list[int]:
    return sorted(range(len(sizes)), key=lambda number: -sizes[number])
