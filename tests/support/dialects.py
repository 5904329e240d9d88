"""Reprint HLO texts in another dialect."""

import re

_ELEMENT = re.compile(
    r"^ +(?:ROOT )?%?([\w.\-]+) = [^\n]* get-tuple-element\(%?([\w.\-#]+)\), index=(\d+)[^\n]*\n", re.MULTILINE
)


ELEMENTS_OF_A_TUPLE = """\
BufferAssignment:
allocation 0: size 64, preallocated-temp:
 value: <1 two{0} @0> (size=32,offset=0): f32[8]{0}
 value: <2 two{1} @0> (size=32,offset=32): f32[8]{0}

Total bytes used: 64 (64B)

Used values:
<1 two{0} @0>
 positions:
  two {0}
  gte.1
 uses:
 from instruction: %two = (f32[8]{0}, f32[8]{0}) custom-call()
<2 two{1} @0>
 positions:
  two {1}
  gte.2
 uses:
 from instruction: %two = (f32[8]{0}, f32[8]{0}) custom-call()


HloLiveRange (max 3):
  InstructionSequence:
    0:two
    1:gte.1
    2:gte.2
"""
"""A dump that names the elements of a tuple, which are not values of their own."""


def compact(text: str) -> str:
    """Return a text as XLA prints it since 2026-06-15: `%tuple#1` for each `get-tuple-element` but a root."""
    while found := _ELEMENT.search(text):
        name, whole, index = found.groups()
        text = text[: found.start()] + text[found.end() :]
        text = re.sub(rf"%{re.escape(name)}(?![\w.\-])", f"%{whole}#{index}", text)
    return text
