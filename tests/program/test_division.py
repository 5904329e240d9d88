"""How arguments are divided is the same from the HLO text, from the proto beside it, and from the proto alone."""

import lzma
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.input.dump_text import Sibling
from reportgen.model import Dump
from reportgen.parse.parser import parse_dump
from reportgen.program.join import joined
from reportgen.program.program import Program
from reportgen.program.sharding import Sharding
from tests.protos.test_hlo_proto import FSDP
from tests.support.protos import PROTOS, sample_proto

NAME = "jit_train_step"
UNKNOWN = "how the arguments are sharded is unknown"
HOW = "to see it, dump again with --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"
STATED = re.compile(rb", sharding=\{(?:[^{}]|\{[^{}]*\})*\}")


def fsdp() -> tuple[Dump, tuple[Sibling, ...]]:
    contents = read_contents(discover([FSDP]).dumps[0])
    return parse_dump(contents.text), contents.siblings


def silent(siblings: Sequence[Sibling]) -> list[Sibling]:
    """Return the HLO text as jaxlib 0.12 prints it, without shardings."""
    texts = [one for one in siblings if one.kind == "HLO text"]
    return [Sibling(one.kind, one.label, STATED.sub(b"", one.data)) for one in texts]


def division(dump: Dump, siblings: Sequence[Sibling]) -> tuple[int | None, Mapping[str, Sharding | None]]:
    """Return the number of devices, and how each argument is divided."""
    program = Program(dump, joined(dump, NAME, siblings))
    names = [dump.values.names[number] for number in program.arguments.values()]
    return program.partitions.devices, {name: program.partitions.of(name) for name in names}


def proto(data: bytes | None = None) -> Sibling:
    return Sibling("proto", "x.hlo.pb", sample_proto("fsdp_tp") if data is None else data)


@pytest.fixture(scope="module")
def parsed() -> tuple[Dump, tuple[Sibling, ...]]:
    return fsdp()


@pytest.fixture
def without_shardings(tmp_path: Path) -> Path:
    """Return a folder with the dump, with the HLO text as jaxlib 0.12 prints it."""
    for path in FSDP.iterdir():
        data = lzma.decompress(path.read_bytes())
        if path.name.endswith("after_optimizations.txt.xz"):
            data = STATED.sub(b"", data)
            assert b"sharding={" not in data
        (tmp_path / path.stem).write_bytes(data)
    return tmp_path


def test_the_proto_says_it_where_the_text_does_not(parsed: tuple[Dump, tuple[Sibling, ...]]) -> None:
    dump, siblings = parsed
    devices, stated = division(dump, siblings)
    assert devices == 8
    assert None not in stated.values()
    assert division(dump, silent(siblings)) == (8, dict.fromkeys(stated))
    assert division(dump, [*silent(siblings), proto()]) == (8, stated)


def test_the_proto_says_it_where_there_is_no_text(parsed: tuple[Dump, tuple[Sibling, ...]]) -> None:
    dump, siblings = parsed
    assert division(dump, []) == (None, dict.fromkeys(division(dump, siblings)[1]))
    assert division(dump, [proto()]) == division(dump, siblings)


def test_the_proto_alone_says_it(parsed: tuple[Dump, tuple[Sibling, ...]], tmp_path: Path) -> None:
    path = tmp_path / "jit_train_step.hlo.pb.xz"
    path.write_bytes((PROTOS / "fsdp_tp.hlo.pb.xz").read_bytes())
    contents = read_contents(discover([tmp_path]).dumps[0])
    assert division(parse_dump(contents.text), contents.siblings) == division(*parsed)


@pytest.mark.parametrize(
    "data",
    [
        sample_proto("fsdp_tp").replace(b"jit_train_step", b"jit_other_step"),
        sample_proto("tpu-train-step"),  # of the same name, with other arguments
        sample_proto("fsdp_tp")[:100_000],
        b"",
    ],
)
def test_a_proto_of_another_module_or_a_damaged_one_says_nothing(
    parsed: tuple[Dump, tuple[Sibling, ...]], data: bytes
) -> None:
    dump, siblings = parsed
    assert set(division(dump, [*silent(siblings), proto(data)])[1].values()) == {None}


def test_a_report_says_that_it_is_not_known_and_how_to_learn_it(
    without_shardings: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", str(without_shardings)]) == 0
    explained = " ".join(capsys.readouterr().out.split())  # because lines are as wide as the terminal
    assert f"Devices: 8; {UNKNOWN}; {HOW}." in explained
    site = tmp_path_factory.mktemp("site")
    assert main(["build", "-q", str(without_shardings), "-o", str(site)]) == 0
    (page,) = site.glob("m/*/index.html")
    assert f"{UNKNOWN.capitalize()}; {HOW}." in page.read_text(encoding="utf-8")
    assert f'"unknown": "{UNKNOWN}; ' in (site / "report.json").read_text(encoding="utf-8")


def test_with_the_proto_beside_it_is_known(without_shardings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (text,) = without_shardings.glob("*after_optimizations.txt")
    (without_shardings / f"{text.stem}.hlo.pb").write_bytes(sample_proto("fsdp_tp"))
    assert main(["explain", str(without_shardings)]) == 0
    known = capsys.readouterr().out
    assert UNKNOWN not in known
    assert main(["explain", str(FSDP)]) == 0
    devices = re.compile(r"^Devices: .*$", re.MULTILINE)
    assert devices.findall(known) == devices.findall(capsys.readouterr().out)
