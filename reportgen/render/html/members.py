"""List the buffers of a group, so that its row opens to every one of them."""

from collections.abc import Sequence

from markupsafe import Markup

from reportgen.render.html.links import Links
from reportgen.reports.formats import counted

_LINKED = 40


def group_members(numbers: Sequence[int], links: Links, last: str = "", noun: str = "buffer") -> Markup:
    """Return the buffers or values of a group, the first ones as links; several are folded.

    `last` is markup that stands after several.

    The page has only the numbers of the others, which `buttons.js` turns into links: of 4,000 values at a peak, each is
    in six groups.
    """
    words = counted(len(numbers), noun)
    if len(numbers) < 2:
        return Markup("").join(links.value_as(number, words) for number in numbers)
    shown, rest = numbers[:_LINKED], numbers[_LINKED:]
    listed = ", ".join(map(links.value, shown))
    more = f' <span data-values="{" ".join(map(str, rest))}">and {len(rest):,} more</span>' if rest else ""
    return Markup(f"<details><summary>{words}</summary>{listed}{more}{last}</details>")
