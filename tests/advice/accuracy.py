"""Predicted against actual: programs that were compiled before and after one change, and what advice said of it.

    python -m tests.advice.accuracy DIR

Variants of one case, which `recompiled` reads, are compared in pairs by `predicted`.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from tests.advice.predicted import OTHER_ORDER, Row, rows
from tests.advice.recompiled import variants
from tests.support.markdown import Table

_HEADER = ("change", "case", "peak", "naive", "predicted", "actual", "error", "of the peak", "")
_WORST_DONATION, _MEDIAN_DONATION = 0.02, 0.001


def verdicts(found: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each bar that the table is held to."""
    single = [error for row, error in _errors(found) if row.change.startswith("donate ") and "+" not in row.change]
    if single:
        is_met = max(single) <= _WORST_DONATION and median(single) <= _MEDIAN_DONATION
        yield (
            f"Donation: at most {max(single):.2%} of the peak in {len(single)} pairs, {median(single):.3%} in the "
            f"median (bar: {_WORST_DONATION:.0%}, {_MEDIAN_DONATION:.1%}): {'met' if is_met else '**missed**'}"
        )
    ranges = [row for row in found if row.high is not None and "+" not in row.change and row.case.startswith("gpu")]
    over = [row for row in ranges if row.predicted is not None and row.predicted > row.actual]
    if ranges:
        yield f"Checkpoints on GPU: {len(over)} of {len(ranges)} ranges begin above the actual saving"
    results = [row for row in found if row.change.startswith("do not return")]
    if results:
        exact = sum(row.predicted == row.actual for row in results)
        yield f"Results not returned: {exact} of {len(results)} exact"
    orders = [row for row in found if row.change == OTHER_ORDER]
    if orders:
        promised = sum(row.predicted is not None for row in orders)
        yield f"Another order of dimensions: {promised} of {len(orders)} promised anything"
    joint = [row for row in found if "+" in row.change]
    if joint:
        worse = sum("not nearer" in row.note for row in joint)
        yield f"Donation + checkpoint: the joint saving is nearer than the sum in {len(joint) - worse} of {len(joint)}"


def _errors(found: Sequence[Row]) -> Iterator[tuple[Row, float]]:
    for row in found:
        if row.error is not None:
            yield row, abs(row.error)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and the bars."""
    parser = argparse.ArgumentParser(prog="python -m tests.advice.accuracy", description=main.__doc__)
    parser.add_argument(
        "path", type=Path, metavar="DIR", help="BACKEND/CASE/VARIANT with dumps and memory_analysis.json"
    )
    options = parser.parse_args(arguments)
    found = sorted(rows(variants(options.path)), key=lambda row: (_rank(row.change), row.case))
    if not found:
        print(f"{options.path}: no two variants of one case", file=sys.stderr)
        return 1
    print(Table("Predicted against actual (MiB)", _HEADER, [row.cells() for row in found]))
    for line in verdicts(found):
        print(f"- {line}")
    return 0


def _rank(change: str) -> int:
    order = ("donate ", "checkpoint", "donate +", "batch", "do not return", "another")
    ranks = [number for number, start in enumerate(order) if change.startswith(start)]
    return ranks[-1] if ranks else len(order)


if __name__ == "__main__":
    sys.exit(main())
