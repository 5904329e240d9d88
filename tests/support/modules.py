"""Modules as pages show them, of an analysis or of a sample, and their files."""

from typing import Any

from reportgen.analyse.records import Analysis
from reportgen.render.module.module_pages import module_pages
from reportgen.render.view import Module
from tests.support.dumps import analysed
from tests.support.samples import label_in, sample_analysis


def module_of(analysis: Analysis, **more: Any) -> Module:
    return Module(label="step.txt", title="step", stage=None, number=None, analysis=analysis, **more)


def module_in(folder: str) -> Module:
    """Return the module of the only dump in a folder of the samples."""
    return module_of(sample_analysis(label_in(folder)))


def pages_of(module: Module) -> dict[str, str]:
    """Return the files of a module, by their paths in its folder."""
    folder = module.routes.folder
    return {page.path.removeprefix(folder): page.content.decode() for page in module_pages(module, "Site")}


def views_of(text: str) -> dict[str, str]:
    """Return the files of the module of a dump."""
    return pages_of(module_of(analysed(text)))
