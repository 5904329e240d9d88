"""A history of builds: what its lines state, what is read back, and how long it gets."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.analyse.sibling_arguments import SiblingArguments
from reportgen.compare.build_metadata import utc
from reportgen.compare.history import (
    History,
    ModuleKey,
    ModuleRecord,
    PeakOrigin,
    Record,
    figures_of,
    line_of,
    modules_of,
    nearest,
    parse_history,
)
from tests.support.gate_records import gate_module_of, space_of

KEY = ModuleKey("cpu", "jit_step", "3f2a1b9c")
OTHER = ModuleKey("tpu", "jit eval", "-")

Modules = Mapping[ModuleKey, ModuleRecord]


def module_of(peak: int | None) -> ModuleRecord:
    return ModuleRecord({0: (peak, 8, 9, 1, peak, 0, 2)})


def record(number: int, modules: Modules, tool: str = "", link: str = "", capacity: int = 0) -> Record:
    time = f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"
    commit = hashlib.sha256(str(number).encode()).hexdigest()[:40]
    if capacity:
        origin = PeakOrigin("step.py:7", capacity, None if capacity > 1 else 0)
        modules = {key: one._replace(capacities={0: capacity}, origin=origin) for key, one in modules.items()}
    return Record(
        commit=commit,
        time=time,
        modules=modules,
        tool=tool,
        link=link,
        comparison=link,
    )


def written(*records: Record) -> bytes:
    data = b""
    for one in records:
        data += line_of(parse_history(data), one)
    return data


modules = st.dictionaries(st.sampled_from([KEY, OTHER]), st.none() | st.integers(0, 3), max_size=2).map(
    lambda found: {key: module_of(peak) for key, peak in found.items()}
)
builds = st.lists(
    st.builds(
        record,
        st.integers(0, 12),
        modules,
        tool=st.sampled_from(["", "1"]),
        link=st.sampled_from(["", "https://x"]),
        capacity=st.integers(0, 2),
    ),
    max_size=12,
)


@given(builds)
def test_what_was_added_is_read_back_and_the_last_line_of_a_commit_counts(records: list[Record]) -> None:
    history = parse_history(written(*records))
    assert history.damaged == 0
    assert {one.commit: one for one in history.records} == {one.commit: one for one in records}
    assert [one.time for one in history.records] == sorted(one.time for one in history.records)


@given(builds, builds, st.data())
def test_two_branches_of_a_file_may_be_merged_line_by_line(
    one: list[Record], other: list[Record], data: st.DataObject
) -> None:
    base = written(record(99, {KEY: module_of(1)}))
    branches = []
    for records in (one, [replace(later, commit=f"f{later.commit[1:]}") for later in other]):
        text = base
        for later in records:
            text += line_of(parse_history(text), replace(later, time=f"2027{later.time[4:]}"))
        branches.append(text[len(base) :].splitlines(keepends=True))
    merged = base
    while any(branches):
        merged += data.draw(st.sampled_from([branch for branch in branches if branch])).pop(0)
    found = {one.commit: one.modules for one in parse_history(merged).records}
    assert all(found[later.commit] == later.modules for later in reversed(one[-1:]))
    assert all(found[f"f{later.commit[1:]}"] == later.modules for later in reversed(other[-1:]))


@given(builds.filter(bool), st.data())
def test_a_damaged_line_makes_no_figure_wrong(records: list[Record], data: st.DataObject) -> None:
    records = list({one.commit: one for one in records}.values())
    lines = written(*records).splitlines(keepends=True)
    number = data.draw(st.integers(0, len(lines) - 1))
    lines[number] = data.draw(st.sampled_from([lines[number][:20] + b"\n", b"[]\n", b'{"commit": 1}\n', b"\xff\n"]))
    history = parse_history(b"".join(lines))
    stated = {one.commit: one.modules for one in records}
    assert history.damaged == 1
    for one in history.records:
        known = stated[one.commit]
        assert all(known[key].spaces == module.spaces for key, module in one.modules.items())
        assert not one.is_whole or one.modules == known


def test_only_what_changed_is_stated() -> None:
    lines = written(
        record(1, {KEY: module_of(5), OTHER: module_of(6)}, tool="1"),
        record(2, {KEY: module_of(5), OTHER: module_of(6)}, tool="1"),
        record(3, {KEY: module_of(7)}, tool="1"),
    ).splitlines()
    stated = [json.loads(line) for line in lines]
    assert stated[1].keys() == {"schema", "commit", "time", "parent"}
    assert (stated[2]["modules"], stated[2]["gone"]) == ({str(KEY): {"0": [7, 8, 9, 1, 7, 0, 2]}}, [str(OTHER)])


@pytest.mark.parametrize("commit", ["{:040x}".format, lambda n: f"{n * 0x9E3779B97F4A7C15F39CC0605CEDC835:x}"[:40]])
def test_a_thousand_unchanged_builds_take_at_most_150_kb(commit: Callable[[int], str]) -> None:
    many = {KEY._replace(name=f"jit_step_{number}x"): module_of(number) for number in range(51)}
    history, data = History(), b""
    for number in range(1_000):
        time = f"2026-01-01T{number // 60:02}:{number % 60:02}:00Z"
        build = Record(commit=commit(number + 10**30), time=time, modules=many, tool="0.1.0")
        data += line_of(history, build)
        history = History((*history.records, build))
    assert len(data) <= 150_000
    assert parse_history(data) == history


def test_arguments_are_stated_where_they_change_and_read_back() -> None:
    group = SiblingArguments("x", "f32[4]", 1, 16, 0)
    builds = [
        record(number, {KEY: module_of(5)._replace(arguments=groups)})
        for number, groups in enumerate([(group,), (group,), (group, replace(group, name="y")), ()])
    ]
    lines = written(*builds)
    assert [list(json.loads(line).get("arguments", {})) for line in lines.splitlines()] == [
        [str(KEY)],
        [],
        [str(KEY)],
        [str(KEY)],
    ]
    assert parse_history(lines).records == tuple(builds)


def test_modules_of_one_name_and_equal_shapes_are_numbered() -> None:
    one = gate_module_of(
        path="a",
        name="jit_f_3",
        backend="cpu",
        spaces={0: space_of("memory", 5)},
        shapes="abcd1234",
    )
    found = modules_of([one, one, replace(one, shapes="")])
    assert list(map(str, found)) == ["cpu jit_f abcd1234", "cpu jit_f abcd1234.2", "cpu jit_f -"]
    back = figures_of(record(1, found))
    assert [(module.name, module.shapes, module.spaces) for module in back] == [
        ("jit_f", "abcd1234", one.spaces),
        ("jit_f", "abcd1234", one.spaces),
        ("jit_f", "", one.spaces),
    ]


def test_the_nearest_commit_is_found_with_its_distance() -> None:
    history = parse_history(written(record(1, {}), record(2, {KEY: module_of(1)})))
    second = history.records[1]
    assert nearest(history, ["f" * 40, second.commit]) == (second, 1)
    assert nearest(history, ["f" * 40, "f" * 7]) is None
    named = parse_history(written(Record(commit="abcdef0123", time="2026-01-01T00:00:00Z", modules={})))
    assert nearest(named, ["abcdef0"]) == (named.records[0], 0)
    assert nearest(named, ["abcdef"]) is None


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-22T12:03:34+01:00", "2026-11-22T11:03:34Z"),
        ("2026-11-22T12:03:34Z", "2026-11-22T12:03:34Z"),
        ("2026-11-22T12:03:34.5+00:00", "2026-11-22T12:03:34Z"),
    ],
)
def test_times_are_in_utc(text: str, time: str) -> None:
    assert utc(text) == time


@pytest.mark.parametrize("text", ["yesterday", "2026-11-22T12:03:34", "2026-11-22", "0001-01-01T00:00:00+23:59", ""])
def test_a_time_without_a_zone_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time"):
        utc(text)
