"""File names, read back from what XLA composes."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reportgen.input.discover import discover
from reportgen.input.inputs import Inputs, inputs_of
from reportgen.input.names import (
    PART_SUFFIXES,
    DumpName,
    is_something_else,
    may_be_log,
    read_name,
    split_part,
    without_compression,
)

ALLOCATIONS = PART_SUFFIXES[0]

STAGES = [
    ("cpu_after_optimizations", "cpu"),
    ("sm_8.0_gpu_after_optimizations", "gpu"),
    ("sm_9.0a_gpu_after_optimizations", "gpu"),
    ("sm_10.0_gpu_after_optimizations", "gpu"),
    ("gfx942_gpu_after_optimizations", "gpu"),
    ("gpu_after_optimizations", "gpu"),
    ("after_optimizations", "unknown"),
    ("after_optimizations_after_buffer_assignment", "unknown"),
    ("after_codegen", "unknown"),
]

# Dots only inside, as they separate the components.
module_names = st.from_regex(r"[\w<>-]+(\.[\w<>-]+){0,3}", fullmatch=True)


@given(
    timestamp=st.none() | st.integers(min_value=0),
    number=st.integers(min_value=0),
    name=st.none() | module_names,
    changelist=st.none() | st.integers(min_value=0),
    stage=st.sampled_from(STAGES),
    suffix=st.sampled_from(PART_SUFFIXES),
    compression=st.sampled_from(["", ".gz", ".xz"]),
)
def test_every_component_is_read_back(
    timestamp: int | None,
    number: int,
    name: str | None,
    changelist: int | None,
    stage: tuple[str, str],
    suffix: str,
    compression: str,
) -> None:
    assume(name is None or not name.split(".")[-1].startswith("cl_"))
    components = [
        *([] if timestamp is None else [str(timestamp)]),
        f"module_{number:04}",
        *([] if name is None else [name]),
        *([] if changelist is None else [f"cl_{changelist}"]),
        stage[0],
    ]
    stem = ".".join(components)
    read = read_name(stem + suffix + compression)
    assert read.stem == stem
    assert read.timestamp_microseconds == timestamp
    assert read.module_number == number
    assert read.module_name == (name or f"module_{number:04}")
    assert read.changelist == changelist
    assert (read.stage, read.backend) == stage


@given(st.text(min_size=1))
def test_any_text_is_a_name(text: str) -> None:
    assert read_name(text).module_name
    assert read_name(text + ALLOCATIONS).stem == text


def test_dots_in_module_names_and_in_stages_are_distinguished() -> None:
    assert read_name(f"module_0012.SyncTensorsGraph.105381.sm_8.0_gpu_after_optimizations{ALLOCATIONS}") == DumpName(
        stem="module_0012.SyncTensorsGraph.105381.sm_8.0_gpu_after_optimizations",
        module_number=12,
        module_name="SyncTensorsGraph.105381",
        stage="sm_8.0_gpu_after_optimizations",
        timestamp_microseconds=None,
        changelist=None,
        backend="gpu",
        device="sm_8.0_gpu",
    )


@pytest.mark.parametrize("name", ["{0}.module_0001.f.x", "module_{0}.f.x", "module_0001.f.cl_{0}.x"])
def test_numbers_longer_than_a_file_name_are_ignored(name: str) -> None:
    assert read_name(name.format("1" * 5000) + ALLOCATIONS).changelist is None


@pytest.mark.parametrize(
    ("file_name", "module_name"),
    [
        ("000_a3085531593bac68.txt", "000_a3085531593bac68"),
        ("step.txt.xz", "step"),
        ("step", "step"),
        (f"step{ALLOCATIONS}", "step"),
        (ALLOCATIONS, ALLOCATIONS),
        (f"module_7.short{ALLOCATIONS}", "module_7.short"),
        (f"module_0001{ALLOCATIONS}", "module_0001"),
        ("module_0001.jit_f.cpu_after_optimizations.txt", "module_0001.jit_f.cpu_after_optimizations"),
    ],
)
def test_a_name_that_follows_no_rule_is_the_module_name(file_name: str, module_name: str) -> None:
    name = read_name(file_name)
    assert name.module_name == module_name
    assert (name.module_number, name.stage, name.backend) == (None, None, "unknown")


def test_parts_are_known_by_their_suffix_whatever_the_compression() -> None:
    assert split_part("x-buffer-assignment.txt") == ("x", 0)
    assert split_part("x-buffer-assignment-values.txt.gz") == ("x", 1)
    assert split_part("x-live-range.txt.xz") == ("x", 2)
    assert split_part("x-buffer-assignment.txt.orig") is None


def test_compression_is_the_last_suffix_only() -> None:
    assert without_compression("a.gz.txt") == "a.gz.txt"
    assert without_compression("a.txt.GZ") == "a.txt"
    assert without_compression("a.xz") == "a"


@pytest.mark.parametrize(
    ("is_it", "named_so", "others"),
    [
        (
            is_something_else,
            "weights.npz a.hlo.pb.xz a.txt~ page.html IMAGE.PNG a.tar.gz",
            "a.txt a.log a a.105381 a.txt.gz stdout.1",
        ),
        (
            may_be_log,
            "stdout run.log run.txt run.out.gz run.err module_3.txt",
            "module_0001.jit_f.before_optimizations.txt 17.module_0001.f.txt run.json",
        ),
    ],
)
def test_names_rule_out_a_dump_or_may_be_of_logs(is_it: Callable[[str], bool], named_so: str, others: str) -> None:
    assert list(filter(is_it, [*named_so.split(), *others.split()])) == named_so.split()


# What a compilation started from is stated by files that belong to one module only.


TEXT = "BufferAssignment:\nallocation 0: size 4\n"


def inputs(folder: Path, *stages: str) -> list[Inputs]:
    for stage in stages:
        (folder / f"module_0001.jit_f.{stage}-buffer-assignment.txt").write_text(TEXT)
    (folder / "module_0001.jit_f.before_optimizations.txt").write_text("HloModule jit_f\n")
    (folder / "module_0001.jit_f.debug_options").write_text("xla_flag: true\n")
    return list(map(inputs_of, discover([folder]).dumps))


def test_the_program_and_the_flags_are_read_from_the_files_beside_a_dump(tmp_path: Path) -> None:
    [found] = inputs(tmp_path, "cpu_after_optimizations")
    assert found.program
    assert found.flags == {"xla_flag": "true"}


def test_they_are_not_known_where_they_may_be_of_another_device(tmp_path: Path) -> None:
    found = inputs(tmp_path, "cpu_after_optimizations", "sm_9.0a_gpu_after_optimizations")
    assert found == [Inputs(), Inputs()]
