"""What all parts of a value's section look up, under short names."""

from reportgen.render.html.links import Links
from reportgen.render.view import Module


class ValueTexts:
    """Makes a part of the sections of one module's values; numbers are those of values."""

    def __init__(self, module: Module, links: Links) -> None:
        self.module, self.analysis, self.links = module, module.analysis, links
        self.dump, self.facts, self.program = module.analysis.dump, module.analysis.facts, module.analysis.program
        self.values, self.buffers = self.dump.values, self.program.buffers
        self.author, self.instruction, self.value = module.attribution, links.instruction, links.value
