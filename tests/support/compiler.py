"""A compiler as the watching sees it: three files of a dump, whose largest value is as large as the test wants."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock

from reportgen.analyse.sizes import rounded_by_xla
from reportgen.input.names import PART_SUFFIXES
from tests.support.dumps import edited
from tests.support.sound import BLOCK, RANGES, USED

WRITING = Lock()
STEM = "module_0001.jit_step.cpu_after_optimizations"
BIG = "explore.html#v3"  # the value `big`, in its module's folder
HELD_BESIDE = 1024  # bytes at the peak besides those of `big`: parameter, output, `a` and `b`


def compiled(elements: int) -> tuple[str, str, str]:
    """Return the parts of a sound dump whose peak is `peak(elements)`: `big` has `elements` elements of four bytes."""
    size = 4 * elements
    shape, place = (f"f32[{elements}]", "f32[1024]"), (f"(size={size},offset=512)", "(size=4096,offset=512)")
    block = edited(BLOCK, ("size 4608", f"size {size + 512}"), shape[::-1], place[::-1])
    total = f"Total bytes used: {size + 1028} ({rounded_by_xla(size + 1028)})\n"
    ranges = edited(
        RANGES.partition("  Stack trace")[0],
        ("4096 bytes", f"{size} bytes"),
        ("cumulative: 4352", f"cumulative: {size + 256}"),
        ("cumulative: 4608", f"cumulative: {size + 512}"),
        ("cumulative: 4864", f"cumulative: {size + 768}"),
    )
    return block, f"\n{total}\n{edited(USED, shape[::-1])}", ranges


def peak(elements: int) -> int:
    """Return what must be resident: parameter and output throughout, and the temporaries that are live with `big`."""
    return 4 * elements + HELD_BESIDE


def part_paths(folder: Path, stem: str = STEM) -> list[Path]:
    return [folder / (stem + suffix) for suffix in PART_SUFFIXES]


def write(folder: Path, parts: Sequence[str], stem: str = STEM) -> None:
    """Write the parts as a compiler does: one file after another, each emptied and filled, between two scans."""
    folder.mkdir(parents=True, exist_ok=True)
    with WRITING:
        for path, text in zip(part_paths(folder, stem), parts, strict=False):
            path.write_text(text, encoding="utf-8")
