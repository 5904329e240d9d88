"""Fuzzes all that a build makes of one dump: its text, its analysis and each of its pages."""

import atheris

with atheris.instrument_imports(include=["reportgen"]):
    from reportgen.analyse.analysis import analyse
    from reportgen.input.dump_text import DumpText, TextPart
    from reportgen.parse.parser import parse_dump
    from reportgen.render.module.module_pages import module_pages
    from reportgen.render.view import Module

from fuzz.harness import fuzz


def make_pages(data: bytes) -> None:
    analysis = analyse(parse_dump(DumpText((TextPart("dump", data),))))
    module = Module(label="dump", title="dump", stage=None, number=None, analysis=analysis)
    for page in module_pages(module, "Fuzz"):
        assert page.content or page.path


if __name__ == "__main__":
    fuzz("pages", make_pages)
