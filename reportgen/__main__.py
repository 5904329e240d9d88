"""`python -m reportgen`: the same as the installed command."""

from reportgen.cli import run

run()
