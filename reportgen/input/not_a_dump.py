"""Describe a text without a memory plan, and say where the plan is."""

import re
from collections.abc import Iterable

from reportgen.input.names import PART_SUFFIXES, split_part, without_compression
from reportgen.input.quoted import Kind

_HLO_BEGIN = b"HloModule "
_HLO = re.compile(_HLO_BEGIN + rb"([^\s,{]{1,300})")
_LENGTH = re.compile(rb"HloLiveRange \(max (\d{1,12})\):")
_ENTRY = re.compile(rb"ENTRY %?[\w.-]{1,300} \(")
_PARAMETER = re.compile(rb"= \w{1,9}\[[\d,]{0,100}\][^\s=]{0,100} parameter\(\d{1,9}\)")
_USED_VALUE = re.compile(rb"<\d{1,12} [^\n>]{1,300} @\d{1,12}>\n[^\n]{0,80} positions:")
_WORDS = (
    b"*** Begin ",
    b"BufferAssignment:",
    b"Used values:",
    b"LiveRange",
    b"Live ranges at ",
    b"peak usage:",
    b"HloModule ",
    b"ENTRY ",
    b" parameter(",
    b"stablehlo.",
    b" positions:",
)
_ALLOCATION = re.compile(rb"allocation \d{1,12}: ")
_OF_RANGES = (b"  BufferLiveRange:", b"  Live ranges at ", b"Stack trace breakdown for peak usage:")

_RUN = "`reportgen run -- COMMAND` makes a report of the program"


def may_hold_dump(piece: bytes) -> bool:
    """Return whether a piece of a text has a word of dumps or of HLO, so that the text must be read as a whole."""
    return any(word in piece for word in _WORDS) or _ALLOCATION.search(piece) is not None


def what_it_is(data: bytes, file_name: str, kinds: Iterable[Kind]) -> str:
    """Return a sentence that describes a text without allocations; empty if it is nothing that XLA writes.

    `kinds` are the sections of dumps that it has.
    """
    sections = set(kinds)
    if "values" in sections or _USED_VALUE.search(data):
        return f"these are the used values of a dump, without sizes; {_where(file_name)}"
    if "ranges" in sections or any(words in data for words in _OF_RANGES):
        length = _LENGTH.search(data)
        of = f" of {int(length[1]):,} instructions" if length else ""
        return f"these are the live ranges of a program{of}, without sizes; {_where(file_name)}"
    module = _HLO.search(data, max(0, data.find(_HLO_BEGIN)))
    if module and b"ENTRY " in data:
        name = module[1].decode("utf-8", "replace")
        return f"this is the HLO text of module {name}: it has shapes but no memory plan; {_where(file_name)}"
    if _ENTRY.search(data) or _PARAMETER.search(data):
        return f"this is HLO text: it has shapes but no memory plan; {_where(file_name)}"
    if b"stablehlo." in data:
        return "this is StableHLO, from before XLA compiles: it has shapes but no memory plan; " + _RUN
    return ""


def _where(file_name: str) -> str:
    """Return where the plan of a module is."""
    plain, split = without_compression(file_name), split_part(file_name)
    stem_of_text = plain.removesuffix(".txt") if "after_optimizations" in plain else ""
    stem = split.stem if split else stem_of_text
    if stem:
        return f"the plan is in {stem}{PART_SUFFIXES[0]}"
    return f"the plan is in the file of the same stem that ends in {PART_SUFFIXES[0]}"
