"""The Jinja environment: templates compiled once, everything escaped, nothing undefined."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from jinja2 import BaseLoader, Environment, FileSystemLoader, ModuleLoader, StrictUndefined
from markupsafe import Markup

import reportgen
from reportgen.options import Redaction
from reportgen.render import formats, routes
from reportgen.render.assets import compiled_templates, template_root
from reportgen.render.excerpts import excerpt_table
from reportgen.render.value_rows import value_rows

MODULE_VIEWS = (
    ("index.html", "Summary"),
    ("peak.html", "Peak"),
    ("padding.html", "Padding"),
    ("lifetimes.html", "Lifetimes"),
    ("values.html", "Values"),
    ("allocations.html", "Allocations"),
    ("schedule.html", "Schedule"),
    ("findings.html", "Findings"),
)
"""The views of a module: file name in its folder, and what the tab says."""


_REDACTED_WORDS: Mapping[Redaction, str] = {
    "paths": "Redacted: paths, people and machines are not shown.",
    "names": "Redacted: paths, people, machines and the names of operations are not shown.",
}


@cache
def module_tabs(to_module: str, current: str) -> Markup:
    """The links to a module's views, from a page that `to_module` leads away from."""
    here = {current: " aria-current=page"}
    links = (f"<a href={to_module}{file}{here.get(file, '')}>{name}</a>" for file, name in MODULE_VIEWS)
    return Markup("".join(links))


def made_environment() -> Environment:
    """With the templates as Python, as they were made at installation: that takes longer than a small site."""
    compiled = compiled_templates()
    return _environment(ModuleLoader(compiled) if compiled else FileSystemLoader(template_root()))


environment = cache(made_environment)


def compile_into(directory: Path) -> None:
    """Write each template as a Python module."""
    _environment(FileSystemLoader(template_root())).compile_templates(directory, extensions=["html"], zip=None)


def _environment(loader: BaseLoader) -> Environment:
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    made.filters["bytes"] = formats.bytes_markup
    made.filters["byte_steps"] = formats.byte_steps_markup
    made.filters["exact"] = formats.exact_bytes
    made.filters["human"] = formats.human_bytes
    made.filters["count"] = formats.count_markup
    made.filters["short"] = formats.shortened
    made.filters["breakable"] = formats.soft_breaks
    made.globals["percent"] = formats.percent
    made.globals["factor"] = formats.factor
    made.globals["module_tabs"] = module_tabs
    made.globals["value_rows"] = value_rows
    made.globals["excerpt_table"] = excerpt_table
    made.globals["redacted_words"] = _REDACTED_WORDS
    made.globals["version"] = reportgen.__version__
    return made


def load_all() -> None:
    """Compile every template now, so that processes that are forked from this one need not."""
    for name in FileSystemLoader(template_root()).list_templates():
        if name.endswith(".html"):
            environment().get_template(name)


def render(template: str, path: str, **context: object) -> bytes:
    """The page that will stand at `path`, which decides what `root` is in its links."""
    text = environment().get_template(template).render(root=routes.root_from(path), **context)
    return _written([text])[0]


_PLAIN = bytes([ord("\n"), *range(ord(" "), ord("~") + 1)])


def _written(texts: Sequence[str]) -> list[bytes]:
    """Texts as they stand on disk, with a sign for what would show nothing."""
    written = [text.encode("utf-8", "replace") for text in texts]
    # To take out what is plain, and look at the little that remains, takes a third of the time of a look at all.
    rest = b"".join(written).translate(None, _PLAIN).decode("utf-8")
    return written if rest.isprintable() else [formats.visible(text).encode("utf-8", "replace") for text in texts]


class Frame:
    """What is the same on thousands of pages, rendered once; each page only fills the holes in it.

    A template marks a hole by `hole("name")`. What is escaped holds no `<`, so no text can look like one.
    """

    def __init__(self, template: str, path: str, **context: object) -> None:
        pieces = _HOLE.split(render(template, path, hole=_hole, **context).decode("utf-8"))
        self._holes = pieces[1::2]
        self._pieces = [piece.encode("utf-8") for piece in pieces]

    def filled(self, **contents: str) -> bytes:
        """A page; `contents` is markup for each hole, by its name."""
        pieces = self._pieces.copy()
        pieces[1::2] = _written([contents[name] for name in self._holes])
        return b"".join(pieces)


_HOLE = re.compile(r"<hole (\w+)>")


def _hole(name: str) -> Markup:
    return Markup(f"<hole {name}>")


def macro(template: str, name: str, *arguments: object) -> Markup:
    """What a macro of a template makes of the arguments."""
    made: Markup = getattr(environment().get_template(template).module, name)(*arguments)
    return made


def fragment(template: str, **context: object) -> Markup:
    """A template that is a part of some pages."""
    return Markup(environment().get_template(template).render(**context))
