"""Draw two amounts over time as a step chart: one as an area, the other as a line.

A column that shows several moments shows the least amount of them, so nothing looks freer than it is.
"""

from itertools import groupby

from reportgen.intervals.step_function import StepFunction
from reportgen.render.drawings.packing import Scale
from reportgen.render.drawings.svg import drawing, path


def step_chart(area: StepFunction, line: StepFunction, scale: Scale, peak: int | None) -> str:
    """Draw both to the scale of the packing map, so that the two drawings can be read one above the other."""
    body = [
        path(f"M0 {scale.height}{_steps(area, scale)}V{scale.height}z", "area"),
        # The line begins at the height of its first step instead of at the bottom.
        path(_steps(line, scale).replace("V", "M0 ", 1), "line"),
    ]
    if peak is not None:
        body.append(scale.marker(peak))
    return drawing(scale.width, scale.height, body, label="Free bytes over time")


def _steps(amounts: StepFunction, scale: Scale) -> str:
    """Return `V…H…` for each run of columns of one height, counted from the top."""
    least: list[int] = []  # the least amount of each column
    for first, end, amount in amounts.pieces():
        left, right = scale.columns(first, end)
        if left < len(least):  # because pieces come in order, this can only be the last column so far
            least[left] = min(least[left], amount)
        least += [amount] * (right - len(least))
    text: list[str] = []
    column = 0
    for amount, columns in groupby(least):
        height = scale.height - amount * scale.height // scale.size_bytes
        column += len(list(columns))
        text.append(f"V{height}H{column}")
    return "".join(text)
