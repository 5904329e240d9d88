"""Whatever XLA compiles, its dump is sound, and its text and its proto have the same figures.

`python tests/run.py --world` compiles programs that are drawn at random. Those of which a report once said something
false are kept in `drawn`, for all other runs.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.world.newest import run_module
from tests.world.test_dumps import Report, report_of

KEPT = sorted(path.parent for path in Path(__file__).parent.glob("drawn/*/*.hlo.pb.xz"))
TARGETS = ("cpu", "v5e", "v5p", "v6e")
BATCHES = [range(first, first + 25) for first in range(0, 75, 25)]
MOST_REFUSED = 0.1
"""The part of the programs that XLA may refuse to compile, or abort at."""
COUNTS = ("allocations", "values", "live_ranges", "schedule_length", "total_bytes", "work", "devices")
MEASURES = ("_bytes", "_moment", "_ties", "_by_class")


def figures(report: Report) -> Mapping[str, Any]:
    """Return what does not depend on what a report was read from; no labels, which are of other instructions there."""
    spaces = {
        color: {name: value for name, value in space.items() if name.endswith(MEASURES)}
        for color, space in report["spaces"].items()
    }
    return {"spaces": spaces, **{name: report[name] for name in COUNTS}}


def faults(folder: Path, alone: Path, needed_bytes: int | None = None) -> Sequence[str]:
    """Return what is wrong with the reports of a sound dump, from its text and from its proto."""
    shutil.copy(next(folder.glob("*.hlo.pb*")), alone)
    reports = text, proto = report_of(folder), report_of(alone)
    findings = [finding for report in reports for finding in report["findings"] if finding["severity"] != "note"]
    found = [f"{finding['slug']}: {finding['message']}" for finding in findings]
    found += [f"{report['unparsed_lines']} lines are unparsed" for report in reports if report["unparsed_lines"]]
    if figures(text) != figures(proto):
        found.append(f"text and proto differ: {figures(text)}, {figures(proto)}")
    if needed_bytes not in (None, text["spaces"]["0"]["needed_bytes"]):
        found.append(f"{text['spaces']['0']['needed_bytes']:,} bytes are needed, XLA says {needed_bytes:,}")
    return found


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_what_once_failed_is_sound(folder: Path, tmp_path: Path) -> None:
    assert faults(folder, tmp_path) == []


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}")
def test_whatever_xla_compiles_is_sound(seeds: range, world: str | None, tmp_path: Path) -> None:
    if world is None:
        pytest.skip("compiled only with --world")
    outcomes = compiled(world, tmp_path, [f"{target}/{seed}" for seed in seeds for target in TARGETS])
    alone = tmp_path / "alone"
    wrong: dict[str, Any] = {name: [outcome["error"]] for name, outcome in outcomes.items() if "error" in outcome}
    for name in [name for name, outcome in outcomes.items() if "bytes" in outcome]:
        alone.mkdir()
        wrong[name] = faults(tmp_path / name, alone, outcomes[name]["bytes"])
        shutil.rmtree(alone)
    lines = [f"{world} -m tests.world.drawn FOLDER {name}: {fault}" for name in wrong for fault in wrong[name]]
    assert not lines, "\n".join(lines)
    refused = {name: outcome for name, outcome in outcomes.items() if "bytes" not in outcome}
    assert len(refused) <= MOST_REFUSED * len(outcomes), refused


def compiled(python: str, folder: Path, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the outcome of each program. An abort of XLA ends the process; the programs after it get a new one."""
    outcomes: dict[str, Any] = {}
    while left := [name for name in names if name not in outcomes]:
        with suppress(subprocess.CalledProcessError):
            run_module(python, "tests.world.drawn", str(folder), *left)
        written = [name for name in left if (folder / name / "outcome.json").is_file()]
        outcomes |= {name: json.loads((folder / name / "outcome.json").read_bytes()) for name in written}
        if len(written) < len(left):
            outcomes[left[len(written)]] = {"refused": "XLA ended the process"}
    return outcomes
