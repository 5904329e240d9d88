"""The compile.py of docs/ci.md compiles for a CPU and, where libtpu is installed, for a TPU that is not there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.samples import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="shares a fixture that needs fork")]

CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
(PROGRAM,) = re.findall(r"<!-- program: compile.py -->\n```python\n(.*?)```", CI, re.DOTALL)


def compiled(python: str, folder: Path, *target: str) -> dict[str, Any]:
    """Return the train step of compile.py in report.json."""
    (folder / "compile.py").write_text(PROGRAM, encoding="utf-8")
    flags = {"XLA_FLAGS": "--xla_dump_to=dumps --xla_dump_hlo_as_text", "JAX_ENABLE_COMPILATION_CACHE": "false"}
    environment = os.environ | flags | {"JAX_PLATFORMS": "cpu"}
    ran = subprocess.run(
        [python, "compile.py", *target], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    report = subprocess.check_output([sys.executable, "-m", "reportgen", "check", "--json", folder / "dumps"])
    (module,) = [one for one in json.loads(report)["modules"] if one["name"] == "jit_train_step"]
    found: dict[str, Any] = module
    return found


def divided(module: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the bytes of each argument on one device and on all."""
    return {one["name"]: (one["size_bytes"], one["global_bytes"]) for one in module["devices"]["arguments"]}


def test_for_a_cpu(python: str, tmp_path: Path) -> None:
    module = compiled(python, tmp_path, "cpu")
    assert (module["backend"], module["devices"]["count"]) == ("cpu", 8)
    embedding = 1024 * 256 * 4
    assert divided(module)["state['params']['embedding']"] == (embedding // 8, embedding)
    donated = [one for one in module["arguments"] if one["donated_bytes"] == one["size_bytes"]]
    assert {one["name"].partition("[")[0] for one in donated} == {"state"}


def test_for_a_tpu_that_is_not_there(python: str, tmp_path: Path) -> None:
    has_libtpu = subprocess.run([python, "-c", "import libtpu"], capture_output=True, check=False).returncode == 0
    if not has_libtpu:
        pytest.skip("libtpu is not installed")
    module = compiled(python, tmp_path, "tpu", "v5e:2x4")
    assert (module["backend"], module["devices"]["count"]) == ("tpu", 8)
