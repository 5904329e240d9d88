"""Fuzzes the parser alone: the text of a dump, of its shapes and of its instructions."""

import atheris

with atheris.instrument_imports(include=["reportgen"]):
    from reportgen.input.dump_text import DumpText, TextPart
    from reportgen.parse.instruction_parser import parse_instruction
    from reportgen.parse.parser import parse_dump
    from reportgen.parse.shape_parser import ShapeError, parse_shape, tuple_arity

from fuzz.harness import fuzz


def read_everything(data: bytes) -> None:
    """Also what a report reads only when it is shown."""
    dump = parse_dump(DumpText((TextPart("dump", data),)))
    for value in dump.values:
        _read_shape(value.shape)
    for used in dump.used_values or ():
        for name in (*used.positions, *used.uses):
            assert name
        if used.instruction_start is not None and used.instruction_end is not None:
            text = dump.text.slice(used.instruction_start, used.instruction_end)
            _read_shape(parse_instruction(text.decode("utf-8", "replace")).shape)


def _read_shape(text: str) -> None:
    tuple_arity(text)
    try:
        shape = parse_shape(text)
    except ShapeError:
        return
    assert parse_shape(str(shape)) == shape


if __name__ == "__main__":
    fuzz("parser", read_everything)
