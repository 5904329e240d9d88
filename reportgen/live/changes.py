"""What a build changed in a module, against the build before and the first one of this run.

Builds are compared as `reportgen compare` compares them, so both say the same of the same change. A comparison refers
to both analyses, so only its words and figures are kept. All amounts are formatted and all sentences written here: the
terminal prints them, and `templates/live/panel.js` only arranges them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.compare.builds import ModuleComparison, compare_modules
from reportgen.compare.compare_words import OVERALL_WORDS, headline
from reportgen.compare.dump_comparison import DumpComparison, TermGroup
from reportgen.compare.figures import Figure, figures_of_side
from reportgen.compare.module_pairing import Pair, Side, pair_of
from reportgen.compare.terms import JoinedStep
from reportgen.compare.verdicts import judge
from reportgen.record import record
from reportgen.render.compare.comparison_views import Routes, link_of, routes_of, step_groups
from reportgen.render.routes import SIDES
from reportgen.reports.formats import change_words, exact_bytes, human_bytes, signed_bytes, visible
from reportgen.reports.report_document import GateModule, GateSpace

ROWS: tuple[tuple[str, Figure], ...] = (
    ("Peak resident", "peak_resident"),
    ("Needed", "needed"),
    ("Padding", "padding"),
)
"""The labels of the figures that are shown of a memory space."""

_MOST_SUBJECTS = 10  # of a step, because the panel is read in passing
_MOST_NAMED = 3  # of them in the terminal

_Figures = Mapping[int, GateSpace]


@record(kw_only=False)
class Subject:
    """Values of one step that are of one part of the program, in one shape.

    `path` is the page and the id of the value that changed most, empty if it is gone.
    """

    name: str
    count: int
    change_bytes: int
    path: str

    @property
    def words(self) -> str:
        """Return `1 × big +4.00 KiB`."""
        return f"{self.count:,} × {self.name} {signed_bytes(self.change_bytes)}"


@record(kw_only=False)
class Step:
    """One step from the previous peak to the last: its words, its bytes, and its subjects, the largest first."""

    words: str
    change_bytes: int
    subjects: Sequence[Subject]
    left_out: int

    @property
    def line(self) -> str:
        """Return `temporaries of another shape +4.00 KiB: 1 × big +4.00 KiB`."""
        named = [subject.words for subject in self.subjects[:_MOST_NAMED]]
        left_out = self.left_out + len(self.subjects) - len(named)
        more = f" and {left_out:,} more" if left_out else ""
        colon = ": " if named else ""
        return f"{self.words} {signed_bytes(self.change_bytes)}{colon}{', '.join(named)}{more}"

    def panel(self) -> Mapping[str, Any]:
        """Return the step for the panel, ready for JSON."""
        return {
            "step": self.words,
            "words": signed_bytes(self.change_bytes),
            "direction": _direction(self.change_bytes),
            "subjects": [
                {
                    "name": visible(subject.name),
                    "href": subject.path or None,
                    "count": f"{subject.count:,}",
                    "words": signed_bytes(subject.change_bytes),
                }
                for subject in self.subjects
            ],
            "more": self.left_out,
        }


@record
class SpaceChange:
    """One memory space of a module: its figures in the first, the previous and the last build, None where it has none.

    The steps lead from the previous peak to the last and add up to the difference.
    """

    color: int
    name: str
    first: GateSpace | None
    before: GateSpace | None
    now: GateSpace | None
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
        before, now = (_amount(figures, figure) or 0 for figures in (self.before, self.now))
        return abs(now - before)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the terminal about the space."""
        for name, figure in ROWS if self.has_changed else ():
            first, before, now = (_amount(figures, figure) for figures in (self.first, self.before, self.now))
            if before is None or now is None:
                continue
            start = now if first is None else first
            if not before == now == start:
                since = "" if start == now else f"; since the start {difference_words(start, now)}"
                yield f"{name.lower()} {human_bytes(now)}, {difference_words(before, now)}{since}"
        yield from (step.line for step in self.steps)

    def panel(self) -> Mapping[str, Any]:
        """Return the space for the panel, ready for JSON."""
        return {
            "color": self.color,
            "name": self.name,
            "rows": [self._row(name, figure) for name, figure in ROWS],
            "steps": [step.panel() for step in self.steps],
        }

    def _row(self, name: str, figure: Figure) -> Mapping[str, Any]:
        first, before, now = (_amount(figures, figure) for figures in (self.first, self.before, self.now))
        return {
            "name": name,
            "now": "–" if now is None else human_bytes(now),
            "exact": None if now is None else exact_bytes(now),
            "previous": _directed(before, now),
            "start": _directed(first, now),
        }


@record
class Difference:
    """What the last build of a module changed, the most changed space first.

    `doubts` are what the checks say against it and the build before. `first` are the figures of the first build. While
    the module `is_new`, no space has previous figures.
    """

    headline: str
    doubts: Sequence[str]
    first: _Figures
    now: GateModule
    spaces: Sequence[SpaceChange]
    is_new: bool = False

    def panel(self) -> Mapping[str, Any]:
        """Return the difference for the panel, ready for JSON."""
        return {
            "headline": self.headline,
            "doubts": list(map(visible, self.doubts)),
            "spaces": [space.panel() for space in self.spaces],
        }

    def lines(self) -> Iterator[str]:
        """Yield the lines of the terminal below the headline."""
        yield from self.doubts
        for space in () if self.is_new else self.spaces:
            yield from (f"{space.color} · {space.name}: {words}" for words in space.lines())


def of_first(figures: GateModule, peak_bytes: int | None) -> Difference:
    """Return the difference for a module's first build; `peak_bytes` is the peak resident of its main space."""
    words = "no live ranges" if peak_bytes is None else f"peak resident {human_bytes(peak_bytes)}"
    return _judged(
        f"new, {words}",
        (None, figures),
        first=figures.spaces,
        spaces=_changes(figures.spaces, {}, figures.spaces, {}),
        is_new=True,
    )


def of_next(last: Difference, before: Side | None, after: Side) -> Difference:
    """Return what a build changed since the `last`; without the analysis of the one before, only figures are known."""
    if before:
        compared = compare_modules(pair_of(before, after))
    else:
        compared = ModuleComparison(figures=(last.now, figures_of_side(after)))
    spaces = _changes(last.first, last.now.spaces, compared.module.spaces, _steps(compared))
    return _judged(headline(compared), compared.figures, first=last.first, spaces=spaces)


def _judged(
    words: str, pair: Pair, *, first: _Figures, spaces: Sequence[SpaceChange], is_new: bool = False
) -> Difference:
    """Return a difference with the doubts of a comparison, in which the headline ends as well."""
    judgement = judge(None, [pair], has_baseline=True)
    overall = OVERALL_WORDS.get(judgement.overall) if judgement.overall else None
    now = pair[1]
    assert now is not None, "the build was read"
    return Difference(
        headline=f"{words} — {overall}" if overall else words,
        doubts=[verdict.line for verdict in judgement.reported],
        first=first,
        now=now,
        spaces=spaces,
        is_new=is_new,
    )


def _changes(
    first: _Figures, before: _Figures, now: _Figures, steps: Mapping[int, Sequence[Step]]
) -> Sequence[SpaceChange]:
    """Return every memory space of the first, the previous or the last build, the most changed first."""
    names = {color: space.name for spaces in (first, before, now) for color, space in spaces.items()}
    changes = [
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
    return sorted(changes, key=lambda space: space.weight, reverse=True)


def _steps(compared: ModuleComparison) -> Mapping[int, Sequence[Step]]:
    """Return the steps of each memory space in the order of a comparison's page."""
    comparison = compared.comparison
    if comparison is None:
        return {}
    routes = routes_of(compared.figures, comparison)
    return {
        color: [_step(comparison, routes, step, step_groups(comparison, space, step)) for step in space.steps]
        for color, space in comparison.spaces.items()
    }


def _step(comparison: DumpComparison, routes: Routes, step: JoinedStep, members: Sequence[TermGroup]) -> Step:
    """Return one step; `members` are its groups, the largest first."""
    named = [group for group in members if group.name]
    subjects = [
        Subject(group.name, len(group.terms), group.change_bytes, _path(comparison, routes, group))
        for group in named[:_MOST_SUBJECTS]
    ]
    return Step(step.words, step.change_bytes, subjects, len(named) - len(subjects))


def _path(comparison: DumpComparison, routes: Routes, group: TermGroup) -> str:
    link = link_of(comparison, routes, group.terms[0], 1)
    return link[1].removeprefix(SIDES[1]) if link else ""


def _amount(figures: GateSpace | None, figure: Figure) -> int | None:
    return figures.figure(figure) if figures else None


def difference_words(before: int, after: int) -> str:
    """Return `+1.20 MiB (+5.2 %)`, or `no change`."""
    return "no change" if before == after else change_words(before, after)


def _directed(before: int | None, now: int | None) -> Mapping[str, Any] | None:
    """Return a change with its direction (-1, 0 or 1); None if one of the amounts is unknown."""
    if before is None or now is None:
        return None
    return {"words": difference_words(before, now), "direction": _direction(now - before)}


def _direction(change: int) -> int:
    return (change > 0) - (change < 0)
