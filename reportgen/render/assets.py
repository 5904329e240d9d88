"""Where the templates are, and the files of `templates/assets`, as bytes.

A wheel carries the templates inside the package; a checkout has them beside it. The charts, the library
that draws them, and the templates as Python are in neither repository nor source distribution: they are
made when the package is installed.
"""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from reportgen.errors import BrokenInstallation

BUNDLES: Mapping[str, tuple[str, ...]] = {
    "site.css": ("theme.css", "style.css", "search.css", "views.css", "pages.css", "print.css"),
    "site.js": (
        "frame.js",
        "data.js",
        "state.js",
        "tables.js",
        "search-index.js",
        "search.js",
        "keys.js",
        "navigation.js",
    ),
}
"""What every page needs, in one file of each kind: each name would stand on every one of 70,000 pages."""


COMPILED = "compiled"
STAMP = "stamp"
MADE_AT_INSTALLATION = ("chart-specifications.js", "vega.js")


def template_root() -> Path:
    """The directory of the templates: packaged in an installed wheel, top-level in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "templates"
    return packaged if packaged.is_dir() else package.parent / "templates"


def compiled_templates() -> Path | None:
    """The directory of the templates as Python, with the texts of the help as HTML.

    None where they were not made of these, or by other libraries.
    """
    directory = template_root() / COMPILED
    try:
        is_current = (directory / STAMP).read_text(encoding="utf-8") == stamp()
    except (OSError, ValueError):
        return None
    return directory if is_current else None


@cache
def stamp() -> str:
    """What all that is made from, as digests: templates and texts, and what reads them."""
    ours = [digest(template_root(), ending) for ending in (".html", ".md")]
    return " ".join([*ours, *map(library_digest, ("jinja2", "markdown_it"))])


@cache
def library_digest(name: str) -> str:
    """Of a package that is installed. To ask for its version would take longer than to read its source."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise BrokenInstallation(f"{name} is missing. Run `pip install --force-reinstall xla-reportgen`.")
    return digest(Path(spec.submodule_search_locations[0]), ".py")


def digest(root: Path, ending: str = "") -> str:
    """Of all files below a folder whose names end so."""
    made = hashlib.sha256()
    for inside, path in _files_below(str(root), ending):
        with suppress(FileNotFoundError), open(path, "rb") as file:  # noqa: PTH123 - quick
            made.update(inside.encode("utf-8", "surrogateescape") + b"\0")
            made.update(file.read())
    return made.hexdigest()


def _files_below(root: str, ending: str) -> Iterator[tuple[str, str]]:
    """In order, each by its path in there and as a whole.

    Without the templates as Python: they are made from others, with times of their own.
    """
    for folder, folders, names in os.walk(root):
        folders[:] = sorted({*folders} - {COMPILED})
        inside = folder[len(root) :].replace(os.sep, "/")
        yield from ((f"{inside}/{name}", f"{folder}/{name}") for name in sorted(names) if name.endswith(ending))


def asset_names() -> list[str]:
    """Every bundle, every other file of `templates/assets`, and those made at installation."""
    bundled = {part for parts in BUNDLES.values() for part in parts}
    files = {path.name for path in (template_root() / "assets").iterdir()}
    return sorted((files - bundled) | BUNDLES.keys() | set(MADE_AT_INSTALLATION))


def read_asset(name: str) -> bytes:
    """The file `name` of `templates/assets`, or a bundle of several."""
    if name in BUNDLES:
        return b"\n".join(map(read_asset, BUNDLES[name]))
    path = template_root() / "assets" / name
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BrokenInstallation(_missing(path)) from None


def _missing(path: Path) -> str:
    if path.name in MADE_AT_INSTALLATION:
        return (
            f"{path} is missing: it is made when the package is installed. "
            "Run `pip install -e .` in the checkout, or `pip install --force-reinstall xla-reportgen`."
        )
    return f"{path} is missing: the installation is incomplete. Run `pip install --force-reinstall xla-reportgen`."
