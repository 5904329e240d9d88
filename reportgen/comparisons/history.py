"""Read a history of builds, from a file or from a published site, and write it with its trend."""

from pathlib import Path

from reportgen.compare.budgets import Budgets
from reportgen.compare.history import History, Record, line_of, parse_history
from reportgen.comparisons.sources import is_missing
from reportgen.errors import UnreadableInput
from reportgen.input.reading import read_available
from reportgen.input.remote import AnyPath
from reportgen.output.manifest import COMMON, TREND
from reportgen.output.writer import SiteDirectory, write_pages
from reportgen.render.trend.pages import front_pages, trend_pages
from reportgen.work import Part


def read_history(store: AnyPath, max_bytes: int) -> bytes | None:
    """Return the lines of a history; None if there is no such file. Raises UnreadableInput if it cannot be read."""
    if is_missing(store):
        return None
    data, damage = read_available(store, max_bytes)
    if damage:
        raise UnreadableInput(f"{store}: {damage}")
    return data


def lines_to_add(data: bytes, record: Record) -> bytes:
    """Return what has to be appended to the lines of a history to add a build."""
    line = line_of(parse_history(data), record)
    is_cut_off = bool(data) and not data.endswith(b"\n")
    # A line that was cut off by a crash must not swallow the new one.
    return b"\n" + line if is_cut_off else line


def write_trend(output: Path, title: str, history: History, budgets: Budgets | None, *, force: bool) -> None:
    """Write the trend of a history into a site, or into a new one.

    The history itself is no page of the site, because a build removes pages that it does not make.

    Raises OutputRefused if the directory holds files that no earlier build has made.
    """
    with SiteDirectory.opened(output, force=force) as directory:
        pages = [*trend_pages(title, history, budgets)]
        if COMMON not in directory.parts:
            pages += front_pages(title, history, budgets)
        written = write_pages(output, pages)
        directory.finish({**directory.parts, TREND: Part("", written.paths, written.size_bytes, written.digest)})
