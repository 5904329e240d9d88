"""Bound the matrix work that a checkpoint adds: what is computed inside of it runs at most once more.

XLA may compute less of it again, and so does a policy that keeps some results. A product without a name may be inside.
Where custom calls may multiply matrices, too, nothing bounds the work.
"""

from collections.abc import Callable, Collection

from reportgen.analyse.matmul_work import op_name_of, total_flops
from reportgen.analyse.records import Analysis
from reportgen.program.products import Product
from reportgen.program.scopes import REMATERIALIZED, direction, is_in_scope


def of_loops(analysis: Analysis, loops: Collection[str]) -> int | None:
    """Return the FLOPs of all passes of some loops; None where they are not known."""
    around = analysis.program.loops_around
    return _most(analysis, lambda product: any(loop in loops for loop in around(product.name)))


def of_scope(analysis: Analysis, scope: str) -> int | None:
    """Return the FLOPs of the forward pass in all scopes of a name, as `layer_#`; None where they are not known."""

    def is_inside(product: Product) -> bool:
        op_name = op_name_of(analysis.program, product)
        return not op_name or (is_in_scope(op_name, scope) and _is_forward(op_name))

    return _most(analysis, is_inside)


def of_function(analysis: Analysis, function: str) -> int | None:
    """Return the FLOPs of the forward pass in all calls of a user's function; None where they are not known."""
    program = analysis.program

    def is_inside(product: Product) -> bool:
        op_name, stack = op_name_of(program, product), program.stack(product.name)
        is_called = any(frame.function == function and not frame.is_of_library for frame in stack)
        return not (op_name and stack) or (is_called and _is_forward(op_name))

    return _most(analysis, is_inside)


def _is_forward(op_name: str) -> bool:
    return direction(op_name) == "forward" and REMATERIALIZED not in op_name


def _most(analysis: Analysis, is_inside: Callable[[Product], bool]) -> int | None:
    counted = analysis.products
    if counted is None or not counted.is_readable or counted.uncounted:
        return None
    return total_flops(filter(is_inside, counted.products), lambda product: product.own)
