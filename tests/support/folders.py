"""Write the files that a test begins with, and say what was found in them."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from reportgen.input.discover import Discovered
from reportgen.input.reading import Problem


def filled(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder by their paths in it, and return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def framed(name: str, text: str) -> str:
    """Return a file as XLA prints it into a log."""
    return f"*** Begin {name} ***\n{text}\n*** End {name} ***\n"


def labels(found: Discovered) -> list[str]:
    return [dump.label for dump in found.dumps]


def severities(problems: Iterable[Problem]) -> list[tuple[str, str]]:
    """Return how severe each problem is, and its file."""
    return [(problem.severity, problem.file) for problem in problems]
