"""Decide which pages of a site are up to date, so that an incremental build makes only the others."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from reportgen.input.dump_contents import Contents
from reportgen.input.reading import Problem
from reportgen.output.writer import is_intact
from reportgen.work import Outcome, Part, Settings


class IncrementalChecker:
    """Decide whether the pages that the last build made are up to date.

    Reading and hashing a dump is fast compared with analysing it and making its pages. Most dumps do not change
    between two builds, so each build leaves a manifest, `.reportgen.json`, for the next one. It has an entry for each
    dump, and one with an empty name for the pages that belong to no dump:

        {"parts": {
            "run1/module_0001.jit_step.cpu_after_optimizations-buffer-assignment.txt": {
                "key": "5e8f0c…",                    digest of everything that the pages are made from
                "folder": "m/jit-step-0a1b2c3d/",    common beginning of the paths
                "files": ["index.html", "v/1.html", …],
                "size_bytes": 123456,
                "digest": "02ab49…",                 of the pages' paths and bytes
                "outcome": {"summary": {…}, "problems": […]}},    with a digest of its line of report.json
            "": {…}},
         "seal": "9d3c17…"}                          detects changes by other programs

    Pages are up to date if their key has not changed and the files on disk still have the bytes that were written.
    """

    def __init__(self, settings: Settings, previous: Part | None) -> None:
        self._settings = settings
        self._previous = previous

    def is_up_to_date(self, key: str) -> bool:
        """Return whether pages with this key are in the site already."""
        previous = self._previous
        if self._settings.source_root:
            return False  # because source files change without the dump
        return previous is not None and previous.key == key and is_intact(self._settings.output, previous)

    def previous_outcome(self, key: str) -> Outcome | None:
        """Return the outcome of the last build if it is up to date and complete."""
        if self._previous is None or not self.is_up_to_date(key):
            return None
        try:
            return Outcome.from_json(self._previous.outcome, self._previous)
        except (KeyError, TypeError, ValueError):  # because a seal proves no origin, as in `manifest`
            return None

    def dump_key(self, contents: Contents, text_digest: str) -> str:
        """Return the key of a dump's pages; `text_digest` is the digest of its text."""
        settings = self._settings
        return _digest(
            settings.fingerprint,
            settings.site_title,
            settings.redaction,
            settings.source_url,
            settings.capacities,
            [(part.label, repr(part.frame)) for part in contents.files.parts],
            asdict(contents.files.name),
            text_digest,
            [(sibling.label, hashlib.sha256(sibling.data).hexdigest()) for sibling in contents.siblings],
            contents.note,
            [asdict(problem) for problem in contents.problems],
        )

    def common_key(
        self,
        modules: Mapping[str, Part],
        problems: Iterable[Problem],
        readme: str,
        errors: Sequence[str] = (),
        *,
        has_trend: bool = False,
    ) -> str:
        """Return the key of the pages that belong to no dump, such as the overview."""
        return _digest(
            self._settings.fingerprint,
            self._settings.site_title,
            self._settings.redaction,
            {label: part.key for label, part in sorted(modules.items())},
            [asdict(problem) for problem in problems],
            readme,
            list(errors),
            has_trend,
        )


def _digest(*values: Any) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
