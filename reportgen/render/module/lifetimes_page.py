"""How long values are held, and how long they are idle, in each memory space.

Values of numbered siblings, as of the layers of a network, share a row.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from markupsafe import Markup

from reportgen.analyse.lifetimes import Stretch, idle_at_peak, is_temporary, lives
from reportgen.analyse.padding import values_of
from reportgen.analyse.peak_groups import sibling_name, spoken_name
from reportgen.analyse.records import Space
from reportgen.intervals.step_function import Peak
from reportgen.parse.shape_parser import plain_shape
from reportgen.record import record
from reportgen.render.html.links import Links, listed
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.view import Module
from reportgen.work import Page

_SHOWN = 50
_MOST_LINKED = 30


@record
class SiblingStretches:
    """The stretches of numbered siblings: from the first to the last moment, the longest one, and their sums."""

    values: Markup
    shape: Markup
    origin: Markup
    kind: str
    first: int
    last: int
    steps: int
    size_bytes: int
    amount: int


@record
class LifeTable:
    """The rows with the largest amounts; `total` is the sum over all of them."""

    rows: Sequence[SiblingStretches]
    rest: Rest
    total: int


@record
class SpaceLifetimes:
    """The lifetimes in one memory space; what is idle at the peak is apart from what a caller would hold anyway."""

    space: Space
    peak: Peak | None
    held: LifeTable
    idle_at_peak: LifeTable
    held_at_peak: LifeTable


def lifetimes_page(module: Module, site_title: str) -> Page:
    """Return the page of lifetimes."""
    links = Links(module, 0)
    return view_page(
        module,
        site_title,
        "lifetimes",
        "pages/lifetimes.html",
        links=links,
        has_time=module.analysis.dump.live_ranges is not None,
        has_uses=module.analysis.dump.used_values is not None,
        spaces=[_space_lifetimes(module, space, links) for space in module.large_spaces],
    )


def _space_lifetimes(module: Module, space: Space, links: Links) -> SpaceLifetimes:
    """Return the tables of a space: its values by bytes and time, and those that are idle at its peak."""
    spanning = idle_at_peak(module.analysis, space)
    # What siblings have in common, once for all tables, because there are tens of thousands of values.
    shapes = module.analysis.facts.values.shapes
    common = {
        number: (sibling_name(module.attribution(number).name), plain_shape(shapes[number]))
        for number in values_of(module.analysis, space)
    }

    def table(stretches: Iterable[Stretch]) -> LifeTable:
        return _table(module, links, common, stretches)

    def at_peak_table(*, temporary: bool) -> LifeTable:
        """Return the table of those that are temporaries, or of the others."""
        return table(stretch for stretch in spanning if is_temporary(module.analysis, stretch.value) == temporary)

    return SpaceLifetimes(
        space=space,
        peak=space.peak_resident,
        held=table(lives(module.analysis, space)),
        idle_at_peak=at_peak_table(temporary=True),
        held_at_peak=at_peak_table(temporary=False),
    )


def _table(
    module: Module,
    links: Links,
    common: Mapping[int, tuple[str, str]],
    stretches: Iterable[Stretch],
) -> LifeTable:
    """Return the table of one stretch of each value, the largest amounts first; siblings are folded before it is cut.

    `common` has the name and the shape by which values are siblings.
    """
    siblings: defaultdict[object, list[Stretch]] = defaultdict(list)
    amounts: Counter[object] = Counter()
    for stretch in stretches:
        key = (stretch.kind, common[stretch.value])
        siblings[key].append(stretch)
        amounts[key] += stretch.amount
    shown = nlargest(_SHOWN, siblings, key=lambda key: (amounts[key], -siblings[key][0].value))
    rows = [_row(module, links, siblings[key]) for key in shown]
    total = amounts.total()
    rest = Rest(count=len(siblings) - len(rows), amount=total - sum(row.amount for row in rows))
    return LifeTable(rows=rows, rest=rest, total=total)


def _row(module: Module, links: Links, members: Sequence[Stretch]) -> SiblingStretches:
    """Return the stretches of siblings as a row; the first value is shown, the others are folded."""
    numbers = [member.value for member in members]
    authors = [module.attribution(number) for number in numbers]
    values = links.value(numbers[0])
    if len(numbers) > 1:
        rest = listed(numbers[1:], links.value, _MOST_LINKED)
        values += Markup(f"<details><summary>and {len(numbers) - 1:,} more</summary>{rest}</details>")
    return SiblingStretches(
        values=values,
        shape=links.shape(numbers[0]),
        origin=links.origin_of(authors, spoken_name([author.name for author in authors])),
        kind=members[0].kind,
        first=min(member.first for member in members),
        last=max(member.last for member in members),
        steps=max(member.steps for member in members),
        size_bytes=sum(member.size_bytes for member in members),
        amount=sum(member.amount for member in members),
    )
