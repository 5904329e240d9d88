"""`Dump` → `Analysis`: what the numbers are, per memory space, and whether the dump is sound.

Two parts of it, which take about the same time for a large dump, need nothing of each other: where values lie,
and what the memory spaces need.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from reportgen.analyse.backends import infer_backend
from reportgen.analyse.checks import OF_FIGURES, OF_PLACEMENT, checked
from reportgen.analyse.cross_checks import compared
from reportgen.analyse.findings import by_severity, listed
from reportgen.analyse.judgements import Judgement
from reportgen.analyse.records import Analysis, Backend, Figures, Measured, Placement, Space, XlaPeak
from reportgen.analyse.spaces import spaces
from reportgen.analyse.tenancy import tenancy
from reportgen.analyse.value_sizes import value_facts
from reportgen.analyse.xla_peak import xla_peak
from reportgen.model import Dump
from reportgen.source import Sibling


class JudgedFigures(NamedTuple):
    """The figures of a dump without the dump, what their checks say, and what the files beside the dump do."""

    spaces: Mapping[int, Space]
    xla_peak: XlaPeak | None
    checked: Judgement
    compared: Judgement


class JudgedPlacement(NamedTuple):
    """Where values lie, and what the checks of that say."""

    placement: Placement
    checked: Judgement


def analyse(dump: Dump, named_backend: Backend = "unknown", siblings: Sequence[Sibling] = ()) -> Analysis:
    """All figures and findings of a dump; `named_backend` is what the file's name says."""
    measured = measure(dump, named_backend)
    return joined(judged_placement(measured), judged_figures(measured, siblings))


def measure(dump: Dump, named_backend: Backend) -> Measured:
    """What each value needs."""
    backend, evidence = infer_backend(dump, named_backend)
    return Measured(
        dump=dump,
        backend=backend,
        backend_evidence=evidence,
        facts=value_facts(dump, backend),
        tenants=_tenants(dump),
    )


def judged_placement(measured: Measured) -> JudgedPlacement:
    """Where values lie, and whether that is sound."""
    placement = Placement(**vars(measured), tenancy=tenancy(measured.facts, measured.tenants))
    return JudgedPlacement(placement, checked(placement, OF_PLACEMENT))


def judged_figures(measured: Measured, siblings: Sequence[Sibling]) -> JudgedFigures:
    """The figures, whether they obey their laws, and whether the files beside the dump agree with it."""
    dump, facts = measured.dump, measured.facts
    by_color = spaces(dump, measured.backend, facts, measured.tenants)
    figures = Figures(**vars(measured), spaces=by_color, xla_peak=xla_peak(dump, facts, by_color))
    return JudgedFigures(by_color, figures.xla_peak, checked(figures, OF_FIGURES), compared(figures, siblings))


def joined(placed: JudgedPlacement, figured: JudgedFigures) -> Analysis:
    """The whole, from both parts."""
    text = placed.placement.dump.text
    of_dump = listed([*placed.checked.findings, *figured.checked.findings], text)
    of_siblings = listed(figured.compared.findings, text)
    return Analysis(
        **vars(placed.placement),
        spaces=figured.spaces,
        xla_peak=figured.xla_peak,
        findings=tuple(sorted((*of_dump, *of_siblings), key=by_severity)),
        evidence=(*placed.checked.evidence, *figured.checked.evidence, *figured.compared.evidence),
    )


def _tenants(dump: Dump) -> tuple[tuple[int, ...], ...]:
    """The numbers of the values in each allocation."""
    tenants: list[list[int]] = [[] for _ in dump.allocations]
    for number, value in enumerate(dump.values):
        tenants[value.allocation].append(number)
    return tuple(map(tuple, tenants))
