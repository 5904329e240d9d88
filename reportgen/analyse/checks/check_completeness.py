"""Check that the dump is complete and understood; tell how to obtain what is missing."""

from collections.abc import Iterator

from reportgen.analyse.checks.declaration import check, without_exact_ranges
from reportgen.analyse.findings import LISTED_PER_SLUG, finding
from reportgen.analyse.missing_allocations import has_cut_live_ranges
from reportgen.analyse.records import Figures
from reportgen.analyse.results import Finding

_ANALYSIS_FLAG = "XLA writes it while --xla_dump_buffer_assignment_analysis is on, which is the default"


@check(
    name="Lines",
    question="Is every line of every file understood?",
    subject="files",
)
def unparsed(figures: Figures) -> Iterator[Finding]:
    """Report the first lines that were not understood one by one, and all others in one finding."""
    dump, limit = figures.dump, LISTED_PER_SLUG["warning"] - 1
    for line in dump.unparsed[:limit]:
        message = f"line not understood, expected {line.expected}: {line.text.strip()!r}"
        yield finding("unparsed-line", message, line.text_offset)
    more = dump.unparsed_count - min(len(dump.unparsed), limit)
    if more:
        yield finding("unparsed-line", f"{more} more lines were not understood", stands_for=more)


@check(
    name="Sections",
    question="Are allocations, total, used values and live ranges all there?",
    subject="sections",
    exceptions="Older builds of XLA print fewer sections, and flags leave some out.",
)
def missing_sections(figures: Figures) -> Iterator[Finding]:
    """Report each section that is missing, with the flag or the version of XLA that prints it."""
    dump = figures.dump
    if not dump.allocations:
        yield finding("no-allocations", "the dump lists no allocation, so there is nothing to measure")
    if figures.missing:
        message = f"not all allocations are there, so more memory is needed: {figures.missing.words}"
        yield finding("allocations-missing", message, figures.missing.text_offset)
    if dump.total_bytes is None and dump.text.origin == "dump":
        message = f'no "Total bytes used": sizes cannot be checked against XLA\'s own sum. {_ANALYSIS_FLAG}'
        yield finding("no-total", message)
    if dump.used_values is None:
        message = (
            'no "Used values" section: instructions, positions and uses cannot be shown. From jaxlib 0.10 it is'
            f" in the file …-buffer-assignment-values.txt. {_ANALYSIS_FLAG}"
        )
        yield finding("no-used-values", message)
    elif dump.used_values and all(place is None for place in dump.used_values.instruction_starts):
        message = "no instruction text: sources and operations cannot be shown. XLA prints it since 2021-09-23"
        yield finding("no-instructions", message)
    yield from _missing_live_ranges(figures)


def _missing_live_ranges(figures: Figures) -> Iterator[Finding]:
    """Report live ranges that were cut off or never printed; newer builds print a sentence in their place."""
    dump = figures.dump
    if dump.text.origin == "trace":
        yield finding("no-live-ranges", f"{without_exact_ranges(figures)}, so no check judges them")
    elif has_cut_live_ranges(dump):
        message = "the text is cut off in HloLiveRange, before XLA's own peak, so each peak is the least that it can be"
        yield finding("live-ranges-lost", message, dump.schedule_text_offset)
    elif dump.live_ranges is None and not dump.live_range_note and _has_instructions(figures):
        message = (
            "the dump ends before HloLiveRange, although it has the texts of instructions: it was cut off, or the file"
            " …-live-range.txt is missing. What is live when is unknown, so there is no peak"
        )
        yield finding("live-ranges-lost", message)
    elif dump.live_ranges is None:
        reason = dump.live_range_note or "no HloLiveRange section"
        message = (
            f"{reason}: what is live when is unknown, so there is no peak."
            " XLA prints it since 2021-04-07; from jaxlib 0.10 in the file …-live-range.txt."
            f" {_ANALYSIS_FLAG}"
        )
        yield finding("no-live-ranges", message)


def _has_instructions(figures: Figures) -> bool:
    """Return whether the dump has the texts of instructions, which XLA prints later in its history than live ranges."""
    entries = figures.dump.used_values
    return entries is not None and any(place is not None for place in entries.instruction_starts)


@check(
    name="Shapes",
    question="Can the bytes that each shape needs be computed?",
    subject="values",
    exceptions="The size that the dump prints counts, known shape or not.",
)
def unknown_shapes(figures: Figures) -> Iterator[Finding]:
    """Report the values whose size cannot be computed in one finding, which names the first of them."""
    values = figures.dump.values
    unknown = [number for number, padded in enumerate(figures.facts.padded) if padded is None]
    if unknown:
        shape = values.shapes[unknown[0]][:80]
        owners = values.keys[unknown[0]] + (f" and {len(unknown) - 1:,} more values" if len(unknown) > 1 else "")
        message = f"the size of {shape!r} is not known, so the padding of {owners} is not"
        yield finding("unknown-shape", message, values.text_offsets[unknown[0]], values=tuple(unknown[:1]))


@check(
    name="Ends of files",
    question="Does every file end with a line break?",
    subject="files",
)
def unfinished_files(figures: Figures) -> Iterator[Finding]:
    for part, base in figures.dump.text.parts_with_bases():
        if part.data and not part.data.endswith(b"\n"):
            message = "the file does not end with a newline: it was cut off, or is still being written"
            yield finding("unfinished-file", message, base + len(part.data) - 1)


CHECKS = (
    unparsed,
    missing_sections,
    unknown_shapes,
    unfinished_files,
)
