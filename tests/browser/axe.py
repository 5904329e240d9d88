"""What axe-core, a checker of accessibility, has to say about a page."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

AXE = Axe()
# It would fetch the style sheets, which the policy of the pages forbids.
OPTIONS = {"resultTypes": ["violations"], "preload": False}


# A row of a table is like the others; the first ten are looked at.
CONTEXT = {"exclude": [["tbody tr:nth-child(n + 11)"]]}

# Nothing but the colors is other in the dark.
COLORS = {**OPTIONS, "runOnly": ["color-contrast", "link-in-text-block"]}


def complaints(page: Page, options: dict[str, Any] = OPTIONS) -> list[str]:
    """Return what axe finds on a page as it is now: the rule, and each element that breaks it."""
    violations: list[dict[str, Any]] = AXE.run(page, CONTEXT, options).response["violations"]
    return [f"{found['id']}: {node['target']} {node['html'][:200]}" for found in violations for node in found["nodes"]]
