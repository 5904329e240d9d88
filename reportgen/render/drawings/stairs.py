"""Amounts over time as stairs: an area for the one, a line for the other.

Where a column stands for several moments it shows the least of them, so nothing looks freer than it is.
"""

from itertools import groupby

from reportgen.render.drawings.packing import Scale
from reportgen.render.drawings.svg import drawing, path
from reportgen.spans import StepFunction


def stairs(area: StepFunction, line: StepFunction, scale: Scale, peak: int | None) -> str:
    """Both to the scale of the packing map, so that the two drawings can be read one above the other."""
    steps = _steps(area, scale)
    body = [path(f"M0 {scale.height}{steps}V{scale.height}z", "area"), path(_line(_steps(line, scale)), "line")]
    if peak is not None:
        body.append(path(f"M{scale.column(peak)} 0v{scale.height}", "peak"))
    return drawing(scale.width, scale.height, body, label="Free bytes over time")


def _line(steps: str) -> str:
    """The stairs begin with a height, so a line begins there."""
    height, _, rest = steps[1:].partition("H")
    return f"M0 {height}H{rest}"


def _steps(amounts: StepFunction, scale: Scale) -> str:
    """`V…H…` for each stretch of columns of one height, counted from the top."""
    text: list[str] = []
    column = 0
    for amount, columns in groupby(_least(amounts, scale)):
        height = scale.height - amount * scale.height // scale.size_bytes
        column += len(list(columns))
        text.append(f"V{height}H{column}")
    return "".join(text)


def _least(amounts: StepFunction, scale: Scale) -> list[int]:
    """The least amount of each column; stretches come in order, so one meets only the column before it."""
    least: list[int] = []
    for first, behind, amount in amounts.pieces():
        left, right = scale.columns(first, behind)
        if left < len(least):
            least[left] = min(least[left], amount)
        least += [amount] * (right - len(least))
    return least
