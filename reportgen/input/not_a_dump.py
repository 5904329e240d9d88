"""Say what a text without a plan is, and where the plan is."""

import re
from collections.abc import Iterable

from reportgen.input.names import PART_SUFFIXES, split_part, without_compression
from reportgen.input.quoted import Kind

_HLO_BEGIN = b"HloModule "
_HLO = re.compile(_HLO_BEGIN + rb"([^\s,{]{1,300})")
_LENGTH = re.compile(rb"HloLiveRange \(max (\d{1,12})\):")
_TOTAL = re.compile(rb"Total bytes used: (\d{1,20})\b")


def what_it_is(data: bytes, file_name: str, kinds: Iterable[Kind]) -> str:
    """Return in a sentence what a text is that has no allocations; empty if it is nothing that XLA writes.

    `kinds` are the sections of dumps that it has.
    """
    sections = set(kinds)
    if "used values" in sections:
        total = _TOTAL.search(data)
        stated = f", but for XLA's total of {int(total[1]):,} bytes in all memory spaces" if total else ""
        return f"these are the used values of a dump, without sizes{stated}; {_where(file_name)}"
    if "live ranges" in sections:
        length = _LENGTH.search(data)
        of = f" of {int(length[1]):,} instructions" if length else ""
        return f"these are the live ranges of a program{of}, without sizes; {_where(file_name)}"
    module = _HLO.search(data, max(0, data.find(_HLO_BEGIN)))
    if module and b"ENTRY " in data:
        name = module[1].decode("utf-8", "replace")
        return f"this is the HLO text of module {name}: it has shapes but no memory plan; {_where(file_name)}"
    return ""


def _where(file_name: str) -> str:
    """Return where the plan of a module is."""
    plain, split = without_compression(file_name), split_part(file_name)
    stem = split[0] if split else plain.removesuffix(".txt") if "after_optimizations" in plain else ""
    if stem:
        return f"the plan is in {stem}{PART_SUFFIXES[0]}"
    return f"the plan is in the file of the same stem that ends in {PART_SUFFIXES[0]}"
