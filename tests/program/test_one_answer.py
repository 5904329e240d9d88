"""A value has one author, whichever document says it: a report, the advice in it, a comparison, or a watched site."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reportgen.compare.builds import Source
from reportgen.input.discover import discover
from reportgen.input.reading import DumpFiles
from reportgen.live.loop import Watcher
from reportgen.options import WatchOptions
from reportgen.pipeline import read_report
from reportgen.program.scopes import pattern
from reportgen.reports.json_lines import json_line
from reportgen.reports.module_figures import module_figures
from reportgen.sides import compare_sources
from tests.support.watching import NO_TIME, settle

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "dumps"

Document = Mapping[str, Any]


class Answer(NamedTuple):
    """Who fills the buffer of a value: the operation, its source line, and the argument that it is."""

    scope: str | None
    source: str | None
    argument: str | None

    @classmethod
    def of(cls, stated: Document) -> "Answer":
        return cls(stated["scope"], stated["source"], stated["argument"])

    @property
    def pattern(self) -> str:
        """Return the name under which the advice groups values."""
        return pattern(self.scope or self.argument or "")


def report_of(files: DumpFiles) -> Document | None:
    """Return what report.json says of a module; None where the dump cannot be read."""
    report, _ = read_report(files)
    return None if report is None else json.loads(json_line(module_figures(report)))


def answers_of(files: DumpFiles) -> Mapping[str, Answer]:
    """Return what the comparison of a dump with itself says of each value."""
    side = Source("dump", dumps=(files,))
    compared, _ = compare_sources(side, side, lambda *_: None)
    comparison = compared.modules[0].comparison
    assert comparison is not None
    before, after = (
        {key: graph.labels(value) for value, key in enumerate(graph.analysis.dump.values.keys)}
        for graph in comparison.graphs
    )
    assert before == after
    return {
        key: Answer(labels.scope or None, labels.line or None, labels.argument or None)
        for key, labels in before.items()
    }


def of_largest(module: Document) -> Iterator[tuple[str, Answer]]:
    """Yield the values of the largest parts of the peaks, with what the report says of each."""
    for space in module["spaces"].values():
        for part in space["peak_resident_largest"]:
            if part["value"]:
                yield part["value"] if part["value"].endswith("}") else part["value"] + "{}", Answer.of(part)


def of_groups(module: Document) -> Iterator[tuple[str, str]]:
    """Yield the values of the groups in the advice, with the name of the group."""
    for space in module["spaces"].values():
        for group in (space["advice"] or {}).get("groups", ()):
            yield from ((value, group["op"]) for value in group["values"])


def differences(files: DumpFiles, module: Document) -> tuple[int, list[object]]:
    """Return how many answers of a report there are to join with those of the comparison, and those that differ."""
    compared, found = answers_of(files), list[object]()
    largest, groups = list(of_largest(module)), list(of_groups(module))
    found += [(value, answer, compared[value]) for value, answer in largest if compared[value] != answer]
    # Without a name of the program, a group is called by its instruction, which the comparison has as the value.
    named = [(value, name, compared[value]) for value, name in groups]
    found += [one for one in named if (one[2].pattern or pattern(one[0].partition("{")[0])) != one[1]]
    return len(largest) + len(groups), found


def assert_one_answer(folder: Path, report: Callable[[DumpFiles], Document | None] = report_of, every: int = 1) -> None:
    """Compare the answers on each dump of a folder; with `every` only on each second, third, …, to save time."""
    count = 0
    for files in discover([folder]).dumps[::every]:
        if module := report(files):
            joined, found = differences(files, module)
            assert not found, (files.label, found[:3])
            count += joined
    assert count


@pytest.mark.parametrize("folder", ["samples", "tests/advice/pairs"])
def test_report_advice_and_comparison_name_the_same_author(folder: str) -> None:
    assert_one_answer(ROOT / folder)


def test_a_watched_site_names_the_same_author(tmp_path: Path) -> None:
    options = WatchOptions(paths=(ROOT / "samples",), output=tmp_path / "site", polls=True, serves=False)
    watcher = Watcher(options, lambda line: None, NO_TIME)
    with watcher.running():
        settle(watcher)
    document = json.loads((tmp_path / "site" / "report.json").read_bytes())
    modules: Mapping[str, Document] = {module["path"]: module for module in document["modules"]}
    assert_one_answer(ROOT / "samples", lambda files: modules[files.label])


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["small", "pairs"])
def test_documents_of_real_dumps_name_the_same_author(folder: str) -> None:
    if not (SHARED / folder).is_dir():
        pytest.skip("the folder of real dumps is not beside this checkout")
    assert_one_answer(SHARED / folder, every=4 if folder == "pairs" else 1)
