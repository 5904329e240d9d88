"""What holds where a user says nothing. Apart from the options, because every start of the program reads it."""

from pathlib import Path

DEFAULT_TITLE = "XLA memory report"
DEFAULT_OUTPUT = Path("site")
DEFAULT_HOST = "127.0.0.1"

DEFAULT_MAX_DUMP_BYTES = 4_000_000_000
"""Nine times the largest dump known; what a few megabytes decompress to may be more than any memory."""
