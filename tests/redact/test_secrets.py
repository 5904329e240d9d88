"""A redacted report shows none of the secrets that are planted in every field of a dump and in the files beside it."""

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.cli import main
from reportgen.options import Redaction
from reportgen.redact.text import redact_text
from reportgen.redact.vocabulary import redact_message
from tests.support.dumps import dump_text

NAME = "module_0001.jit_train_step.cpu_after_optimizations"

SECRETS = {
    "person": "zorblax",
    "function": "zorblax_loss",
    "host": "zorblax-node17",
    "domain": "db7.zorblax.internal",
    "address": "10.11.12.13",
    "address and port": "10.11.12.13:8476",
    "long address": "fe80::5abc:1d:7",
    "longer address": "2001:db8:0:12:34:56:78:9a",
    "path": "/srv/zorblax/x.py",
    "path of one part": "/zorblax",
    "relative path": "../zorblax/y.txt",
    "home": "~zorblax/x",
    "path in an op_name": "jit(f)/mnt/zorblax/add",
    "drive": r"C:\\Users\\zorblax",
    "share": r"\\\\zorblax\\x",
    "url": "https://user:zorblax@example.com/repo.git",
    "repository": "git@example.com:zorblax/repo.git",
    "bucket": "gs://zorblax/x",
    "mail": "zorblax@example.com",
    "token": "ghp_zorblax16C7e42F292c6912E7710c838347Ae178B4a",
    "key": "AKIAZORBLAX7EXAMPLE",
    "hash": "deadbeef4711cafe0815",
    "number of a machine": "550e8400-e29b-41d4-a716-446655440000",
    "other letters": r"z\303\266rbl\303\244x",
    "other letters as they are": "zörbläx",
    "address in a name": "node-10-77-0-1",
    "address with other separators": "host_10_77_0_4",
    "number of a machine in a name": "node7717",
    "person by number": "/home/u8877665/y",
    "account": "s3://884422771166/model",
    "account in a role": "arn:aws:iam::884422771166:role/model",
    "account in a folder": "/data/884422771166/model",
    "account in a setting": "project=884422771166",
    "card": "77-1a-b2-c3-d4-e5",
    "card with other separators": "a7_1a_b2_c3_d4_e5",
    "card with colons": "77:1a:b2:c3:d4:e5",
    "first group of an address": "77a1:b2c3:85a3::8a2e:370:7334",
    "address with brackets": "[77a1:b2c3::1]:8477",
    "host and port": "node-77:8477",
    "telephone": "555-0177-884",
    "telephone of digits": "4155550177",
    "telephone with a country": "+14155550177",
    "telephone in groups": "415 555 0177",
    "telephone with brackets": "(415) 555-0177",
    "telephone with dots": "415.555.0177",
    "telephone with a bar": "415_5550177",
    "account of digits": "884422771177",
    "account in a word": "acct_884422771177",
    "account behind a word": "w.884422771177",
    "account in two groups": "884422.771177",
    "account in a number": "884422771177.5",
    "number of a disk": "12345677-1234-1234-1234-123456789012",
}
PARTS = (
    *("zorblax", "77-0-1", "77_0_4", "node77", "8877665", "884422771166", "1a-b2", "1a_b2", "1a:b2", "77a1:", ":8477"),
    *("0177-8", "12345677", "5550177", "555 0177", "555-0177", "555.0177", "771177"),
)
"""What identifies somebody in a secret, so that it may not be shown without the rest either."""

DUMP = """\
BufferAssignment:
allocation 0: size 8, parameter 0, shape |§f32[2]§| at ShapeIndex {}:
 value: <1 §p.1§ @0> (size=8,offset=0): §f32[2]{0}§
allocation 1: size 8, §page§ 0, output shape is |f32[2]|, maybe-live-out:
 value: <2 add.1 @0> (size=8,offset=0): f32[2]{0}
§§
Total bytes used: 16 (§16B§)

Used values:
<1 §p.1§ @0>
 positions:
  §p.1§
 uses:
  §add.1§, operand 0
 from instruction: %§p.1§ = §f32[2]{0}§ §parameter§(0), sharding={§replicated§}, metadata={op_name="§w§"}
<2 add.1 @0>
 positions:
  add.1
 uses:
 from instruction: %add.1 = f32[2]{0} §add§(f32[2]{0} %§p.1§, %p.1), §kind§=§kLoop§, calls=%§fused_computation§, \
custom_call_target="§gemm§", api_version=§API_VERSION_TYPED_FFI§, frontend_attributes={§key§="§none§"}, \
backend_config={"§kind§":"§none§","n":["§none§"]}, channel_id=§1§, metadata={op_type="§add§" op_name="§jit(f)/add§" \
source_file="§x.py§" source_line=7 deduplicated_name="§fusion.1§" scheduling_name="§add.1§" §stack_frame_id§={§1§} \
§source_column§="§none§"}
HloLiveRange (max 2):
  InstructionSequence:
    0:§p.1§
    1:add.1
  BufferLiveRange:
    §p.1§{}:0-2
    add.1{}:1-2
  Live ranges at 1 (peak):
    §p.1§: 8 bytes
    add.1: 8 bytes
  Stack trace breakdown for peak usage: 16 bytes
    §main.1§ (100.0%, total: 16 bytes, current: 8 bytes, remaining: 8 bytes)
      └── §add.1§ (50.0%, total: 8 bytes, current: 8 bytes, remaining: 0 bytes)
"""
FIELDS = DUMP.split("§")[1::2]

TABLES = """\
HloModule jit_train_step, entry_computation_layout={(f32[2]{0})->f32[2]{0}}

FileNames
1 "§"

FunctionNames
1 "§"

FileLocations
1 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=1 end_column=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY %main (p.1: f32[2]) -> f32[2] {
  %p.1 = f32[2]{0} parameter(0), metadata={op_name="§"}
  ROOT %add.1 = f32[2]{0} add(%p.1, %p.1), metadata={op_name="§" stack_frame_id=1}
}
"""
OUT_OF_MEMORY = """\
jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: §: Ran out of memory in memory space hbm. Used 20.00G of 16.00G hbm. \
Exceeded hbm capacity by 4.00G.
  1. Size: 8B
     Operator: op_name="§" source_file="§"
     Shape: f32[2]{0}
     Allocation type: HLO temp §
"""


def planted(secret: str, *fields: int) -> str:
    """Return the dump with a secret in some of its fields, and in others what XLA prints there."""
    pieces = DUMP.split("§")
    for number, field in enumerate(FIELDS):
        pieces[2 * number + 1] = secret if number in fields else field
    return "".join(pieces)


def leaks(text: str, secret: str) -> bool:
    bare, plain = text.lower().replace("\\", ""), secret.lower().replace("\\", "")
    return plain in bare or any(part in bare for part in PARTS if part in plain)


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("redaction", ["paths", "names"])
def test_a_secret_is_hidden_in_every_field_of_the_grammar(redaction: Redaction, secret: str) -> None:
    for number in range(len(FIELDS)):
        (part,) = redact_text(dump_text(planted(secret, number)), redaction).parts
        assert not leaks(part.data.decode(), secret), f"field {number}: {FIELDS[number]!r}"


def test_the_dump_without_secrets_stays_as_it_is_but_for_its_sources() -> None:
    (part,) = redact_text(dump_text(planted("")), "names").parts
    assert part.data.decode() == planted("").replace("x.py", "path-1.py")


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_secret_is_hidden_in_messages(secret: str) -> None:
    assert not leaks(redact_message(f"it cannot be read: {secret}: '{secret}'"), secret)


@pytest.fixture(params=["--redact", "--redact-names"])
def flag(request: pytest.FixtureRequest) -> str:
    return str(request.param)


SAFE_IN_FILE_NAMES = [secret for secret in SECRETS.values() if not re.search(r"[/\\:]|^\.", secret)]


def folder(path: Path, secret: str) -> Path:
    """Make a directory of dumps with a secret in the names of files, in all fields, and in all files beside them."""
    dumps = path / secret.replace("/", "_").replace("\\", "_")
    dumps.mkdir(parents=True)
    everywhere = planted(
        secret, *(number for number, field in enumerate(FIELDS) if field not in ("f32[2]{0}", "f32[2]"))
    )
    files = {
        f"{NAME}-buffer-assignment.txt": everywhere,
        f"{NAME}.txt": TABLES.replace("§", secret),
        f"{NAME}.md": secret,
        "README.md": secret,
        "out-of-memory.txt": OUT_OF_MEMORY.replace("§", secret),
        "module_0001.jit_train_step.target_arguments.txt": f'version: TPU_VERSION_JELLYFISH\nhost: "{secret}"',
        "gpu_target_config.pbtxt": f'device_description_str: "{secret}"\n',
        "module_0001.jit_train_step.oom_intermediate_module.txt": TABLES.replace("§", secret),
    }
    if secret in SAFE_IN_FILE_NAMES:
        files |= {
            f"{secret}.txt": planted(""),
            f"module_0002.{secret}.cpu_after_optimizations-buffer-assignment.txt": planted(""),
            f"module_0003.jit_f.{secret}-buffer-assignment.txt": planted(""),
            f"{secret}-live-range.txt": "",
        }
    for name, content in files.items():
        (dumps / name).write_text(content, encoding="utf-8")
    return dumps


def shown_by(site: Path) -> Iterator[str]:
    """Yield the names and the text of all files that a site has because of its dumps."""
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if path.is_file() and not name.startswith(("assets/", "help/")):
            yield name + "\n" + path.read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("secret", ["zorblax", "10.11.12.13", "/srv/zorblax/x.py", "zörbläx"])
def test_no_page_shows_a_secret(
    flag: str, secret: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dumps = folder(tmp_path / "in", secret)
    monkeypatch.chdir(tmp_path)
    main(["build", str(dumps), "-o", "site", flag, "--jobs", "1"])
    printed = capsys.readouterr()
    pages = list(shown_by(tmp_path / "site"))
    assert len(pages) > 10
    assert [page.partition("\n")[0] for page in pages if leaks(page, secret)] == []
    assert not leaks(printed.out + printed.err, secret)
    assert str(tmp_path) not in printed.out + printed.err


@pytest.mark.parametrize("secret", ["zorblax", "10.11.12.13", "/srv/zorblax/x.py", "zörbläx"])
def test_no_single_file_shows_a_secret(
    flag: str, secret: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = folder(tmp_path / "in", secret) / f"{NAME}-buffer-assignment.txt"
    monkeypatch.chdir(tmp_path)
    target = tmp_path / "report.html"
    assert main(["build", str(dump), "--single-file", str(target), flag, "--jobs", "1"]) == 0
    printed = capsys.readouterr()
    page, data = inside(target)
    assert "add.1" in data
    assert not leaks(page + data, secret)
    assert not leaks(printed.out + printed.err, secret)
    assert str(tmp_path) not in printed.out + printed.err


def inside(report: Path) -> tuple[str, str]:
    """Return a single file as it is, and the data in it as text: they are compressed."""
    page = report.read_text(encoding="utf-8")
    packed = re.findall(r'<script type="application/gzip"[^>]*>(.*?)</script>', page, re.DOTALL)
    return page, "\n".join(gzip.decompress(b64decode(data)).decode() for data in packed)


@pytest.mark.parametrize("secret", ["zorblax", "/srv/zorblax/x.py"])
def test_no_comparison_shows_a_secret(
    flag: str, secret: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = folder(tmp_path / "before", secret), folder(tmp_path / "after", secret)
    changed = after / f"{NAME}-buffer-assignment.txt"
    changed.write_text(changed.read_text(encoding="utf-8").replace("size 8", "size 16"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    arguments = ["--json", "c.json", "--markdown", "c.md", "-o", "site", flag]
    main(["compare", str(before), str(after), *arguments])
    printed = capsys.readouterr()
    document = Path("c.json").read_text(encoding="utf-8")
    assert json.loads(document)["modules"]
    for text in (printed.out, printed.err, document, Path("c.md").read_text(encoding="utf-8")):
        assert not leaks(text, secret)
    assert [page.partition("\n")[0] for page in shown_by(tmp_path / "site") if leaks(page, secret)] == []
