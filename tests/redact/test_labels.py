"""Labels of dumps after the names of folders and files were hidden."""

from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.input.discover import Discovered, discover
from reportgen.input.names import DumpName
from reportgen.options import Redaction
from reportgen.redact.labels import redact_labels

_TEXT = "BufferAssignment:\nallocation 0: size 8, preallocated-temp:\n"
_STEM = "module_0001.jit_step.cpu_after_optimizations"


def found(directory: Path, *names: str) -> Discovered:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_TEXT, encoding="utf-8")
    return discover([directory])


def labels(discovered: Discovered, redaction: Redaction) -> list[str]:
    return [files.label for files in redact_labels(discovered, redaction).dumps]


def test_folders_and_chosen_names_become_tokens(tmp_path: Path) -> None:
    names = (f"alice/b/{_STEM}-buffer-assignment.txt", f"zoe/b/{_STEM}-buffer-assignment.txt", "alices-dump.txt")
    discovered = found(tmp_path, *names)
    assert labels(discovered, "paths") == [
        "dump-1.txt",
        f"folder-1/folder-2/{_STEM}-buffer-assignment.txt",
        f"folder-3/folder-2/{_STEM}-buffer-assignment.txt",
    ]


def test_hiding_names_hides_the_name_of_the_module_too(tmp_path: Path) -> None:
    timestamped = "17.module_0000.after_optimizations-buffer-assignment.txt"
    discovered = found(tmp_path, f"{_STEM}-buffer-assignment.txt", f"{_STEM}-live-range.txt", timestamped)
    other, step = redact_labels(discovered, "names").dumps
    hidden = _STEM.replace("jit_step", "program-1")
    assert [part.label for part in step.parts] == [f"{hidden}-buffer-assignment.txt", f"{hidden}-live-range.txt"]
    assert (step.name.module_name, step.name.module_number, step.name.backend) == ("program-1", 1, "cpu")
    assert (other.label, other.name.module_name) == (timestamped, "module_0000")


@pytest.mark.parametrize("redaction", ["paths", "names"])
def test_numbers_as_long_as_that_of_a_telephone_become_tokens(redaction: Redaction, tmp_path: Path) -> None:
    stems = (
        "4155552671.module_4155552672.jit_f.sm_9.0_gpu_after_optimizations",
        "module_4155552673.after_optimizations",
    )
    discovered = found(tmp_path, *(f"{stem}-buffer-assignment.txt" for stem in stems))
    unnamed, named = redact_labels(discovered, redaction).dumps
    function = "jit_f" if redaction == "paths" else "program-1"
    assert named.name == DumpName(
        stem=f"number-1.module_number-2.{function}.sm_9.0_gpu_after_optimizations",
        module_name=function,
        stage="sm_9.0_gpu_after_optimizations",
        backend="gpu",
        device="sm_9.0_gpu",
    )
    assert named.label == f"{named.name.stem}-buffer-assignment.txt"
    assert (unnamed.name.stem, unnamed.name.module_name) == ("module_number-3.after_optimizations", "module_number-3")


def test_the_moment_of_a_dump_stays_unless_names_are_hidden(tmp_path: Path) -> None:
    discovered = found(tmp_path, "1795171264546596.module_0000.after_optimizations-buffer-assignment.txt")
    (shown,), (hidden,) = (redact_labels(discovered, redaction).dumps for redaction in ("paths", "names"))
    assert (shown.label, shown.name) == (discovered.dumps[0].label, discovered.dumps[0].name)
    assert hidden.name == replace(
        shown.name, stem="number-1.module_0000.after_optimizations", timestamp_microseconds=None
    )


def test_notes_are_dropped(tmp_path: Path) -> None:
    (tmp_path / f"{_STEM}.md").write_text("by alice", encoding="utf-8")
    (tmp_path / "README.md").write_text("by alice", encoding="utf-8")
    discovered = found(tmp_path, f"{_STEM}-buffer-assignment.txt")
    assert discovered.readme
    assert discovered.dumps[0].notes
    made = redact_labels(discovered, "paths")
    assert made.readme is None
    assert made.dumps[0].notes is None


def test_problems_name_tokens(tmp_path: Path) -> None:
    names = ("alice/x-buffer-assignment.txt", "alice/x-buffer-assignment.txt.gz", "bob/carol-live-range.txt")
    made = redact_labels(found(tmp_path, *names), "paths")
    assert [(problem.file, problem.message) for problem in made.problems] == [
        (
            "folder-1/dump-2-buffer-assignment.txt.gz",
            "not read: dump-2-buffer-assignment.txt was read instead",
        ),
        ("folder-2/dump-1-live-range.txt", "not shown: dump-1-buffer-assignment.txt is missing"),
    ]


def test_dumps_of_one_log_get_different_labels(tmp_path: Path) -> None:
    frames = [f"*** Begin alice{number}-buffer-assignment.txt ***\n{_TEXT}\n*** End" for number in (1, 2)]
    log = "".join(f"{frame} alice{number}-buffer-assignment.txt ***\n" for number, frame in enumerate(frames, start=1))
    (tmp_path / "alice.log").write_text(log, encoding="utf-8")
    made = redact_labels(discover([tmp_path]), "paths")
    assert [files.label for files in made.dumps] == [
        "dump-1.log#dump-2-buffer-assignment.txt",
        "dump-1.log#dump-3-buffer-assignment.txt",
    ]
    assert {part.label for files in made.dumps for part in files.parts} == {"dump-1.log"}
