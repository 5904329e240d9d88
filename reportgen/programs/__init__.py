"""Run a user's program so that XLA dumps what it compiles, and build the report from that.

The room is not called `capture`, because that name in the package is the function `reportgen.capture`.
"""
