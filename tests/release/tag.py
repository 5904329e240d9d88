"""What a tag must agree with before it is published, and the notes of its release.

    python tests/release/tag.py check v0.2.0 OWNER/REPOSITORY
    python tests/release/tag.py notes v0.2.0

needs Python and a checkout, and installs nothing.
"""

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]


def main(arguments: Sequence[str]) -> int:
    """Print the notes, or what is wrong with the tag; return the exit code."""
    match arguments:
        case ["notes", tag]:
            print(notes(ROOT, tag))
            return 0
        case ["check", tag, repository]:
            problems = list(disagreements(ROOT, tag, repository))
            print("\n".join(problems) or f"{tag} is ready")
            return 1 if problems else 0
    print(__doc__, file=sys.stderr)
    return 2


def disagreements(root: Path, tag: str, repository: str) -> Iterator[str]:
    """Yield a sentence for each file of the checkout in `root` that does not agree with the tag."""
    found = re.search(r'^__version__ = "(.+)"$', _text(root / "reportgen" / "__init__.py"), re.MULTILINE)
    version = found[1] if found else None
    if tag != f"v{version}":
        yield f"reportgen/__init__.py: the version is {version}, the tag {tag}"
    if not notes(root, tag):
        yield f"CHANGELOG.md: a section is missing: ## {tag[1:]} (YYYY-MM-DD)"
    for name, address in tomllib.loads(_text(root / "pyproject.toml"))["project"]["urls"].items():
        if not f"{address}/".startswith(f"https://github.com/{repository}/"):
            yield f"pyproject.toml: {name} = {address} is not in https://github.com/{repository}"


def notes(root: Path, tag: str) -> str:
    """Return the section of the changelog for the tag's version, without its heading; empty unless it has a date."""
    heading = rf"^## {re.escape(tag[1:])} \(\d{{4}}-\d\d-\d\d\)\n(.*?)(?=^## |\Z)"
    section = re.search(heading, _text(root / "CHANGELOG.md"), re.MULTILINE | re.DOTALL)
    return section[1].strip() if section else ""


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
