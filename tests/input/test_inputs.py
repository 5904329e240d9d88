"""What a compilation started from is stated by files that belong to one module only."""

from pathlib import Path

from reportgen.input.discover import discover
from reportgen.input.inputs import Inputs, inputs_of

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
