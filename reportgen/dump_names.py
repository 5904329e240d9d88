"""What the name of a dump file says, so that nothing has to be opened to know what it belongs to.

XLA names its files `[TIMESTAMP.]module_NNNN[.MODULE_NAME][.cl_CHANGELIST].STAGE` plus one of three
suffixes. Module names and stages both contain dots, so the name is read from the outside in.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

Backend = Literal["cpu", "gpu", "unknown"]
SiblingKind = Literal["usage report", "HLO text", "proto"]

PART_SUFFIXES = ("-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")
"""Allocations, values, live ranges: the files of one dump, in the order of their text."""

SIBLING_SUFFIXES: Mapping[str, SiblingKind] = {
    "-memory-usage-report.txt": "usage report",
    ".txt": "HLO text",
    ".hlo.pb": "proto",
}
"""What XLA writes of the same module beside a dump, with the same stem."""

COMPRESSION_SUFFIXES = (".gz", ".xz")

_OTHER_COMPRESSION = (".bz2", ".lz4", ".zip", ".zst")
_LOG_SUFFIXES = frozenset({"", ".err", ".log", ".out", ".txt"})
_SOMETHING_ELSE = re.compile(
    r"""
    .*(?: ~ | \.(?:
        debug_options|dot|hsaco|cubin|ll|mlir|o|pb|pbtxt|ptx|s|textproto|url        # beside dumps
        |bin|ckpt|db|h5|npy|npz|onnx|parquet|pickle|pkl|pth?|safetensors|tfevents|tfrecord
        |a|c|cc|cpp|css|cu|h|hpp|html|ipynb|js|map|md|pyc?|pyi|rs|rst|sh|so|ts|wasm
        |cfg|csv|ini|jsonl?|lock|toml|xml|ya?ml
        |7z|bz2|egg|jar|lz4|rar|tar|tgz|whl|zip|zst
        |gif|ico|jpe?g|mp4|pdf|png|svg|ttf|woff2?|sw[op]
    ))""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

# Numbers are as long as a file name may be; a log can claim longer ones, which Python refuses to convert.
_MODULE = re.compile(r"(?:(?P<timestamp>[0-9]{1,255})\.)?module_(?P<number>[0-9]{4,255})(?:\.(?P<rest>.+))?", re.DOTALL)

# Lazy groups: the name ends at the first dot after which the rest reads as a stage.
_REST = re.compile(
    r"(?:(?P<name>.+?)\.)??(?:cl_(?P<changelist>[0-9]{1,255})\.)?(?P<stage>sm_[0-9]+\.[0-9]+[a-z]?_[^.]+|[^.]+)",
    re.DOTALL,
)
_GPU_STAGE = re.compile(r"(?:^|_)gpu_")


@dataclass(frozen=True, slots=True, kw_only=True)
class DumpName:
    """A file name taken apart. `stem` is what the files of one dump share.

    `module_name` is never empty: `module_NNNN` where XLA left the name out for its length, the stem where
    the file follows no rule. `backend` is what the stage says; a TPU's says nothing.
    """

    stem: str
    module_number: int | None
    module_name: str
    stage: str | None
    timestamp_microseconds: int | None
    changelist: int | None
    backend: Backend


def without_compression(file_name: str) -> str:
    """`file_name` without `.gz` or `.xz`."""
    return file_name[:-3] if file_name.lower().endswith(COMPRESSION_SUFFIXES) else file_name


def split_part(file_name: str) -> tuple[str, int] | None:
    """The stem and the index into `PART_SUFFIXES`; None for a file that is no part of a dump by its name."""
    plain = without_compression(file_name)
    for part, suffix in enumerate(PART_SUFFIXES):
        if plain.endswith(suffix):
            return plain.removesuffix(suffix), part
    return None


def is_something_else(file_name: str) -> bool:
    """Whether the name alone says that this is no dump: a known suffix, or an editor's backup."""
    return _SOMETHING_ELSE.fullmatch(without_compression(file_name)) is not None


def may_be_log(file_name: str) -> bool:
    """Called like a log, and not like the HLO texts and reports of a dump directory, which are many and large."""
    plain = without_compression(file_name)
    return PurePath(plain).suffix.lower() in _LOG_SUFFIXES and not _MODULE.match(plain)


def is_proto(file_name: str) -> bool:
    """Whether this is the proto that XLA writes of a module."""
    return without_compression(file_name).endswith(".hlo.pb")


def is_unread_part(file_name: str) -> bool:
    """Whether this is a part of a dump, compressed in a way that is not read."""
    path = PurePath(file_name)
    return path.suffix in _OTHER_COMPRESSION and split_part(path.stem) is not None


def read_name(file_name: str) -> DumpName:
    """`[TIMESTAMP.]module_NNNN[.MODULE_NAME][.cl_CHANGELIST].STAGE-buffer-assignment.txt`, or any other name."""
    part = split_part(file_name)
    stem = part[0] if part else PurePath(without_compression(file_name)).stem
    module = _MODULE.fullmatch(stem) if part else None
    rest = _REST.fullmatch(module["rest"] or "") if module else None
    if module is None or rest is None:
        return _ruleless(stem, file_name)
    return DumpName(
        stem=stem,
        module_number=int(module["number"]),
        module_name=rest["name"] or f"module_{module['number']}",
        stage=rest["stage"],
        timestamp_microseconds=_number(module["timestamp"]),
        changelist=_number(rest["changelist"]),
        backend=_backend(rest["stage"]),
    )


def _ruleless(stem: str, file_name: str) -> DumpName:
    return DumpName(
        stem=stem,
        module_number=None,
        module_name=stem or file_name,
        stage=None,
        timestamp_microseconds=None,
        changelist=None,
        backend="unknown",
    )


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _backend(stage: str) -> Backend:
    if _GPU_STAGE.search(stage):
        return "gpu"
    return "cpu" if stage.startswith("cpu_") else "unknown"
