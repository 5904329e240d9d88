"""Print an explanation: for `explain`, and for a build that is asked for one."""

from collections.abc import Sequence

from reportgen.analyse.logged_errors import LoggedError
from reportgen.reports.explain_document import explained
from reportgen.reports.explain_sections import sections
from reportgen.reports.explain_text import explanation_lines
from reportgen.reports.summary import Summary
from reportgen.terminal import Terminal


def print_explanation(summaries: Sequence[Summary], errors: Sequence[LoggedError], terminal: Terminal) -> None:
    """Print what needs the memory, as wide as the terminal is."""
    for line in explanation_lines(sections(map(explained, summaries), errors), terminal.width, draws=terminal.draws):
        terminal.styled(line)
