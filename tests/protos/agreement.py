"""What a proto alone says of a module against the text that XLA dumped of it.

    python -m tests.protos.agreement DIR…

Every module in the directories that has both is read twice: from its text with the files beside it, and from its
`.hlo.pb` alone. One table has the figures of each folder, a second one every difference, and the last lines the bars.
`spaces` counts equal peaks of any size; the two columns after it only peaks of more than a mebibyte.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path, PurePosixPath

from reportgen.analyse.records import Space
from reportgen.input.discover import discover
from reportgen.input.reading import DumpFiles, PartFile
from reportgen.pipeline import read_report
from reportgen.reports.formats import percent
from reportgen.reports.report import Report
from tests.support.markdown import Table

_COLUMNS = (
    "dumps", "modules", "allocations", "values", "live ranges", "allocated and static", "spaces", "peak equal",
    "peak within 2 %", "same operation", "same line",
)  # fmt: skip
_NUMBER = re.compile(r"/\*index=\d+\*/")
_SMALLEST_PEAK = 1 << 20  # bytes; of smaller peaks a rounded allocation is a large share
_CLOSE = 0.02
_BARS = {"peak equal": 0.85, "peak within 2 %": 0.95, "same operation": 0.98, "same line": 0.98}
_SHOWN = 3  # differences of each module
_ALL = ("allocations", "values", "allocated and static")


@dataclass(slots=True)
class Agreement:
    """How much of one module is the same: of each column how many there are and agree, and each difference in words."""

    label: str
    counts: Counter[str] = field(default_factory=Counter)
    same: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def add(self, column: str, count: int, same: int, words: str = "") -> None:
        self.counts[column] += count
        self.same[column] += same
        if words and same < count:
            self.misses.append(words)


def agreements(root: Path) -> Iterator[Agreement]:
    """Yield how much agrees of each module below a directory that has text and proto, in the order of their labels."""
    for files in sorted(discover([root]).dumps, key=lambda files: files.label):
        protos = [sibling for sibling in files.siblings if sibling.kind == "proto"]
        if protos and files.parts[0].proto is None:
            part = PartFile(protos[0].path, protos[0].label, None, proto="")
            text, _ = read_report(files)
            proto, problems = read_report(DumpFiles(label=part.label, name=files.name, parts=(part,), notes=None))
            found = Agreement(files.label)
            if text is None or proto is None:
                found.add("modules", 1, 0, "; ".join(problem.message for problem in problems))
            else:
                _compare(text, proto, found)
            yield found


def _compare(text: Report, proto: Report, found: Agreement) -> None:
    found.add("modules", 1, 1)
    dumps = text.analysis.dump, proto.analysis.dump
    theirs, ours = ([_facts(one) for one in dump.allocations] for dump in dumps)
    _add_rows(found, "allocations", theirs, ours)
    values = (dump.values for dump in dumps)
    theirs, ours = (
        list(
            zip(
                one.keys,
                map(_without_numbers, one.shapes),
                one.sizes,
                one.offsets,
                one.allocations,
                one.colors,
                strict=True,
            )
        )
        for one in values
    )
    _add_rows(found, "values", theirs, ours)
    if dumps[0].live_ranges is None:
        found.misses.append("the text has no live ranges, so there is no peak to compare with")
    else:
        keys = set(dumps[0].values.keys)
        ranges = (
            {one for one in zip(live.keys, live.starts, live.ends, strict=True) if one[0] in keys}
            for live in (dump.live_ranges for dump in dumps)
            if live is not None
        )
        _add_rows(found, "live ranges", next(ranges), next(ranges, ()))
    for color, space in text.analysis.spaces.items():
        _compare_space(text, proto, space, proto.analysis.spaces.get(color), found)


def _facts(allocation: object) -> tuple[object, ...]:
    """Return what a text and a proto both say of an allocation."""
    names = (
        *("index", "size_bytes", "color", "parameter", "parameter_shape_index", "is_constant", "is_thread_local"),
        *("is_maybe_live_out", "is_preallocated_temp"),
    )
    return tuple(getattr(allocation, name) for name in names)


def _without_numbers(shape: str) -> str:
    """Return a shape without the comments that number the elements of a tuple; old builds print none."""
    return _NUMBER.sub("", shape)


def _add_rows(found: Agreement, column: str, theirs: Iterable[object], ours: Iterable[object]) -> None:
    expected, actual = Counter(theirs), Counter(ours)
    missing, extra = expected - actual, actual - expected
    words = f"{missing.total():,} of {expected.total():,} {column} differ"
    if missing and extra:
        words += f": {next(iter(missing))} in the text, {next(iter(extra))} from the proto"
    found.add(column, expected.total(), expected.total() - missing.total(), words)


def _compare_space(text: Report, proto: Report, space: Space, other: Space | None, found: Agreement) -> None:
    where = f"space {space.color}"
    theirs = space.allocated_bytes, space.static_bytes
    ours = (other.allocated_bytes, other.static_bytes) if other else (0, 0)
    found.add("allocated and static", 1, theirs == ours, f"{where}: {theirs} in the text, {ours} from the proto")
    expected = space.peak_resident.amount if space.peak_resident else None
    actual = other.peak_resident.amount if other and other.peak_resident else None
    if expected is None:
        return
    found.add("spaces", 1, actual == expected)
    if expected > _SMALLEST_PEAK:
        error = abs((actual or 0) - expected) / expected
        words = f"{where}: peak resident {expected:,} in the text, {actual or 0:,} from the proto"
        found.add("peak equal", 1, actual == expected, words)
        found.add("peak within 2 %", 1, error <= _CLOSE)
    names = proto.analysis.dump.number_of
    for share in space.composition:
        if share.value is None:
            continue
        key = text.analysis.dump.values.keys[share.value]
        number = names.get(key)
        author = text.attribution(share.value)
        answer = proto.attribution(number) if number is not None else None
        for column, words in (("same operation", author.scope_name), ("same line", author.source)):
            if words:
                said = (answer.scope_name if column == "same operation" else answer.source) if answer else ""
                note = f"{where}, {key}: {column.removeprefix('same ')} {words!r} in the text, {said!r} from the proto"
                found.add(column, share.size_bytes, share.size_bytes * (said == words), note)


def tables(found: Sequence[Agreement]) -> Iterator[Table]:
    """Yield a table of the folders and one of all differences."""
    folders = [(name, list(group)) for name, group in groupby(found, key=lambda one: _folder(one.label))]
    rows = [(name, *_row(group)) for name, group in [*folders, ("all", found)]]
    yield Table("From the proto alone, against the text", _COLUMNS, rows)
    yield Table("Differences", ("module", "what"), [(one.label, words) for one in found for words in _listed(one)])


def _listed(one: Agreement) -> Iterator[str]:
    yield from one.misses[:_SHOWN]
    if len(one.misses) > _SHOWN:
        yield f"and {len(one.misses) - _SHOWN:,} more like these"


def _folder(label: str) -> str:
    parts = PurePosixPath(label).parts[:-1]
    return "/".join(parts[:2]) or "."


def _row(group: Sequence[Agreement]) -> Iterator[str]:
    for column in _COLUMNS[1:]:
        count, same = _total(group, column)
        yield _share(same, count)


def _total(group: Sequence[Agreement], column: str) -> tuple[int, int]:
    return sum(one.counts[column] for one in group), sum(one.same[column] for one in group)


def _share(same: int, count: int) -> str:
    return "–" if not count else f"{same:,} of {count:,}" if count < 1_000_000 else percent(same, count)


def bars(found: Sequence[Agreement]) -> Iterator[str]:
    """Yield each bar that is missed."""
    for column, least in {**dict.fromkeys(_ALL, 1.0), **_BARS}.items():
        count, same = _total(found, column)
        if same < least * count:
            yield f"{column}: {same:,} of {count:,}; the bar is {least:.0%}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables and the bars that are missed; return 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    found = [one for folder in parser.parse_args(arguments).folders for one in agreements(folder)]
    print(*tables(found), sep="\n")
    missed = list(bars(found))
    print(*missed or ["every bar is met"], sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
