"""The files that GitHub Actions asks a step to append to."""

import os
from collections.abc import Mapping
from pathlib import Path

SUMMARY, OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def files_appended() -> Mapping[str, Path | None]:
    """Return the files of the summary and the outputs by the variable that names each; None for one that is not set."""
    return {name: Path(path) if (path := os.environ.get(name)) else None for name in (SUMMARY, OUTPUT)}
