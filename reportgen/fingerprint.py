"""Which program makes a site: a digest of everything but the dumps and the options that decides about its bytes."""

from functools import cache
from pathlib import Path

from reportgen.render.assets import digest, library, template_root

_LIBRARIES = ("jinja2", "markupsafe", "markdown_it")


@cache
def fingerprint() -> str:
    """The same as long as neither this package, nor its templates, nor what renders them has changed."""
    libraries = ((library(name), ".py") for name in _LIBRARIES)
    return digest((Path(__file__).parent, ".py"), (template_root(), ""), *libraries)
