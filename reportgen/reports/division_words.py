"""Say that a dump does not tell how the arguments of its program are divided among devices, and how to learn it.

Texts since jaxlib 0.12 do not, and the proto of the module does.
"""

from reportgen.reports.report import Report

_UNKNOWN = "how the arguments are sharded is unknown"
_HOW = "; to see it, dump again with --xla_dump_hlo_as_text --xla_dump_hlo_as_proto"


def unknown_division(report: Report) -> str:
    """Return why it is not known what each device holds of the arguments; empty where it is, or for one device."""
    program = report.analysis.program
    arguments = sum(program.dump.values.sizes[number] for number in program.arguments.values())
    if (program.partitions.devices or 1) == 1 or report.divided or not arguments:
        return ""
    has_proto = report.join.division is not None or report.analysis.dump.text.origin != "dump"
    return _UNKNOWN if has_proto else _UNKNOWN + _HOW
