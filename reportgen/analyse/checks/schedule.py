"""Is the schedule whole: every moment once, every instruction once, as many as the header says?"""

from collections.abc import Iterator

from reportgen.analyse.checks.check import Check
from reportgen.analyse.findings import finding
from reportgen.analyse.judgements import Finding
from reportgen.analyse.records import Placement


def _without_schedule(placement: Placement) -> str:
    return "the dump has no schedule" if placement.dump.schedule_length is None else ""


def _whole(placement: Placement) -> Iterator[Finding]:
    dump = placement.dump
    if len(dump.schedule) != dump.schedule_length:
        message = f"the header says {dump.schedule_length} instructions, {len(dump.schedule)} are listed"
        yield finding("schedule-damaged", message, dump.schedule_place)
    for expected, (moment, name) in enumerate(dump.schedule):
        if moment != expected:
            message = f"{name} is listed as instruction {moment} where {expected} is due"
            yield finding("schedule-damaged", message, dump.schedule_place)
            break
    if len(dump.moment_of) != len(dump.schedule):
        message = "an instruction is listed more than once in the schedule"
        yield finding("schedule-damaged", message, dump.schedule_place)


CHECKS = (
    Check(
        name="Schedule",
        question="Is every moment and every instruction there once, as many as the header says?",
        subject="instructions",
        run=_whole,
        exempts=_without_schedule,
    ),
)
