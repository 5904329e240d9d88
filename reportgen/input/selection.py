"""Choose the dumps of one module by its name, before anything is read of the others."""

from collections.abc import Sequence

from reportgen.errors import OptionError, shown
from reportgen.input.reading import DumpFiles

_MOST_NAMES = 20


def of_module(dumps: Sequence[DumpFiles], name: str) -> tuple[DumpFiles, ...]:
    """Return the dumps whose module or label is called `name`. Raises OptionError, which lists the modules."""
    matches = tuple(files for files in dumps if name in (files.name.module_name, files.label))
    if matches:
        return matches
    names = sorted({files.name.module_name for files in dumps})
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    raise OptionError(f"--module {shown(name)}: no such module; there are {', '.join(names[:_MOST_NAMES])}{more}")
