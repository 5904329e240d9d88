"""Code that the advice offers is valid where it is offered, and lowers the peak.

`python tests/run.py --world` compiles each program of `offers.py`, puts the code that its report offers literally where
it says, and compiles it again. What compiled and lowered the peak is kept in `offered.json`; all other runs hold the
advice on the kept protos to it, so a text that changes has to be compiled first.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from reportgen.advice import framework
from tests.world.conftest import OF_JAX_0_12
from tests.world.newest import run_module
from tests.world.offers import OFFERS
from tests.world.test_dumps import report_of

COMPILED = Path(__file__).with_name("offered.json")
LEAST_PART = 0.5
"""The part of a promised saving that must come true; tests/advice has narrower bounds, on real programs."""


def compiled() -> dict[str, str]:
    found: dict[str, str] = json.loads(COMPILED.read_text(encoding="utf-8"))
    return found


def keep(name: str, code: str) -> None:
    COMPILED.write_text(json.dumps(compiled() | {name: code}, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def space(folder: Path) -> Any:
    return report_of(folder)["spaces"]["0"]


def offered(name: str, folder: Path) -> Any:
    suggestions = space(folder)["advice"]["suggestions"]
    kind, what = OFFERS[name].kind, f"{OFFERS[name].what} "
    return next(
        suggestion for suggestion in suggestions if suggestion["kind"] == kind and what in f"{suggestion['what']} "
    )


@pytest.mark.parametrize("name", OFFERS)
def test_what_is_offered_was_compiled(name: str) -> None:
    assert (offered(name, OF_JAX_0_12 / "offers" / name)["code"] or "") == compiled()[name]


def test_every_text_was_compiled() -> None:
    constants = {name: text for name, text in vars(framework).items() if name.isupper() and isinstance(text, str)}
    texts = [text for text in constants.values() if not text.startswith("/")]  # a path, by which a framework is known
    texts.append(framework.donation_code(["params"]))
    for one in (*framework._FRAMEWORKS, framework._JAX):
        loop = one.function.format("body") if one.scans or one is framework._JAX else ""
        # Functions in a program of the others get JAX's own checkpoint, or Haiku's by a text of its own.
        function = f"{{0}} = {one.function}" if one.function.startswith(("nnx.", "eqx.", "jax.")) else ""
        texts += filter(None, (loop, function, one.method, one.scope))
    patterns = [re.sub(r"\\\{\d\\\}", ".+", re.escape(text)) for text in texts]
    missing = [pattern for pattern in patterns if not any(re.fullmatch(pattern, code) for code in compiled().values())]
    assert missing == []


@pytest.mark.parametrize("name", OFFERS)
def test_code_compiles_where_it_is_offered_and_lowers_the_peak(name: str, world: str | None, tmp_path: Path) -> None:
    if world is None:
        pytest.skip("compiled only with --world")
    before, after = tmp_path / "before", tmp_path / "after"
    run_module(world, "tests.world.offered", name, str(before))
    suggestion = offered(name, before)
    if not suggestion["code"]:
        keep(name, "")
        return
    run_module(world, "tests.world.offered", name, str(after), suggestion["code"])
    saved = space(before)["peak_resident_bytes"] - space(after)["peak_resident_bytes"]
    assert saved > 0 or (suggestion["kind"] == "donate" and suggestion["saving_bytes"] == 0)
    assert saved >= LEAST_PART * (suggestion["saving_bytes"] or 0)  # None where the saving is unknown
    keep(name, suggestion["code"])
