"""Tell how often each matrix product of a program runs, and how many of these runs XLA has added by itself.

A loop counts as often as it runs its body and, of the branches of a `conditional`, the one with the most work counts.
Near the capacity XLA copies instructions to keep less in memory: `fusion.3` as `fusion.3.remat` or `fusion.3.remat2.1`
in the same computation. All of such a family compute the same, so all but one do it again.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

from reportgen.parse.module_text import ModuleText
from reportgen.program.matmuls import flops, may_multiply, multiplies
from reportgen.program.opcodes import ASYNC
from reportgen.program.program import Program
from reportgen.program.scopes import original_of
from reportgen.program.trip_counts import trip_count
from reportgen.record import record

_TARGET = re.compile(r'custom_call_target="([^"]*)"')
_LATER = tuple(ending for ending in ASYNC if ending != "-start")
"""The endings of opcodes that name the computation of an asynchronous operation that another has started."""


LARGEST = 10**24
"""More than any device can do; a damaged text may state numbers of any length."""


@record
class Product:
    """A matrix product: its FLOPs, how often it runs, and how many of these runs XLA has added.

    `times` and `added` are None where the passes of a loop around it are not known.
    """

    name: str
    flops: int
    times: int | None
    added: int | None

    @property
    def own(self) -> int | None:
        """Return how often it runs without the runs that XLA has added."""
        return None if self.times is None or self.added is None else self.times - self.added


@record
class Products:
    """The matrix products of a program.

    `loops` are those around products whose passes are not known. `uncounted` are the custom calls and opcodes that may
    multiply matrices and do not state how many. `is_readable` is False for a text that no compiler writes.
    """

    products: Sequence[Product] = ()
    loops: Sequence[str] = ()
    uncounted: Sequence[str] = ()
    is_readable: bool = True


class _Call(NamedTuple):
    """An instruction, the computation it is in, the computation it runs, and how often; None where that is unknown."""

    caller: str
    home: str
    called: str
    times: int | None
    is_branch: bool


def products(program: Program, module: ModuleText) -> Products:
    """Return the matrix products of a program whose HLO text is known."""
    stated = {
        name: flops(program, name) for name, opcode in module.opcode_of.items() if multiplies(program, name, opcode)
    }
    known = {name: amount for name, amount in stated.items() if amount is not None}
    try:
        runs = _Runs(program, module, known)
    except CycleError:
        return Products(is_readable=False)
    return Products(
        products=[
            Product(name=name, flops=amount, times=runs.of(name), added=runs.added(name))
            for name, amount in known.items()
        ],
        loops=runs.unknown,
        uncounted=sorted({_label(program, name) for name in (*(stated.keys() - known), *_others(program, module))}),
    )


class _Runs:
    """How often the computations of a program run, as far as they multiply matrices.

    Raises CycleError for computations that run each other.
    """

    def __init__(self, program: Program, module: ModuleText, own: Mapping[str, int]) -> None:
        self._program, self._module, self._own = program, module, own
        self._calls_of: dict[str, Sequence[_Call]] = {}
        """The calls of each computation."""
        self._calls_by: defaultdict[str, list[_Call]] = defaultdict(list)
        """The calls that each instruction makes."""
        self._read_calls()
        self._cost, self._dearest = Counter[str](), dict[str, str]()
        """The FLOPs of one run of each computation, and the branch with the most work of each `conditional`."""
        callers = {called: {call.home for call in calls} for called, calls in self._calls_of.items()}
        callers_first = tuple(TopologicalSorter(callers).static_order())
        self._add_up(callers_first[::-1])
        self._copies = frozenset(self._find_copies())
        self._times: dict[str, int | None] = {module.entry: 1}
        self._added: dict[str, int | None] = {module.entry: 0}
        """How often each computation runs, and how often within what XLA has copied."""
        for computation in callers_first:
            calls = self._running(computation)
            self._times.setdefault(computation, _runs((self._times[call.home], call) for call in calls))
            self._added.setdefault(
                computation, _runs((self._runs_of_copy(call.caller, call.home), call) for call in calls)
            )

    @property
    def unknown(self) -> Sequence[str]:
        """Return the loops whose passes are not known."""
        calls = (call for calls in self._calls_of.values() for call in calls)
        return sorted({call.caller for call in calls if call.times is None})

    def of(self, name: str) -> int | None:
        """Return how often a product runs; None where that is unknown."""
        return self._times[self._module.computation_of[name]]

    def added(self, name: str) -> int | None:
        """Return how many runs of a product XLA has added; None where that is unknown."""
        return self._runs_of_copy(name, self._module.computation_of[name])

    def _runs_of_copy(self, name: str, home: str) -> int | None:
        """Return how often an instruction runs as a copy, or within one."""
        return self._times[home] if name in self._copies else self._added[home]

    def _read_calls(self) -> None:
        """Read the calls of all computations that multiply matrices, or that run one that does."""
        waiting = list(dict.fromkeys(self._module.computation_of[name] for name in self._own))
        known = set(waiting)
        for computation in waiting:
            callers = self._module.callers_of.get(computation, ())
            self._calls_of[computation] = calls = [
                self._call(caller, computation) for caller in callers if not self._is_later(caller)
            ]
            for call in calls:
                self._calls_by[call.caller].append(call)
                if call.home not in known:
                    known.add(call.home)
                    waiting.append(call.home)

    def _is_later(self, caller: str) -> bool:
        return self._program.opcode(caller).endswith(_LATER)

    def _call(self, caller: str, called: str) -> _Call:
        opcode = self._program.opcode(caller)
        times = trip_count(self._program, caller) if opcode == "while" else 1
        return _Call(caller, self._module.computation_of[caller], called, times, opcode == "conditional")

    def _add_up(self, called_first: Sequence[str]) -> None:
        """Add up the FLOPs of computations, those first that others run; a loop of unknown passes counts once."""
        for name, amount in self._own.items():
            self._cost[self._module.computation_of[name]] += amount
        of_branch = Counter[str]()
        for computation in called_first:
            for call in self._calls_of.get(computation, ()):
                amount = self._cost[computation] * (1 if call.times is None else call.times)
                if call.is_branch:
                    known, of_branch[call.caller] = of_branch[call.caller], max(amount, of_branch[call.caller])
                    if amount > known:
                        self._dearest[call.caller] = computation
                    amount = of_branch[call.caller] - known
                self._cost[call.home] = min(self._cost[call.home] + amount, LARGEST)

    def _running(self, computation: str) -> Sequence[_Call]:
        """Return the calls of a computation that count: not those of a branch with less work than another."""
        return [
            call
            for call in self._calls_of.get(computation, ())
            if not call.is_branch or self._dearest.get(call.caller) == computation
        ]

    def _find_copies(self) -> Iterator[str]:
        """Yield the instructions that XLA has copied, without one of a family whose original is gone."""
        families: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for name in (*self._own, *self._calls_by):
            if original := original_of(name):
                families[self._module.computation_of[name], original].append(name)
        for (computation, original), copies in families.items():
            if self._module.computation_of.get(original) != computation:
                copies.remove(max(copies, key=self._cost_of))
            yield from copies

    def _cost_of(self, name: str) -> int:
        return self._own.get(name, 0) + sum(self._cost[call.called] for call in self._calls_by.get(name, ()))


def _runs(calls: Iterable[tuple[int | None, _Call]]) -> int | None:
    """Return how often calls run a computation, each with how often itself runs; None if one of them is unknown."""
    # What never runs has no passes, whether their number is known or not.
    return total(runs and call.times and runs * call.times for runs, call in calls)


def total(numbers: Iterable[int | None]) -> int | None:
    """Return the sum of numbers, at most `LARGEST`; None if one of them is unknown."""
    amount = 0
    for number in numbers:
        if number is None:
            return None
        amount = min(amount + number, LARGEST)
    return amount


def _others(program: Program, module: ModuleText) -> Iterator[str]:
    """Yield the custom calls and operations that may multiply matrices without saying how many."""
    for name, opcode in module.opcode_of.items():
        if may_multiply(program, name, opcode):
            yield name


def _label(program: Program, name: str) -> str:
    """Return the target of a custom call, or the opcode of any other instruction."""
    target = _TARGET.search(program.text(name))
    return target[1] if target else program.opcode(name)
