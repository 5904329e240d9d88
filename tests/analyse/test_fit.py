"""A program that does not fit says so, with figures of the dump and of the compiler that agree."""

import shutil
from pathlib import Path

import pytest

from reportgen.analyse.analysis import analyse
from reportgen.analyse.fit import DeviceFit
from reportgen.analyse.refusal import refusal_of
from reportgen.build import build
from reportgen.dump_pages import module_of
from reportgen.input.discover import discover
from reportgen.input.dump_contents import read_contents
from reportgen.input.dump_text import Sibling
from reportgen.input.names import Backend
from reportgen.input.reading import DumpFiles
from reportgen.oom.printed_size import SizeRange, read_size
from reportgen.options import BuildOptions
from reportgen.parse.parser import parse_dump
from reportgen.pipeline import DumpReading
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.module_pages import module_pages
from reportgen.render.module.verdict import verdict
from reportgen.reports.explain_document import explained
from reportgen.reports.summary_of_report import summary
from reportgen.work import Settings
from tests.support.samples import ROOT, sample_labels, samples
from tests.support.site import read_page

REFUSED = ROOT / "tests" / "oom" / "refused"
GIB = 1 << 30
V5E = SizeRange(16_906_065_019, 16_916_802_437)  # 15.75G


def files_in(folder: Path) -> DumpFiles:
    [files] = discover([folder]).dumps
    return files


def fit_in(folder: Path, *given: str) -> DeviceFit:
    return DumpReading(files_in(folder), Settings(capacities=given)).report().device_fit


def peak_of(folder: Path) -> int:
    peak = DumpReading(files_in(folder)).analysis.spaces[0].peak_resident
    assert peak
    return peak.amount


def is_refused(folder: Path) -> bool:
    return fit_in(folder).refusal is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "dumps"


def program(name: str, folder: Path, *, with_error: bool = True) -> Path:
    """Copy a refused program, with the compiler's text as `reportgen run` keeps it."""
    shutil.copytree(REFUSED / name, folder)
    (folder / "error.txt").rename(folder / "out-of-memory.txt")
    if not with_error:
        (folder / "out-of-memory.txt").unlink()
    return folder


@pytest.mark.parametrize(
    ("name", "resident"),
    [("out-oom", 66), ("out-oom_args", 24), ("out-oom_pad", 51), ("out0.7.2-oom", 66), ("out0.9.2-oom_args", 24)],
)
@pytest.mark.parametrize("with_error", [True, False])
def test_what_is_missing_is_the_need_less_what_is_usable(
    folder: Path, name: str, resident: int, with_error: bool
) -> None:
    found = fit_in(program(name, folder, with_error=with_error))
    assert found.refusal is None or (found.refusal.usable, found.refusal.device) == (V5E, "TPU v5e")
    assert peak_of(folder) == pytest.approx(resident * GIB, abs=2_200_000)
    assert found.fits[0].capacity.size_bytes == V5E.middle
    assert found.fits[0].is_over


def test_a_refusal_that_was_written_before_the_dump_is_about_an_earlier_compilation(folder: Path) -> None:
    files = files_in(program("out-oom", folder, with_error=False))
    contents = read_contents(files)
    analysis = analyse(parse_dump(contents.text))

    def is_believed(age: int) -> bool:
        sibling = Sibling("refusal list", "x", b"", older_seconds=age)
        return refusal_of(analysis, files.name.module_name, [sibling]) is not None

    assert [is_believed(age) for age in (-3_600, 10, 60)] == [True, True, False]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("out-oom", "66.00G", "65.00G"),
        ("out-oom", "15.75G", "31.25G"),
        ("out0.7.2-oom_pad", "size=34359738368", "size=34359738360"),
        ("out0.7.2-oom_pad", "s32[8388608,8,4]", "s32[8388608,8,8]"),
    ],
)
def test_an_error_that_differs_from_the_dump_is_about_another_compilation(
    folder: Path, name: str, old: str, new: str
) -> None:
    program(name, folder)
    assert is_refused(folder)
    error = folder / "out-of-memory.txt"
    text = error.read_text(encoding="utf-8")
    assert old in text
    error.write_text(text.replace(old, new), encoding="utf-8")
    assert not is_refused(folder)


@pytest.mark.parametrize(("backend", "is_believed"), [("tpu", True), ("gpu", False), ("cpu", False)])
def test_only_a_tpu_has_its_program_refused_for_its_hbm(folder: Path, backend: Backend, is_believed: bool) -> None:
    files = files_in(program("out-oom", folder))
    contents = read_contents(files)
    [said] = [sibling for sibling in contents.siblings if sibling.kind == "error text"]
    found = refusal_of(analyse(parse_dump(contents.text), backend), files.name.module_name, [said])
    assert (found is not None) == is_believed


@pytest.mark.parametrize("name", ["out-oom", "out-oom_args", "out-oom_pad"])
def test_the_compilers_figure_agrees_with_the_dump_within_what_it_prints(folder: Path, name: str) -> None:
    found = fit_in(program(name, folder)).refused
    assert found
    assert found.needed
    assert found.needed.low_bytes - 2_200_000 <= peak_of(folder) <= found.needed.high_bytes


@pytest.mark.parametrize(("name", "has_file"), [("out0.7.2-oom", True), ("out-oom", False)])
def test_a_file_beside_the_dump_says_that_the_compiler_refused_it(folder: Path, name: str, has_file: bool) -> None:
    assert is_refused(program(name, folder, with_error=False)) == has_file


def test_a_text_about_another_module_does_not_count(folder: Path) -> None:
    program("out-oom_vmem", folder)
    text = "Ran out of memory on HBM, the total memory required for HLO temporaries (24.00G) exceeds available HBM"
    (folder / "out-of-memory.txt").write_text(f"{text} (15.75G). HLO module: jit_other.\n", encoding="utf-8")
    assert not is_refused(folder)


def test_an_error_beside_a_dump_counts_whatever_its_file_is_called(folder: Path) -> None:
    (program("out-oom_vmem", folder) / "out-of-memory.txt").rename(folder / "train.log")
    found = fit_in(folder)
    assert found.refused
    assert (found.fits_device, found.refused.space) == (False, "vmem")
    (folder / "train.log").write_text((REFUSED / "out-oom" / "error.txt").read_text(encoding="utf-8"), encoding="utf-8")
    assert not is_refused(folder)


def test_one_buffer_too_large_for_a_small_memory_is_said_of_that_memory(folder: Path) -> None:
    program("out-oom_vmem", folder)
    (folder / "out-of-memory.txt").write_text(
        "Allocation (size=268435456) would exceed memory (size=134217728) :: #allocation2 [shape ="
        " 'f32[8192,8192]{1,0:T(8,128)}', space=vmem, size = 0x10000000, scoped, tag = 'x'] :: oom_vmem_fn.1\n",
        encoding="utf-8",
    )
    found = fit_in(folder).refused
    assert found
    assert found.space == "vmem"
    assert found.missing == SizeRange(134_217_728, 134_217_728)


def test_what_does_not_fit_has_one_verdict_whoever_says_so(folder: Path) -> None:
    files = files_in(program("out-oom_vmem", folder))
    made = module_of(DumpReading(files))
    assert made.device_fit.refused
    box = advice_box(made)
    assert box
    assert (
        "Another memory space does not fit, 128.00 MiB over capacity in VMEM, so no suggestion for HBM helps."
        in box.words
    )
    assert summary(made).first_suggestion == ""
    elsewhere = "128.00 MiB over capacity in VMEM"
    told = verdict(made)
    assert told
    assert (made.device_fit.fits_device, told.elsewhere) == (False, elsewhere)
    assert (summary(made).fits, summary(made).is_refused) == (False, True)
    assert "Fits" not in explained(summary(made)).sentences.verdict


@pytest.mark.parametrize("label", sample_labels())
def test_of_the_samples_only_the_refused_one_has_a_verdict(label: str) -> None:
    files = samples()[label]
    contents = read_contents(files)
    found = refusal_of(analyse(parse_dump(contents.text)), files.name.module_name, contents.siblings)
    assert (found is not None) == label.startswith("v5e-train-step/")


def beginning(folder: Path, *given: str) -> str:
    """Return the text of a module's page up to what would lower the peak."""
    module = module_of(DumpReading(files_in(folder), Settings(capacities=given)))
    [page] = [page for page in module_pages(module, "Memory") if page.path.endswith("/index.html")]
    text = " ".join(read_page(page.content.decode()).text.split())
    return text.partition("What would lower the peak")[0].partition("To fit ")[0]


def test_the_page_says_what_is_needed_what_there_is_and_what_is_missing(folder: Path) -> None:
    shown = beginning(program("out-oom", folder))
    assert "XLA says that it needs 66.00 GiB of HBM, and 15.75 GiB are usable." in shown
    assert "It peaks at 66.0 GiB" in shown
    assert shown.count("by 50.3 GiB") == 1
    assert "XLA’s figure is the whole assignment" in shown


def test_values_that_alone_are_larger_than_the_gap_are_listed(folder: Path) -> None:
    program("out-oom_args", folder)
    shown = beginning(folder, "17G")
    assert "Freeing any one of these buffers would be enough: a.1, 8.00 GiB b.1, 8.00 GiB" in shown


def test_a_redacted_site_keeps_the_verdict_and_not_the_text(folder: Path, tmp_path: Path) -> None:
    program("out-oom", folder)
    error, site = folder / "out-of-memory.txt", tmp_path / "site"
    error.write_text(f"{error.read_text(encoding='utf-8')}at /home/secret/place\n", encoding="utf-8")
    build(BuildOptions(paths=(folder,), output=site, redaction="paths"), lambda *_: None)
    assert any("15.75 GiB are usable" in path.read_text(encoding="utf-8") for path in site.rglob("index.html"))
    assert not any("secret" in path.read_text(encoding="utf-8") for path in site.rglob("*.html"))


def test_the_table_of_chips_is_worded_as_an_upper_limit(folder: Path) -> None:
    shown = beginning(program("out-oom", folder, with_error=False))
    assert "The TPU v5e named next to the dump has at most 15.75 GiB" in shown
    assert read_size("15.75G") == V5E


def test_a_capacity_that_is_given_beats_what_the_compiler_and_the_chip_say(folder: Path) -> None:
    program("out-oom", folder)
    shown = beginning(folder, "60GiB")
    assert "The capacity is 60.0 GiB, first exceeded at" in shown
    assert "XLA says that it needs 66.00 GiB of HBM." in shown
    assert "Does not fit, by 6.00 GiB" in shown
    assert "Does not fit, by" not in beginning(folder, "v5p")


def test_a_program_that_fits_what_is_given_has_no_verdict_of_the_chip(folder: Path) -> None:
    program("out-oom", folder, with_error=False)
    assert [fit_in(folder, *given).fits_device for given in ((), ("v5p",), ("5=1GiB",))] == [False, True, False]


def test_arguments_that_alone_exceed_the_device_are_said(folder: Path) -> None:
    assert "The arguments alone take 24.0 GiB, more than is usable." in beginning(program("out-oom_args", folder))
    assert "The arguments alone" not in beginning(program("out-oom", folder.parent / "other"))


RESULT_AFTER_THE_PEAK = """\
BufferAssignment:
allocation 0: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}:
 value: <1 p @0> (size=4096,offset=0): f32[1024]{0}
allocation 1: size 81920, output shape is |f32[20480]|, maybe-live-out:
 value: <2 result @0> (size=81920,offset=0): f32[20480]{0}
allocation 2: size 4096, preallocated-temp:
 value: <3 t @0> (size=4096,offset=0): f32[1024]{0}
Total bytes used: 90112 (88.0KiB)

HloLiveRange (max 4):
  InstructionSequence:
    0:p
    1:t
    2:u
    3:result
  BufferLiveRange:
    p{}:0-4
    t{}:1-2
    result{}:3-4
"""


def test_bytes_that_wait_for_a_result_are_named_after_it(folder: Path) -> None:
    folder.mkdir()
    (folder / "module_0001.jit_f.after_optimizations-buffer-assignment.txt").write_text(RESULT_AFTER_THE_PEAK)
    shown = beginning(folder, "16KiB")
    assert "allocation 1, reserved for result, 80.0 KiB" in shown
    assert "unused bytes" not in shown
