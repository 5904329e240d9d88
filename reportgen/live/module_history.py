"""Remember of the builds of a module in this run what the last one changed.

Builds are compared as `reportgen compare` compares them, so both say the same of the same change. A comparison refers
to both analyses, so only its words and figures are kept, and the last analysis for the next comparison.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby

from reportgen.compare.builds import ModuleComparison, compare_modules, figures_of_side
from reportgen.compare.compare_words import headline
from reportgen.compare.figures import Figure, SpaceFigures
from reportgen.compare.flaws import flaws_of
from reportgen.compare.modules import ModulePair, Side
from reportgen.compare.steps import JoinedStep, steps_of
from reportgen.compare.verdicts import Judgement, Pair, judge
from reportgen.model import Dump
from reportgen.record import record
from reportgen.render.compare.term_groups import TermGroup, groups
from reportgen.render.routes import SIDES, ModuleRoutes, module_slug
from reportgen.render.view import Module

_MOST_SUBJECTS = 10  # of a step, because the panel is read in passing

_Figures = Mapping[int, SpaceFigures]


@record(kw_only=False)
class Subject:
    """Values of one step whose names differ only in their numbers.

    `path` is where the value is that changed most, its page and id, empty if it is gone.
    """

    name: str
    count: int
    change_bytes: int
    path: str


@record(kw_only=False)
class Step:
    """One step from the previous peak to the last: its words, its bytes, and its subjects, the largest first."""

    words: str
    change_bytes: int
    subjects: Sequence[Subject]
    left_out: int


@record
class SpaceChange:
    """One memory space of a module: its figures in the first, the previous and the last build, None where it has none.

    The steps lead from the previous peak to the last and add up to the difference.
    """

    color: int
    name: str
    first: SpaceFigures | None
    before: SpaceFigures | None
    now: SpaceFigures | None
    steps: Sequence[Step] = ()

    @property
    def has_changed(self) -> bool:
        """Return whether the last build changed the space."""
        return self.before != self.now or bool(self.steps)

    @property
    def weight(self) -> tuple[int, int, bool]:
        """Rank the space by how much the last build changed it: its peak, its need, then anything else."""
        return self._change("peak_resident"), self._change("needed"), self.has_changed

    def _change(self, figure: Figure) -> int:
        before, now = ((one.bytes[figure] if one else 0) or 0 for one in (self.before, self.now))
        return abs(now - before)


class ModuleHistory:
    """One module over the builds in which it was new or had changed.

    `headline` and `spaces` say what the last build changed. While the module `is_new`, which is until the second build,
    no space has previous figures. `judgement` says what the checks have against that build and the one before, as a
    comparison does.
    `content` is the digest of what a module's dump says.
    """

    def __init__(self, module: Module, content: str) -> None:
        self._last, self._content = _side(module), content
        self._first: _Figures = figures_of_side(self._last).spaces
        self.headline, self.is_new = "new", True
        self.judgement = _judgement((None, figures_of_side(self._last)))
        self.spaces: Sequence[SpaceChange] = [
            SpaceChange(color=color, name=space.name, first=space, before=None, now=space)
            for color, space in self._first.items()
        ]

    def add(self, module: Module, content: str) -> None:
        """Compare the next build with the last one, whose place it takes."""
        before, after = self._last, _side(module)
        compared = compare_modules(ModulePair(before, after, "content" if content == self._content else "name"))
        self._last, self._content = after, content
        self.headline, self.is_new = headline(compared), False
        self.judgement = _judgement(compared.figures)
        self.spaces = _changes(compared, self._first)


def _side(module: Module) -> Side:
    return Side(module.label, module.title, 0, module.analysis, flaws=flaws_of(module.analysis.findings))


def _judgement(pair: Pair) -> Judgement:
    return judge(None, [pair], has_baseline=True)


def _changes(compared: ModuleComparison, first: _Figures) -> Sequence[SpaceChange]:
    """Return every memory space of the first, the previous or the last build, by number."""
    before, now = (one.spaces if one else {} for one in compared.figures)
    names = {color: space.name for one in (first, before, now) for color, space in one.items()}
    steps = _steps(compared)
    return [
        SpaceChange(
            color=color,
            name=names[color],
            first=first.get(color),
            before=before.get(color),
            now=now.get(color),
            steps=steps.get(color, ()),
        )
        for color in sorted(names)
    ]


def _steps(compared: ModuleComparison) -> Mapping[int, Sequence[Step]]:
    """Return the steps of each memory space in the order of a comparison's page."""
    comparison = compared.comparison
    assert comparison is not None, "both sides have a dump"
    routes = _routes(compared, 0, comparison.before.dump), _routes(compared, 1, comparison.after.dump)
    return {
        color: [
            _step(step, list(found))
            for step, (_, found) in zip(
                steps_of(space.terms), groupby(groups(comparison, space, routes), lambda group: group.step), strict=True
            )
        ]
        for color, space in comparison.spaces.items()
    }


def _routes(compared: ModuleComparison, side: int, dump: Dump) -> ModuleRoutes:
    figures = compared.figures[side]
    assert figures is not None, "both sides have a dump"
    return ModuleRoutes(module_slug(figures.label, figures.name), dump)


def _step(step: JoinedStep, found: Sequence[TermGroup]) -> Step:
    """Return one step; `found` are its groups, the largest first."""
    named = [group for group in found if group.subject]
    subjects = [
        Subject(group.subject, group.count, group.change_bytes, _path(group)) for group in named[:_MOST_SUBJECTS]
    ]
    return Step(step.words, step.change_bytes, subjects, len(named) - len(subjects))


def _path(group: TermGroup) -> str:
    link = group.members[0].after
    return link.href.removeprefix(SIDES[1]) if link else ""
