"""The text of a dump without paths, people, machines and, if asked for, the names of its operations."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.input.text import DumpText, TextPart
from reportgen.options import Redaction
from reportgen.parse.dump import parse_dump
from reportgen.redact.text import redact_message, redact_text
from tests.support.dumps import dump_text
from tests.support.samples import sample_labels, sample_text

_BOTH: list[Redaction] = ["paths", "names"]


def hidden(text: str, redaction: Redaction = "paths") -> str:
    (part,) = redact_text(dump_text(text), redaction).parts
    return part.data.decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('source_file="/home/alice/My Code/train.py" source_line=7', 'source_file="path-1.py" source_line=7'),
        ('source_file="train.py"', 'source_file="path-1.py"'),
        ('source_file=""', 'source_file=""'),
        (r'source_file="C:\\Users\\Bob B\\train.py"', 'source_file="path-1.py"'),
        (r'source_file="/home/o\'brien/\316\273.py"', 'source_file="path-1.py"'),
        ('"a":"/data/alice smith"', '"a":"path-1"'),
        (r'"{\"a\":\"/home/alice smith\"}"', r'"{\"a\":\"path-1\"}"'),
        (r'"\"C:\\\\Users\\\\bob\""', r'"\"path-1\""'),
        (r'"\\\\server\\share\\alice"', '"path-1"'),
        ("built in /home/alice/run 7/x", "built in path-1"),
        ("~/runs/7, ~bob/runs", "path-1, path-2"),
        ("-I/home/alice/include -Lgs://bucket/alice", "-Ipath-1 -Lgspath-2"),
        ("gs://bucket/alice/x and file:///home/bob", "path-1 and path-2"),
        (r'"a\n/home/alice/x"', r'"a\npath-1"'),
        (r'"\001/home/alice/x"', '"data-1"'),
        ("at ../lib/train.py:12", "at path-1.py:12"),
        ("at train.ipynb:12", "at path-1.ipynb:12"),
        ("alice@node7.example.com at 10.0.0.7:8476", "person-1 at host-1:8476"),
        ("      ├── /home/alice/x.py (50.0%, total: 1", "      ├── path-1.py (50.0%, total: 1"),
    ],
)
def test_paths_people_and_machines_become_tokens(text: str, expected: str) -> None:
    assert hidden(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        " value: <22 w.1 @0> (size=524288,offset=0): f32[256,512]{1,0:T(8,128)(2,1)}",
        "    copy-start.3{2}: 4 bytes (cumulative: 12 bytes)",
        'add(f32[] %a, /*index=5*/f32[] %b), metadata={op_name="jit(f)/transpose(jvp())/while/body/add"}',
        'op_name="/optimization_barrier"',
        r'custom_call_target="__cublas$gemm", backend_config="{\"alpha_real\":1,\"epilogue\":\"DEFAULT\"}"',
        'sharding={devices=[1,4]0,1,2,3}, frontend_attributes={xla.sdy.sharding="#sdy.sharding<@empty_mesh, [{}]>"}',
    ],
)
def test_text_that_is_not_a_path_stays(text: str) -> None:
    assert hidden(text) == text


def test_the_same_path_gets_the_same_token_everywhere() -> None:
    one, two = 'source_file="/a/b/one.py"', 'x="/a/b/two.py"'
    assert hidden(f"{one} {two}\n{two}\n/a/b/one.py {one}") == (
        'source_file="path-1.py" x="path-2.py"\nx="path-2.py"\npath-1.py source_file="path-1.py"'
    )


def test_redacted_op_names_keep_the_form_of_their_tree() -> None:
    text = 'op_name="jit(step)/layer/add" op_name="jit(step)/layer/mul" op_name="p[\'w\']"'
    expected = 'op_name="name-1/name-2/name-3" op_name="name-1/name-2/name-4" op_name="name-5/name-6"'
    assert hidden(text, "names") == expected
    assert hidden(text, "paths") == text


def test_labels_of_the_stack_trace_are_hidden_like_op_names() -> None:
    tail = "(50.0%, total: 8 bytes, current: 8 bytes, remaining: 0 bytes)\n"
    tree = f"  Stack trace breakdown for peak usage: 8 bytes\n    main.1 {tail}      ├── my\n└── scope {tail}"
    expected = tree.replace("main.1", "name-1").replace("my\n└── scope", "name-2\n")
    assert hidden(tree, "names") == expected


def test_only_line_breaks_are_kept_of_a_log_around_a_dump() -> None:
    data = b"alice@host starts\n*** Begin ***\nBufferAssignment:\n*** End ***\n"
    start = data.index(b"Buffer")
    (part,) = redact_text(DumpText((TextPart("log", data, start, start + 17),)), "paths").parts
    assert part.data == b"\n\nBufferAssignment:"
    assert part.location(part.start).line == 3


@pytest.mark.parametrize("redaction", _BOTH)
@pytest.mark.parametrize("label", sample_labels())
def test_redaction_changes_no_figure(label: str, redaction: Redaction) -> None:
    original, made = sample_text(label), redact_text(sample_text(label), redaction)
    for before, after in zip(original.parts, made.parts, strict=True):
        assert before.data.count(b"\n") == after.data.count(b"\n")
    one, other = parse_dump(original), parse_dump(made)
    assert other.unparsed_count == one.unparsed_count == 0
    assert other.allocations == one.allocations
    assert other.values == one.values
    assert other.schedule == one.schedule
    assert other.live_ranges == one.live_ranges
    assert other.printed_peak == one.printed_peak
    assert (other.stack_trace is None) == (one.stack_trace is None)


@given(st.lists(st.text(st.sampled_from('/a"\\~@.: \n1py-=$({é'), max_size=60), max_size=4))
def test_any_text_keeps_its_lines_and_is_redacted_deterministically(pieces: list[str]) -> None:
    text = "\n".join(pieces)
    for redaction in _BOTH:
        assert hidden(text, redaction) == hidden(text, redaction)
        assert hidden(text, redaction).count("\n") == text.count("\n")


_PATHS = ["/home/{}/x.py", "/Users/{}/a b/x", "~{}/x", "gs://{}/x", r"C:\\Users\\{}\\x", "{}@node"]
_CONTEXTS = [
    'k="{}"',
    r'k="{{\"v\":\"{}\"}}"',
    " in {}, ",
    "({})",
    "    {} (3",
    "at\t{}",
    r'"\n{}"',
    "%{}",
    "-I{}",
    "x:{}",
]


@pytest.mark.parametrize("context", _CONTEXTS)
@pytest.mark.parametrize("path", _PATHS)
@given(user=st.from_regex(r"[a-z]{8,12}", fullmatch=True))
@settings(max_examples=5)
def test_a_user_name_is_hidden_in_every_context(path: str, context: str, user: str) -> None:
    assert user not in hidden(context.format(path.format(user)))


def test_a_redacted_message_quotes_no_path() -> None:
    path = Path("/home/alice/dump.txt")
    assert redact_message(f"[Errno 13] denied: '{path}'") == "[Errno 13] denied: '(redacted)'"
