"""The page of all that would lower the peak of a module."""

from reportgen.render.html.links import Links
from reportgen.render.module.advice_box import advice_box
from reportgen.render.module.verdict import verdict
from reportgen.render.module.view_page import view_page
from reportgen.render.view import Module
from reportgen.work import Page


def suggestions_page(module: Module, site_title: str) -> Page:
    """Return the page of the suggestions for a module."""
    return view_page(
        module,
        site_title,
        "suggestions",
        "pages/suggestions.html",
        links=Links(module),
        box=advice_box(module),
        verdict=verdict(module),
    )
