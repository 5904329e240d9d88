"""What axe-core, a checker of accessibility, has to say about a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = Axe()
# It would fetch the style sheets, which the policy of the pages forbids.
OPTIONS = {"resultTypes": ["violations"], "preload": False}


_FEWER_ROWS = """() => {
  document.querySelectorAll('.own:not(.open)').forEach(view => view.remove());
  document.querySelectorAll('tbody, ol, ul').forEach(list => [...list.children].slice(10).forEach(row => row.remove()));
}"""
"""A row is like the others, and axe takes a hundredth of a second for each, also for those that it is told to leave."""

# Nothing but the colors is other in the dark.
COLORS = {**OPTIONS, "runOnly": ["color-contrast", "link-in-text-block"]}


def complaints(page: Page, options: dict[str, Any] = OPTIONS) -> list[str]:
    """Return what axe finds on a page as it is now: the rule, and each element that breaks it.

    The page loses all rows of its tables and lists but the first ten, and the views that are not open.
    """
    page.evaluate(_FEWER_ROWS)
    violations: list[dict[str, Any]] = AXE.run(page, None, options).response["violations"]
    return [f"{found['id']}: {node['target']} {node['html'][:200]}" for found in violations for node in found["nodes"]]
