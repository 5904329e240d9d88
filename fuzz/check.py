"""Fuzzes `reportgen check`, from a file to its figures: the search for dumps, reading, parsing and analysis."""

import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["reportgen"]):
    from reportgen.check import check
    from reportgen.errors import ReportgenError
    from reportgen.input.discover import discover
    from reportgen.reports.module_figures import report_json

from fuzz.harness import fuzz

_DUMP = "module_0001.f.cpu_after_optimizations-buffer-assignment.txt"
_LOG = "job.log"
_DEFECT = "please report it"


def check_file(directory: Path, data: bytes) -> None:
    """As the whole input of a check, by a name that fits what it begins with."""
    for name in (_DUMP, _LOG):
        (directory / name).unlink(missing_ok=True)
    (directory / (_LOG if b"*** Begin" in data else _DUMP)).write_bytes(data)
    try:
        report = check(discover([directory]), jobs=1, progress=lambda *_: None)
    except ReportgenError:
        return
    defects = [problem.message for problem in report.problems if _DEFECT in problem.message]
    assert not defects, defects
    report_json(report.summaries)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        fuzz("check", lambda data: check_file(Path(folder), data))
