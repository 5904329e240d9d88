"""The inputs that a fuzzer begins with: the small samples, dumps in every spelling, a log, and compressed ones."""

import gzip
import lzma
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from pathlib import Path

from reportgen.input.discover import discover
from reportgen.input.reading import load_text
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
from tests.support.dumps import dump_text
from tests.support.printer import Dialect, InstructionSpelling, PeakSpelling, printed
from tests.support.protos import profile, sample_proto, sample_protos
from tests.support.samples import SAMPLES

_LARGEST = 20_000


def write_corpus(directory: Path) -> None:
    """Files that are there already stay: they are what earlier runs found."""
    directory.mkdir(parents=True, exist_ok=True)
    for data in _inputs():
        (directory / sha256(data).hexdigest()[:16]).write_bytes(data)


def _inputs() -> Iterator[bytes]:
    for files in discover([SAMPLES]).dumps:
        text, _ = load_text(files)
        joined = b"".join(part.data for part in text.parts)
        if len(joined) <= _LARGEST:
            yield joined
    for proto in map(sample_proto, sample_protos()):
        if len(proto) <= _LARGEST:
            yield proto
            yield profile({"jit_f(1)": proto})
    tiny = _tiny()
    for dialect in _dialects():
        yield "".join(printed(tiny, dialect)).encode()
    plain = "".join(printed(tiny, Dialect())).encode()
    yield gzip.compress(plain, mtime=0)
    yield lzma.compress(plain)
    name = b"module_0001.f.cpu_after_optimizations-buffer-assignment.txt"
    yield b"noise\n*** Begin %s ***\n%s\n*** End %s ***\n" % (name, plain, name)


def _tiny() -> Dump:
    files = next(files for files in discover([SAMPLES / "cpu-tiny"]).dumps)
    text, _ = load_text(files)
    return parse_dump(dump_text(*(part.data for part in text.parts)))


def _dialects() -> Iterator[Dialect]:
    instructions: tuple[InstructionSpelling, ...] = ("absent", "tight", "glued", "spaced")
    peaks: tuple[PeakSpelling, ...] = ("bare", "indexed", "cumulative")
    for spelling, peak, is_new in product(instructions, peaks, (False, True)):
        yield Dialect(
            instructions=spelling,
            peak_rows=peak,
            has_addresses=not is_new,
            has_total=is_new,
            has_stack_trace=is_new,
            says_none=is_new,
            files=1,
        )
