"""Keep of a message only the words of this package and of the system, because it may quote what must be hidden."""

import re

from reportgen.redact.vocabulary import GROUPED, is_known_in_messages

_MESSAGE_WORD = re.compile(r"[^\s'\"`()\[\],;]+")
_PARTS_OF_LABELS = re.compile(r"[/#:=]|(?<=\d)(?=[-.])")
_MARKS = re.compile(r"[=*%→…]")
_GROUPED = re.compile(GROUPED)
_AMOUNT = re.compile(r"((?<![^\s(+-])\d{1,3}(?:,\d{3}){1,6}(?=[ .;:)]|$)(?![ .]\d))")
"""An amount as this package prints it."""
_TOKEN = re.compile(r"(?:data|dump|folder|host|name|number|path|person|program|text)-\d+")


def redact_message(message: str) -> str:
    """Return a message with only its own words and tokens, because it may quote a file that could not be read."""
    pieces = _AMOUNT.split(message)
    # The pieces with odd numbers are amounts. Long numbers are searched for in each text between them, because a number
    # before an amount would be taken for its first group.
    texts = [piece if number % 2 else _GROUPED.sub("(redacted)", piece) for number, piece in enumerate(pieces)]
    return _MESSAGE_WORD.sub(_redacted_word, "".join(texts))


def _redacted_word(match: re.Match[str]) -> str:
    word = match[0].rstrip(":.?!")
    is_label = _TOKEN.match(word) is not None
    pieces = _PARTS_OF_LABELS.split(_TOKEN.sub("", word)) if is_label else _MARKS.split(word.lstrip("-+<>"))
    return match[0] if all(map(is_known_in_messages, pieces)) else "(redacted)" + match[0][len(word) :]
