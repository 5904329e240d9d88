"""Pairs of random dumps that fit together: one, and what a random change of it makes of it."""

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from reportgen.model import Dump, LiveRange, Use, Value, ValueKey
from tests.support.columns import live_ranges_of, schedule_of, used_values_of, values_of
from tests.support.printer import use_rows
from tests.support.strategies import consistent_dumps

_SHAPES = ["u8[1]{0}", "u8[4]{0:T(4)}", "u8[6]{0}", "s8[6]{0}", "()"]


@st.composite
def read_dumps(draw: st.DrawFn) -> Dump:
    """Return a random dump in which values read each other."""
    dump = draw(consistent_dumps())
    names = [value.key.name for value in dump.values]
    used = [
        replace(
            entry,
            uses_text=use_rows([Use(reader, operand, "{}") for operand, reader in enumerate(draw(_some(names)))]),
        )
        for entry in dump.used_values or ()
    ]
    schedule = [row._replace(name=draw(st.sampled_from(names))) if names else row for row in dump.schedule]
    return replace(dump, used_values=used_values_of(used), schedule=schedule_of(schedule))


def _some(names: Sequence[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(names), max_size=3) if names else st.just([])


@st.composite
def edited(draw: st.DrawFn, dump: Dump) -> Dump:
    """Return a dump with some values gone, resized, moved or under another name."""
    values = [draw(_edited_value(dump, value)) for value in dump.values if draw(st.integers(0, 4))]
    names = {old.id: new.key for old in dump.values for new in values if old.id == new.id}
    used = [replace(entry, key=names[entry.id]) for entry in dump.used_values or () if entry.id in names]
    old_keys = {value.key: names[value.id] for value in dump.values if value.id in names}
    live = [
        LiveRange(key=old_keys[row.key], start=row.start, end=max(row.start, row.end - draw(st.integers(0, 2))))
        for row in dump.live_ranges or ()
        if row.key in old_keys
    ]
    ends = [max((value.end_bytes for value in values if value.allocation == n), default=0) for n in range(3)]
    allocations = [
        replace(one, size_bytes=end + draw(st.integers(0, 2)), is_preallocated_temp=draw(st.booleans()))
        if draw(st.booleans()) and not one.is_thread_local
        else replace(one, size_bytes=max(end, one.size_bytes))
        for one, end in zip(dump.allocations, ends, strict=True)
    ]
    return replace(
        dump,
        allocations=tuple(allocations),
        values=values_of(sorted(values, key=lambda value: (value.allocation, value.id))),
        used_values=used_values_of(used),
        live_ranges=live_ranges_of(live),
    )


@st.composite
def _edited_value(draw: st.DrawFn, dump: Dump, value: Value) -> Value:
    del dump
    return replace(
        value,
        key=ValueKey(draw(st.sampled_from([value.key.name, f"w{value.id}"])), value.key.shape_index),
        size_bytes=draw(st.sampled_from([value.size_bytes, draw(st.integers(0, 6))])),
        shape=draw(st.sampled_from([value.shape, draw(st.sampled_from(_SHAPES))])),
        allocation=draw(st.sampled_from([value.allocation, value.allocation, draw(st.integers(0, 2))])),
    )


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Dump, Dump]:
    """Return a dump and an edit of it, or two dumps that have nothing to do with each other."""
    before = draw(read_dumps())
    return before, draw(edited(before) if draw(st.booleans()) else read_dumps())


@st.composite
def renamed(draw: st.DrawFn, dump: Dump) -> Dump:
    """Return the same dump under other names, in another order of names."""
    names = sorted({value.key.name for value in dump.values})
    others = draw(st.permutations([f"other{number}" for number in range(len(names))]))
    new = dict(zip(names, others, strict=True))

    def key(old: ValueKey) -> ValueKey:
        return ValueKey(new[old.name], old.shape_index)

    return replace(
        dump,
        values=values_of(replace(value, key=key(value.key)) for value in dump.values),
        used_values=used_values_of(
            replace(
                used,
                key=key(used.key),
                uses_text=use_rows([use._replace(name=new.get(use.name, use.name)) for use in used.uses]),
            )
            for used in dump.used_values or ()
        ),
        live_ranges=live_ranges_of(replace(row, key=key(row.key)) for row in dump.live_ranges or ()),
        schedule=schedule_of(row._replace(name=new.get(row.name, row.name)) for row in dump.schedule),
    )
