"""Which program makes a site: digests of everything but the dumps and the options that decides about its bytes."""

from functools import cache
from pathlib import Path

from reportgen.render.assets import digest, library_digest, template_root

_LIBRARIES = ("jinja2", "markupsafe", "markdown_it")


@cache
def fingerprint() -> str:
    """The same as long as neither this package, nor its templates, nor what renders them has changed."""
    ours = [digest(Path(__file__).parent, ".py"), digest(template_root())]
    return " ".join([*ours, *map(library_digest, _LIBRARIES)])
