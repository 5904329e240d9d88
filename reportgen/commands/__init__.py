"""The commands of the command line, one module each.

The docstring of a module is the help of its command; `add_arguments` declares the flags, and `run` turns them into
options, does the work and returns the exit code. The stages are imported in `run` because they take longer to load
than `--help` takes to print.
"""
