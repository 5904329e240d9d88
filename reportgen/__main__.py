"""`python -m reportgen` and the installed command.

Nothing is imported at the top, because Ctrl-C may come while the modules of a command are imported.
"""

import sys


def run() -> None:
    """Run the command line, and exit with its code."""
    try:
        import gc

        gc.disable()  # `garbage_collection_paused` searches between dumps
        from reportgen.cli import main

        code = main()
        gc.freeze()  # because Python searches once more when it ends
        sys.exit(code)
    except KeyboardInterrupt:
        pass
    except RuntimeError as error:
        if not isinstance(error.__cause__, KeyboardInterrupt):  # Python wraps one that comes while a class is made
            raise
    sys.stderr.write("reportgen: error: interrupted\n")
    sys.exit(130)


if __name__ == "__main__":
    run()
