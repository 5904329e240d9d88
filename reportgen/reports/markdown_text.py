"""Write the names and words of other people's programs in Markdown, so that it interprets nothing in them."""

import re

from reportgen.reports.formats import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]()#+.!|~@<>&$:-])")
_MOST_WORDS = 80


def escaped(text: str, most: int = _MOST_WORDS) -> str:
    """Return text that Markdown shows as it is, on one line, cut if it is long."""
    line = visible(" ".join(text.split()))
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    return _SPECIAL.sub(r"\\\1", cut).replace("\\<", "&lt;").replace("\\>", "&gt;").replace("\\&", "&amp;")


def code(text: str, most: int = _MOST_WORDS) -> str:
    """Return text in code, which may not contain a backtick or, in a table, a bar."""
    line = visible(" ".join(text.split())).replace("`", "'").replace("|", "¦")
    cut = line if len(line) <= most else f"{line[: most - 1]}…"
    return f"`{cut}`"
