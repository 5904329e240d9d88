"""List the values or buffers of a group, so that its row opens to every one of them."""

from collections.abc import Sequence

from markupsafe import Markup

from reportgen.render.html.links import Links
from reportgen.reports.formats import counted

_LINKED = 40


def group_members(numbers: Sequence[int], links: Links, noun: str = "value", last: str = "") -> Markup:
    """Return the values of a group, the first ones as links; several are folded. A buffer is one of its values.

    `last` is markup that stands after several.

    The page has only the numbers of the others, which `members.js` turns into links: of 4,000 values at a peak, each is
    in six groups.
    """
    shown, rest = numbers[:_LINKED], numbers[_LINKED:]
    listed = ", ".join(map(links.value, shown))
    if len(numbers) < 2:
        return Markup(listed)
    more = f' <span data-values="{" ".join(map(str, rest))}">and {len(rest):,} more</span>' if rest else ""
    return Markup(f"<details><summary>{counted(len(numbers), noun)}</summary>{listed}{more}{last}</details>")
