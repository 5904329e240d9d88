"""The line magic of notebooks: `%load_ext reportgen`, then `%xla_memory train_step(state, batch)`."""

import ast
import sys
from collections.abc import Mapping
from typing import Any

from reportgen.errors import ReportgenError
from reportgen.programs.functions import report
from reportgen.programs.memory_report import MemoryReport

_REPORT = "__reportgen_report"


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; IPython calls this at `%load_ext reportgen`."""

    def xla_memory(line: str) -> MemoryReport | None:
        """Show the memory that a call needs, as in `%xla_memory train_step(state, batch)`, without running it."""
        try:
            return report_of_call(line, shell.user_ns)
        except ReportgenError as error:
            print(error, file=sys.stderr)
            return None

    shell.register_magic_function(xla_memory, "line", "xla_memory")


def report_of_call(line: str, names: Mapping[str, Any]) -> MemoryReport:
    """Return the report of the call in `line`: its arguments are computed, but the call itself is only compiled."""
    try:
        call = ast.parse(line.strip(), mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call):
        raise ReportgenError("%xla_memory needs a call, such as: %xla_memory train_step(state, batch)")
    reporting = ast.Call(ast.Name(_REPORT, ast.Load()), [call.func, *call.args], call.keywords)
    code = compile(ast.fix_missing_locations(ast.Expression(reporting)), "<xla_memory>", "eval")
    result: MemoryReport = eval(code, {**names, _REPORT: report})
    return result
