"""Make one page of a module's view: what all views have in common."""

from dataclasses import dataclass

from reportgen.render import routes
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.view import Module
from reportgen.work import Page


def view_page(
    module: Module, site_title: str, kind: str, template: str, *, links: Links, page: int = 1, **context: object
) -> Page:
    """Return a page of the view `kind`; `links` and the links in `context` start from the module's folder."""
    path = module.routes.listing(kind, page)
    content = render(
        template,
        path,
        tab=routes.view(kind),
        kind=kind,
        page=page,
        site_title=site_title,
        module=module,
        links=links,
        **context,
    )
    return Page(path, content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest:
    """The rows that a table leaves out: their number, the sum of its main column, and the page that has them."""

    count: int
    amount: int
    href: str = ""
