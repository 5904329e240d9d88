"""Format numbers and names for people: the same words in a terminal, in Markdown and on pages."""

import re
from collections.abc import Callable, Mapping, Sequence

from reportgen.analyse.contested import Certainty
from reportgen.oom.printed_size import SizeRange

UNITS = ("KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
STEP = 1024
_FOUR_DIGITS = 1000
_DECIMAL_UNITS = ("k", "M", "G", "T", "P", "E")
_ZEROS = re.compile(r"(?<=\d\d\.\d)0(?= )|(?<=\d\d\d)\.00(?= )")
_CLOSE = 50
"""A range is shown as one size if it is narrower than this part of the size."""

QUALIFIERS: Mapping[Certainty | bool, str] = {True: "at least ", "least": "at least ", "unknown": "perhaps "}
_PARAMETERS = re.compile(r"\[\w+=.*", re.DOTALL)
_TRACED = re.compile(r"a_inference_(.+?)_\d+__Xla.*", re.DOTALL)
"""A name of TensorFlow, which numbers its functions: each trace of one gets another name."""


def human_bytes(size: int, more_digits: int = 0) -> str:
    """Return `2.52 GiB`, `25.4 GiB` or `768 MiB`: binary units, three digits; below 1024 bytes, all of them.

    Zeros at the end stay, as in `8.00 MiB`: they say how exact a size is. 1,000 MiB would be four, so it is `0.98 GiB`.
    """
    return f"{size:,} B" if abs(size) < STEP else _three_digits(size, STEP, UNITS, more_digits)


def logged_bytes(size: int) -> str:
    """Return `768.00 MiB`: two decimals, as XLA prints sizes in errors, so that its figures are found in ours."""
    if abs(size) < STEP:
        return human_bytes(size)
    amount, unit = _scaled(size, STEP, UNITS, STEP - 0.005)
    return f"{amount:,.2f} {unit}"


def capacity_bytes(size: int) -> str:
    """Return `15.75 GiB` or `512 KiB`: a capacity as XLA prints it, without zeros behind three digits."""
    return _ZEROS.sub("", logged_bytes(size))


def distinct_bytes(*sizes: int) -> Sequence[str]:
    """Return sizes in words, with more digits where two that differ would read the same, and exact where these do."""
    for more_digits in range(3):
        words = [human_bytes(size, more_digits) for size in sizes]
        if len(set(words)) == len(set(sizes)):
            return words
    return [*map(exact_bytes, sizes)]


def _three_digits(size: int, step: int, units: Sequence[str], more_digits: int = 0) -> str:
    amount, unit = _scaled(size, step, units, _FOUR_DIGITS - 0.5)
    decimals = 2 if abs(amount) < 9.995 else 1 if abs(amount) < 99.95 else 0
    return f"{amount:,.{decimals + more_digits}f} {unit}"


def _scaled(size: int, step: int, units: Sequence[str], limit: float) -> tuple[float, str]:
    """Return a size in the first unit that leaves less than `limit` of it, or in the last one."""
    amount = size / step
    for unit in units[:-1]:
        if abs(amount) < limit:
            return amount, unit
        amount /= step
    return amount, units[-1]


def _sign(change: float) -> str:
    """Return the sign of a change; empty for none."""
    if not change:
        return ""
    return "+" if change > 0 else "−"


def signed_bytes(change: int, more_digits: int = 0) -> str:
    """Return `+16.0 MiB` or `−512 B`, with a minus sign and never without a sign unless it is zero."""
    return f"{_sign(change) or '±'}{human_bytes(abs(change), more_digits)}"


def signed_count(change: int) -> str:
    """Return `+16,805,572`, exact bytes with their sign."""
    return f"{_sign(change)}{abs(change):,}"


def signed_percent(before: int, after: int) -> str:
    """Return `+18.3 %`, with the sign of the bytes; empty where there was nothing before or nothing changed."""
    if before == after or not before:
        return ""
    percent = abs(after - before) * 100 / before
    digits = f"{percent:.1f}" if percent >= 0.05 else "<0.1"
    return f"{_sign(after - before)}{digits} %"


def change_words(before: int, after: int) -> str:
    """Return `+16.0 MiB (+18.3 %)`."""
    words, part = signed_bytes(after - before), signed_percent(before, after)
    return f"{words} ({part})" if part else words


def transition_words(before: int, after: int) -> str:
    """Return `35.8 → 6.97 GiB`, with the unit once where both have the same."""
    (old, _, old_unit), (new, _, new_unit) = (words.rpartition(" ") for words in distinct_bytes(before, after))
    return f"{old} → {new} {new_unit}" if old_unit == new_unit else f"{old} {old_unit} → {new} {new_unit}"


def range_words(size: SizeRange) -> str:
    """Return one size for what was printed with few decimals, or both ends where the difference matters."""
    if (size.high_bytes - size.low_bytes) * _CLOSE <= abs(size.middle):
        return logged_bytes(size.middle)
    return f"{logged_bytes(size.low_bytes)} to {logged_bytes(size.high_bytes)}"


def least_words(size: int, known: Certainty | bool, words: Callable[[int], str] = human_bytes) -> str:
    """Return a size as far as it is `known`, which is true for a lower bound: `at least 2.52 GiB`."""
    return f"{QUALIFIERS.get(known, '')}{words(size)}"


def need_and_capacity(needed: int, known: Certainty | bool, capacity: int) -> tuple[str, str]:
    """Return `at least 27.4 GiB` and `15.75 GiB`, which read alike if and only if they are equal."""
    words, limit = distinct_bytes(needed, capacity)
    shown = capacity_bytes(capacity) if limit == human_bytes(capacity) else limit
    return f"{QUALIFIERS.get(known, '')}{shown if needed == capacity else words}", shown


def counted(number: int, noun: str) -> str:
    """Return `1 value` or `2,345 values`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def more_lines(lines: int) -> str:
    """Return what stands behind a source line that is the first of several; empty where it is the only one."""
    return f" and {lines - 1:,} more" if lines > 1 else ""


def capital(text: str) -> str:
    """Return a sentence that begins with a capital."""
    return text[:1].upper() + text[1:]


def exact_bytes(size: int) -> str:
    """Return `2,709,520,384 bytes`."""
    return counted(size, "byte")


def percent(part: int, whole: int) -> str:
    """Return `12.5 %`, or a dash if there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def human_flops(amount: int) -> str:
    """Return `4.33 TFLOP` or `988 GFLOP`: decimal units, three digits; below a thousand all of them."""
    if amount < _FOUR_DIGITS:
        return f"{amount:,} FLOP"
    return f"{_three_digits(amount, _FOUR_DIGITS, _DECIMAL_UNITS)}FLOP"


def factor(padded: int | None, dense: int | None) -> str:
    """Return `64×`, the padded size over the dense one; `< 1.01×` where that is hardly more."""
    if not dense or padded is None:
        return "–"
    times = padded / dense
    if 1 < times < 1.005:  # it would be rounded to 1
        return "< 1.01×"
    return f"{times:.3g}×" if times < 100 else f"{times:,.0f}×"


LONGEST_NAME = 200
"""Characters of a name in a link or a heading; the page of what it names has the whole."""


def shortened(text: str) -> str:
    """Return a name that is too long to read as its beginning and its end."""
    half = LONGEST_NAME // 2
    return text if len(text) <= LONGEST_NAME else f"{text[:half]}…{text[-half:]}"


def cut(text: str, most: int) -> str:
    """Return a text, or of a long one its first `most` characters with an ellipsis."""
    return text if len(text) <= most else f"{text[:most]}…"


def end_of(name: str, most: int) -> str:
    """Return a name, or the last parts of one that is longer than `most`: `…/while/body/attn/sub`.

    JAX before 2023 puts the parameters of an operation into its name; they go first.
    """
    if len(name) > most:
        name = _PARAMETERS.sub("", name)
    if len(name) <= most:
        return name
    shown = name[-(most - 1) :] if most > 1 else ""
    _, slash, rest = shown.partition("/")
    # A part that is longer than the room is shown by its end.
    return f"…/{rest}" if slash and len(rest) > most // 3 else f"…{shown}"


def function_name(title: str) -> str:
    """Return the name of the function that a module was compiled from."""
    traced = _TRACED.fullmatch(title)
    return traced[1] if traced else title


# Control characters except line breaks and tabs, characters that reverse the direction of text, and those of no width.
_UNSEEN = re.compile("[\0-\b\v-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def visible(text: str) -> str:
    """Replace each character that is invisible and could change how the rest is read by a visible sign."""

    def sign(found: re.Match[str]) -> str:
        """Return `␇` for a control character, `[U+202E]` for others."""
        code = ord(found[0])
        return chr(0x2421 if code == 0x7F else 0x2400 + code) if code < 0x80 else f"[U+{code:04X}]"

    # Check first, because nearly all texts need no change and this takes half the time of a search.
    return text if text.replace("\n", "").isprintable() else _UNSEEN.sub(sign, text)
