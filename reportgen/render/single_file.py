"""A module's report in a single file, to attach to an issue: its summary, charts, peaks and values.

Styles, scripts and data are inside the file, and every link leads to a place in it. The security policy names the
scripts by their digests, so that nothing else can run.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from markupsafe import Markup

from reportgen.render import routes
from reportgen.render.explore.explore_page import allocations_table
from reportgen.render.explore.value_rows import ValueRows, value_groups
from reportgen.render.html.links import Links, filters
from reportgen.render.html.templates import render
from reportgen.render.module.data_shards import (
    data_json,
    instruction_columns,
    module_columns,
    packed,
    suggestion_curves,
    timeline,
    value_columns,
)
from reportgen.render.module.index import index_context
from reportgen.render.site.assets import MADE_AT_INSTALLATION, read_asset
from reportgen.render.site.site_pages import help_texts, terms
from reportgen.render.view import Module

_STATIC_ROWS = 200
_ALLOCATIONS = 20
_HELP_LINK = re.compile(rb'(?<=href=)("?)(?:help/)?(glossary|findings)\.html(?:#([a-z0-9-]+))?')
_HELP_ANCHOR = re.compile(r'(?<= href=")#(?=[a-z0-9-]+")|(?<= id=")')
_HOLE = re.compile(rb"<hole ([a-z-]+)>")


class LinksInFile(Links):
    """Links that lead to places in the file: to the view of a value or of an allocation, to a section."""

    def __init__(self, module: Module) -> None:
        super().__init__(module, "explore")
        self.root = ""

    def explore(self, part: str, **asked: object) -> str:
        return "#" + routes.explore(part, **asked).partition("#")[2] if asked else f"#{part}"

    def filtered_values(self, **words: str) -> Markup:
        return Markup(f"#{filters(words)}")

    def source_page_href(self, line: str) -> str:
        return ""

    def checks(self) -> str:
        return self.listing("findings")

    def listing(self, kind: str) -> str:
        return "" if kind == "index" else f"#{kind}"


def single_file(module: Module, site_title: str) -> bytes:
    """Return the report of a module as one HTML file."""
    links, groups = LinksInFile(module), value_groups(module)
    context = index_context(module, links)
    scripts = {name: _script(f"{name}.js") for name in ("theme", "charts", "site")}
    # The ids of a text begin with its name, because the two texts and the page have some in common.
    texts = [
        (_help_id(path), heading, Markup(_HELP_ANCHOR.sub(rf"\g<0>{_help_id(path)}-", body)))
        for path, heading, body in help_texts()
    ]
    page = render(
        "pages/module.html",
        "",
        frame="pages/single_file.html",
        is_single_file=True,
        site_title=site_title,
        module=module,
        links=links,
        values=ValueRows(module, links).table(groups, _STATIC_ROWS),
        static_values=min(_STATIC_ROWS, len(groups)),
        allocations=allocations_table(module, links, _ALLOCATIONS),
        help_texts=texts,
        digests=" ".join(f"'sha256-{b64encode(sha256(script).digest()).decode()}'" for script in scripts.values()),
        hole=lambda name: Markup(f"<hole {name}>"),
        **context,
    )
    page = _HELP_LINK.sub(lambda at: at[1] + f"#{_help_id(at[2].decode(), (at[3] or b'').decode())}".encode(), page)
    contents = scripts | {"styles": read_asset("site.css")} | _data(module, site_title)
    # Filled last, because templates replace characters that show nothing, and scripts may contain some.
    return _HOLE.sub(lambda found: contents[found[1].decode()], page)


def _data(module: Module, site_title: str) -> dict[str, bytes]:
    """Return what the scripts of a site load from its data files, as compressed JSON in base 64.

    An issue takes small files only.
    """
    data: Mapping[str, Any] = {
        "values": value_columns(module, routes.VALUE_HREFS_IN_FILE),
        "timeline": timeline(module),
        "instructions": instruction_columns(module, routes.INSTRUCTION_HREFS_IN_FILE),
        "modules": module_columns((), {"terms": "", "row": "", "laterRow": ""}),
        "advice": suggestion_curves(module),
        "terms": terms(lambda path, anchor: f"#{_help_id(path, anchor)}"),
    }
    return {f"data-{name}": packed(data_json(value)) for name, value in data.items()}


def _script(name: str) -> bytes:
    """Return a script as HTML may contain it: its line ends are those that a browser digests."""
    names = MADE_AT_INSTALLATION if name == "charts.js" else (name,)
    text = b"\n".join(read_asset(one) for one in names)
    return text.replace(b"\r\n", b"\n").replace(b"</script", b"<\\/script").replace(b"<!--", b"<\\!--")


def _help_id(path: str, anchor: str = "") -> str:
    """Return the id of a place in a help text; `path` is that of its page, or only the page's name."""
    name = PurePosixPath(path).stem
    return f"help-{name}-{anchor}" if anchor else f"help-{name}"
