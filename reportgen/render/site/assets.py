"""Where the templates are, the files of `templates/assets` as bytes, and a digest of all that makes the pages.

A wheel carries the templates inside the package; a checkout has them beside it. The charts and the library
that draws them are in neither repository nor source distribution: they are made when the package is installed.
"""

import hashlib
import os
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import reportgen
from reportgen.errors import BrokenInstallation
from reportgen.render.site import scripts

STYLES = ("theme.css", "style.css", "search.css", "views.css", "pages.css", "values.css", "print.css")
"""What `site.css` holds. One file, because each name would be repeated on every page."""
SCRIPTS = {"site.js": "scripts/site.js", "theme.js": "scripts/theme.js"}
"""The scripts of every page, and the module that each is bundled from."""

MADE_AT_INSTALLATION = ("chart-specifications.js", "vega.js")
_LIBRARIES = ("jinja2", "markupsafe", "markdown_it")


@cache
def fingerprint() -> str:
    """Return a digest that changes with this package, its templates and the libraries that render them."""
    ours = [digest(Path(reportgen.__file__).parent, ".py"), digest(template_root())]
    return " ".join([*ours, *map(library_digest, _LIBRARIES)])


def template_root() -> Path:
    """Return the directory of the templates: packaged in an installed wheel, top-level in a checkout."""
    package = Path(reportgen.__file__).parent
    packaged = package / "templates"
    return packaged if packaged.is_dir() else package.parent / "templates"


@cache
def library_digest(name: str) -> str:
    """Return a digest of the source of an installed package, which is read faster than its version."""
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise BrokenInstallation(f"{name} is missing. Run `pip install --force-reinstall xla-reportgen`.")
    return digest(Path(spec.submodule_search_locations[0]), ".py")


def digest(root: Path, ending: str = "") -> str:
    """Return a digest of the files below a folder whose names end with `ending`, in order of their paths."""
    made = hashlib.sha256()
    for folder, folders, names in os.walk(str(root)):
        folders.sort()
        inside = folder[len(str(root)) :].replace(os.sep, "/")
        for name in sorted(name for name in names if name.endswith(ending)):
            with suppress(FileNotFoundError), open(f"{folder}/{name}", "rb") as file:  # noqa: PTH123 - quick
                made.update(f"{inside}/{name}".encode("utf-8", "surrogateescape") + b"\0")
                made.update(file.read())
    return made.hexdigest()


def asset_names() -> list[str]:
    """Return the names of a site's assets: files of `templates/assets`, bundles, and those made at installation."""
    files = {path.name for path in (template_root() / "assets").iterdir()}
    return sorted((files - set(STYLES)) | {"site.css", *SCRIPTS, *MADE_AT_INSTALLATION})


def read_asset(name: str) -> bytes:
    """Return the asset `name`: a file of `templates/assets`, or a bundle of several files."""
    if name == "site.css":
        return b"\n".join(read_template(f"assets/{part}") for part in STYLES)
    return script(SCRIPTS[name]) if name in SCRIPTS else read_template(f"assets/{name}")


def script(entry: str) -> bytes:
    """Return the script at `entry`, a path below the templates, bundled with the modules that it imports."""
    return scripts.bundle(entry, lambda path: read_template(path).decode("utf-8")).encode("utf-8")


def read_template(name: str) -> bytes:
    """Return the file at `name`, a path below the templates."""
    path = template_root() / name
    try:
        return path.read_bytes()
    except FileNotFoundError:
        why = "the installation is incomplete. Run"
        if path.name in MADE_AT_INSTALLATION:
            why = "it is made when the package is installed. Run `pip install -e .` in the checkout, or"
        message = f"{path} is missing: {why} `pip install --force-reinstall xla-reportgen`."
        raise BrokenInstallation(message) from None
