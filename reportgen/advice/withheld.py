"""Say why nothing is suggested for a memory space: where a number could be wrong, there is none."""

from reportgen.analyse.contested import contested_bytes, decides
from reportgen.analyse.devices import MAIN_SPACE
from reportgen.analyse.records import Analysis, Space

_NO_LIVE_RANGES = "The dump has no live ranges, so what is live when is unknown."
_NO_USES = "Who reads which value is not in the dump, so the effect of a change is unknown."
_ERRORS = "The dump has errors in too many bytes of this memory, so the numbers could be wrong."
_MISSING = "Allocations are missing, so what is live when is unknown."
_TOO_LONG = "The schedule in the dump is longer than that of any program."
NAMES_REDACTED = "The names of operations and arguments are redacted, and suggestions depend on them."
OTHER_SPACE = "The compiler fills this memory on purpose; only the main memory is worth saving."

_MOST_MOMENTS = 5_000_000
"""Moments of a schedule; each suggestion makes a list with an amount for each of them."""


def withheld(analysis: Analysis, space: Space) -> str:
    """Return why there is no advice for a space; empty where there is."""
    if space.color != MAIN_SPACE:
        return OTHER_SPACE
    if space.temp is None or not analysis.dump.live_ranges:
        return _NO_LIVE_RANGES
    if not analysis.dump.used_values:
        return _NO_USES
    if analysis.missing:
        return _MISSING
    if analysis.moments > _MOST_MOMENTS:
        return _TOO_LONG
    return _ERRORS if decides(contested_bytes(analysis, space), space) else ""
