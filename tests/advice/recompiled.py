"""Programs that were compiled before and after a change, as dumps with XLA's own figures beside them.

Each directory with a `memory_analysis.json` holds the dump of one program: `BACKEND/CASE/VARIANT`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from reportgen.advice.advise import Advice, advise
from reportgen.advice.arguments import Argument, arguments, results
from reportgen.analyse.records import Analysis, Space
from reportgen.input.discover import discover
from reportgen.pipeline import read_report
from reportgen.program.program import Program
from reportgen.program.scopes import REMATERIALIZED, pattern

_FIGURES = "memory_analysis.json"


@dataclass(frozen=True)
class Variant:
    """One compiled program, with XLA's own figures for it."""

    backend: str
    case: str
    name: str
    analysis: Analysis
    figures: Mapping[str, int]

    @cached_property
    def space(self) -> Space:
        return self.analysis.spaces[0]

    @cached_property
    def program(self) -> Program:
        return self.analysis.program

    @cached_property
    def advice(self) -> Advice:
        return advise(self.analysis)[0]

    @cached_property
    def arguments(self) -> list[Argument]:
        return arguments(self.analysis, self.space)

    @cached_property
    def donated(self) -> frozenset[str]:
        """The paths of the donated arguments."""
        return frozenset(argument.path for argument in self.arguments if argument.is_donated)

    @cached_property
    def shapes(self) -> tuple[tuple[str, str], ...]:
        """Path and shape of each argument."""
        return tuple((argument.path, argument.shape) for argument in self.arguments)

    @cached_property
    def result_shapes(self) -> tuple[str, ...]:
        """The shapes of what is returned, in donated arguments or not."""
        own = [result.shape for result in results(self.analysis, self.space)]
        return tuple(sorted([*own, *(argument.shape for argument in self.arguments if argument.is_donated)]))

    @property
    def peak_bytes(self) -> int:
        peak = self.space.peak_resident
        return peak.amount if peak else self.space.needed_bytes

    @cached_property
    def operations(self) -> frozenset[str]:
        """The op_names of the program without numbers: they tell programs apart that take and return the same."""
        names = self.analysis.dump.schedule.names
        return frozenset(pattern(self.program.op_name(name)) for name in names) - {""}

    @cached_property
    def recomputed(self) -> frozenset[str]:
        """The op_names of what a checkpoint computes for the second time."""
        return frozenset(name for name in self.operations if REMATERIALIZED in name)

    @cached_property
    def loops(self) -> int:
        return sum(self.program.opcode(name) == "while" for name in self.analysis.dump.schedule.names)

    def is_alike(self, other: "Variant") -> bool:
        """Return whether two programs run nearly the same operations."""
        common, everything = self.operations & other.operations, self.operations | other.operations
        return self.loops == other.loops and len(common) * 10 >= len(everything) * 9


def variants(root: Path) -> list[Variant]:
    """Read every program below a directory."""
    found = []
    for figures in sorted(root.rglob(_FIGURES)):
        folder = figures.parent
        backend, case, name = ("", "", *folder.relative_to(root).parts)[-3:]
        analysis = largest(folder)
        if analysis:
            stated = json.loads(figures.read_text(encoding="utf-8"))
            found.append(Variant(backend or analysis.backend, case, name, analysis, stated))
    return found


def largest(folder: Path) -> Analysis | None:
    """Return the dump in a folder that allocates most: the program, not what initializes it."""
    analyses = [report.analysis for report, _ in map(read_report, discover([folder]).dumps) if report]
    with_main = [analysis for analysis in analyses if 0 in analysis.spaces]
    return max(with_main, key=lambda analysis: analysis.spaces[0].needed_bytes, default=None)
