"""Analyse a dump: compute its figures for each memory space, then check whether the dump is sound.

Each step uses the results of those before it: the size of each value, the reuse of its bytes, the memory of each space
over time, XLA's own peak, and finally the checks, which read all of these and change none.
"""

from functools import partial

from reportgen.analyse.backends import infer_backend
from reportgen.analyse.checks import checked
from reportgen.analyse.cross_checks import compared
from reportgen.analyse.expected_sharing import why_shared
from reportgen.analyse.findings import listed, rank
from reportgen.analyse.missing_allocations import missing_allocations
from reportgen.analyse.records import Analysis, Figures, Measured
from reportgen.analyse.reuse import buffer_reuse
from reportgen.analyse.spaces import spaces
from reportgen.analyse.value_sizes import value_facts
from reportgen.analyse.xla_peak import xla_peak
from reportgen.input.names import Backend
from reportgen.model import Dump
from reportgen.program.join import NOTHING_JOINED, Join
from reportgen.program.program import Program


def analyse(dump: Dump, named_backend: Backend = "unknown", join: Join = NOTHING_JOINED) -> Analysis:
    """Return all figures and findings of a dump.

    `named_backend` is the backend that the file's name states; `join` has the files beside the dump, with which it is
    compared, and what they say of its program.
    """
    measured = measure(dump, named_backend, join)
    figures = Figures(
        **vars(measured),
        xla_peak=xla_peak(measured.program, measured.facts, measured.spaces),
    )
    own, of_siblings = checked(figures), compared(figures, join.siblings)
    findings = (*listed(own.findings, dump.text), *listed(of_siblings.findings, dump.text))
    return Analysis(
        **vars(figures),
        findings=tuple(sorted(findings, key=lambda finding: rank(finding.slug))),
        evidence=(*own.evidence, *of_siblings.evidence),
    )


def measure(dump: Dump, named_backend: Backend = "unknown", join: Join = NOTHING_JOINED) -> Measured:
    """Return the sizes of values and the needs of memory spaces, without checks."""
    backend, evidence = infer_backend(dump, named_backend)
    facts = value_facts(dump, backend)
    occupants = dump.occupants
    program = Program(dump, join)
    reuse, covered = buffer_reuse(
        facts, dump.allocations, occupants, partial(why_shared, program), int(dump.has_addresses)
    )
    return Measured(
        dump=dump,
        missing=missing_allocations(dump),
        program=program,
        backend=backend,
        backend_evidence=evidence,
        facts=facts,
        occupants=occupants,
        reuse=reuse,
        spaces=spaces(dump, backend, facts, occupants, covered),
    )
