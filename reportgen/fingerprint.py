"""Which program makes a site: a digest of everything but the dumps and the options that decides about its bytes."""

import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

from reportgen.render.assets import COMPILED, template_root

_LIBRARIES = ("jinja2", "markupsafe", "markdown-it-py")


@cache
def fingerprint() -> str:
    """The same as long as neither this package, nor its templates, nor what renders them has changed."""
    made = hashlib.sha256("\0".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES).encode())
    package = Path(__file__).parent
    for root, pattern in ((package, "*.py"), (template_root(), "*")):
        for path in sorted(path for path in root.rglob(pattern) if path.is_file()):
            inside = path.relative_to(root)
            if COMPILED not in inside.parts:  # made from the others, with times of its own
                made.update(inside.as_posix().encode() + b"\0")
                made.update(path.read_bytes())
    return made.hexdigest()
