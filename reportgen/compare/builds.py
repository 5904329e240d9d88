"""Two builds of a program, module by module."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, get_args

from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.fit import DeviceFit
from reportgen.compare.dump_comparison import DumpComparison, SpaceComparison, compare_dumps, compare_equal_dumps
from reportgen.compare.figures import figures_of_side
from reportgen.compare.module_pairing import ModulePair, Pair, PairedBy, Side, pair_by_name, pair_modules
from reportgen.document import document
from reportgen.input.inputs import Inputs, differing_flags
from reportgen.input.reading import DumpFiles, Problem
from reportgen.record import record
from reportgen.reports.report_document import GateModule

Status = Literal["changed", "new", "missing", "same"]
STATUSES: tuple[Status, ...] = get_args(Status)
"""In the order of a report: what changed comes first."""


@document()
class InputDifference:
    """How the input of the compiler differs."""

    same_program: bool | None
    """Whether the programs are equal; null if a file beside the dumps is missing."""
    differing_flags: tuple[str, ...] | None
    """The flags that differ, by name; null if a file beside the dumps is missing."""
    same_compiler: bool | None
    """Whether the compilers are the same; null if a file beside the dumps is missing."""


@record(slots=False, kw_only=False)
class Source:
    """One side of a comparison: `dumps` of modules, or the figures of a report, in the order of their labels.

    `is_missing` marks a baseline that does not exist.
    """

    label: str
    dumps: tuple[DumpFiles, ...] = ()
    report: tuple[GateModule, ...] | None = None
    problems: tuple[Problem, ...] = ()
    is_missing: bool = False


@record(slots=False)
class ModuleComparison:
    """One module of either side or of both.

    `figures` are before and after, None on the side that lacks the module. `comparison` is None where a side is
    missing or only a report. `inputs` say what lies beside the dumps, `device_fits` whether each build fits.
    """

    figures: Pair
    paired_by: PairedBy | None = None
    alike: int = 1
    comparison: DumpComparison | None = None
    inputs: tuple[Inputs, Inputs] | None = None
    device_fits: tuple[DeviceFit, DeviceFit] = (DeviceFit(), DeviceFit())

    @property
    def module(self) -> GateModule:
        """Return the module after, or the one before if it is gone."""
        module = self.figures[1] or self.figures[0]
        assert module is not None
        return module

    @property
    def status(self) -> Status:
        """Return what became of the module; it is the same if there is no term and no figure differs."""
        before, after = self.figures
        if before is None or after is None:
            return "new" if before is None else "missing"
        has_terms = self.comparison is not None and any(space.terms for space in self.comparison.spaces.values())
        return "changed" if has_terms or before.spaces != after.spaces else "same"

    @property
    def change_bytes(self) -> int:
        """Return the largest change of a peak in any space, with its sign; the whole peak for a new or gone module."""
        changes = [peaks[1] - peaks[0] for peaks in self.peaks.values()]
        return max(changes, key=abs, default=0)

    @property
    def main_space(self) -> SpaceComparison | None:
        """Return the space of `main_color`; None unless both sides are dumps."""
        color = self.main_color
        return self.comparison.spaces.get(color) if self.comparison and color is not None else None

    @property
    def main_needs(self) -> tuple[int, int]:
        """Return what is needed before and after in the space of `main_color`, 0 in one that is not used."""
        return self.needs.get(self.main_color or MAIN_SPACE, (0, 0))

    @property
    def input_difference(self) -> InputDifference | None:
        """Return how the input of the compiler differs; None where a side is missing or only a report."""
        if self.inputs is None:
            return None
        before, after = self.inputs
        has_flags = before.flags is not None and after.flags is not None
        return InputDifference(
            same_program=before.program == after.program if before.program and after.program else None,
            differing_flags=tuple(differing_flags(before, after)) if has_flags else None,
            same_compiler=before.changelist == after.changelist if before.changelist and after.changelist else None,
        )

    @property
    def main_color(self) -> int | None:
        """Return the main memory of the device if it changed, else the space whose need changed most."""
        main = [amounts.get(MAIN_SPACE, (0, 0)) for amounts in (self.needs, self.peaks)]
        has_changed = any(before != after for before, after in main)
        return MAIN_SPACE if has_changed else self.most_changed

    @property
    def most_changed(self) -> int | None:
        """Return the space whose need changed most, of equal ones the one that needs most."""
        needs = self.needs
        return max(
            needs,
            key=lambda color: (abs(needs[color][1] - needs[color][0]), max(needs[color]), -color),
            default=None,
        )

    @cached_property
    def needs(self) -> Mapping[int, tuple[int, int]]:
        """Return what is needed before and after in each space; 0 in a space that is not used."""
        before, after = (module.spaces if module else {} for module in self.figures)
        return {
            color: (
                before[color].needed_bytes if color in before else 0,
                after[color].needed_bytes if color in after else 0,
            )
            for color in sorted({*before, *after})
        }

    @cached_property
    def peaks(self) -> Mapping[int, tuple[int, int]]:
        """Return the resident peak before and after of each space, if both are known; 0 in a space that is not used."""
        peaks = {}
        colors = {color for module in self.figures if module for color in module.spaces}
        for color in sorted(colors):
            amounts = [peak_of(module, color) for module in self.figures]
            if amounts[0] is not None and amounts[1] is not None:
                peaks[color] = (amounts[0], amounts[1])
        return peaks


def peak_of(module: GateModule | None, color: int) -> int | None:
    """Return the resident peak of a space, 0 if the module does not use it, None without live ranges."""
    space = module.spaces.get(color) if module else None
    return 0 if space is None else space.peak_resident_bytes


@record(slots=False)
class BuildComparison:
    """Two builds, module by module: those that changed most first, then new ones, missing ones and unchanged ones."""

    before: Source
    after: Source
    modules: tuple[ModuleComparison, ...]

    @property
    def explains(self) -> bool:
        """Return whether differences are explained, which takes the dumps of both sides."""
        return self.before.report is None and self.after.report is None

    @property
    def change_bytes(self) -> int | None:
        """Return the largest change of a peak, with its sign; None if no module has a peak known in both builds."""
        changes = [module.change_bytes for module in self.modules if None not in module.figures and module.peaks]
        return max(changes, key=abs, default=None)

    @property
    def pairs(self) -> list[Pair]:
        return [module.figures for module in self.modules]


def compare_builds(before: Source, after: Source, sides: tuple[Sequence[Side], Sequence[Side]]) -> BuildComparison:
    """Pair the modules of two builds and compare each pair; `sides` are the modules of those that have dumps."""
    if before.report is None and after.report is None:
        pairs, gone, new = pair_modules(*sides)
        modules = [compare_modules(pair) for pair in pairs]
        modules += [ModuleComparison(figures=(figures_of_side(side), None)) for side in gone]
        modules += [
            ModuleComparison(figures=(None, figures_of_side(side)), device_fits=(DeviceFit(), side.device_fit))
            for side in new
        ]
    else:
        figures = [
            source.report if source.report is not None else [figures_of_side(side) for side in sides_of_source]
            for source, sides_of_source in zip((before, after), sides, strict=True)
        ]
        modules = [ModuleComparison(figures=pair) for pair in pair_by_name(*figures)]
    ranks = {status: rank for rank, status in enumerate(STATUSES)}
    # The label, which is unique, makes the order the same for every build.
    modules.sort(key=lambda pair: (ranks[pair.status], -abs(pair.change_bytes), pair.module.name, pair.module.path))
    return BuildComparison(before=before, after=after, modules=tuple(modules))


def compare_modules(pair: ModulePair) -> ModuleComparison:
    """Compare two builds of a module."""
    before, after = pair.before, pair.after
    compared = compare_equal_dumps if pair.paired_by == "content" else compare_dumps
    return ModuleComparison(
        figures=(figures_of_side(before), figures_of_side(after)),
        paired_by=pair.paired_by,
        alike=pair.alike,
        comparison=compared(before.analysis, after.analysis),
        inputs=(before.inputs, after.inputs),
        device_fits=(before.device_fit, after.device_fit),
    )
