"""Add up the matrix products of a program, and those of them that it computes again to need less memory.

Near the capacity XLA recomputes by itself: it copies an instruction, as `fusion.3.remat` or `fusion.3.remat2.1`, and
all but one of such a family compute the same. What the program's own checkpoints compute has `rematted_computation` in
its op_name, and is computed again only where the forward pass computes it, too: XLA may merge both, or drop the first.
A loop counts as often as it runs; of the branches of a `conditional`, the dearest.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal

from reportgen.document import Count, document
from reportgen.program.equal_products import EqualProducts
from reportgen.program.products import LARGEST, Product, Products, total
from reportgen.program.program import Program
from reportgen.program.scopes import REMATERIALIZED, direction, original_of, path, pattern


@document()
class Recomputed:
    """The matrix products of one scope and line that are computed again."""

    by: Literal["XLA", "checkpoint"]
    """Who does so: XLA by itself, or a checkpoint of the program."""
    scope: str
    """The named scopes around them with # for their numbers, or the operation where there is none."""
    source: str
    """The user's line, as FILE:LINE; empty where it is not known."""
    times: Count
    """How many products that is in one run; 0 where a checkpoint has no effect, because XLA merged or dropped one."""
    flops: Count
    """Their floating-point operations."""
    instructions: tuple[str, ...]
    """The instructions of the schedule that they run in, in its order."""


@document()
class WorkFigures:
    """The work of a program in matrix products, in floating-point operations of one run; it is not time.

    A figure is null where it is not known.
    """

    matmul_flops: Count | None
    """All matrix products and convolutions that the program states."""
    again_by_checkpoint: Count | None
    """Of these, what the program's own checkpoints compute a second time."""
    again_by_xla: Count | None
    """Of these, what XLA computes again by itself to make the program need less memory."""
    uncounted: tuple[str, ...] = ()
    """Custom calls and operations that may multiply matrices, but state no work; none of it is in any figure. Absent in
    documents of earlier versions."""


UNKNOWN = WorkFigures(matmul_flops=None, again_by_checkpoint=None, again_by_xla=None)
"""The work of a program of which a document states none."""


@document()
class Work(WorkFigures):
    """The work of a program in matrix products, and what of it is computed again.

    It is in floating-point operations of one run, and not time. A figure is null where it is not known.
    """

    reason: str | None
    """Why a figure is not known; null if all are."""
    rows: tuple[Recomputed, ...]
    """What is computed again, by scope and line, the most work first."""

    @property
    def part_by_xla(self) -> float:
        """The part of the work that XLA computes again; 0 where it is not known."""
        return (self.again_by_xla or 0) / (self.matmul_flops or 1)

    @property
    def own_flops(self) -> int | None:
        """The work without what XLA computes again; None where it is not known."""
        every, again = self.matmul_flops, self.again_by_xla
        return None if every is None or again is None else every - again


def work(program: Program, counted: Products | None) -> Work:
    """Return the work of a program from its matrix products, None without HLO text; a figure not told is None."""
    if counted is None:
        return _without_text(program)
    if not counted.is_readable:
        return _unknown("the computations of the HLO text run each other in a circle")
    all_flops = total_flops(counted.products, lambda product: product.times)
    if all_flops is not None and all_flops >= LARGEST:
        return _unknown("the HLO text states more of it than any device could do")
    of_checkpoints, once = _again_by_checkpoints(program, counted.products)
    rows = (
        *_rows(program, "XLA", [one for one in counted.products if one.added], lambda product: product.added),
        *_rows(program, "checkpoint", [one for one in of_checkpoints if one.own], lambda product: product.own),
        *_rows(program, "checkpoint", once, lambda product: 0),
    )
    return Work(
        matmul_flops=all_flops,
        again_by_checkpoint=total_flops(of_checkpoints, lambda product: product.own),
        again_by_xla=total_flops(counted.products, lambda product: product.added),
        uncounted=tuple(counted.uncounted),
        reason=f"how often {' and '.join(counted.loops)} runs its body cannot be read" if counted.loops else None,
        rows=tuple(sorted(rows, key=lambda row: (-row.flops, row.by, row.scope, row.source))),
    )


def _again_by_checkpoints(program: Program, counted: Sequence[Product]) -> tuple[Sequence[Product], Sequence[Product]]:
    """Return the products of checkpoints that the forward pass computes, too, or a checkpoint around theirs.

    Then come those that run only once if all do, as is certain where the forward pass has fewer products of each line.
    """
    names = {product.name: op_name_of(program, product) for product in counted}
    again = [product for product in counted if REMATERIALIZED in names[product.name]]
    forward = [product for product in counted if direction(names[product.name]) == "forward"]
    equal, first = EqualProducts(program, names), dict[int, str]()
    for product in (*forward, *again) if again else ():
        first.setdefault(equal.number(product.name), names[product.name])
    twice = [product for product in again if first[equal.number(product.name)] != names[product.name]]
    if twice or not again:
        return twice, ()
    lines, forward_lines = (Counter(program.user_frame(one.name) for one in part) for part in (again, forward))
    return (), again if all(forward_lines[line] < times for line, times in lines.items()) else ()


def _without_text(program: Program) -> Work:
    """Return that XLA computes nothing again where the dump names no copy; what it copies, only the HLO text says."""
    is_copying = any(map(original_of, program.dump.made_by))
    return _unknown("there is no HLO text of this compilation next to the dump", again_by_xla=None if is_copying else 0)


def _unknown(reason: str, again_by_xla: int | None = None) -> Work:
    return Work(
        matmul_flops=None, again_by_checkpoint=None, again_by_xla=again_by_xla, uncounted=(), reason=reason, rows=()
    )


_Times = Callable[[Product], int | None]


def total_flops(products: Iterable[Product], times: _Times) -> int | None:
    """Return the FLOPs of the runs of products; None if it is unknown how often one runs."""
    return total(None if (count := times(product)) is None else count * product.flops for product in products)


def _rows(
    program: Program, by: Literal["XLA", "checkpoint"], products: Iterable[Product], times: _Times
) -> Iterator[Recomputed]:
    """Yield what is computed again by scope and line."""
    moment_of = program.dump.moment_of
    places: defaultdict[tuple[str, str], list[Product]] = defaultdict(list)
    for product in products:
        frame = program.user_frame(product.name)
        places[_scope(op_name_of(program, product)), str(frame) if frame else ""].append(product)
    for (scope, source), found in places.items():
        instructions = {scheduled(program, product) for product in found}
        yield Recomputed(
            by=by,
            scope=scope,
            source=source,
            times=sum(times(product) or 0 for product in found),
            flops=total_flops(found, times) or 0,
            instructions=tuple(sorted(instructions, key=lambda name: (moment_of.get(name, -1), name))),
        )


def scheduled(program: Program, product: Product) -> str:
    """Return the instruction of the schedule that a product runs in."""
    name = product.name
    for around in (name, *(program.module.path_to_entry(name) if program.module else ())):
        if around in program.dump.moment_of:
            return around
    return name


def op_name_of(program: Program, product: Product) -> str:
    """Return the op_name of a product or, where it has none, of the fusion around it."""
    return program.op_name(product.name) or program.op_name(program.caller(product.name) or "")


def _scope(op_name: str) -> str:
    """Return the named scopes around an operation or, without one, the operation itself."""
    return pattern("/".join(path(op_name))) or op_name.rpartition("/")[2]
