"""Fuzzes the reader of protos and profiles, and the parser with what is printed from them."""

import atheris

with atheris.instrument_imports(include=["reportgen"]):
    from reportgen.input.dump_text import DumpText, TextPart
    from reportgen.parse.module_text import ModuleText
    from reportgen.parse.parser import parse_dump
    from reportgen.protos.hlo_proto import read_plan
    from reportgen.protos.profile import profiled_backend, profiled_modules
    from reportgen.protos.proto_messages import ProtoError

from fuzz.harness import fuzz


def read_both_ways(data: bytes) -> None:
    """As a profile, and as the proto of a module."""
    profiled_backend(data)
    modules, _ = profiled_modules(data)
    protos: list[bytes | memoryview] = [data, *(module.proto for module in modules[:3])]
    for proto in protos:
        try:
            plan = read_plan(proto)
            text, module_text = b"".join(plan.dump()), plan.hlo_text()
        except ProtoError:
            continue
        parse_dump(DumpText((TextPart("proto", text),)))
        assert ModuleText(module_text).called_by is not None


if __name__ == "__main__":
    fuzz("protos", read_both_ways)
