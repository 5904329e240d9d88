"""What names a build in a history: its commit, its time, and where its report is kept."""

import re
from datetime import UTC, datetime
from typing import Any

from reportgen.errors import quoted, shown

_LONGEST = 200


def commit_name(text: Any) -> str:
    """Return the name of a commit. Raises ValueError for anything that is not one printable word."""
    if not isinstance(text, str) or not text.isprintable() or not 0 < len(text) <= _LONGEST or " " in text:
        raise ValueError(f"{quoted(text)} is not the name of a commit")
    return text


def utc(text: str) -> str:
    """Return a time as `2026-11-22T11:03:34Z`. Raises ValueError for a text that is not a time with a time zone."""
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None:
            raise ValueError("it has no time zone")
        return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError) as error:
        raise ValueError(
            f"{quoted(text)} is not a time such as 2026-11-22T12:03:34+01:00: {shown(str(error))}"
        ) from error


def link_url(text: Any) -> str:
    """Return a URL. Raises ValueError for one that is not of the web or has blanks, because a page links to it."""
    if not isinstance(text, str) or not text.startswith(("https://", "http://")) or not re.fullmatch(r"[!-~]+", text):
        raise ValueError(f"{quoted(text)} is not a URL that begins with https://")
    return text


def growth_reason(text: Any) -> str:
    """Return why growth is accepted, on one line. Raises ValueError for a text that gives no reason, or a long one."""
    words = " ".join(text.split()) if isinstance(text, str) else ""
    if not words or not words.isprintable() or len(words) > _LONGEST:
        raise ValueError(f"{quoted(text)} is not a reason: one line of at most {_LONGEST} characters is needed")
    return words
