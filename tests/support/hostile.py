"""Dumps in which everything that somebody can name is named to do harm: markup, controls, paths, and far too much."""

from collections.abc import Sequence
from pathlib import Path

MARKUP = (
    "<script>window.pwned=1</script>",
    "</code></table><img src=x onerror=window.pwned=1>",
    "</title><svg onload=window.pwned=1>",
    '" onmouseover="window.pwned=1" x="',
    "' autofocus onfocus='window.pwned=1",
    "x onclick=window.pwned=1",
    "javascript:window.pwned=1",
    "{{ 7*7 }}{% raw %}${7*7}",
    "<hole name>",
    "<!--",
    "]]>",
    "&lt;b&gt;&amp;#60;",
    "url(https://example.org/a.png)",
    "@import 'https://example.org/a.css'",
    "https://example.org/",
    "//example.org/a.js",
)
CONTROLS = ("\x1b[31mred\x1b]0;title\x07", "\x00\x01\x7f", "\x9b2J", "a\tb\nc\rd", "\u2028line\u2029")
DIRECTIONS = ("\u202egnp.elif", "\u2066left\u2069", "שלום/עולם", "مرحبا", "\u200b\ufeff", "e\u0301\u0302" * 40)
RESERVED = ("../../../etc/passwd", "..", ".", "CON", "NUL", "aux.h", "C:\\x", "a", "A", "__proto__", "constructor")
LONG = ("n" * 20_000, "a/" * 10_000, "[" * 10_000)
TEXTS = (*MARKUP, *CONTROLS, *DIRECTIONS, *RESERVED, *LONG)

_NOT_IN_A_NAME = str.maketrans(dict.fromkeys("{}<>,:() \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029", "_"))
_NOT_IN_A_FILE = str.maketrans({"/": "_", "\0": "_"})

NOTE = """\
# Note {#main}

<script>window.pwned=1</script> <img src=x onerror=window.pwned=1>

[one](javascript:window.pwned=1) [two](data:text/html,<script>window.pwned=1</script>) ![three](https://example.org/a.png)

[four]: vbscript:window.pwned=1 "x"

[four] [five](&#1;javascript:window.pwned=1) <javascript:window.pwned=1>

## Search {#search}

```html
<script>window.pwned=1</script>
```
"""


def instruction_names() -> list[str]:
    """Draw distinct names from all characters that the grammar allows."""
    return list(dict.fromkeys(text.translate(_NOT_IN_A_NAME) for text in TEXTS))


def dump(names: Sequence[str], texts: Sequence[str]) -> str:
    """Draw a dump in one file; every name is that of an instruction, every text is in its metadata."""
    count = len(names)
    values = [f" value: <{n} {name} @0> (size=4,offset={4 * n}): f32[1]{{0}}\n" for n, name in enumerate(names)]
    used = [_used(n, names, texts[n % len(texts)]) for n in range(count)]
    rows = [f"    {n}:{name}\n" for n, name in enumerate(names)]
    ranges = [f"    {name}{{}}:{n}-{count}\n" for n, name in enumerate(names)]
    return (
        f"BufferAssignment:\nallocation 0: size {4 * count}, \u202eodd <b>attribute</b>, preallocated-temp:\n"
        f"{''.join(values)}\nTotal bytes used: {4 * count} ({4 * count}B)\n\nUsed values:\n{''.join(used)}"
        f"<script>window.pwned=1</script> a line that nobody knows\n\n"
        f"HloLiveRange (max {count}):\n  InstructionSequence:\n{''.join(rows)}  BufferLiveRange:\n{''.join(ranges)}"
    )


def _used(number: int, names: Sequence[str], text: str) -> str:
    name, reader = names[number], names[(number + 1) % len(names)]
    metadata = " ".join(f'{key}="{escaped(text)}"' for key in ("op_type", "op_name", "source_file"))
    return (
        f"<{number} {name} @0>\n positions:\n  {name}\n uses:\n  {reader}, operand 0\n"
        f" from instruction: %{name} = f32[1]{{0}} custom-call(%{reader}),"
        f' custom_call_target="{escaped(text)}", metadata={{{metadata} source_line={number}}}\n'
    )


def escaped(text: str) -> str:
    """Return the text as XLA prints strings."""
    signs = {"\\": "\\\\", '"': '\\"', "'": "\\'", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    printable = (signs.get(sign, sign) if sign in signs or sign.isprintable() else _octal(sign) for sign in text)
    return "".join(printable)


def _octal(sign: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in sign.encode())


def write(directory: Path) -> Path:
    """Write a large dump of all names, and small ones in folders and files of such names; return `directory`."""
    large = dump(instruction_names(), TEXTS)
    _write(directory, "module_0000.jit_all.cpu_after_optimizations", large)
    _write(directory, "module_0001.jit_ALL.cpu_after_optimizations", dump(["a", "A"], TEXTS))
    small = dump(["x.1", "y.1"], MARKUP)
    for number, text in enumerate(dict.fromkeys(text.translate(_NOT_IN_A_FILE)[:60] for text in TEXTS)):
        if text in (".", ".."):
            continue
        _write(directory / text, f"module_{number:04}.{text}.after", small)
        _write(directory, f"{text}{number}", small)
    log = "".join(f"*** Begin {name} ***\n{small}\n*** End {name} ***\n" for name in _frame_names())
    (directory / "hostile.log").write_text(log, encoding="utf-8", newline="")
    (directory / "README.md").write_text(NOTE, encoding="utf-8")
    return directory


def _frame_names() -> list[str]:
    """Return names that only a log can give: with slashes, and longer than any disk allows."""
    stems = ("../../../pwned", "/etc/passwd", "module_0000.<script>window.pwned=1</script>.after", "l" * 20_000)
    return [f"{stem}-buffer-assignment.txt" for stem in stems]


def _write(folder: Path, stem: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{stem}-buffer-assignment.txt").write_text(text, encoding="utf-8", newline="")
    (folder / f"{stem}.md").write_text(NOTE, encoding="utf-8")
