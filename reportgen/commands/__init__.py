"""The commands of the command line, one module each.

`flags` declares what each command takes. The `run` of a command turns that into options, does the work and returns the
exit code.
"""
