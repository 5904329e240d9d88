"""Define the records that pass between the stages of a build and its workers: tasks, pages, parts and outcomes."""

from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reportgen.input.reading import DumpFiles, Problem
from reportgen.options import Redaction
from reportgen.reports.summary import Summary


class Page(NamedTuple):
    """A file of the site; `path` is relative to the site's root, with forward slashes."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Part:
    """The pages that one dump has in the site, or those that belong to no dump.

    `key` is a digest of everything that the pages were made from, empty if unknown. `digest` covers the paths and bytes
    of the pages, and `size_bytes` counts their bytes. `outcome` is the outcome of the dump as JSON, so that the next
    build need not analyse the dump.
    """

    key: str
    paths: tuple[str, ...]
    size_bytes: int = 0
    digest: int = 0
    outcome: Any = None


@dataclass(frozen=True, slots=True)
class Task:
    """A dump to work on, and the pages that the last build made of it."""

    files: DumpFiles
    previous: Part | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that all dumps of a site share. `fingerprint` identifies the program itself."""

    site_title: str
    output: Path
    fingerprint: str
    value_pages: int | None = None
    named_values: Mapping[str, Set[int]] = field(default_factory=dict)
    redaction: Redaction | None = None
    source_root: Path | None = None
    source_url: str | None = None
    capacities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result for one dump; `summary` is None if the dump could not be read at all.

    `part` lists the pages of the dump, and `changed` is the number of pages that had to be written.
    """

    label: str
    summary: Summary | None
    problems: tuple[Problem, ...] = ()
    part: Part | None = None
    changed: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the summary and the problems as JSON values."""
        summary = self.summary.as_json() if self.summary else None
        return {"summary": summary, "problems": [asdict(problem) for problem in self.problems]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], part: Part) -> "Outcome":
        """Return the outcome that an earlier build stored with `part`.

        Raises KeyError, TypeError or ValueError for data that `as_json` cannot have returned.
        """
        summary = Summary.from_json(data["summary"])
        problems = tuple(Problem(**problem) for problem in data["problems"])
        return cls(label=summary.label, summary=summary, problems=problems, part=part)
