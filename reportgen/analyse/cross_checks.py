"""Compare a dump with the files beside it: agreement is evidence, a difference is a finding.

XLA prints one assignment several times: as the dump's text, as a usage report, in a proto; and the module it is for.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from reportgen.analyse.checks.declaration import counted
from reportgen.analyse.findings import finding
from reportgen.analyse.records import Figures
from reportgen.analyse.results import CheckResult, CheckResults
from reportgen.analyse.sizes import rounded_by_xla
from reportgen.input.dump_text import Location, Sibling
from reportgen.model import WHOLE
from reportgen.model.shapes import ArrayShape, Shape, TupleShape
from reportgen.parse.assignment_proto import ProtoAllocation, parse_assignment_proto
from reportgen.parse.hlo_text import HloText, parse_hlo_text
from reportgen.parse.shape_parser import ShapeError, parse_shape
from reportgen.parse.usage_report import UsageReport, parse_usage_report
from reportgen.protos.proto_messages import ProtoError
from reportgen.record import record


@record(kw_only=False)
class _Row:
    """A comparison: how many of `subject` were compared, and the differences in words."""

    name: str
    question: str
    subject: str
    looked_at: int
    differences: Iterable[str]
    slug: str = "sibling-differs"


def compared(figures: Figures, siblings: Sequence[Sibling]) -> CheckResults:
    """Return what a comparison with the files beside the dump shows."""
    found = CheckResults([], [])
    for sibling in siblings:
        if sibling.kind not in _COMPARISONS:
            continue
        for row in _COMPARISONS[sibling.kind](figures, sibling):
            # At the first line, because no line of the dump is to blame.
            place = Location(sibling.label, 1, 1)
            words = (f"{sibling.label}: {difference}" for difference in row.differences)
            differences = [replace(finding(row.slug, one), location=place) for one in words]
            found.findings.extend(differences)
            found.evidence.append(
                CheckResult(
                    name=row.name,
                    question=row.question,
                    exceptions="",
                    skipped_because="",
                    subject=row.subject,
                    looked_at=row.looked_at,
                    found=counted(differences),
                )
            )
    return found


_UNREAD = _Row("Files beside the dump", "Can each be read?", "files beside the dump", 1, (), slug="sibling-unread")


def _usage_report(figures: Figures, sibling: Sibling) -> Iterator[_Row]:
    report = parse_usage_report(sibling.data)
    if report is None:
        yield replace(_UNREAD, differences=["it is no usage report of a known form"])
        return
    yield _Row(
        "Usage report",
        "Has the usage report the same totals and sizes of allocations?",
        "figures of the usage report",
        len(report.space_bytes) + len(report.rounded_sizes) + (report.total_bytes is not None),
        [*_totals(figures, report), *_rounded(figures, report)],
    )


def _totals(figures: Figures, report: UsageReport) -> Iterator[str]:
    total = sum(allocation.size_bytes for allocation in figures.dump.allocations)
    if report.total_bytes not in (None, total):
        yield f"its total is {report.total_bytes:,} bytes, the dump's allocations add up to {total:,}"
    for color, size in report.space_bytes.items():
        space = figures.spaces.get(color)
        allocated = space.allocated_bytes if space else 0
        if size != allocated:
            yield f"it gives memory space {color} {size:,} bytes, the dump's allocations there add up to {allocated:,}"


def _rounded(figures: Figures, report: UsageReport) -> Iterator[str]:
    sizes = {allocation.index: allocation.size_bytes for allocation in figures.dump.allocations}
    for index, words in report.rounded_sizes.items():
        ours = rounded_by_xla(sizes[index]) if index in sizes else "missing"
        if words != ours:
            yield f"its allocation {index} has {words}; in the dump that is {ours}"


def _hlo_text(figures: Figures, sibling: Sibling) -> Iterator[_Row]:
    module = parse_hlo_text(sibling.data)
    if module is None:
        yield replace(_UNREAD, differences=["it does not begin with HloModule"])
        return
    names = {*figures.dump.values.names, *figures.dump.schedule.names}
    text = figures.program.join.text_of(sibling)
    missing = {name for name in names if name not in text}
    missing = missing and missing - figures.dump.carriers
    yield _Row(
        "Instructions of the HLO text",
        "Is every instruction of the dump in the module, but for elements of tuples?",
        "names of instructions",
        len(names),
        (f"it has no instruction {name}, which the dump has" for name in sorted(missing)),
    )
    yield _Row(
        "Entry of the HLO text",
        "Have the dump’s parameters and its output the shapes of the module’s entry?",
        "entry parameters and results",
        len(module.parameters or ()) + (module.result is not None),
        (*_parameters(figures, module), *_results(figures, module)),
    )
    yield _Row(
        "Aliases of the HLO text",
        "Is each parameter that gives its bytes to the result marked so in the dump?",
        "aliases",
        len(module.aliases),
        _aliases(figures, module),
    )


def _parameters(figures: Figures, module: HloText) -> Iterator[str]:
    if module.parameters is None:
        return
    for allocation in figures.dump.allocations:
        number, shape = allocation.parameter, allocation.parameter_shape
        if number is None or shape is None:
            continue
        if number >= len(module.parameters):
            yield f"its entry has {len(module.parameters)} parameters, the dump a parameter {number}"
            continue
        whole, expected = module.parameters[number], _read(shape)
        # The leaf first, because a tuple may have thousands, each in an allocation of its own.
        leaf = _dense(_leaf(whole, allocation.parameter_shape_index or WHOLE))
        if leaf not in (expected, None) and _dense(whole) not in (expected, None):
            yield f"its parameter {number} is not the {shape[:80]} of allocation {allocation.index}"


def _results(figures: Figures, module: HloText) -> Iterator[str]:
    for allocation in figures.dump.allocations:
        if allocation.output_shape is not None and module.result is not None:
            shape = allocation.output_shape
            if _read(shape) not in (None, _dense(module.result)):
                yield f"its result is not the {shape[:80]} of allocation {allocation.index}"


def _read(text: str) -> str | None:
    try:
        return _dense(parse_shape(text))
    except ShapeError:
        return None


def _leaf(shape: Shape, index: str) -> Shape:
    """Return the part of a shape at an index such as `{0}` or `{1,0}`, as deep as the shape goes."""
    for digits in index.strip("{}").split(","):
        if digits and isinstance(shape, TupleShape) and int(digits) < len(shape.elements):
            shape = shape.elements[int(digits)]
    return shape


def _dense(shape: Shape) -> str | None:
    """Return a shape without layouts, as a dump prints the shapes of parameters."""
    if isinstance(shape, TupleShape):
        return f"({', '.join(str(_dense(element)) for element in shape.elements)})"
    if isinstance(shape, ArrayShape):
        return str(replace(shape, layout=None))
    return None


def _aliases(figures: Figures, module: HloText) -> Iterator[str]:
    given = {
        (allocation.parameter, allocation.parameter_shape_index or WHOLE)
        for allocation in figures.dump.allocations
        if allocation.is_maybe_live_out
    }
    for alias in module.aliases:
        if (alias.parameter, alias.parameter_index) not in given:
            leaf = f"parameter {alias.parameter} at {alias.parameter_index}"
            yield f"it gives the bytes of {leaf} to the result at {alias.output_index}; the dump does not"


def _proto(figures: Figures, sibling: Sibling) -> Iterator[_Row]:
    try:
        theirs = parse_assignment_proto(sibling.data)
    except ProtoError as error:
        yield replace(_UNREAD, differences=[str(error)])
        return
    yield _Row(
        "Allocations of the proto",
        "Has the proto the same allocations, with the same sizes, memory spaces and kinds?",
        "allocations of the proto",
        len(theirs),
        _allocations(figures, theirs),
    )
    yield _Row(
        "Values of the proto",
        "Has each value in the proto the same allocation, offset and size?",
        "values of the proto",
        sum(len(allocation.values) for allocation in theirs),
        _values(figures, theirs),
    )


def _allocations(figures: Figures, theirs: Sequence[ProtoAllocation]) -> Iterator[str]:
    said = {one.number: one[:-1] for one in theirs}
    for ours in figures.dump.allocations:
        expected = (
            ours.index,
            ours.size_bytes,
            ours.color,
            ours.parameter,
            ours.is_thread_local,
            ours.is_constant,
            ours.is_maybe_live_out,
        )
        if said.pop(ours.index, None) != expected:
            yield f"its allocation {ours.index} is missing, or differs in size, memory space or kind from the dump's"
    for index in said:
        yield f"it has an allocation {index}, which the dump does not have"


def _values(figures: Figures, theirs: Sequence[ProtoAllocation]) -> Iterator[str]:
    allocations = figures.dump.allocations
    values = figures.dump.values
    indexes = [allocations[number].index for number in values.allocations]
    ours = set(zip(indexes, values.ids, values.offsets, values.sizes, strict=True))
    said = {(allocation.number, *slice_) for allocation in theirs for slice_ in allocation.values}
    for allocation, value, offset, size in sorted(ours ^ said):
        owner = "the dump" if (allocation, value, offset, size) in ours else "the proto"
        yield f"only {owner} has value {value} in {size:,} bytes at {offset:,} of allocation {allocation}"


_COMPARISONS: Mapping[str, Callable[[Figures, Sibling], Iterator[_Row]]] = {
    "usage report": _usage_report,
    "HLO text": _hlo_text,
    "proto": _proto,
}
