"""Make one page of a module's view: what all views have in common."""

from reportgen.render import routes
from reportgen.render.html.links import Links
from reportgen.render.html.templates import render
from reportgen.render.view import Module
from reportgen.work import Page


def view_page(module: Module, site_title: str, kind: str, template: str, *, links: Links, **context: object) -> Page:
    """Return the page of the view `kind`; `links` and the links in `context` start from the module's folder."""
    path = module.routes.listing(kind)
    content = render(
        template,
        path,
        tab=routes.view(kind),
        kind=kind,
        site_title=site_title,
        module=module,
        links=links,
        **context,
    )
    return Page(path, content)
