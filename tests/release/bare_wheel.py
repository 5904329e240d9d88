"""Try a wheel as a user gets it: in an environment that has nothing else.

    python tests/release/bare_wheel.py dist

installs the wheel in `dist` and runs its commands on a sample, in a folder that has no checkout around it.
"""

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLE = Path(__file__).parents[2] / "samples" / "cpu-tiny"


def main(dist: Path) -> None:
    """Raise CalledProcessError or AssertionError unless the wheel works."""
    [wheel] = dist.resolve().glob("*.whl")
    with TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", wheel], check=True)
        try_commands(scripts, Path(folder))


def try_commands(scripts: Path, folder: Path) -> None:
    """Run every kind of command once."""

    def run(*command: str | Path, code: int = 0) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert ran.returncode == code, (command, ran.returncode, ran.stdout, ran.stderr)
        return ran.stdout + ran.stderr

    version = run(scripts / "reportgen", "--version")
    assert run(scripts / "xla-reportgen", "--version") == version, version
    assert "917,504 bytes" in run(scripts / "reportgen", "check", SAMPLE)
    run(scripts / "reportgen", "build", SAMPLE, "-o", "site")
    assert (folder / "site" / "assets" / "vega.js").is_file()
    compiled_nothing = run(scripts / "reportgen", "run", "--", scripts / "python", "-c", "print('hello')", code=1)
    assert "hello" in compiled_nothing, compiled_nothing
    assert "XLA compiled nothing" in compiled_nothing, compiled_nothing
    without_jax = run(scripts / "python", "-c", "import reportgen; reportgen.report(print)", code=1)
    assert "reportgen compiles functions with JAX, and this Python cannot import it" in without_jax, without_jax
    print(version.strip(), "works with", run(scripts / "python", "--version").strip())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
