"""Leave out a result: its allocation is free, and what lies in it lives until it is last read."""

from collections.abc import Iterator

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.arguments import Result
from reportgen.advice.context import AdviceContext
from reportgen.advice.memory import Held, Memory
from reportgen.advice.suggest import is_worth_listing, suggest
from reportgen.analyse.records import Analysis
from reportgen.analyse.value_sizes import POINTER_BYTES
from reportgen.program.program import Program

_LISTED = 5


def find_unreturned(context: AdviceContext) -> Iterator[Suggestion]:
    """Yield the largest results that are not the new state of an argument."""
    paired = {pair.result.number for pair in context.donation.pairs}
    single = [result for result in context.results if result.number not in paired]
    for result in sorted(single, key=lambda result: -result.reserved_bytes)[:_LISTED]:
        if is_worth_listing(context, 10 * result.reserved_bytes):
            outcome = _without_result(context.analysis, context.memory, result).peak
            key = context.program.dump.values.keys[result.number]
            what = f"do not return {key}, {result.shape}"
            size_bytes, buffers = result.reserved_bytes, (result.number,)
            yield suggest(context, "unreturned-result", "exact", what, size_bytes, outcome, buffers=buffers)


def _without_result(analysis: Analysis, memory: Memory, result: Result) -> Memory:
    """Return the space if a result were not returned; what only the result needs is not computed either.

    The table of pointers to the results has one less, too; on a TPU it is rounded up, so it stays.
    """
    kept = [shortened for held in result.held if (shortened := _until_last_read(analysis.program, held, result))]
    moved = [held._replace(allocation=("result", result.number)) for held in (*kept, *result.scratch)]
    pointer_bytes = POINTER_BYTES if analysis.backend != "tpu" and result.leaf else 0
    return memory.changed(static_bytes=memory.static_bytes - result.reserved_bytes - pointer_bytes, added=moved)


def _until_last_read(program: Program, held: Held, result: Result) -> Held | None:
    if held.number != result.number:
        return held
    root = program.dump.moment_of.get(program.returning, -1)
    reads = [moment for moment in program.reads(held.number) if moment != root and moment <= held.last]
    return held._replace(last=reads[-1]) if reads else None
