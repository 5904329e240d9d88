"""Discovery: which files of a directory are dumps, under which labels, and what is said about the rest."""

import gzip
import json
import lzma
import os
import random
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.errors import UnreadableInput
from reportgen.input import logs as log_frames
from reportgen.input.discover import Discovered, discover
from reportgen.input.reading import load_text

ROOT = Path(__file__).parents[2]
PROTO = ROOT / "tests/siblings/cpu-tiny.hlo.pb"
REAL_DUMPS = ROOT.parent / "shared" / "dumps"

STEM = "module_0001.jit_f.cpu_after_optimizations"
ALLOCATIONS = f"{STEM}-buffer-assignment.txt"
VALUES = f"{STEM}-buffer-assignment-values.txt"
LIVE_RANGES = f"{STEM}-live-range.txt"
TEXT = "BufferAssignment:\nallocation 0: size 4\n"

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs links and pipes")


def write(folder: Path, *names: str, text: str = TEXT) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())


def framed(name: str, text: str = TEXT) -> str:
    return f"*** Begin {name} ***\n{text}\n*** End {name} ***\n"


def labels(found: Discovered) -> list[str]:
    return [dump.label for dump in found.dumps]


def severities(found: Discovered) -> list[tuple[str, str]]:
    return [(problem.severity, problem.file) for problem in found.problems]


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


def with_plan(folder: Path, *names: str) -> None:
    for name in names:
        shutil.copy(PROTO, folder / name)


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [
        (f"{STEM}.hlo.pb", False),
        (f"{STEM}_after_buffer_assignment.hlo.pb.gz", False),
        ("module_0001.jit_f.sm_9.0a_gpu_after_optimizations.hlo.pb", True),
        ("module_0001.jit_f.after_optimizations.hlo.pb", True),
        ("module_0002.jit_f.cpu_after_optimizations.hlo.pb", True),
    ],
)
def test_the_proto_of_another_device_is_another_module(tmp_path: Path, name: str, is_shown: bool) -> None:
    write(tmp_path, ALLOCATIONS)
    with_plan(tmp_path, name)
    found = discover([tmp_path])
    assert labels(found) == sorted([ALLOCATIONS, *([name] if is_shown else [])])
    assert found.problems == ()


def test_modules_of_two_gpus_are_both_shown(tmp_path: Path) -> None:
    names = [f"module_0000.jit_f.sm_{number}_gpu_after_optimizations" for number in ("8.0", "9.0a")]
    write(tmp_path, f"{names[0]}-buffer-assignment.txt")
    with_plan(tmp_path, f"{names[1]}.hlo.pb")
    assert len(discover([tmp_path]).dumps) == 2


def test_two_protos_of_one_stem_are_both_shown(tmp_path: Path) -> None:
    with_plan(tmp_path, "jit_f.hlo.pb", "jit_f.hlo_proto.pb")
    assert labels(discover([tmp_path])) == ["jit_f.hlo.pb", "jit_f.hlo_proto.pb"]


def test_a_proto_stands_in_for_allocations_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / f"{ALLOCATIONS}.gz").write_bytes(b"\x1f\x8bdamaged")
    with_plan(tmp_path, f"{STEM}.hlo.pb")
    found = discover([tmp_path])
    assert labels(found) == [f"{STEM}.hlo.pb"]
    assert severities(found) == [("error", f"{ALLOCATIONS}.gz")]


@pytest.mark.parametrize("missing", [VALUES, LIVE_RANGES])
def test_values_and_live_ranges_may_be_missing(tmp_path: Path, missing: str) -> None:
    names = [name for name in (ALLOCATIONS, VALUES, LIVE_RANGES) if name != missing]
    write(tmp_path, *names)
    found = discover([tmp_path])
    assert [[part.label for part in dump.parts] for dump in found.dumps] == [names]
    assert found.problems == ()


def test_parts_without_allocations_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "a-buffer-assignment.txt", f"b/{VALUES}", f"b/{LIVE_RANGES}")
    found = discover([tmp_path])
    assert labels(found) == ["a-buffer-assignment.txt"]
    assert severities(found) == [("warning", f"b/{VALUES}"), ("warning", f"b/{LIVE_RANGES}")]
    assert f"{ALLOCATIONS} is missing" in found.problems[0].message


def test_a_dump_under_any_name_is_known_by_its_first_line(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt", "step", "step.105381", f"{STEM}-buffer-assignment (1).txt")
    write(tmp_path, "quoted.txt", text=f"He said: {TEXT}")
    write(tmp_path, "other.txt", text="BufferAssignment: none\n")
    assert labels(discover([tmp_path])) == [f"{STEM}-buffer-assignment (1).txt", "seed.txt", "step", "step.105381"]


def test_hidden_files_and_backups_are_ignored(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt", "seed.txt~", ".seed.txt.swp", f"._{ALLOCATIONS}", f".{ALLOCATIONS}.Xy12", ".git/seed")
    found = discover([tmp_path])
    assert labels(found) == ["seed.txt"]
    assert found.problems == ()


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


def test_compressed_dumps_keep_their_file_names(tmp_path: Path) -> None:
    (tmp_path / f"{ALLOCATIONS}.xz").write_bytes(lzma.compress(TEXT.encode()))
    (tmp_path / f"{LIVE_RANGES}.gz").write_bytes(gzip.compress(b"ranges"))
    (tmp_path / "seed.gz").write_bytes(gzip.compress(TEXT.encode()))
    (tmp_path / "run.log.xz").write_bytes(lzma.compress(framed(ALLOCATIONS).encode()))
    write(tmp_path, VALUES, text="values")
    found = discover([tmp_path])
    assert labels(found) == [f"{ALLOCATIONS}.xz", "run.log.xz", "seed.gz"]
    assert texts(found) == [[TEXT, "values", "ranges"], [TEXT], [TEXT]]
    loaded = load_text(found.dumps[0])[0].parts
    assert [part.label for part in loaded] == [f"{ALLOCATIONS}.xz", VALUES, f"{LIVE_RANGES}.gz"]
    assert found.problems == ()


def test_a_plain_file_is_preferred_to_its_compressed_form(tmp_path: Path) -> None:
    write(tmp_path, ALLOCATIONS, "seed.txt")
    for name in (f"{ALLOCATIONS}.gz", "seed.txt.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"BufferAssignment:\nold"))
    found = discover([tmp_path])
    assert labels(found) == [ALLOCATIONS, "seed.txt"]
    assert severities(found) == [("note", f"{ALLOCATIONS}.gz"), ("note", "seed.txt.gz")]
    assert ALLOCATIONS in found.problems[0].message


def test_the_form_of_a_file_beside_a_dump_that_is_not_read_is_named(tmp_path: Path) -> None:
    for name in ("m-buffer-assignment.txt", "m.txt", "m.txt.gz"):
        (tmp_path / name).write_bytes(b"BufferAssignment:\n")
    found = discover([tmp_path])
    assert severities(found) == [("note", "m.txt.gz")]
    assert found.problems[0].message == "not read: m.txt was read instead"


def test_a_compressed_file_that_is_named_is_taken(tmp_path: Path) -> None:
    write(tmp_path, ALLOCATIONS)
    (tmp_path / f"{ALLOCATIONS}.gz").write_bytes(gzip.compress(TEXT.encode()))
    found = discover([tmp_path / f"{ALLOCATIONS}.gz"])
    assert labels(found) == [f"{ALLOCATIONS}.gz"]
    assert severities(found) == [("note", ALLOCATIONS)]


def test_unsupported_compression_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt", f"{ALLOCATIONS}.zst")
    assert severities(discover([tmp_path])) == [("warning", f"{ALLOCATIONS}.zst")]


# Logs


def test_a_log_with_one_dump_is_labelled_by_its_file(tmp_path: Path) -> None:
    noise = "I0000 compiling\n" + framed(f"{STEM}.txt", "HloModule") + framed("module_0001.jit_f.x.mlir", "module {")
    write(tmp_path, "run.log", text=noise + framed(ALLOCATIONS) + framed(VALUES, "\nvalues\n") + "done\n")
    found = discover([tmp_path])
    assert labels(found) == ["run.log"]
    assert texts(found) == [[TEXT, "\nvalues\n"]]
    assert {part.label for part in found.dumps[0].parts} == {"run.log"}
    assert found.dumps[0].name.module_name == "jit_f"


def test_a_log_with_several_dumps_is_labelled_by_its_frames(tmp_path: Path) -> None:
    others = ["module_0002.g.cpu_after_optimizations-buffer-assignment.txt", ALLOCATIONS]
    write(tmp_path, "out", text="".join(map(framed, [ALLOCATIONS, LIVE_RANGES, *others, VALUES])))
    found = discover([tmp_path / "out"])
    assert labels(found) == [f"out#{ALLOCATIONS}", f"out#{ALLOCATIONS}#2", f"out#{others[0]}"]
    assert [len(dump.parts) for dump in found.dumps] == [2, 2, 1]


def test_output_on_marker_lines_is_not_part_of_the_file(tmp_path: Path) -> None:
    text = f"W00 slow*** Begin {ALLOCATIONS} ***W00 very\n{TEXT}\nW00 slow*** End {ALLOCATIONS} ***W00 done\n"
    write(tmp_path, "run.log", text=text)
    assert texts(discover([tmp_path])) == [[TEXT]]


@pytest.mark.parametrize("after", [[], [TEXT]], ids=["last", "before another"])
def test_a_frame_without_end_is_used_and_reported(tmp_path: Path, after: list[str]) -> None:
    others = (framed("module_0002.g.after_optimizations-buffer-assignment.txt", text) for text in after)
    write(tmp_path, "run.log", text=f"*** Begin {ALLOCATIONS} ***\n{TEXT}alloc{''.join(others)}")
    found = discover([tmp_path])
    assert texts(found) == [[TEXT + "alloc"], *([text] for text in after)]
    assert severities(found) == [("warning", f"run.log#{ALLOCATIONS}")]


def test_a_marker_quoted_in_a_dump_does_not_end_a_frame(tmp_path: Path) -> None:
    quoting = f'{TEXT}scope "*** Begin module_0009.x.txt ***" *** End module_0009.x.txt\n*** Begin epoch ***\n'
    write(tmp_path, "run.log", text=framed(ALLOCATIONS, quoting))
    found = discover([tmp_path])
    assert texts(found) == [[quoting]]
    assert found.problems == ()


def test_parts_without_allocations_in_a_log_are_reported(tmp_path: Path) -> None:
    write(tmp_path, "run.log", text=framed(VALUES) + framed(ALLOCATIONS))
    found = discover([tmp_path])
    assert [len(dump.parts) for dump in found.dumps] == [1]
    assert severities(found) == [("warning", f"run.log#{VALUES}")]


def test_a_cut_compressed_log_gives_the_dumps_before_the_cut(tmp_path: Path) -> None:
    rest = random.Random(0).randbytes(50_000).hex()
    (tmp_path / "run.log.gz").write_bytes(gzip.compress((framed(ALLOCATIONS) + rest).encode())[:-1000])
    found = discover([tmp_path])
    assert texts(found) == [[TEXT]]
    assert severities(found) == [("error", "run.log.gz")]
    assert load_text(found.dumps[0])[1] == ()


def test_long_files_are_searched_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_frames, "SEARCHED_SIZE", 1 << 20)
    write(tmp_path, "seed.txt")
    write(tmp_path, "run.log", text="noise\n" * 300_000 + framed(ALLOCATIONS))
    found = discover([tmp_path])
    assert labels(found) == ["seed.txt"]
    assert severities(found) == [("note", "run.log")]
    assert labels(discover([tmp_path / "run.log"])) == ["run.log"]


@given(before=st.integers(0, 200), size=st.integers(1, 90))
def test_a_frame_is_found_wherever_the_pieces_are_cut(before: int, size: int) -> None:
    log = b"x" * before + framed(ALLOCATIONS).encode()
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
    write(tmp_path, "logs/run.log", text="".join(framed(f"{name}-buffer-assignment.txt") for name in names))
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
    assert [(problem.severity, problem.file) for problem in found.problems] == [("warning", "outside")]


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
    assert severities(found) == [
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
    assert severities(found) == [*errors, ("warning", "secret.txt")]
    assert "Permission denied" in found.problems[0].message


def test_a_directory_that_may_not_be_listed_is_reported(tmp_path: Path, forbidden: list[str]) -> None:
    write(tmp_path, ALLOCATIONS, f"secret/{ALLOCATIONS}")
    forbidden.append("secret")
    assert severities(discover([tmp_path])) == [("warning", "secret/")]
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
    assert severities(found) == [("warning", "b")], "no absolute path: it would stand on a page"


# Several paths


def test_equal_labels_are_prefixed_by_their_paths(tmp_path: Path) -> None:
    write(tmp_path, "one/seed.txt", "one/more.txt", "two/seed.txt", "two/x-live-range.txt", "three/other.txt")
    found = discover([tmp_path / "one", tmp_path / "two", tmp_path / "three"])
    assert labels(found) == ["one/more.txt", "one/seed.txt", "other.txt", "two/seed.txt"]
    assert [dump.parts[0].label for dump in found.dumps] == labels(found)
    assert severities(found) == [("warning", "two/x-live-range.txt")]


def test_a_path_given_twice_reports_its_problems_once(tmp_path: Path) -> None:
    write(tmp_path, "seed.txt", VALUES)
    assert severities(discover([tmp_path, tmp_path])) == [("warning", VALUES)]


def test_labels_that_are_still_equal_get_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a/run/seed.txt", "b/run/seed.txt")
    assert labels(discover([tmp_path / "a" / "run", tmp_path / "b" / "run"])) == ["run/seed.txt", "run/seed.txt#2"]
    monkeypatch.chdir(tmp_path / "a" / "run")
    assert labels(discover([Path("seed.txt"), Path("../../b/run")])) == ["run/seed.txt", "run/seed.txt#2"]


def test_the_same_file_given_twice_is_one_dump(tmp_path: Path) -> None:
    write(tmp_path, f"run/{ALLOCATIONS}", f"run/{VALUES}")
    write(tmp_path, "run.log", text=framed(ALLOCATIONS))
    paths = ["run", f"run/{ALLOCATIONS}", f"run/{VALUES}", "run/../run", "run.log", "run.log"]
    found = discover([tmp_path / path for path in paths])
    assert labels(found) == [ALLOCATIONS, "run.log"]
    assert found.problems == ()


# Notes


def test_notes_beside_dumps_and_the_readme_are_found(tmp_path: Path) -> None:
    write(tmp_path, ALLOCATIONS, VALUES, "seed.txt", "bare", f"{STEM}.md", "seed.md", "README.md", "run.md")
    write(tmp_path, "run.log", text=framed("module_0002.g.after_optimizations-buffer-assignment.txt"))
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
