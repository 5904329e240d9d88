"""How long values are held, and how long they are idle, in each memory space."""

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.analyse.lifetimes import Idle, byte_steps, idle_at_peak, idle_stretches, steps_held
from reportgen.analyse.records import Space, ValueFacts
from reportgen.intervals.step_function import Peak
from reportgen.render.html.links import Links
from reportgen.render.module.view_page import Rest, view_page
from reportgen.render.page import Page
from reportgen.render.view import Module

_SHOWN = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldRow:
    """A value with the steps that it is held for, and its bytes × steps."""

    number: int
    fact: ValueFacts
    steps: int
    byte_steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldTable:
    """The values with the most bytes × steps; `total` is the sum over all values of the space."""

    rows: list[HeldRow]
    rest: Rest
    total: int


@dataclass(frozen=True, slots=True)
class IdleRow:
    """An idle stretch; `peak_bytes` are the bytes of its value at the peak, None when it does not span the peak."""

    idle: Idle
    peak_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleTable:
    """The largest idle stretches; `total` is the sum over all of them, of bytes at the peak or of bytes × steps."""

    rows: list[IdleRow]
    rest: Rest
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceLifetimes:
    """The lifetimes in one memory space."""

    space: Space
    peak: Peak | None
    held: HeldTable
    idle_at_peak: IdleTable
    idle: IdleTable


def lifetimes_page(module: Module, site_title: str) -> Page:
    """Return the page of lifetimes."""
    return view_page(
        module,
        site_title,
        "lifetimes",
        "lifetimes.html",
        links=Links(module, 0),
        has_time=module.analysis.dump.live_ranges is not None,
        has_uses=module.analysis.dump.used_values is not None,
        spaces=[_space_lifetimes(module, space) for space in module.analysis.spaces.values()],
    )


def _space_lifetimes(module: Module, space: Space) -> SpaceLifetimes:
    stretches = idle_stretches(module.analysis, space)
    spanning = idle_at_peak(space, stretches)
    peak_bytes = {idle: size for size, idle in spanning}
    return SpaceLifetimes(
        space=space,
        peak=space.peak_resident,
        held=_held_table(module, space),
        idle_at_peak=IdleTable(
            rows=[IdleRow(idle, size) for size, idle in spanning[:_SHOWN]],
            rest=_rest([size for size, _ in spanning]),
            total=sum(size for size, _ in spanning),
        ),
        idle=IdleTable(
            rows=[IdleRow(idle, peak_bytes.get(idle)) for idle in stretches[:_SHOWN]],
            rest=_rest([idle.byte_steps for idle in stretches]),
            total=sum(idle.byte_steps for idle in stretches),
        ),
    )


def _held_table(module: Module, space: Space) -> HeldTable:
    held, facts = byte_steps(module.analysis, space), module.analysis.facts
    rows = [
        HeldRow(number=number, fact=facts[number], steps=steps_held(module.analysis, number), byte_steps=product)
        for product, number in held[:_SHOWN]
    ]
    products = [product for product, _ in held]
    return HeldTable(rows=rows, rest=_rest(products), total=sum(products))


def _rest(amounts: Sequence[int]) -> Rest:
    return Rest(count=len(amounts[_SHOWN:]), amount=sum(amounts[_SHOWN:]))
