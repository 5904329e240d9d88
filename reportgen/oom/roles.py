"""Read the sizes in a sentence that no form has, each by the words beside it.

Where two sizes have one role, or the words do not say which it is, the role is not sure, and the size has none.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from reportgen.oom.forms import SIZE
from reportgen.oom.printed_size import SizeRange, read_size

_AMOUNT = re.compile(rf"(?<![\w.-])(?:{SIZE}|\d{{5,20}}(?= ?bytes\b))")
_NEAR = 48
_BEFORE = re.compile(
    r"\b(?i:(?P<excess>(?:exceed\w*|over|short|too \w+)\b[^.;\d]{0,40}\bby)"
    r"|(?P<reservable>largest[^.;\d]{0,40}(?:region|block|piece|chunk)[^.;\d]{0,20})"
    r"|(?P<needed>use[sd]?|takes?|ask(?:s|ed) for|need(?:s|ed)?|requir\w+|request\w*|allocat\w+|reserve|with size)"
    r"|(?P<capacity>limit|capacity|exceeds(?: \w+){0,3}|maximum|max|has|hbm of|memory of|usable)"
    r"|(?P<free>free|available|there are|remaining|left)"
    r"|(?P<held>in use|already allocated|currently allocated|occupied))"
    r"\W{0,3}(?:(?:is|was|of|about|only|a total of|up to|at least|the|to|for|size|memory|hbm|vmem)\W{1,2}){0,3}$"
)
_AFTER = re.compile(
    r"[\s,)]{0,2}(?:of (?:hbm|memory) )?(?i:(?P<free>(?:is |are |was )?(?:free|left|remaining|available))"
    r"|(?P<reservable>reservable|allocatable|(?:is |are )?contiguous)|(?P<capacity>limit|capacity|usable|total)"
    r"|(?P<needed>(?:is |are )?(?:needed|required|requested)|(?:would )?exceeds?)"
    r"|(?P<held>(?:is |are )?(?:in use|used|allocated|occupied)))\b"
)
_OF = re.compile(r"\s?[(/]?\s?(?:of|out of)?\s?")
_BY = re.compile(r"\W{0,3}by\s")


def figures_in(text: str) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the sizes of a sentence whose roles are sure, by role, and all of its sizes, as they stand."""
    found: defaultdict[str, dict[SizeRange | None, str]] = defaultdict(dict)
    printed: dict[str, None] = {}
    role, end = "", 0
    for match in _AMOUNT.finditer(text):
        # What is said after one size is not said before the next.
        before, behind = text[max(end, match.start() - _NEAR) : match.start()], _AFTER.match(text, match.end())
        first, second = (words.lastgroup or "" if words else "" for words in (_BEFORE.search(before), behind))
        if role == "needed" and _OF.fullmatch(before):  # as in "used 3.00G of 2.00G"
            role = "capacity"
        elif role == "capacity" and _BY.match(before):  # as in "exceeds the limit of 2.00G by 1.00G"
            role = "excess"
        elif first and second and first != second:
            role = second if first in ("free", "needed") and second in ("free", "held", "reservable") else ""
        else:
            role = first or second
        printed[match[0]] = None
        if role:
            found[role].setdefault(read_size(match[0], needs_unit=False), match[0])
        end = (behind or match).end()
    return {role: next(iter(sizes.values())) for role, sizes in found.items() if len(sizes) == 1}, list(printed)
