"""Judge whether modules keep to their budgets.

Compilation is deterministic, so there is no noise to tolerate, and the default is not one byte more. Figures alone
are judged; they come from an analysis or from a `report.json`. Those of a dump that contradicts itself are not judged,
because they may be wrong in either direction.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Literal

from reportgen.analyse.devices import MAIN_SPACE, Capacity, read_capacity
from reportgen.analyse.fit import fits, refused_for
from reportgen.compare.budgets import Budget, Budgets, Level
from reportgen.compare.figures import FIGURES
from reportgen.compare.module_pairing import Pair, plain_name
from reportgen.errors import shown
from reportgen.record import record
from reportgen.reports.formats import counted, need_and_capacity
from reportgen.reports.report_document import OF_ALLOCATIONS, GateModule
from reportgen.reports.work_words import of_all, uncounted_words

Status = Literal[
    "pass", "over", "grown", "new", "missing", "no baseline", "unmatched", "unknown", "unsound", "doubtful"
]
"""What a budget or the checks say. docs/compare.md has the meanings."""
Overall = Literal["pass", "over", "grown", "cannot judge", "unsound"]
"""The worst verdict."""

CANNOT_JUDGE, REGRESSED, UNSOUND = 1, 3, 4
_JUDGED: frozenset[Status] = frozenset({"pass", "over", "grown"})


@record
class Verdict:
    """What a budget says about one figure, or why it cannot judge; a verdict about no figure has no space.

    `accepted` is the reason for growth that is on purpose, in the words of whoever accepts it. `sentence` says in
    rounded sizes that a module does not fit, and `path` is that of the module. Both are empty for any other verdict.
    """

    status: Status
    level: Level | None
    message: str
    module: str = ""
    color: int | None = None
    before_bytes: int | None = None
    after_bytes: int | None = None
    limit_bytes: int | None = None
    budget: Budget | None = None
    accepted: str = ""
    sentence: str = ""
    path: str = ""

    @property
    def words(self) -> str:
        """Return the message, and why its growth is accepted."""
        return f"{self.message}; accepted: {self.accepted}" if self.accepted else self.message

    @property
    def line(self) -> str:
        """Return the verdict as a line of text, `fail: unsound: jit_f cannot be judged: …`."""
        return f"{self.level}: {self.status}: {self.words}"

    @property
    def place(self) -> str:
        """Return where the budget is, `file:line`; empty for one from the command line."""
        budget = self.budget
        return f"{budget.file}:{budget.line}" if budget and budget.file and budget.line else ""


@record(kw_only=False)
class Judgement:
    """All verdicts on two builds; without budgets they are only about dumps that are unsound or do not fit."""

    verdicts: tuple[Verdict, ...]
    has_budgets: bool = True

    @property
    def reported(self) -> list[Verdict]:
        """Return the verdicts that are reported to people: all but the passes."""
        return [verdict for verdict in self.verdicts if verdict.level]

    @property
    def judged(self) -> int:
        """Return the number of figures that were held to a budget."""
        return sum(verdict.status in _JUDGED and verdict.budget is not None for verdict in self.verdicts)

    @property
    def accepts(self) -> bool:
        """Return whether there is growth that is accepted."""
        return any(verdict.accepted for verdict in self.verdicts)

    @property
    def overall(self) -> Overall | None:
        """Return the worst verdict in a word: an unsound build first, then a regression, then what was not judged.

        Without budgets it is None unless a dump is unsound or does not fit. Where no figure was judged, nothing has
        passed.
        """
        failed = [verdict.status for verdict in self.verdicts if verdict.level == "fail"]
        for status in ("unsound", "over", "grown"):
            if status in failed:
                return status
        if not self.has_budgets:
            return None
        if "unmatched" in failed or "unknown" in failed:
            return "cannot judge"
        if failed:
            return "grown"
        return "pass" if self.judged else "cannot judge"

    @property
    def exit_code(self) -> int:
        """Return 0; 1 if the gate cannot judge, 3 if a budget is broken or a module does not fit, 4 if one is unsound.

        It is 0 as well where nothing but the baseline is missing, which `missing-baseline` allows.
        """
        match self.overall:
            case None | "pass":
                return 0
            case "cannot judge":
                return CANNOT_JUDGE if any(verdict.level == "fail" for verdict in self.verdicts) else 0
            case "unsound":
                return UNSOUND
            case _:
                return REGRESSED


def judge(
    budgets: Budgets | None,
    pairs: Sequence[Pair],
    *,
    has_baseline: bool,
    unread: int = 0,
    allow_unsound: bool = False,
    accepted: str = "",
    capacities: Sequence[str] = (),
    asked: Collection[str] = FIGURES,
) -> Judgement:
    """Judge each module that exists now, and say which dumps contradict themselves, whether there are budgets or not.

    Without a baseline, growth cannot be judged and no module counts as new. `unread` files of either side could not be
    read. A module is unsound if an error may make one of the figures that are `asked` for wrong; then it is judged only
    with `allow_unsound`. Growth is only noted where it is `accepted`, for that reason. A module that needs more
    than one of the `capacities`, or that the compiler refused, fails.
    """
    verdicts = [verdict for pair in pairs for verdict in _of_soundness(pair, asked, allow_unsound=allow_unsound)]
    if budgets is not None or capacities:
        modules = [after for _, after in pairs if after]
        verdicts += judge_fit(modules, capacities, allow_unsound=allow_unsound).verdicts
    if budgets is None:
        return Judgement(tuple(verdicts), has_budgets=False)
    if not has_baseline and any(budget.growth for budget in budgets.budgets):
        message = "there is no baseline, so growth was not judged"
        verdicts.append(Verdict(status="no baseline", level=budgets.missing_baseline, message=message))
    verdicts += _of_partners(budgets, pairs) if has_baseline else ()
    for budget in budgets.budgets:
        of_budget = _of_budget(budget, pairs, has_baseline=has_baseline, allow_unsound=allow_unsound)
        verdicts += (_accepted(verdict, accepted) for verdict in of_budget)
    for before, after in pairs if has_baseline else ():
        if before is None and after is not None:
            verdicts.append(_changed_set("new", budgets.new_modules, after, "is not in the baseline"))
        if after is None and before is not None:
            verdicts.append(_changed_set("missing", budgets.missing_modules, before, "is in the baseline but not here"))
    if unread:
        message = f"{counted(unread, 'file')} could not be read, so not everything was judged"
        verdicts.append(Verdict(status="unknown", level="fail", message=message))
    judgement = Judgement(tuple(verdicts))
    has_failed = any(verdict.level == "fail" for verdict in verdicts)
    lacks_baseline = any(verdict.status == "no baseline" for verdict in verdicts)
    if judgement.judged or has_failed or (lacks_baseline and pairs):
        return judgement
    message = f"no figure was judged, because {_why_none_was_judged(pairs)}"
    return Judgement((*verdicts, Verdict(status="unmatched", level="fail", message=message)))


def _of_partners(budgets: Budgets, pairs: Sequence[Pair]) -> Iterator[Verdict]:
    """Yield a verdict for each module whose growth cannot be judged, because nothing says which one it was before."""
    gone = Counter((before.backend, plain_name(before.name)) for before, after in pairs if before and after is None)
    new = Counter((after.backend, plain_name(after.name)) for before, after in pairs if after and before is None)
    for before, after in pairs:
        if after is None or before is not None:
            continue
        name = (after.backend, plain_name(after.name))
        if not gone[name] or gone[name] == new[name] == 1:
            continue
        if any(budget.growth and budget.covers(after) for budget in budgets.budgets):
            message = (
                f"{after.name} ({after.path}): its growth cannot be judged, because it is unknown which of"
                f" {gone[name]:,} of this name it was before; {new[name]:,} are new"
            )
            yield Verdict(status="unknown", level="fail", message=message, module=after.name)


def judge_fit(modules: Iterable[GateModule], capacities: Sequence[str], *, allow_unsound: bool = False) -> Judgement:
    """Judge whether each module fits what is given, or at least was not refused by the compiler."""
    given = dict(map(read_capacity, capacities))
    verdicts = [verdict for module in modules for verdict in _of_fit(module, given, allow_unsound=allow_unsound)]
    return Judgement(tuple(verdicts), has_budgets=False)


def _of_fit(module: GateModule, given: Mapping[int, Capacity], *, allow_unsound: bool) -> Iterator[Verdict]:
    """Yield that the compiler refused a module, and each given capacity that it does not fit or may not fit."""
    failed = partial(Verdict, level="fail", module=module.name)
    if refused := refused_for(module.refused, module.spaces, given):
        more = f"it needs more {refused.space} than there is"
        sentence = f"{module.name} was refused by the compiler: {more.replace(refused.space, refused.space.upper())}."
        message = f"{module.name}: the compiler refused this program, because {more}"
        yield failed(status="over", message=message, sentence=sentence, path=module.path)
    for color, space in module.spaces.items():
        if color not in given:
            continue
        needed, size = space.needed_bytes, given[color].size_bytes
        sure = "exact" if allow_unsound else space.certainty
        fit = fits(needed, sure, size, None)
        least = "at least " if sure == "least" else ""
        words = f"{module.name} {space.name}: needs {least}{needed:,} bytes"
        if fit is False:
            where = "" if color == MAIN_SPACE else f" in {space.name}"
            needs = "it needs {} of {}".format(*need_and_capacity(needed, sure, size))
            yield failed(
                status="over",
                message=f"{words}; the capacity is {size:,} bytes",
                color=color,
                after_bytes=needed,
                limit_bytes=size,
                path=module.path,
                sentence=f"{module.name} does not fit{where}: {needs}.",
            )
        elif fit is None:
            error = module.error_about(OF_ALLOCATIONS)
            why = error.words if error and sure == "unknown" else module.missing_allocations
            yield failed(status="unsound", message=f"{words}; whether it fits cannot be judged: {why}", color=color)
    lost = () if allow_unsound or not module.missing_allocations else sorted(given.keys() - module.spaces.keys())
    for color in lost:
        words = f"{module.name} memory space {color}: whether it fits cannot be judged"
        yield failed(status="unsound", message=f"{words}: {module.missing_allocations}", color=color)


def _why_none_was_judged(pairs: Sequence[Pair]) -> str:
    if not any(after for _, after in pairs):
        return "there is no module here"
    if not any(before for before, after in pairs if after):
        return "no module here is in the baseline, and no budget has a fixed limit for them"
    return "no budget is about a memory space of a module here"


def _accepted(verdict: Verdict, reason: str) -> Verdict:
    """Return a verdict that growth is only noted if there is a reason for it, and any other verdict as it is."""
    return replace(verdict, level="note", accepted=reason) if reason and verdict.status == "grown" else verdict


def _changed_set(status: Status, level: Level, module: GateModule, words: str) -> Verdict:
    return Verdict(status=status, level=level, message=f"{module.name} ({module.path}) {words}", module=module.name)


def _of_soundness(pair: Pair, asked: Collection[str], *, allow_unsound: bool) -> Iterator[Verdict]:
    """Yield what the checks say of each side: its first error, or its first warning if it has no error."""
    before, after = pair
    known: set[str] = set()
    for module, side in ((after, ""), (before, ", before")):
        if module is None or not module.flaws:
            continue
        flaw = module.flaws[0]
        where = f"{module.name}{side}"
        if module.error_about(asked):
            manner = "is judged although it is unsound" if allow_unsound else "cannot be judged"
            level: Level = "warn" if allow_unsound else "fail"
            message = f"{where} {manner}: {flaw.words}"
            yield Verdict(status="unsound", level=level, message=message, module=module.name)
        elif flaw.slug not in known:  # because two builds usually have the same warning for the same reason
            yield Verdict(status="doubtful", level="warn", message=f"{where}: {flaw.words}", module=module.name)
        known.add(flaw.slug)


def _of_budget(budget: Budget, pairs: Sequence[Pair], *, has_baseline: bool, allow_unsound: bool) -> Iterator[Verdict]:
    """Yield the verdicts on each memory space that a budget covers, or that it covers none."""
    is_matched = False
    for before, after in pairs:
        if after is None or not budget.covers(after):
            continue
        sides = (side for side in (before, after) if side)
        if not allow_unsound and any(side.error_about((budget.figure,)) for side in sides):
            is_matched = True
            continue
        if budget.max_recomputed is not None:
            is_matched = True
            yield _of_recomputation(budget, budget.max_recomputed, after)
            continue
        colors = [color for color, space in after.spaces.items() if budget.covers_space(color, space.name)]
        for color in colors:
            is_matched = True
            space = before.spaces.get(color) if before else None
            # A space that the module did not use before grows from 0 bytes.
            old = space.figure(budget.figure) if space else 0
            yield from _of_space(budget, old, after, color, has_old=before is not None and has_baseline)
    if not is_matched and budget.required:
        yield Verdict(
            status="unmatched",
            level="fail",
            message=f"the budget for {shown(budget.title)} matches nothing; does the compiler still write this dump?",
            budget=budget,
        )


def _of_recomputation(budget: Budget, most: Fraction, module: GateModule) -> Verdict:
    """Return the verdict on how much of the matrix work XLA recomputes; none at all is known to be kept."""
    again, whole = module.work.again_by_xla, module.work.matmul_flops
    if again is None or (again and whole is None) or (whole == 0 and module.work.uncounted):
        why = "there is no HLO text, or the count of a loop cannot be read"
        if whole == 0:
            why = f"its only matrix work may be that of {uncounted_words(module.work)}, which is unknown"
        message = f"{module.name}: what XLA recomputes is unknown, because {why}"
        return Verdict(status="unknown", level="fail", message=message, module=module.name, budget=budget)
    is_kept = again <= most * (whole or 0)
    return Verdict(
        status="pass" if is_kept else "over",
        level=None if is_kept else "fail",
        message=f"{module.name}: XLA recomputes {of_all(module.work, again)}; {float(100 * most):g} % is allowed",
        module=module.name,
        budget=budget,
    )


def _of_space(budget: Budget, old: int | None, after: GateModule, color: int, *, has_old: bool) -> Iterator[Verdict]:
    """Yield a verdict for each limit of a budget; `old` is the figure of the baseline, which counts if it `has_old`."""
    now = after.spaces[color].figure(budget.figure)
    where = f"{after.name} {after.spaces[color].name}"

    before_bytes = old if has_old else None
    about = partial(Verdict, module=after.name, color=color, before_bytes=before_bytes, after_bytes=now, budget=budget)

    def unknown(when: str, dump: str) -> Verdict:
        """Return the verdict that the figure is unknown, as `when` and `dump` say of which build."""
        message = f"{where}: {budget.figure}{when} is unknown, because {dump} has no live ranges"
        return about(status="unknown", level="fail", message=message)

    if now is None:
        yield unknown("", "the dump")
        return
    limits: list[tuple[Status, int, str]] = []
    if budget.max_bytes is not None:
        limits.append(("over", budget.max_bytes, f"{budget.max_bytes:,} bytes are allowed"))
    if budget.growth and has_old:
        if old is None:
            yield unknown(" before", "that dump")
        else:
            allowed = max(growth.allowed(old) for growth in budget.growth)
            limits.append(("grown", old + allowed, f"it was {old:,} bytes and may grow by {allowed:,}"))
    for status, limit, words in limits:
        is_kept = now <= limit
        if is_kept and after.refused and after.refused.is_of(color, after.spaces[color].name):
            continue  # nothing passes in the memory for which the compiler refused the module
        yield about(
            status="pass" if is_kept else status,
            level=None if is_kept else "fail",
            message=f"{where}: {budget.figure} {now:,} bytes; {words}",
            limit_bytes=limit,
        )
