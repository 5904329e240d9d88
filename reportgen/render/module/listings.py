"""The long tables of a module: values, allocations, and what is resident at the peak of each memory space."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from reportgen.analyse.attributed import reserved_for
from reportgen.analyse.classes import MemoryClass, memory_class
from reportgen.analyse.records import Share, Space, ValueFacts
from reportgen.render.html.links import Links
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.routes import pages_of, rows_of
from reportgen.render.view import Module
from reportgen.reports.formats import human_bytes
from reportgen.reports.report import allocation_kinds
from reportgen.work import Page

_BITS_PER_BIN = 2


@dataclass(frozen=True, slots=True)
class ShareRow:
    """A share of the peak with the class of its allocation, and the `value` that its bytes are or will be of."""

    share: Share
    memory_class: MemoryClass
    value: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationRow:
    """An allocation as a row of a table."""

    number: int
    kinds: list[str]
    memory_class: MemoryClass
    space: str
    size_bytes: int
    values: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """The things that are at least `low` and less than `high` bytes large; empty things have their own bin."""

    low: int
    high: int
    count: int
    size_bytes: int

    @property
    def label(self) -> str:
        """Name the limits without decimals, because `4.00 KiB` would look measured."""
        return "empty" if self.high == 1 else f"{human_bytes(self.low)} – {human_bytes(self.high)}".replace(".00", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Bins from the largest to the smallest, without gaps between them; they add up to the totals."""

    noun: str
    bins: tuple[Bin, ...]
    count: int
    size_bytes: int

    @property
    def most_count(self) -> int:
        return max(one.count for one in self.bins)

    @property
    def most_bytes(self) -> int:
        return max(one.size_bytes for one in self.bins)


def histogram(noun: str, sizes: Iterable[int]) -> Histogram | None:
    """Return bins that grow by a factor of four, or None when there is nothing to count."""
    by_key: dict[int, list[int]] = {}
    for size in sizes:
        # The length in bits is exact, where a logarithm in floats could miss a power of four.
        by_key.setdefault((size.bit_length() - 1) // _BITS_PER_BIN if size else -1, []).append(size)
    if not by_key:
        return None
    lowest = min((key for key in by_key if key >= 0), default=0)
    keys = [*range(max(by_key), lowest - 1, -1), *([-1] if -1 in by_key else [])]
    bins = []
    for key in keys:
        low, high = (0, 1) if key < 0 else (1 << _BITS_PER_BIN * key, 1 << _BITS_PER_BIN * (key + 1))
        sizes_here = by_key.get(key, ())
        bins.append(Bin(low=low, high=high, count=len(sizes_here), size_bytes=sum(sizes_here)))
    count, size_bytes = sum(one.count for one in bins), sum(one.size_bytes for one in bins)
    return Histogram(noun=noun, bins=tuple(bins), count=count, size_bytes=size_bytes)


def _sizes_by_space(module: Module, noun: str, sizes: Iterable[tuple[int, int]]) -> tuple[tuple[Space, Histogram], ...]:
    """Return a histogram for each memory space that has any of the sizes, because spaces are never added up."""
    by_color: dict[int, list[int]] = {color: [] for color in module.analysis.spaces}
    for color, size in sizes:
        by_color[color].append(size)
    return tuple(
        (space, made)
        for color, space in module.analysis.spaces.items()
        if (made := histogram(noun, by_color[color])) is not None
    )


def peak_kind(space: Space) -> str:
    """Return the kind of the listing of a space's peak, as routes know it."""
    return f"peak-{space.color}"


def values_listing(module: Module, site_title: str) -> Iterator[Page]:
    """Yield the pages of the table of values."""
    rows = value_rows(module)
    lede = "Every value with bytes, largest first."
    if len(module.with_page) < len(rows):
        lede = f"{lede} Only the largest and those of a peak have their own page: {len(module.with_page):,}."
    allocations = module.analysis.dump.allocations
    sizes = _sizes_by_space(
        module, "values", ((allocations[fact.value.allocation].color, fact.value.size_bytes) for _, fact in rows)
    )
    yield from _pages(module, site_title, "values", rows, heading="Values", lede=lede, total=0, sizes=sizes)


def allocations_listing(module: Module, site_title: str) -> Iterator[Page]:
    """Yield the pages of the table of allocations."""
    rows, lede = allocation_rows(module), "Every allocation, largest first."
    allocations = module.analysis.dump.allocations
    sizes = _sizes_by_space(module, "allocations", ((one.color, one.size_bytes) for one in allocations))
    yield from _pages(module, site_title, "allocations", rows, heading="Allocations", lede=lede, total=0, sizes=sizes)


def peak_listing(module: Module, space: Space, site_title: str) -> Iterator[Page]:
    """Yield the pages of the table of what is resident at the peak of a space that has one."""
    peak, rows = space.peak_resident, share_rows(module, space)
    assert peak is not None
    heading = f"Peak of space {space.color} · {space.name}"
    lede = f"The bytes resident at moment {peak.moment}, each counted once, largest first."
    total = peak.amount
    yield from _pages(module, site_title, peak_kind(space), rows, heading=heading, lede=lede, total=total, sizes=())


def value_rows(module: Module) -> list[tuple[int, ValueFacts]]:
    """Return the values with their numbers, largest first."""
    return [(number, module.analysis.facts[number]) for number in module.by_size]


def allocation_rows(module: Module) -> list[AllocationRow]:
    """Return the allocations, largest first."""
    analysis = module.analysis
    rows = [
        AllocationRow(
            number=number,
            kinds=allocation_kinds(module, number),
            memory_class=memory_class(allocation),
            space=f"{allocation.color} · {analysis.spaces[allocation.color].name}",
            size_bytes=allocation.size_bytes,
            values=len(analysis.occupants[number]),
        )
        for number, allocation in enumerate(analysis.dump.allocations)
    ]
    return sorted(rows, key=lambda row: (-row.size_bytes, row.number))


def share_rows(module: Module, space: Space) -> list[ShareRow]:
    """Return what is resident at the peak of a space, largest first."""
    analysis = module.analysis
    return [
        ShareRow(
            share,
            memory_class(analysis.dump.allocations[share.allocation]),
            reserved_for(analysis, share.allocation) if share.value is None else share.value,
        )
        for share in space.composition
    ]


def _pages(
    module: Module,
    site_title: str,
    kind: str,
    rows: Sequence[Any],
    *,
    sizes: Sequence[tuple[Space, Histogram]],
    **context: Any,
) -> Iterator[Page]:
    """Yield the pages of a table. `total` is the sum of its bytes where the table adds up, and 0 otherwise."""
    pages, links = pages_of(len(rows)), Links(module, 0)
    href = partial(links.listing, kind)
    for page in range(1, pages + 1):
        shown = rows[rows_of(page)]
        listed = sum(row.share.size_bytes for row in shown) if context["total"] else 0
        # The last page leads back to the first.
        rest = Rest(count=len(rows) - len(shown), amount=context["total"] - listed, href=href(page % pages + 1))
        yield view_page(
            module,
            site_title,
            kind,
            "listing.html",
            links=links,
            page=page,
            pages=pages,
            href=href,
            rows=shown,
            rest=rest,
            sizes=sizes if page == 1 else (),
            **context,
        )
