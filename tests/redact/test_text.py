"""The text of a dump without paths, people, machines and, if asked for, the names of its operations."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import errors
from reportgen.analyse.findings import SEVERITIES
from reportgen.input.discover import discover
from reportgen.input.dump_text import DumpText, TextPart
from reportgen.model import Dump
from reportgen.options import Redaction
from reportgen.parse.parser import parse_dump
from reportgen.programs.signs import Signs, why_nothing
from reportgen.redact.text import redact_text
from reportgen.redact.vocabulary import redact_message
from tests.support.dumps import dump_text
from tests.support.samples import ROOT, sample_labels, sample_text

_BOTH: list[Redaction] = ["paths", "names"]


def hidden(text: str, redaction: Redaction = "paths") -> str:
    (part,) = redact_text(dump_text(text), redaction).parts
    return part.data.decode()


def instruction(rest: str, redaction: Redaction = "paths") -> str:
    """Return the rest of an instruction's text as it is shown."""
    head = " from instruction: %add.1 = f32[] add(%a), "
    shown = hidden(head + rest, redaction)
    assert shown.startswith(head)
    return shown.removeprefix(head)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('source_file="/home/alice/My Code/train.py" source_line=7', 'source_file="path-1.py" source_line=7'),
        ('source_file="train.py"', 'source_file="path-1.py"'),
        ('source_file=""', 'source_file=""'),
        (r'source_file="C:\\Users\\Bob B\\train.py"', 'source_file="path-1.py"'),
        (r'source_file="/home/o\'brien/\316\273.py"', 'source_file="path-1.py"'),
        ('config={"a":"/data/model"}', 'config={"a":"data-1"}'),
        ('config={"alice":7}', 'config={"data-1":7}'),
        (r'config="{\"a\":\"bob\"}"', 'config="data-1"'),
        ('op_name="jit(f)/mnt/alice/add"', 'op_name="jit(f)/name-1/name-2/add"'),
        ('op_name="alice@node7.example.com/10.0.0.7"', 'op_name="person-1/host-1"'),
        ('op_name="fe80::1/2001:db8:0:0:1"', 'op_name="host-1/host-2"'),
        ('custom_call_target="alice$gemm.2"', 'custom_call_target="name-1.2"'),
        ("alice=bob, calls=%carol.3, kind=kLoop", "name-1=name-2, calls=%name-3.3, kind=kLoop"),
        ('frontend_attributes={team="zorblax"}', 'frontend_attributes={name-1="data-1"}'),
        ('config={"host":"169999999912"}', 'config={"host":"data-1"}'),
        ('config={"host":["1","4155550123"],"host":4155550123}', 'config={"host":["data-1","data-2"],"host":name-1}'),
        ('config={"id":"4155550123"}', 'config={"id":"data-1"}'),
        ('config={"4155550123":{"size":"4155550123"}}', 'config={"data-1":{"size":"4155550123"}}'),
        ('key="415 555 0123", none="12"', 'key="data-1", none="data-2"'),
        ('op_name="jit(f)/415 555 0123/w_169999.999912"', 'op_name="jit(f)/name-1/w_name-2"'),
        ("channel_id=4155550123, calls=%4155550123", "channel_id=name-1, calls=%name-1"),
        ('op_name="w/4111:1111:1111:1111/x"', 'op_name="w/name-1/x"'),
        ('op_name="w/415,555,2671/x(8844,2277,1166)"', 'op_name="w/name-1/x(name-2)"'),
        ('op_name="[415][555][2671]/add/(415)(555)(2671)"', 'op_name="[name-1]/add/(name-2)"'),
        ('op_name="415 - 555 - 2671" op_type="415*555=2671"', 'op_name="name-1" op_type="name-2"'),
        ('op_name="415\u2013555\u20132671"', 'op_name="name-1"'),
        (r'config="{\"a\":[415,555,2671]}", b="4111:1111:1111:1111"', 'config="data-1", b="data-2"'),
        ('config={"a":"415][555][2671","415|555|2671":1}', 'config={"a":"data-1","data-2":1}'),
        ('config={"k":"12:34:56","12:34":1,"size":"1:2"}', 'config={"k":"data-1","data-2":1,"size":"data-3"}'),
        ('config={"k":["12,34","1 2"]}, team="room 12+34"', 'config={"k":["data-1","data-2"]}, name-1="data-3"'),
        (r'config="{\"k\":\"12:34:56\"}", op_name="w/12:34:56/x"', 'config="data-1", op_name="w/name-1/x"'),
    ],
)
def test_what_is_not_known_becomes_a_token(text: str, expected: str) -> None:
    assert instruction(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("built in /home/alice/run 7/x", "text-1"),
        ("allocation 0: size 8, alice 7, preallocated-temp:", "allocation 0: size 8, name-1 7, preallocated-temp:"),
        (
            " value: <22 alice.1{0} @0> (size=8,offset=0): f32[2]",
            " value: <22 name-1.1{0} @0> (size=8,offset=0): f32[2]",
        ),
        ("    alice{}:0-4", "    name-1{}:0-4"),
        ("  alice, operand 0 {1}", "  name-1, operand 0 {1}"),
        ("  /home/alice", "  /name-1/name-2"),
        ("    4155550123{}:0-4", "    name-1{}:0-4"),
        ("    3:4155550123", "    3:name-1"),
        ("  4155550123, operand 0 {1}", "  name-1, operand 0 {1}"),
        ("    4155550123: 8 bytes", "    name-1: 8 bytes"),
        (" value: <22 w @0> (size=8,offset=0): 4155550123", " value: <22 w @0> (size=8,offset=0): name-1"),
        ("HloLiveRange not available (alice)", "HloLiveRange not available (name-1)"),
    ],
)
def test_lines_of_the_grammar_keep_their_form_and_others_are_hidden_whole(text: str, expected: str) -> None:
    assert hidden(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        " value: <22 w.1 @0> (size=524288,offset=0): f32[256,512]{1,0:T(8,128)(2,1)}",
        "    copy-start.3{2}: 4 bytes (cumulative: 12 bytes)",
        "    w: 4155550123 bytes (cumulative: 14155550123 bytes)",
        "allocation 1: size 4155550123, parameter 0, shape |u8[4155550123]| at ShapeIndex {}:",
        "Total bytes used: 4155550123 (3.87GiB)",
        "    12345678:add.1",
        "  Stack trace breakdown for peak usage: 415 555 012 bytes",
        " from instruction: %s = s8[4155550123] slice(%a), slice={[8388608:12582912], [0:8388608]}",
        ' from instruction: %c = f32[] add(), backend_config={"size":"4155550123","output_window_bounds":["4","8"]}',
        ' from instruction: %add = f32[] add(%a), metadata={op_name="jit(f)/transpose(jvp())/while/body/add"}',
        " from instruction: %add = f32[] add(f32[] %a, /*index=5*/f32[] %b), sharding={devices=[1,4]0,1,2,3}",
        r' from instruction: %c = f32[] custom-call(), custom_call_target="__cublas$gemm", api_version=1',
        r' from instruction: %c = f32[] custom-call(), backend_config="{\"alpha_real\":1,\"epilogue\":\"DEFAULT\"}"',
        ' from instruction: %c = f32[] add(), frontend_attributes={xla.sdy.sharding="#sdy.sharding<@mesh, [{}]>"}',
        " from instruction: %c = f32[] convolution(), window={size=3x3 pad=0_1x1_1}, dim_labels=b01f_01io->b01f",
    ],
)
def test_the_words_of_compilers_stay(text: str) -> None:
    assert hidden(text, "names") == text


def test_names_of_common_programs_stay_only_without_redact_names() -> None:
    text = 'op_name="jit(train_step)/layer_1/attention/dot_general"'
    assert instruction(text) == text
    assert instruction(text, "names") == 'op_name="jit(name-1)/name-2/name-3/dot_general"'


def test_the_same_path_gets_the_same_token_everywhere() -> None:
    one, two = 'source_file="/a/b/one.py"', 'source_file="/a/b/two.py"'
    shown = instruction(f"{one} {two} {two} {one}")
    assert shown == " ".join(f'source_file="path-{number}.py"' for number in (1, 2, 2, 1))


def test_labels_of_the_stack_trace_are_hidden_like_op_names() -> None:
    tail = "(50.0%, total: 8 bytes, current: 8 bytes, remaining: 0 bytes)\n"
    tree = f"  Stack trace breakdown for peak usage: 8 bytes\n    main.1 {tail}      ├── alice\n└── scope(bob) {tail}"
    assert hidden(tree) == tree.replace("alice", "name-1").replace("└── scope", "name-2 name-3").replace(
        "bob", "name-4"
    )


def test_lines_of_a_log_keep_their_numbers() -> None:
    (part,) = redact_text(DumpText((TextPart("log", b"BufferAssignment:\nbob\n", first_line=3),)), "paths").parts
    assert part.data == b"BufferAssignment:\ntext-1\n"
    assert part.location(len(part.data) - 1).line == 4


@pytest.mark.parametrize("redaction", _BOTH)
@pytest.mark.parametrize("label", sample_labels())
def test_redaction_changes_no_figure(label: str, redaction: Redaction) -> None:
    original, made = sample_text(label), redact_text(sample_text(label), redaction)
    for before, after in zip(original.parts, made.parts, strict=True):
        assert before.data.count(b"\n") == after.data.count(b"\n")
    one, other = parse_dump(original), parse_dump(made)
    assert other.unparsed_count == one.unparsed_count == 0
    assert other.allocations == one.allocations
    for column in ("ids", "sizes", "offsets", "allocations", "colors", "shapes"):
        assert getattr(other.values, column) == getattr(one.values, column)
    assert other.schedule.moments == one.schedule.moments
    assert len(set(other.schedule.names)) == len(set(one.schedule.names))
    assert _moments(other) == _moments(one)
    assert _peak(other) == _peak(one)
    assert (other.stack_trace is None) == (one.stack_trace is None)


def _moments(dump: Dump) -> tuple[object, object]:
    """Return the rows and the moments of the values with live ranges: they find each other by name."""
    return dump.range_rows, dump.live_ranges and (dump.live_ranges.starts, dump.live_ranges.ends)


def _peak(dump: Dump) -> object:
    return dump.printed_peak and [(row.size_bytes, row.cumulative_bytes) for row in dump.printed_peak.rows]


@given(st.lists(st.text(st.sampled_from('/a"\\~@.: \n1py-=$({é'), max_size=60), max_size=4))
def test_any_text_keeps_its_lines_and_is_redacted_deterministically(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    for redaction in _BOTH:
        assert hidden(text, redaction) == hidden(text, redaction)
        assert hidden(text, redaction).count("\n") == text.count("\n")


def test_a_redacted_message_quotes_no_path() -> None:
    path = Path("/home/alice/dump.txt")
    assert redact_message(f"[Errno 13] Permission denied: '{path}'") == "[Errno 13] Permission denied: '(redacted)'"
    assert (
        redact_message("not read: folder-1/dump-2.txt.gz is there too")
        == "not read: folder-1/dump-2.txt.gz is there too"
    )


def test_a_long_number_in_a_message_stays_only_as_an_amount() -> None:
    for amount in ("line 7: 1,234,567,890 bytes", "it has more than 4,000,000,000 bytes; 12", "(1,234,567)"):
        assert redact_message(amount) == amount
    for number in ("415,555,2671", "4111:1111:1111:1111", "415)(555)(2671", "415,555 2671", "x/415,555,267/1"):
        assert redact_message(f"not read: {number}").startswith("not read: ")
        assert not {"4111", "2671", "555"} & set(re.findall(r"\d+", redact_message(f"not read: {number}")))


def _messages() -> set[str]:
    """Return the fixed parts of our errors, warnings and problems, which a redacted command shows."""
    tellers = {
        "report",
        "refused",
        "warning",
        "error",
        "Problem",
        *(name for name in vars(errors) if name[0].isupper()),
    }
    calls = (
        node
        for path in (ROOT / "reportgen").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in tellers
    )
    texts = (text for call in calls for argument in call.args for text in ast.walk(argument))
    constants = (text.value for text in texts if isinstance(text, ast.Constant))
    return {value for value in constants if isinstance(value, str) and " " in value}


def test_our_own_messages_stay() -> None:
    assert len(_messages()) > 80
    assert {word for text in _messages() for word in text.split() if redact_message(word) != word} == set()


def test_what_is_said_where_no_dump_is_found_stays(tmp_path: Path) -> None:
    hint = discover([tmp_path]).why_none.partition("\n")[2]
    assert redact_message(hint) == hint


@pytest.mark.parametrize(("cached", "protos", "code"), [(1, 0, 0), (2, 0, 0), (0, 3, 0), (0, 0, 1), (0, 0, 0)])
def test_why_a_run_dumped_nothing_stays(cached: int, protos: int, code: int) -> None:
    signs = Signs(assignments=0, cached=cached, protos=protos, modules=0)
    words = why_nothing(signs, code, only=None)
    words = words.replace("PyTorch/XLA", "PyTorch")  # because what has a slash may be a path
    assert redact_message(words) == words


@pytest.mark.parametrize("slug", SEVERITIES)
def test_the_kind_of_a_finding_may_be_shown(slug: str) -> None:
    assert redact_message(f"line 7: error [{slug}]") == f"line 7: error [{slug}]"
