"""What all measurements share: where the dumps lie, how many rounds there are, and room for what is made."""

import lzma
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import psutil

from benchmarks.commands import NotMeasured

LARGE = "v5e_unroll96_bf16"
HALF = "v5e_unroll48_bf16"
LARGE_CPU = "unroll384"
MIDDLE = "scan4"
MANY_MODULES = "eager_session"
SEEDS = "seeds"
SMALL = "small"

_ALLOCATIONS = "-buffer-assignment.txt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Where to read, where to write, and how often to measure; `xprof` is a Python that has XProf."""

    dumps: Path
    work: Path
    rounds: int
    is_quick: bool
    xprof: Path | None

    def folder(self, name: str) -> Path:
        """Return the first folder of that name; compressed dumps are unpacked. Raises NotMeasured if there is none."""
        found = next((path for path in sorted(self.dumps.rglob(name)) if path.is_dir()), None)
        if found is None:
            raise NotMeasured(f"no folder {name} among the dumps")
        return self._unpacked(found) if any(found.glob("*.xz")) else found

    def fresh(self, name: str) -> Path:
        """Return a path in the working directory that does not exist."""
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        return path

    def _unpacked(self, folder: Path) -> Path:
        target = self.work / "unpacked" / folder.name
        if not target.exists():
            target.mkdir(parents=True)
            for packed in folder.glob("*.xz"):
                with lzma.open(packed) as source, (target / packed.stem).open("wb") as plain:
                    shutil.copyfileobj(source, plain)
        return target


def allocation_files(folder: Path) -> Sequence[Path]:
    """Return the first file of every dump below a folder, the smallest dump first."""
    return sorted(folder.rglob(f"*{_ALLOCATIONS}"), key=lambda path: (path.stat().st_size, path))


def parts(allocations: Path) -> Sequence[Path]:
    """Return the files of the dump that begins with this one."""
    stem = allocations.name.removesuffix(_ALLOCATIONS)
    names = (f"{stem}{suffix}" for suffix in (_ALLOCATIONS, "-buffer-assignment-values.txt", "-live-range.txt"))
    return [path for name in names if (path := allocations.with_name(name)).exists()]


def dump_bytes(folder: Path) -> int:
    """Return the bytes of all dumps below a folder, or of its text files where none has a name that XLA gives."""
    files = list(chain.from_iterable(map(parts, allocation_files(folder)))) or list(folder.rglob("*.txt"))
    return sum(path.stat().st_size for path in files)


def site_size(site: Path) -> tuple[int, int, int]:
    """Return the number of pages of a site, its `.html` files, the number of all its files, and their bytes."""
    pages, files, size = 0, 0, 0
    for directory, _, names in os.walk(site):
        pages += sum(name.endswith(".html") for name in names)
        files += len(names)
        size += sum(os.stat(os.path.join(directory, name)).st_size for name in names)  # noqa: PTH116, PTH118 - quick
    return pages, files, size


def machine() -> str:
    """Describe the machine by what matters here."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores and {psutil.virtual_memory().total / 1e9:.0f} GB of memory"
