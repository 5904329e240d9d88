"""Read the names of dump files, so that no file has to be opened to know which dump it belongs to.

XLA names its files `[TIMESTAMP.]module_NNNN[.MODULE_NAME][.cl_CHANGELIST].STAGE` plus one of three suffixes. Module
names and stages both contain dots, so a name is read from the outside in.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Literal, NamedTuple

from reportgen.record import record

Backend = Literal["cpu", "gpu", "tpu", "unknown"]
"""The backend that compiled the module; "unknown" if neither the file's name nor its text says it."""
SiblingKind = Literal[
    "usage report", "HLO text", "proto", "refusal", "refusal list", "TPU target", "GPU target", "error text"
]

PART_SUFFIXES = ("-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt")
"""Allocations, values, live ranges: the files of one dump, in the order of their text."""

SIBLING_SUFFIXES: Mapping[str, SiblingKind] = {
    "-memory-usage-report.txt": "usage report",
    ".txt": "HLO text",
    ".hlo.pb": "proto",
    ".hlo_proto.pb": "proto",
}
"""Suffixes of other files that XLA writes about a module, with the same stem as its dump."""

PROTO_SUFFIXES = (".hlo.pb", ".hlo_proto.pb")
"""Suffixes of files that are one HloProto: as XLA dumps it, and as XProf keeps it next to a profile."""

TARGET_OF_TPU = ".target_arguments.txt"
"""Ends the name of the file that names the TPU."""

REFUSAL_SUFFIXES: Mapping[str, SiblingKind] = {
    ".oom_intermediate_module.txt": "refusal",
    ".oom_top_memory_consuming_instructions": "refusal list",
    TARGET_OF_TPU: "TPU target",
    ".gpu_target_config.pbtxt": "GPU target",
}
"""Suffixes of files that a compiler names after the module alone, without the stage of the dump."""

TARGET_OF_ALL = "gpu_target_config.pbtxt"
"""The file that names the GPU for all modules of a directory."""

ERROR_TEXT = "out-of-memory.txt"
"""The error of the program whose dumps are in the same folder; `reportgen run` writes this file."""

REFUSAL_KINDS = frozenset({*REFUSAL_SUFFIXES.values(), "error text"})
"""The siblings that say whether a program fits."""

_WRITTEN_FOR: Mapping[str, Backend] = {
    "refusal": "tpu",
    "refusal list": "tpu",
    "TPU target": "tpu",
    "GPU target": "gpu",
}
"""The only backend whose compiler writes such a file. A process may compile for several, into one directory."""

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
        |7z|bz2|egg|jar|lz4|rar|tar|tbz2?|tgz|txz|whl|zip|zst
        |gif|ico|jpe?g|mp4|pdf|png|svg|ttf|woff2?|sw[op]
    ))""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

_ARCHIVE = re.compile(r".*\.(?:tar(?:\.(?:gz|xz|bz2))?|tgz|txz|tbz2?|zip)", re.IGNORECASE | re.DOTALL)

_MOST_PASSES = 16  # how far the number of a module may go up while it is compiled

# At most as many digits as a file name has, because a log may contain more and Python refuses to convert over 4,300.
_MODULE = re.compile(r"(?:(?P<timestamp>[0-9]{1,255})\.)?module_(?P<number>[0-9]{4,255})(?:\.(?P<rest>.+))?", re.DOTALL)

# Lazy groups, because the name ends at the first dot after which the rest reads as a stage. A stage has no dot, except
# after the number of an NVIDIA architecture: `sm_9.0a_gpu_after_optimizations`.
_REST = re.compile(
    r"(?:(?P<name>.+?)\.)??(?:cl_(?P<changelist>[0-9]{1,255})\.)?(?P<stage>sm_[0-9]+\.[0-9]+[a-z]?_[^.]+|[^.]+)",
    re.DOTALL,
)
_PROGRAM_ID = re.compile(r"\(-?[0-9]{1,20}\)(?:#[0-9]+)?$")
_DEVICE = re.compile(r"(?:.*_)?(?P<gpu>gpu)(?=_)|cpu(?=_)", re.DOTALL)


@record
class DumpName:
    """The components of a file name. All files of one dump have the same `stem`.

    `module_name` is never empty: it is `module_NNNN` if XLA omitted a name that was too long, and the stem if the file
    has no name that XLA gives. `backend` comes from the stage; the stage of a TPU names no backend. `device` is the
    beginning of the stage, such as `sm_9.0a_gpu`, by which modules of several devices in one directory differ; empty
    for a TPU, and None before the optimizations, where no stage names a device.
    """

    stem: str
    module_number: int | None = None
    module_name: str
    stage: str | None = None
    timestamp_microseconds: int | None = None
    changelist: int | None = None
    backend: Backend = "unknown"
    device: str | None = ""

    @property
    def module(self) -> str:
        """Return the name that all files of the module begin with, whatever stage of the compilation they are from."""
        return self.stem.removesuffix(f".{self.stage}") if self.stage else self.stem

    def may_have(self, kind: SiblingKind) -> bool:
        """Return whether a file of this kind, with the name of the module, may be about this dump."""
        return self.backend == "unknown" or is_written_for(self.backend, kind)


def is_written_for(backend: Backend, kind: str) -> bool:
    """Return whether the compiler of a backend writes files of this kind; for an unknown one, whether all may."""
    return _WRITTEN_FOR.get(kind, backend) == backend


def without_compression(file_name: str) -> str:
    """Return `file_name` without `.gz` or `.xz`."""
    return file_name[:-3] if file_name.lower().endswith(COMPRESSION_SUFFIXES) else file_name


class PartName(NamedTuple):
    """The name of a file of a dump without its suffix, which has the index `part` in `PART_SUFFIXES`."""

    stem: str
    part: int


def split_part(file_name: str) -> PartName | None:
    """Return the stem and the part that a file name states; None if it is not named as part of a dump."""
    plain = without_compression(file_name)
    for part, suffix in enumerate(PART_SUFFIXES):
        if plain.endswith(suffix):
            return PartName(plain.removesuffix(suffix), part)
    return None


def is_something_else(file_name: str) -> bool:
    """Return whether the name rules out a dump: it has a known suffix, or is an editor's backup."""
    return _SOMETHING_ELSE.fullmatch(without_compression(file_name)) is not None


def may_be_log(file_name: str) -> bool:
    """Return whether a file is named like a log, and not like the many large HLO texts in a dump directory."""
    plain = without_compression(file_name)
    return PurePath(plain).suffix.lower() in _LOG_SUFFIXES and not _MODULE.match(plain)


def proto_stem(file_name: str) -> str | None:
    """Return the name of a proto of a module without its suffix; None for any other file."""
    plain = without_compression(file_name)
    return next((plain.removesuffix(suffix) for suffix in PROTO_SUFFIXES if plain.endswith(suffix)), None)


def is_profile(file_name: str) -> bool:
    """Return whether this is a profile, as `jax.profiler.trace` names it."""
    return without_compression(file_name).endswith(".xplane.pb")


def is_unread_part(file_name: str) -> bool:
    """Return whether this is a part of a dump in an unsupported compression."""
    path = PurePath(file_name)
    return path.suffix in _OTHER_COMPRESSION and split_part(path.stem) is not None


def is_archive(file_name: str) -> bool:
    """Return whether a file is named like an archive, which is unpacked if it is given."""
    return _ARCHIVE.fullmatch(file_name) is not None


def read_name(file_name: str) -> DumpName:
    """Parse `[TIMESTAMP.]module_NNNN[.MODULE_NAME][.cl_CHANGELIST].STAGE-buffer-assignment.txt`, or any other name."""
    split = split_part(file_name)
    stem = split.stem if split else PurePath(without_compression(file_name)).stem
    module = _MODULE.fullmatch(stem) if split else None
    rest = _REST.fullmatch(module["rest"] or "") if module else None
    if module is None or rest is None:
        return DumpName(stem=stem, module_name=stem or file_name)
    stage = rest["stage"]
    device = _DEVICE.match(stage)
    return DumpName(
        stem=stem,
        module_number=int(module["number"]),
        module_name=rest["name"] or f"module_{module['number']}",
        stage=stage,
        timestamp_microseconds=_number(module["timestamp"]),
        changelist=_number(rest["changelist"]),
        backend="unknown" if device is None else "gpu" if device["gpu"] else "cpu",
        device=None if stage.startswith("before_") else device[0] if device else "",
    )


def read_stem(stem: str) -> DumpName:
    """Parse the name of a file of a module without its suffix."""
    return read_name(stem + PART_SUFFIXES[0])


def read_module_name(stem: str) -> DumpName:
    """Parse the name of a proto without its suffix, or of a module in a profile: `jit_f(1234)`."""
    named = read_stem(stem)
    if named.module_number is not None:
        return named
    return DumpName(stem=stem, module_name=_PROGRAM_ID.sub("", stem) or stem)


def stems_before(module: str) -> Iterator[str]:
    """Yield the names of the same module with smaller numbers, the nearest first, as `module_0000.jit_f`."""
    match = _MODULE.fullmatch(module)
    if match is None or match["rest"] is None:
        return
    start, end = match.span("number")
    for number in range(int(match["number"]) - 1, max(-1, int(match["number"]) - 1 - _MOST_PASSES), -1):
        yield f"{module[:start]}{number:0{end - start}d}{module[end:]}"


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
