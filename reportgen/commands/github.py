"""Tell GitHub Actions about a comparison: the job summary, the outputs of the step, and annotations.

Other people choose the names of modules and paths, so a newline or a `::` in one must not become a command.
"""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reportgen.commands.github_files import OUTPUT, SUMMARY, files_appended
from reportgen.compare.verdicts import Judgement, Verdict
from reportgen.output.named_files import append_file
from reportgen.reports.markdown_text import escaped
from reportgen.terminal import printable

_MOST_ANNOTATIONS = 10
_MOST_SUMMARY_BYTES = 1_000_000
_COMMANDS = {"fail": "error", "warn": "warning", "note": "notice"}
_ORDER = tuple(_COMMANDS)

Say = Callable[[str], None]


@contextmanager
def commands_stopped(say: Say, *, active: bool) -> Iterator[None]:
    """Keep GitHub from reading what is printed meanwhile as commands, because it contains names from a program."""
    # Random, so that no text can end the pause.
    token = secrets.token_hex(16)
    if active:
        say(f"::stop-commands::{token}")
    yield
    if active:
        say(f"::{token}::")


def annotated_verdicts(judgement: Judgement | None) -> Sequence[Verdict]:
    """Return the verdicts that are annotations, the worst first, because GitHub shows ten of a step."""
    return _worst_first(judgement)[:_MOST_ANNOTATIONS]


def _worst_first(judgement: Judgement | None) -> Sequence[Verdict]:
    reported = judgement.reported if judgement else []
    return sorted(reported, key=lambda verdict: _ORDER.index(verdict.level or "note"))


def tell_github(
    judgement: Judgement | None,
    summary: str = "",
    *,
    explanation: str = "",
    change_bytes: int | None = None,
    markdown: Path | None = None,
    say: Say,
) -> None:
    """Write the summary and the outputs where GitHub asks for them, and print the annotations.

    Without budgets the verdict is empty, and so is a change that is not known.

    Without a `summary`, it is the list of verdicts and the `explanation` of the modules, both in Markdown.
    """
    worst_first = _worst_first(judgement)
    files = files_appended()
    if path := files[SUMMARY]:
        verdicts = _verdict_list(judgement, worst_first) if judgement and judgement.overall else ""
        data = (summary or "\n\n".join(filter(None, (verdicts, explanation)))).encode("utf-8", "replace")
        # GitHub refuses the summary of a step if it is longer than 1 MiB. The cut may leave a part of a character.
        rest = "\n\n_The rest is left out._\n" if len(data) > _MOST_SUMMARY_BYTES else ""
        text = data[:_MOST_SUMMARY_BYTES].decode("utf-8", "ignore")
        append_file(path, f"{text}{rest}\n".encode())
    outputs = {
        "verdict": ((judgement and judgement.overall) or "").replace(" ", "-"),
        "change-bytes": "" if change_bytes is None else str(change_bytes),
        "markdown": markdown.as_posix() if markdown else "",
    }
    if path := files[OUTPUT]:
        # A delimiter that nobody can guess, because a text may have lines of its own.
        end = f"end-{secrets.token_hex(16)}"
        text = "".join(f"{name}<<{end}\n{text}\n{end}\n" for name, text in outputs.items())
        append_file(path, text.encode("utf-8", "replace"))
    for verdict in annotated_verdicts(judgement):
        say(_annotation(verdict))


def _verdict_list(judgement: Judgement, verdicts: Sequence[Verdict]) -> str:
    lines = [f"- **{verdict.status}**: {escaped(verdict.words, 500)}" for verdict in verdicts]
    return "\n".join([f"### Memory: {judgement.overall or 'no budgets'}", "", *lines])


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
