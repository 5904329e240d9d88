"""Print the verdicts of a gate, tell GitHub Actions about them, and choose the exit code.

Other people choose the names of modules and paths, so a newline or a `::` in one must not become a command to GitHub.
"""

import argparse
import secrets
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from reportgen.commands.settings import OUTPUT, SUMMARY, files_appended
from reportgen.compare.verdicts import REGRESSED, UNSOUND, Judgement, Verdict
from reportgen.output.named_files import append_file
from reportgen.reports.markdown_text import escaped
from reportgen.terminal import Terminal, counted, printable

_MOST_ANNOTATIONS = 10
_MOST_SUMMARY_BYTES = 1_000_000
_COMMANDS = {"fail": "error", "warn": "warning", "note": "notice"}


def announced(
    judgement: Judgement,
    options: argparse.Namespace,
    terminal: Terminal,
    *,
    has_failed: bool,
    is_document: bool,
    lines: Iterable[str] = (),
    baseline: str | None = None,
    summary: str = "",
    explanation: str = "",
    change_bytes: int | None = None,
    markdown: Path | None = None,
) -> int:
    """Print some lines and the verdicts, tell GitHub if that is asked for, and return the exit code.

    If stdout `is_document`, all is said on stderr. `baseline` names the earlier build. Without a `summary`, that of a
    job is the list of verdicts and the `explanation` of the modules, both in Markdown. An unsound build and a certain
    regression come before what could not be read or judged, for which `has_failed` stands.
    """
    say = terminal.aside if is_document else terminal.line
    tell = partial(print, file=sys.stderr if is_document else sys.stdout)
    worst_first = sorted(judgement.reported, key=lambda verdict: [*_COMMANDS].index(verdict.level or "note"))
    annotated = worst_first[:_MOST_ANNOTATIONS] if options.github else []  # because GitHub shows ten of a step
    # Meanwhile names of a program are printed, which must be no commands; random, so that no text can end the pause.
    token = secrets.token_hex(16)
    if options.github:
        tell(f"::stop-commands::{token}")
    for line in lines:
        say(line)
    for verdict in judgement.reported:
        if verdict not in annotated:
            say(f"{verdict.place}: {verdict.line}" if verdict.place else verdict.line)
    if judgement.has_budgets:
        compared = f", compared with {baseline}" if baseline else ""
        say(f"budgets: {judgement.overall}; {counted(judgement.judged, 'figure')} judged{compared}")
    if options.github:
        tell(f"::{token}::")
        listed = [f"- **{verdict.status}**: {escaped(verdict.words, 500)}" for verdict in worst_first]
        verdicts = "\n".join([f"### Memory: {judgement.overall}", "", *listed]) if judgement.overall else ""
        outputs = {
            "verdict": (judgement.overall or "").replace(" ", "-"),
            "change-bytes": "" if change_bytes is None else str(change_bytes),
            "markdown": markdown.as_posix() if markdown else "",
        }
        _append(summary or "\n\n".join(filter(None, (verdicts, explanation))), outputs)
        for verdict in annotated:
            tell(_annotation(verdict))
    judged = judgement.exit_code
    return 1 if has_failed and judged not in (UNSOUND, REGRESSED) else judged


def _append(summary: str, outputs: dict[str, str]) -> None:
    """Write the summary of a job and the outputs of a step where GitHub asks for them."""
    files = files_appended()
    if path := files[SUMMARY]:
        data = summary.encode("utf-8", "replace")
        # GitHub refuses the summary of a step if it is longer than 1 MiB. The cut may leave a part of a character.
        rest = "\n\n_The rest is left out._\n" if len(data) > _MOST_SUMMARY_BYTES else ""
        text = data[:_MOST_SUMMARY_BYTES].decode("utf-8", "ignore")
        append_file(path, f"{text}{rest}\n".encode())
    if path := files[OUTPUT]:
        # A delimiter that nobody can guess, because a text may have lines of its own.
        end = f"end-{secrets.token_hex(16)}"
        text = "".join(f"{name}<<{end}\n{text}\n{end}\n" for name, text in outputs.items())
        append_file(path, text.encode("utf-8", "replace"))


def _annotation(verdict: Verdict) -> str:
    budget = verdict.budget
    properties = {"title": f"Memory: {verdict.status}"}
    if budget and budget.file and budget.line:
        properties = {"file": budget.file, "line": str(budget.line), **properties}
    # A property ends at a comma, and all of them at a colon.
    escaped = {key: _message(text).replace(":", "%3A").replace(",", "%2C") for key, text in properties.items()}
    listed = ",".join(f"{key}={text}" for key, text in escaped.items())
    return f"::{_COMMANDS[verdict.level or 'note']} {listed}::{_message(verdict.words)}"


def _message(text: str) -> str:
    return printable(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
