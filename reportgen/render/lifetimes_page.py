"""How long values are held and how long they lie idle, in each memory space."""

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.analyse.lifetimes import Idle, byte_steps, idle_at_peak, idle_stretches, steps_held
from reportgen.analyse.records import Space
from reportgen.render.links import Links
from reportgen.render.module import Module
from reportgen.render.page import Page
from reportgen.render.templates import render
from reportgen.spans import Peak

SHOWN = 50


@dataclass(frozen=True, slots=True)
class LongRow:
    """A value by its bytes × steps."""

    value: int
    steps: int
    byte_steps: int


@dataclass(frozen=True, slots=True)
class IdleRow:
    """An idle stretch; `at_peak_bytes` is what its value is given at the peak, None when it does not span it."""

    idle: Idle
    at_peak_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What the page says of one memory space; the counts and sums are of all rows, shown or not."""

    space: Space
    peak: Peak | None
    long_rows: list[LongRow]
    long_count: int
    long_sum: int
    peak_rows: list[IdleRow]
    peak_count: int
    peak_sum: int
    idle_rows: list[IdleRow]
    idle_count: int
    idle_sum: int


def lifetimes_page(module: Module, site_title: str) -> Page:
    links, path = Links(module, 0), module.routes.listing("lifetimes")
    content = render(
        "lifetimes.html",
        path,
        tab="lifetimes.html",
        site_title=site_title,
        module=module,
        links=links,
        facts=module.analysis.facts,
        has_time=module.analysis.dump.live_ranges is not None,
        has_uses=module.analysis.dump.used_values is not None,
        parts=[_part(module, space) for space in module.analysis.spaces.values()],
    )
    return Page(path, content)


def _part(module: Module, space: Space) -> Part:
    held, stretches = byte_steps(module.analysis, space), idle_stretches(module.analysis, space)
    spanning = idle_at_peak(space, stretches)
    at_peak = {idle: size for size, idle in spanning}
    return Part(
        space=space,
        peak=space.peak_resident,
        long_rows=[LongRow(value, steps_held(module.analysis, value), product) for product, value in held[:SHOWN]],
        long_count=len(held),
        long_sum=sum(product for product, _ in held),
        peak_rows=[IdleRow(idle, size) for size, idle in spanning[:SHOWN]],
        peak_count=len(spanning),
        peak_sum=sum(size for size, _ in spanning),
        idle_rows=[IdleRow(idle, at_peak.get(idle)) for idle in stretches[:SHOWN]],
        idle_count=len(stretches),
        idle_sum=_byte_steps(stretches),
    )


def _byte_steps(stretches: Sequence[Idle]) -> int:
    return sum(idle.byte_steps for idle in stretches)
