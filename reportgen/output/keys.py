"""Compute the keys of pages, digests of what they are made from: pages are made again only if theirs has changed."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from reportgen.input.dump_contents import Contents
from reportgen.input.reading import Problem
from reportgen.work import Part, Settings


def dump_key(settings: Settings, contents: Contents, text_digest: str) -> str:
    """Return the key of a dump's pages; `text_digest` is the digest of its text."""
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
    settings: Settings,
    modules: Mapping[str, Part],
    problems: Iterable[Problem],
    readme: str,
    errors: Sequence[str] = (),
    *,
    has_trend: bool = False,
) -> str:
    """Return the key of the pages that belong to no dump, such as the overview."""
    return _digest(
        settings.fingerprint,
        settings.site_title,
        settings.redaction,
        {label: part.key for label, part in sorted(modules.items())},
        [asdict(problem) for problem in problems],
        readme,
        list(errors),
        has_trend,
    )


def _digest(*values: Any) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
