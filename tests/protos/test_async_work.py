"""Asynchronous work that gets its operands, or the place of its result, after it has started (libtpu 0.0.52)."""

from reportgen.model import Dump
from reportgen.protos.hlo_proto import read_plan
from tests.protos.test_hlo_proto import parsed
from tests.support.protos import Instruction, made_proto

STATE = 4
WORK = (
    Instruction("p.0", "parameter", number=0, defines=()),
    Instruction("p.1", "parameter", number=1, defines=()),
    Instruction("gather", "custom-call", operands=("p.0", "p.1")),
)


def made(*entry: Instruction, work: tuple[Instruction, ...] = WORK) -> Dump:
    return parsed(read_plan(made_proto({"work": work, "main": entry})))


def handed_over_at_once() -> Dump:
    """Return a gather as libtpu offloads it to a SparseCore, with other work before and after each of its steps."""
    return made(
        Instruction("table", "iota"),
        Instruction("start", "async-start", ((), (), STATE), runs="work", defines=((), (0,), (1,), (2,))),
        Instruction("indices", "iota"),
        Instruction(
            *("update", "async-update", ((8, 8), 8, STATE), ("start", "table", "indices")), defines=((), (0,), (2,))
        ),
        Instruction("between", "iota"),
        Instruction("done", "async-done", operands=("update",), defines=()),
        Instruction("after", "negate", operands=("done",)),
    )


def live(dump: Dump, key: str) -> tuple[str, str]:
    """Return the instructions at which a value begins and ends; the end of the program has no name."""
    number = dump.number_of[key]
    return dump.name_at[dump.starts[number]], dump.name_at.get(dump.ends[number], "")


def positions(dump: Dump, key: str) -> set[str]:
    return {
        f"{one.name}{one.shape_index}"
        for used in dump.used_values or ()
        if str(used.key) == key
        for one in used.positions
    }


def test_the_work_runs_before_the_update_that_hands_over_its_operands() -> None:
    names = handed_over_at_once().schedule.names
    assert names == [
        *("table", "start", "indices", "p.0", "p.1", "gather", "update", "between", "done", "after"),
    ]


def test_what_an_update_hands_over_lives_until_the_work_is_waited_for() -> None:
    dump = handed_over_at_once()
    assert live(dump, "table{}") == ("table", "done")
    assert live(dump, "indices{}") == ("indices", "done")
    assert positions(dump, "table{}") == {"table{}", "update{0,0}", "p.0{}"}
    assert positions(dump, "indices{}") == {"indices{}", "update{0,1}", "p.1{}"}


def test_the_result_is_what_the_work_returns() -> None:
    dump = handed_over_at_once()
    assert positions(dump, "gather{}") == {"gather{}", "update{1}", "done{}"}
    assert live(dump, "gather{}") == ("gather", "after")


def test_the_state_of_a_start_ends_where_the_update_has_its_own() -> None:
    dump = handed_over_at_once()
    assert live(dump, "start{2}") == ("start", "update")
    assert live(dump, "update{2}") == ("update", "done")


def test_operands_may_come_one_after_another() -> None:
    dump = made(
        Instruction("one", "iota"),
        Instruction("two", "iota"),
        Instruction("start", "async-start", ((), 8, STATE), runs="work", defines=((), (0,), (2,))),
        Instruction("first", "async-update", ((8,), 8, STATE), ("start", "one"), defines=((), (0,))),
        Instruction("second", "async-update", ((8, 8), 8, STATE), ("first", "two"), defines=((), (0,))),
        Instruction("done", "async-done", operands=("second",), defines=()),
    )
    assert dump.schedule.names[3:] == ["first", "p.0", "p.1", "gather", "second", "done"]
    assert positions(dump, "one{}") == {"one{}", "first{0,0}", "second{0,0}", "p.0{}"}
    assert positions(dump, "two{}") == {"two{}", "second{0,1}", "p.1{}"}
    assert positions(dump, "start{2}") == {"start{2}", "first{2}", "second{2}"}
    assert positions(dump, "gather{}") == {"gather{}", "start{1}", "first{1}", "second{1}", "done{}"}


def test_the_place_of_the_result_may_come_later() -> None:
    dump = made(
        Instruction("one", "iota"),
        Instruction("start", "async-start", ((8,), (), STATE), ("one",), "work", defines=((), (0,), (1,), (2,))),
        Instruction("update", "async-update", ((8,), 8, STATE), ("start",), defines=()),
        Instruction("done", "async-done", operands=("update",), defines=()),
        work=(Instruction("p", "parameter", defines=()), Instruction("root", "negate", operands=("p",))),
    )
    assert dump.schedule.names == ["one", "start", "p", "root", "update", "done"]
    assert positions(dump, "root{}") == {"root{}", "update{1}", "done{}"}
    assert live(dump, "one{}") == ("one", "done")


def test_work_that_starts_with_its_operands_runs_before_its_start() -> None:
    dump = made(
        Instruction("one", "iota"),
        Instruction("start", "async-start", ((8,), 8, STATE), ("one",), "work", defines=((), (0,), (2,))),
        Instruction("update", "async-update", ((8,), 8, STATE), ("start",), defines=()),
        Instruction("done", "async-done", operands=("update",), defines=()),
        work=(Instruction("p", "parameter", defines=()), Instruction("root", "negate", operands=("p",))),
    )
    assert dump.schedule.names == ["one", "p", "root", "start", "update", "done"]
    assert positions(dump, "root{}") == {"root{}", "start{1}", "update{1}", "done{}"}
    assert live(dump, "one{}") == ("one", "done")


def test_a_start_that_nothing_waits_for_is_read() -> None:
    dump = made(
        Instruction("one", "iota"),
        Instruction("start", "async-start", ((), (), STATE), runs="work", defines=((), (0,), (1,), (2,))),
        work=(Instruction("p", "parameter", defines=()), Instruction("root", "negate", operands=("p",))),
    )
    assert dump.schedule.names == ["one", "p", "root", "start"]
    assert positions(dump, "root{}") == {"root{}"}
