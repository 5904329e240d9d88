"""Source lines in words, without the directories of their files: which of them fill a peak, or how to learn that."""

import re
from collections.abc import Sequence

from reportgen.analyse.decompose import Group
from reportgen.analyse.spaces import main_space
from reportgen.patterns import repeated
from reportgen.reports.formats import percent
from reportgen.reports.report import Report

_SHOWN = 3
_SMALL = 1000
"""Lines that fill less than this part of the peak are not named."""

NO_TEXT = "For source lines, dump again with --xla_dump_hlo_as_text."
"""Of dumps without the text that names source lines."""
NO_FILLER = "Arguments, which come from no line, make up the peak."
NO_LINES = "The HLO text next to the dump names no source lines."

_DIRECTORIES = re.compile(r"(?<!\S)(" + repeated(r"[^\s/:(]*+\(") + r")[^\s:]*/(?=[^\s/:]+:\d)")
"""Tried only where a word begins, which may do so with parentheses."""


def filled_words(report: Report) -> str:
    """Return which lines fill the peak of the main memory, or how to learn it; empty where no peak is known."""
    space = main_space(report.analysis.spaces)
    if space is None or space.peak_resident is None or not space.peak_resident.amount:
        return ""
    peak = space.peak_resident.amount
    groups = report.source_lines[space.color]
    named = [group for group in groups if group.kind == "named"]
    lines = [group for group in named[:_SHOWN] if group.size_bytes * _SMALL >= peak]
    if not named:
        if report.source_files:
            return NO_FILLER
        return NO_LINES if report.join.module else NO_TEXT
    return " ".join(filter(None, (_lines_words(lines, groups, peak), age_words(report))))


def age_words(report: Report) -> str:
    """Return that the lines may be of other code, if only a file states them that was not written with the dump."""
    is_stated = any(one.file for one in report.analysis.program.stated.values())
    label, age = "" if is_stated else report.join.label, report.join.age
    return f"The lines are from {label}, written {age}; the code may have changed." if age and label else ""


def _lines_words(lines: Sequence[Group], groups: Sequence[Group], peak: int) -> str:
    """Return which lines fill a peak, or that none fills much of it."""
    words = ", ".join(f"{line_words(line.label)} ({percent(line.size_bytes, peak)})" for line in lines)
    if 2 * sum(line.size_bytes for line in lines) >= peak:
        return f"Most of the peak comes from {words}."
    arguments = sum(dict(group.classes).get("parameter", 0) for group in groups if group.kind != "named")
    of_arguments, whole = "", "the peak"
    if 2 * arguments >= peak:
        of_arguments = f"Arguments, which come from no line, are {percent(arguments, peak)} of the peak; "
        whole = "the rest"
    of_lines = f"no line accounts for {percent(1, _SMALL)} of the peak."
    if len(lines) == 1:
        of_lines = f"the line that contributes most to {whole} is {words}."
    elif lines:
        of_lines = f"the lines that contribute most to {whole} are {words}."
    return f"{of_arguments}{of_lines}" if of_arguments else f"{of_lines[0].upper()}{of_lines[1:]}"


def line_words(source: str) -> str:
    """Return a source line without its directories: `train.py:41`."""
    return source.rpartition("/")[2]


def short_words(text: str) -> str:
    """Return words without the directories of the source lines in them."""
    return _DIRECTORIES.sub(r"\1", text)
