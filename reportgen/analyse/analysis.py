"""`Dump` → `Analysis`: what the numbers are, per memory space, and whether the dump is sound."""

from dataclasses import replace

from reportgen.analyse.backends import infer_backend
from reportgen.analyse.checks import checked
from reportgen.analyse.findings import listed
from reportgen.analyse.records import Analysis, Backend
from reportgen.analyse.spaces import spaces
from reportgen.analyse.tenancy import tenancy
from reportgen.analyse.value_sizes import value_facts
from reportgen.analyse.xla_peak import xla_peak
from reportgen.model import Dump


def analyse(dump: Dump, named_backend: Backend = "unknown") -> Analysis:
    """All figures and findings of a dump; `named_backend` is what the file's name says."""
    backend, evidence = infer_backend(dump, named_backend)
    facts = value_facts(dump, backend)
    tenants = _tenants(dump)
    by_color = spaces(dump, backend, facts, tenants)
    analysis = Analysis(
        dump=dump,
        backend=backend,
        backend_evidence=evidence,
        facts=facts,
        tenants=tenants,
        tenancy=tenancy(facts, tenants),
        spaces=by_color,
        xla_peak=xla_peak(dump, facts, by_color),
    )
    found, results = checked(analysis)
    return replace(analysis, findings=listed(found, dump.text), evidence=results)


def _tenants(dump: Dump) -> tuple[tuple[int, ...], ...]:
    """The numbers of the values in each allocation."""
    tenants: list[list[int]] = [[] for _ in dump.allocations]
    for number, value in enumerate(dump.values):
        tenants[value.allocation].append(number)
    return tuple(map(tuple, tenants))
