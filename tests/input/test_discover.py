"""Discovery: which files of a directory are dumps, under which labels, and what is said about the rest."""

import gzip
import json
import lzma
import os
import random
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UnreadableInput
from reportgen.input import logs as log_frames
from reportgen.input.discover import Discovered, discover
from reportgen.input.reading import load_text
from tests.support.folders import filled, framed, labels, severities
from tests.support.guards import posix_only

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "tests/siblings/cpu-tiny.hlo.pb"
REAL_DUMPS = ROOT.parent / "shared" / "dumps"

STEM = "module_0001.jit_f.cpu_after_optimizations"
ALLOCATIONS = f"{STEM}-buffer-assignment.txt"
VALUES = f"{STEM}-buffer-assignment-values.txt"
LIVE_RANGES = f"{STEM}-live-range.txt"
TEXT = "BufferAssignment:\nallocation 0: size 4\n"


def write(folder: Path, *names: str, text: str = TEXT) -> None:
    filled(folder, dict.fromkeys(names, text))


def texts(found: Discovered) -> list[list[str]]:
    """Return the text of each part of each dump."""
    loaded = [load_text(dump)[0] for dump in found.dumps]
    return [[part.data.decode() for part in text.parts] for text in loaded]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the files that are opened, in order."""
    names: list[str] = []
    original: Callable[..., Any] = Path.open

    def counting(path: Path, *rest: Any, **named: Any) -> Any:
        names.append(path.name)
        return original(path, *rest, **named)

    monkeypatch.setattr(Path, "open", counting)
    return names


@pytest.fixture
def forbidden(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Make names that cannot be opened or listed; chmod would not stop a test that runs as root."""
    names: list[str] = []

    def refusing(original: Callable[..., Any]) -> Callable[..., Any]:
        def refuse(path: Path, *rest: Any, **named: Any) -> Any:
            if path.name in names:
                raise PermissionError(13, "Permission denied")
            return original(path, *rest, **named)

        return refuse

    monkeypatch.setattr(Path, "open", refusing(Path.open))
    monkeypatch.setattr(os, "scandir", refusing(os.scandir))
    return names


# What is a dump


def test_three_files_with_one_stem_are_one_dump(tmp_path: Path) -> None:
    write(tmp_path, f"run/{LIVE_RANGES}", f"run/{VALUES}", f"run/{ALLOCATIONS}")
    write(tmp_path, f"run/{STEM}.txt", f"run/{STEM}-memory-usage-report.txt", text="HloModule")
    found = discover([tmp_path])
    assert labels(found) == [f"run/{ALLOCATIONS}"]
    assert [part.label for part in found.dumps[0].parts] == [f"run/{n}" for n in (ALLOCATIONS, VALUES, LIVE_RANGES)]
    assert found.dumps[0].name.module_name == "jit_f"
    assert found.problems == ()


@pytest.mark.parametrize("path", ["run", f"run/{ALLOCATIONS}"], ids=["folder", "file"])
def test_sibling_files_of_a_dump_belong_to_it(tmp_path: Path, path: str) -> None:
    beside = {
        f"{STEM}-memory-usage-report.txt": "usage report",
        f"{STEM}.txt": "HLO text",
        f"{STEM}.hlo.pb.gz": "proto",
    }
    others = ("module_0001.jit_f.before_optimizations.txt", "module_0002.jit_f.cpu_after_optimizations.txt")
    write(tmp_path / "run", ALLOCATIONS)
    write(tmp_path / "run", *beside, *others, text="HloModule")
    (dump,) = discover([tmp_path / path]).dumps
    assert {sibling.path.name: sibling.kind for sibling in dump.siblings} == beside
    assert all(sibling.label.endswith(sibling.path.name) for sibling in dump.siblings)


@pytest.mark.parametrize(
    ("target", "is_found"),
    [("module_0000.jit_f", True), ("module_0002.jit_g", False), ("module_0009.jit_f", False)],
)
def test_the_target_of_a_module_may_have_its_number_before_the_passes(
    tmp_path: Path, target: str, is_found: bool
) -> None:
    write(tmp_path, "module_0003.jit_f.after_optimizations-buffer-assignment.txt")
    write(tmp_path, f"{target}.target_arguments.txt", text="version: TPU_VERSION_GHOSTLITE")
    (dump,) = discover([tmp_path]).dumps
    assert [sibling.kind for sibling in dump.siblings] == (["TPU target"] if is_found else [])


def test_the_target_of_an_earlier_compilation_is_not_that_of_a_later_one(tmp_path: Path) -> None:
    for number in (1, 3):
        write(tmp_path, f"module_000{number}.jit_f.after_optimizations-buffer-assignment.txt")
    write(tmp_path, "module_0000.jit_f.target_arguments.txt", text="version: TPU_VERSION_GHOSTLITE")
    assert [[sibling.kind for sibling in dump.siblings] for dump in discover([tmp_path]).dumps] == [["TPU target"], []]


@pytest.mark.parametrize(
    ("stage", "kinds"),
    [
        ("cpu_after_optimizations", ["error text"]),
        ("sm_9.0a_gpu_after_optimizations", ["GPU target", "GPU target", "error text"]),
        ("gfx942_gpu_after_optimizations", ["GPU target", "GPU target", "error text"]),
        (
            "after_optimizations",
            ["refusal", "refusal list", "TPU target", "GPU target", "GPU target", "error text"],
        ),
    ],
)
def test_a_file_that_another_backend_writes_is_not_beside_a_dump(tmp_path: Path, stage: str, kinds: list[str]) -> None:
    write(tmp_path, f"module_0001.jit_f.{stage}-buffer-assignment.txt")
    names = ("target_arguments.txt", "gpu_target_config.pbtxt", "oom_intermediate_module.txt")
    write(tmp_path, *(f"module_0001.jit_f.{name}" for name in names), text="x")
    others = ("module_0001.jit_f.oom_top_memory_consuming_instructions", "gpu_target_config.pbtxt", "out-of-memory.txt")
    write(tmp_path, *others, text="x")
    (dump,) = discover([tmp_path]).dumps
    assert [sibling.kind for sibling in dump.siblings] == kinds


SECOND = "module_0002.g.after_optimizations-buffer-assignment.txt"
LATER_GPU = "module_0000.jit_f.sm_9.0a_gpu_after_optimizations.hlo.pb"
PLAN = PROTO.read_bytes()
QUOTING = f'{TEXT}scope "*** Begin module_0009.x.txt ***" *** End module_0009.x.txt\n*** Begin epoch ***\n'
NOISE = "I0000 compiling\n" + framed(f"{STEM}.txt", "HloModule") + framed("module_0001.jit_f.x.mlir", "module {")
CUT = gzip.compress((framed(ALLOCATIONS, TEXT) + random.Random(0).randbytes(50_000).hex()).encode())[:-1000]


def of(*names: str) -> dict[str, str | bytes]:
    return dict.fromkeys(names, TEXT)


# Files of a folder, the dumps that are found with the texts of their parts, and what is said of the rest.
FOUND: dict[str, tuple[Mapping[str, str | bytes], Mapping[str, Sequence[str] | None], Sequence[str]]] = {
    "no values": (of(ALLOCATIONS, LIVE_RANGES), {ALLOCATIONS: [TEXT] * 2}, ()),
    "no live ranges": (of(ALLOCATIONS, VALUES), {ALLOCATIONS: [TEXT] * 2}, ()),
    "no allocations": (
        of("a-buffer-assignment.txt", f"b/{VALUES}", f"b/{LIVE_RANGES}"),
        {"a-buffer-assignment.txt": [TEXT]},
        (f"warning b/{VALUES}: not shown: {ALLOCATIONS} is missing", f"warning b/{LIVE_RANGES}: "),
    ),
    "any name": (
        of("seed.txt", "step", "step.105381", f"{STEM}-buffer-assignment (1).txt")
        | {"quoted.txt": f"He said: {TEXT}", "other.txt": "BufferAssignment: none\n"},
        {f"{STEM}-buffer-assignment (1).txt": [TEXT], "seed.txt": [TEXT], "step": [TEXT], "step.105381": [TEXT]},
        (),
    ),
    "hidden files and backups": (
        of("seed.txt", "seed.txt~", ".seed.txt.swp", f"._{ALLOCATIONS}", f".{ALLOCATIONS}.Xy12", ".git/seed"),
        {"seed.txt": [TEXT]},
        (),
    ),
    # Protos
    "proto of the dump": ({ALLOCATIONS: TEXT, f"{STEM}.hlo.pb": PLAN}, {ALLOCATIONS: [TEXT]}, ()),
    "proto of the dump at another stage": (
        {ALLOCATIONS: TEXT, f"{STEM}_after_buffer_assignment.hlo.pb.gz": PLAN},
        {ALLOCATIONS: [TEXT]},
        (),
    ),
    **{
        f"proto of another device: {name}": ({ALLOCATIONS: TEXT, name: PLAN}, {ALLOCATIONS: [TEXT], name: None}, ())
        for name in (
            "module_0001.jit_f.sm_9.0a_gpu_after_optimizations.hlo.pb",
            "module_0001.jit_f.after_optimizations.hlo.pb",
            "module_0002.jit_f.cpu_after_optimizations.hlo.pb",
        )
    },
    "two GPUs": (
        of("module_0000.jit_f.sm_8.0_gpu_after_optimizations-buffer-assignment.txt") | {LATER_GPU: PLAN},
        {"module_0000.jit_f.sm_8.0_gpu_after_optimizations-buffer-assignment.txt": [TEXT], LATER_GPU: None},
        (),
    ),
    "two protos of one stem": (
        {"jit_f.hlo.pb": PLAN, "jit_f.hlo_proto.pb": PLAN},
        {"jit_f.hlo.pb": None, "jit_f.hlo_proto.pb": None},
        (),
    ),
    "proto instead of damaged allocations": (
        {f"{ALLOCATIONS}.gz": b"\x1f\x8bdamaged", f"{STEM}.hlo.pb": PLAN},
        {f"{STEM}.hlo.pb": None},
        (f"error {ALLOCATIONS}.gz: ",),
    ),
    # Compression
    "compressed parts": (
        {
            f"{ALLOCATIONS}.xz": lzma.compress(TEXT.encode()),
            f"{LIVE_RANGES}.gz": gzip.compress(b"ranges"),
            "seed.gz": gzip.compress(TEXT.encode()),
            "run.log.xz": lzma.compress(framed(ALLOCATIONS, TEXT).encode()),
            VALUES: "values",
        },
        {f"{ALLOCATIONS}.xz": [TEXT, "values", "ranges"], "run.log.xz": [TEXT], "seed.gz": [TEXT]},
        (),
    ),
    "plain and compressed": (
        of(ALLOCATIONS, "seed.txt")
        | dict.fromkeys((f"{ALLOCATIONS}.gz", "seed.txt.gz"), gzip.compress(b"BufferAssignment:\nold")),
        {ALLOCATIONS: [TEXT], "seed.txt": [TEXT]},
        (f"note {ALLOCATIONS}.gz: not read: {ALLOCATIONS} was read instead", "note seed.txt.gz: "),
    ),
    "plain and compressed next to a dump": (
        of("m-buffer-assignment.txt", "m.txt", "m.txt.gz"),
        {"m-buffer-assignment.txt": [TEXT], "m.txt": [TEXT]},
        ("note m.txt.gz: not read: m.txt was read instead",),
    ),
    "unsupported compression": (
        of("seed.txt", f"{ALLOCATIONS}.zst"),
        {"seed.txt": [TEXT]},
        (f"warning {ALLOCATIONS}.zst: ",),
    ),
    # Logs
    "log of one dump": (
        {"run.log": NOISE + framed(ALLOCATIONS, TEXT) + framed(VALUES, "\nvalues\n") + "done\n"},
        {"run.log": [TEXT, "\nvalues\n"]},
        (),
    ),
    "output on the lines of markers": (
        {"run.log": f"W00 slow*** Begin {ALLOCATIONS} ***W00 very\n{TEXT}\nW0 slow*** End {ALLOCATIONS} ***W0 done\n"},
        {"run.log": [TEXT]},
        (),
    ),
    "frame without end": (
        {"run.log": f"*** Begin {ALLOCATIONS} ***\n{TEXT}alloc"},
        {"run.log": [f"{TEXT}alloc"]},
        (f"warning run.log#{ALLOCATIONS}: ",),
    ),
    "frame without end before another": (
        {"run.log": f"*** Begin {ALLOCATIONS} ***\n{TEXT}alloc{framed(SECOND, TEXT)}"},
        {f"run.log#{ALLOCATIONS}": [f"{TEXT}alloc"], f"run.log#{SECOND}": [TEXT]},
        (f"warning run.log#{ALLOCATIONS}: ",),
    ),
    "marker quoted in a dump": ({"run.log": framed(ALLOCATIONS, QUOTING)}, {"run.log": [QUOTING]}, ()),
    "log without allocations": (
        {"run.log": framed(VALUES, TEXT) + framed(ALLOCATIONS, TEXT)},
        {"run.log": [TEXT]},
        (f"warning run.log#{VALUES}: ",),
    ),
    "log that is cut off": ({"run.log.gz": CUT}, {"run.log.gz": [TEXT]}, ("error run.log.gz: ",)),
}


@pytest.mark.parametrize("what", FOUND)
def test_the_dumps_of_a_folder_are_found_and_what_is_not_read_is_named(tmp_path: Path, what: str) -> None:
    files, dumps, problems = FOUND[what]
    filled(tmp_path, files)
    found = discover([tmp_path, tmp_path])
    assert labels(found) == sorted(dumps)
    for dump in found.dumps:
        expected = dumps[dump.label]
        text, damage = load_text(dump)
        assert expected is None or ([part.data.decode() for part in text.parts], damage) == (expected, ())
        assert dump.parts[0].label == dump.label.partition("#")[0]
    said = [f"{problem.severity} {problem.file}: {problem.message}" for problem in found.problems]
    assert len(said) == len(problems), said
    assert all(map(str.startswith, said, problems)), said


@pytest.mark.parametrize("name", [ALLOCATIONS, VALUES, LIVE_RANGES])
def test_any_file_of_a_dump_leads_to_the_whole_dump(tmp_path: Path, name: str) -> None:
    write(tmp_path, ALLOCATIONS, VALUES, LIVE_RANGES, "other-buffer-assignment.txt")
    found = discover([tmp_path / name])
    assert labels(found) == [ALLOCATIONS]
    assert len(found.dumps[0].parts) == 3


def test_labels_are_sorted_whatever_the_file_system_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{folder}{module}-buffer-assignment.txt" for folder in ("", "a/", "b/c/") for module in "xyz"]
    write(tmp_path, *names)
    original = os.scandir

    class Shuffled:
        def __init__(self, path: Path) -> None:
            with original(path) as entries:
                self.entries = random.sample(found := list(entries), len(found))

        def __enter__(self) -> Iterator["os.DirEntry[str]"]:
            return iter(self.entries)

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(os, "scandir", Shuffled)
    for _ in range(5):
        assert labels(discover([tmp_path])) == sorted(names)


# Compression


def test_a_compressed_file_that_is_named_is_taken(tmp_path: Path) -> None:
    write(tmp_path, ALLOCATIONS)
    (tmp_path / f"{ALLOCATIONS}.gz").write_bytes(gzip.compress(TEXT.encode()))
    found = discover([tmp_path / f"{ALLOCATIONS}.gz"])
    assert labels(found) == [f"{ALLOCATIONS}.gz"]
    assert severities(found.problems) == [("note", ALLOCATIONS)]


# Logs


def test_a_log_with_several_dumps_is_labelled_by_its_frames(tmp_path: Path) -> None:
    others = ["module_0002.g.cpu_after_optimizations-buffer-assignment.txt", ALLOCATIONS]
    write(tmp_path, "out", text="".join(framed(name, TEXT) for name in (ALLOCATIONS, LIVE_RANGES, *others, VALUES)))
    found = discover([tmp_path / "out"])
    assert labels(found) == [f"out#{ALLOCATIONS}", f"out#{ALLOCATIONS}#2", f"out#{others[0]}"]
    assert [len(dump.parts) for dump in found.dumps] == [2, 2, 1]


def test_long_files_are_searched_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_frames, "SEARCHED_SIZE", 1 << 20)
    write(tmp_path, "seed.txt")
    write(tmp_path, "run.log", text="noise\n" * 300_000 + framed(ALLOCATIONS, TEXT))
    found = discover([tmp_path])
    assert labels(found) == ["seed.txt"]
    assert severities(found.problems) == [("note", "run.log")]
    assert labels(discover([tmp_path / "run.log"])) == ["run.log"]


@given(before=st.integers(0, 200), size=st.integers(1, 90))
def test_a_frame_is_found_wherever_the_pieces_are_cut(before: int, size: int) -> None:
    log = b"x" * before + framed(ALLOCATIONS, TEXT).encode()
    pieces = [log[start : start + size] for start in range(0, len(log), size)]
    assert log_frames.search(pieces) == "log"


frame_texts = st.text(st.characters(codec="utf-8", exclude_characters="*"))


@given(st.lists(st.tuples(frame_texts, st.integers(0, 20), frame_texts)))
def test_every_frame_of_a_log_is_found(written: list[tuple[str, int, str]]) -> None:
    log = "".join(noise + framed(f"module_{number:04}.f.txt", text) for noise, number, text in written).encode()
    found = [(frame.name, log[frame.start : frame.end].decode()) for frame in log_frames.find_frames(log)]
    assert found == [(f"module_{number:04}.f.txt", text) for _, number, text in written]


def test_the_name_of_a_frame_leads_to_no_other_file(tmp_path: Path) -> None:
    write(tmp_path, "secret.md", f"logs/{'x' * 50}.md")
    names = ["../secret", "x" * 250, "x" * 5000, f"{tmp_path}/secret", "x" * 50]
    write(tmp_path, "logs/run.log", text="".join(framed(f"{name}-buffer-assignment.txt", TEXT) for name in names))
    found = discover([tmp_path / "logs"])
    assert [dump.notes.name for dump in found.dumps if dump.notes] == [f"{'x' * 50}.md"]


# Cost


def test_unrelated_files_are_opened_once_or_not_at_all(tmp_path: Path, opened: list[str]) -> None:
    for number in range(2_500):
        write(tmp_path, f"{number}.txt", f"{number}", text="something\n")
        write(tmp_path, f"{number}.json", f"{number}.npy", text="[]")
    write(tmp_path, ALLOCATIONS)
    opened.clear()
    assert labels(discover([tmp_path])) == [ALLOCATIONS]
    assert len(opened) == len(set(opened)) == 5_001
    assert not any(name.endswith((".json", ".npy")) for name in opened)


def test_only_the_beginning_of_hlo_texts_and_binaries_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_frames, "search", pytest.fail)
    write(tmp_path, ALLOCATIONS)
    write(tmp_path, f"{STEM}.txt", f"179.{STEM}.txt", "module_0001.jit_f.debug_options", text="HloModule")
    write(tmp_path, "weights", "core.1234", text="\0\1\2")
    assert labels(discover([tmp_path])) == [ALLOCATIONS]


# File systems


@posix_only
def test_links_to_directories_are_followed_once(tmp_path: Path) -> None:
    write(tmp_path, "elsewhere/linked-buffer-assignment.txt")
    write(tmp_path, "dumps/real/own-buffer-assignment.txt")
    for name, target in {"a_link": "real", "real/up": "..", "outside": "../elsewhere", "self": "self"}.items():
        (tmp_path / "dumps" / name).symlink_to(target)
    found = discover([tmp_path / "dumps"])
    assert labels(found) == ["real/own-buffer-assignment.txt"]
    assert severities(found.problems) == [("warning", "outside")]


@posix_only
def test_no_link_out_of_the_folder_is_read(tmp_path: Path) -> None:
    write(tmp_path, "secret", text="the key")
    write(tmp_path, f"dumps/{ALLOCATIONS}")
    stem = ALLOCATIONS.removesuffix("-buffer-assignment.txt")
    names = ["README.md", "log.txt", f"{stem}.md", f"{stem}-memory-usage-report.txt", f"{stem}-live-range.txt"]
    for name in names:
        (tmp_path / "dumps" / name).symlink_to(tmp_path / "secret")
    found = discover([tmp_path / "dumps"])
    assert found.readme is None
    assert [problem.file for problem in found.problems] == sorted(names)
    for named in (found, discover([tmp_path / "dumps" / ALLOCATIONS])):
        (files,) = named.dumps
        assert files.notes is None
        assert files.siblings == ()
        assert len(files.parts) == 1


@posix_only
def test_a_file_reached_twice_is_one_dump_under_its_best_name(tmp_path: Path) -> None:
    write(tmp_path, "blobs/1f5a")
    (tmp_path / ALLOCATIONS).symlink_to("blobs/1f5a")
    (tmp_path / "latest.txt").symlink_to(ALLOCATIONS)
    assert labels(discover([tmp_path])) == [ALLOCATIONS]


@posix_only
def test_something_named_like_a_part_that_is_not_a_file_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt")
    (tmp_path / "gone-buffer-assignment.txt").symlink_to("nowhere")
    (tmp_path / "loop-live-range.txt").symlink_to("loop-live-range.txt")
    os.mkfifo(tmp_path / "pipe-buffer-assignment.txt")
    found = discover([tmp_path])
    assert labels(found) == ["seed.txt"]
    assert severities(found.problems) == [
        ("error", "gone-buffer-assignment.txt"),
        ("warning", "loop-live-range.txt"),
        ("error", "pipe-buffer-assignment.txt"),
    ]


@posix_only
def test_other_broken_links_pipes_and_sockets_are_skipped_silently(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "seed.txt")
    (tmp_path / "gone.txt").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        found = discover([tmp_path])
    assert labels(found) == ["seed.txt"]
    assert found.problems == ()


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes as a name")
def test_names_that_are_not_utf8_get_valid_labels(tmp_path: Path) -> None:
    for byte in (0xFE, 0xFF):
        (tmp_path / os.fsdecode(b"%c-buffer-assignment.txt" % byte)).write_text(TEXT)
    (tmp_path / os.fsdecode(b"\xff.md")).touch()
    found = discover([tmp_path])
    assert labels(found) == ["\ufffd-buffer-assignment.txt", "\ufffd-buffer-assignment.txt#2"]
    assert [dump.notes is None for dump in found.dumps] == [True, False]
    assert texts(found) == [[TEXT], [TEXT]]


def test_a_part_that_may_not_be_read_is_reported(tmp_path: Path, forbidden: list[str]) -> None:
    write(tmp_path, ALLOCATIONS, VALUES, "secret-buffer-assignment.txt", "secret.txt")
    forbidden += [VALUES, "secret-buffer-assignment.txt", "secret.txt"]
    found = discover([tmp_path])
    assert [[part.label for part in dump.parts] for dump in found.dumps] == [[ALLOCATIONS]]
    errors = [("error", VALUES), ("error", "secret-buffer-assignment.txt")]
    assert severities(found.problems) == [*errors, ("warning", "secret.txt")]
    assert "Permission denied" in found.problems[0].message


def test_a_directory_that_may_not_be_listed_is_reported(tmp_path: Path, forbidden: list[str]) -> None:
    write(tmp_path, ALLOCATIONS, f"secret/{ALLOCATIONS}")
    forbidden.append("secret")
    assert severities(discover([tmp_path]).problems) == [("warning", "secret/")]
    with pytest.raises(UnreadableInput, match=r"secret.*Permission denied"):
        discover([tmp_path / "secret"])


def test_a_named_file_without_permission_is_an_error(tmp_path: Path, forbidden: list[str]) -> None:
    write(tmp_path, ALLOCATIONS)
    forbidden.append(ALLOCATIONS)
    with pytest.raises(UnreadableInput, match="Permission denied"):
        discover([tmp_path / ALLOCATIONS])


@posix_only
def test_a_named_pipe_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableInput, match=r"pipe.*not a regular file"):
        discover([tmp_path / "pipe"])


# Paths that hold nothing


def test_a_path_that_does_not_exist_is_named(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt")
    with pytest.raises(UnreadableInput, match="nowhere"):
        discover([tmp_path, tmp_path / "nowhere"])


def test_an_empty_directory_says_what_was_expected_and_how_to_get_it(tmp_path: Path) -> None:
    message = discover([tmp_path]).why_none
    assert message.startswith(tmp_path.as_posix())
    assert "*-buffer-assignment.txt" in message
    assert 'XLA_FLAGS="--xla_dump_to=DIR --xla_dump_hlo_as_text"' in message
    assert "compilation cache" in message
    assert "protos named *.hlo.pb or\n*.hlo_proto.pb" in message


def test_the_message_says_why_nothing_was_found(tmp_path: Path) -> None:
    write(tmp_path, VALUES)
    assert f"{VALUES}: not shown: {ALLOCATIONS} is missing" in discover([tmp_path]).why_none


def test_an_empty_path_among_others_is_a_problem(tmp_path: Path) -> None:
    write(tmp_path, "a/seed.txt")
    (tmp_path / "b").mkdir()
    found = discover([tmp_path / "a", tmp_path / "b"])
    assert labels(found) == ["seed.txt"]
    assert severities(found.problems) == [("warning", "b")], "no absolute path: it would stand on a page"


# Several paths


def test_equal_labels_are_prefixed_by_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "one/seed.txt", "one/more.txt", "two/seed.txt", "two/x-live-range.txt", "three/other.txt")
    found = discover([tmp_path / "one", tmp_path / "two", tmp_path / "three"])
    assert labels(found) == ["one/more.txt", "one/seed.txt", "other.txt", "two/seed.txt"]
    assert [dump.parts[0].label for dump in found.dumps] == labels(found)
    assert severities(found.problems) == [("warning", "two/x-live-range.txt")]


def test_labels_that_are_still_equal_get_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/run/seed.txt", "b/run/seed.txt")
    assert labels(discover([tmp_path / "a" / "run", tmp_path / "b" / "run"])) == ["run/seed.txt", "run/seed.txt#2"]
    monkeypatch.chdir(tmp_path / "a" / "run")
    assert labels(discover([Path("seed.txt"), Path("../../b/run")])) == ["run/seed.txt", "run/seed.txt#2"]


def test_the_same_file_given_twice_is_one_dump(tmp_path: Path) -> None:
    write(tmp_path, f"run/{ALLOCATIONS}", f"run/{VALUES}")
    write(tmp_path, "run.log", text=framed(ALLOCATIONS, TEXT))
    paths = ["run", f"run/{ALLOCATIONS}", f"run/{VALUES}", "run/../run", "run.log", "run.log"]
    found = discover([tmp_path / path for path in paths])
    assert labels(found) == [ALLOCATIONS, "run.log"]
    assert found.problems == ()


# Notes


def test_notes_beside_dumps_and_the_readme_are_found(tmp_path: Path) -> None:
    write(tmp_path, ALLOCATIONS, VALUES, "seed.txt", "bare", f"{STEM}.md", "seed.md", "README.md", "run.md")
    write(tmp_path, "run.log", text=framed(SECOND, TEXT))
    found = discover([tmp_path])
    notes = {dump.label: dump.notes and dump.notes.name for dump in found.dumps}
    assert notes == {ALLOCATIONS: f"{STEM}.md", "bare": None, "run.log": "run.md", "seed.txt": "seed.md"}
    assert found.readme == tmp_path / "README.md"
    assert discover([tmp_path / "seed.txt"]).readme is None


# Real dumps


@pytest.mark.skipif(not REAL_DUMPS.is_dir(), reason="the collection of real dumps is not beside this checkout")
def test_the_collection_of_real_dumps_is_found_completely() -> None:
    found = discover([REAL_DUMPS])
    expected = json.loads((REAL_DUMPS / "expected.json").read_text())
    folders = {label.partition("/")[0] for label in expected}
    dumps = [label.removesuffix(".xz") for label in labels(found) if label.partition("/")[0] in folders]
    assert sorted(dumps) == sorted(expected)
    assert [problem.severity for problem in found.problems] == ["note"]  # archives in a folder are not read
    assert found.readme == REAL_DUMPS / "README.md"
