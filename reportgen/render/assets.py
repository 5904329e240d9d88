"""Where the templates are, and the files of `templates/assets`, as bytes.

A wheel carries the templates inside the package; a checkout has them beside it. The charts and the
library that draws them are in neither repository nor source distribution: they are made when the package
is installed.
"""

from collections.abc import Mapping
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


MADE_AT_INSTALLATION = ("chart-specifications.js", "vega.js")


def template_root() -> Path:
    """The directory of the templates: packaged in an installed wheel, top-level in a checkout."""
    package = Path(__file__).parents[1]
    packaged = package / "templates"
    return packaged if packaged.is_dir() else package.parent / "templates"


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
