"""What is printed in any dialect is read back as the same records, and nothing of it is left over."""

from hypothesis import given

from reportgen.model import Dump
from tests.support.dumps import instruction_text, parsed
from tests.support.printer import Dialect, printed, said
from tests.support.strategies import consistent_dumps, dialects, dumps


@given(dumps(), dialects)
def test_a_printed_dump_is_read_as_the_same_dump(dump: Dump, dialect: Dialect) -> None:
    read = parsed(*printed(dump, dialect))
    assert read == said(dump, dialect)
    assert read.unparsed_count == 0


@given(dumps(), dialects)
def test_a_printed_instruction_is_found_again(dump: Dump, dialect: Dialect) -> None:
    read = parsed(*printed(dump, dialect))
    texts = [instruction_text(read, used) for used in read.used_values or ()]
    has_instructions = dialect.instructions != "absent"
    assert texts == [instruction_text(dump, used) if has_instructions else None for used in dump.used_values or ()]


@given(consistent_dumps(), dialects)
def test_one_file_and_three_say_the_same(dump: Dump, dialect: Dialect) -> None:
    files = printed(dump, dialect)
    assert parsed(*files) == parsed("\n".join(files))
