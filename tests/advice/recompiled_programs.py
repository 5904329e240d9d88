"""Read the programs that were changed and compiled again, with their HLO text, once for all tests."""

import json
from functools import cache
from pathlib import Path

from reportgen.advice.advise import Advice, advise
from reportgen.analyse.records import Analysis
from tests.advice.recompiled import largest

PROGRAMS = Path(__file__).parent / "programs"


def names() -> list[str]:
    pairs = json.loads((PROGRAMS / "pairs.json").read_text(encoding="utf-8"))
    return sorted({pair["before"] for pair in pairs})


@cache
def program(name: str) -> Analysis:
    analysis = largest(PROGRAMS / name)
    assert analysis is not None
    return analysis


@cache
def advice(name: str, capacity_bytes: int | None = None) -> Advice:
    return advise(program(name), capacity_bytes)[0]
