"""Check that the schedule is whole: each moment and each instruction once, as many as the header says."""

from collections.abc import Iterator

from reportgen.analyse.checks.declaration import check
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding


def _without_schedule(figures: Figures) -> str:
    return "the dump has no schedule" if figures.dump.schedule_length is None else ""


@check(
    name="Schedule",
    question="Is every number and every instruction there once, as many as the header says?",
    subject="instructions",
    skips=_without_schedule,
)
def complete_schedule(figures: Figures) -> Iterator[Finding]:
    """Compare the schedule with the length in its header, and look for numbers and names that are wrong."""
    dump = figures.dump
    if len(dump.schedule) != dump.schedule_length:
        message = f"the header says {dump.schedule_length} instructions, {len(dump.schedule)} are listed"
        yield finding("schedule-damaged", message, dump.schedule_text_offset)
    moments = dump.schedule.moments
    expected = next((number for number, moment in enumerate(moments) if moment != number), None)
    if expected is not None:
        name, moment = dump.schedule.names[expected], moments[expected]
        message = f"{name} is listed as instruction {moment:,} where {expected:,} is due"
        yield finding("schedule-damaged", message, dump.schedule_text_offset)
    if len(dump.moment_of) != len(dump.schedule):
        message = "an instruction is listed more than once in the schedule"
        yield finding("schedule-damaged", message, dump.schedule_text_offset)


CHECKS = (complete_schedule,)
