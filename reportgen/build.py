"""The one place that composes the stages: discover → parse → analyse → render → write."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from reportgen.analyse import analyse
from reportgen.discover import Discovered, discover
from reportgen.errors import ReportgenError
from reportgen.options import BuildOptions
from reportgen.parse import parse_dump
from reportgen.reading import DumpFiles, Problem, load_text

Progress = Callable[[int, int, str], None]
"""Called with how many dumps are done, how many there are, and the label of the last one."""
