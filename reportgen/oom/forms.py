"""Declare every sentence about memory that compilers, runtimes, allocators and libraries print.

A new one is one `Form` here, one text in `tests/oom/cases.toml` and one row in `docs/error-texts.md`. Where two forms
begin with the same words, the one that demands more comes first.
"""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from reportgen.record import record

Kind = Literal[
    "compile",
    "allocation",
    "kernel",
    "load",
    "data",
    "execution",
    "host",
    "code",
    "library",
    "autotuning",
    "allocator",
    "compiled",
    "device",
    "attempt",
    "rematerialization",
    "arguments",
    "system",
    "other runtime",
    "fragment",
    "sharding",
    "donation",
    "not memory",
    "unknown",
]
"""What happened, and when: see docs/error-texts.md."""

VERDICTS: Mapping[Kind, str] = {
    "compile": "The compiler refused the program",
    "allocation": "One buffer is larger than the memory",
    "kernel": "One kernel needs more on-chip memory than there is",
    "load": "The program compiled, but could not be loaded",
    "data": "Data could not be put on the device",
    "execution": "The program ran out of memory while it was running",
    "host": "The host ran out of memory for the program",
    "code": "The program compiled, but its code could not be loaded",
    "library": "A library or driver ran out of memory outside of XLA’s pool",
    "autotuning": "Memory ran out at compile time, while algorithms were tried",
    "allocator": "Buffers in the runtime’s allocator when memory ran out",
    "compiled": "Figures of a compiled program",
    "device": "Figures of a device",
    "attempt": "A warning: an allocation failed, which is no failure of the program by itself",
    "rematerialization": "A warning: recomputing values does not make the program small enough",
    "arguments": "A warning: arguments and outputs alone exceed the limit of the compiler",
    "system": "The operating system or the cluster ended the process",
    "other runtime": "Another runtime ran out of memory, not XLA",
    "fragment": "Out of memory (the start of the message is missing)",
    "sharding": "A warning: a tensor is replicated on all devices to change its sharding",
    "donation": "A warning: donated arguments were not used",
    "not memory": "A message that is not about memory",
    "unknown": "Memory or another resource ran out, in a message that reportgen does not know",
}

WARNINGS: frozenset[Kind] = frozenset({"attempt", "rematerialization", "arguments", "sharding", "donation"})
"""Kinds that a program survives."""

FIGURES: frozenset[Kind] = frozenset({"compiled", "device", "allocator", "not memory"})
"""Kinds that state figures and are no failure by themselves."""

OF_COMPILER: frozenset[Kind] = frozenset({"compile", "allocation"})

OF_ONE_REQUEST: frozenset[Kind] = frozenset({"execution", "attempt", "data", "allocator"})
"""Kinds that state the size of the one allocation that failed, and not of all that a program holds."""

WITHOUT_PLAN: frozenset[Kind] = frozenset(
    {
        "unknown",
        "not memory",
        "kernel",
        "host",
        "code",
        "library",
        "autotuning",
        "system",
        "other runtime",
        "attempt",
        "device",
    }
)
"""Kinds that no dump explains: the memory is not that of an XLA program, or no plan was made."""

SIZE = r"-?\d++(?:\.\d++)?(?:[ ]?[KMGTPE](?:i?B)?|[ ]?B|[ ]bytes)"
"""A printed size. Without its unit it was cut off."""
_SPACE = r"(?:(?P<space>(?i:hbm|vmem|smem|cmem|sflag|spmem|tilespmem|host|device))\b|\w+)"
_NEEDED, _CAPACITY, _FREE = rf"(?P<needed>{SIZE})", rf"(?P<capacity>{SIZE})", rf"(?P<free>{SIZE})"


@record(slots=False)
class Form:
    """A sentence: where it begins, what it states, and how a report words it.

    `sign` is a text that every such sentence contains, `before` a pattern for what must stand right before it, and
    `rest` one for what must follow; `context` may stand anywhere before. Groups named in `SIZES` are sizes, counted in
    `bytes_per_unit`; others are words as they stand. A sentence of `says` may name any of them, and is left out where
    the text lacks one. With `rows`, the sentence goes on for up to `lines` lines of names and sizes. `may_hold` are the
    forms of sentences that can be part of this one, and `yields_to` is one that says more where it is there, too, or
    `ANY`.
    """

    name: str
    kind: Kind
    sign: str
    rest: str = ""
    before: str = ""
    context: str = ""
    says: tuple[str, ...] = ()
    next_step: str = ""
    backend: Literal["tpu", "gpu", "cpu", ""] = ""
    space: str = ""
    bytes_per_unit: int = 1
    rows: str = ""
    lines: int = 0
    may_hold: tuple[str, ...] = ()
    yields_to: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.sign) + self.rest, re.DOTALL)

    @cached_property
    def pattern_before(self) -> re.Pattern[str]:
        return re.compile(f"(?:{self.before})$")

    @cached_property
    def pattern_of_context(self) -> re.Pattern[str]:
        return re.compile(self.context)

    @cached_property
    def pattern_of_rows(self) -> re.Pattern[str]:
        return re.compile(self.rows)

    @property
    def has_plan(self) -> bool:
        """Whether a dump of XLA can explain it."""
        return self.kind not in WITHOUT_PLAN


ANY = "any other"

SIZES = ("needed", "capacity", "excess", "free", "reservable", "largest", "held")

_RUN_AGAIN = "Run the program once more with `reportgen run -- COMMAND`: the dump names every buffer at the peak."
_SMALLER_KERNEL = (
    "Make the blocks of that kernel smaller, or raise its limit: `vmem_limit_bytes` of `pltpu.CompilerParams`, or"
    " `--xla_tpu_scoped_vmem_limit_kib` for all kernels. Batch and checkpoints change nothing here."
)
_SMALLER_TILES = (
    "Give that kernel smaller tiles or fewer stages (`num_stages`). It is not the memory of the device, so a smaller"
    " batch or a larger device of the same generation changes nothing, and no dump shows it."
)
_LEAVE_ROOM = (
    "Leave memory outside of XLA’s pool: a smaller `XLA_PYTHON_CLIENT_MEM_FRACTION`, or"
    " `XLA_PYTHON_CLIENT_PREALLOCATE=false`, and end other processes on the device."
)
_LESS_SCRATCH = "What does not fit is scratch memory of an algorithm: a smaller pool or batch leaves room for it."
_TORCH = "Its memory snapshot (`torch.cuda.memory._snapshot`) shows what holds it."
_NO_PLAN = "XLA made no plan of this memory, so there is no dump to read."
_NEURON_PLAN = "AWS Neuron plans memory by itself, so no buffer assignment of XLA exists."
_OTHER_FILES = (
    "Give reportgen the folder of this file: the files of the same name that end in -buffer-assignment.txt and"
    " -live-range.txt have the plan."
)
_PIECES = (
    rf"(?:, {SIZE} reserved, and (?P<reservable>{SIZE}) reservable"
    rf"|\. (?:Due to fragmentation, t|T)he largest contiguous region of free memory is (?P<largest>{SIZE})"
    r"(?: due to fragmentation)?)?"
)
_KERNEL = r"(?P<kernel>[\w.-]+)"

_TPU_COMPILER = (
    Form(
        name="scoped",
        kind="compile",
        sign="Scoped allocation with size ",
        rest=rf"{_NEEDED} and limit {_CAPACITY} exceeded scoped {_SPACE} limit(?: by (?P<excess>{SIZE}))?",
        context=rf"on stack for %?{_KERNEL}(?: = (?P<kernel_shape>[^\s(]+))?",
        says=("The kernel {kernel} needs {needed} of scoped {space}; its limit is {capacity}.",),
        next_step=_SMALLER_KERNEL,
        backend="tpu",
    ),
    Form(
        name="mosaic-vmem",
        kind="compile",
        sign="nsufficient scoped ",
        rest=rf"{_SPACE}: {_NEEDED} > {_CAPACITY}",
        says=("A kernel needs {needed} of scoped {space}; its limit is {capacity}.",),
        next_step=_SMALLER_KERNEL,
        backend="tpu",
    ),
    Form(
        name="memory-space",
        kind="compile",
        sign="Ran out of memory in memory space ",
        rest=(
            rf"{_SPACE}(?:.{{0,500}}?Used {_NEEDED} of {_CAPACITY}(?: \w+)?(?:\.\s*Exceeded \w+ capacity by"
            rf" (?P<excess>{SIZE}))?)?(?:.{{0,100}}?on stack for %?{_KERNEL})?"
        ),
        backend="tpu",
        yields_to="scoped",
    ),
    Form(
        name="temporaries",
        kind="compile",
        sign="Ran out of memory on ",
        rest=(
            rf"{_SPACE}, the total memory required for HLO temporaries \({_NEEDED}\) exceeds available \w+"
            rf" \({_CAPACITY}\)"
        ),
        backend="tpu",
    ),
    Form(
        name="two-cores",
        kind="compile",
        sign="TPU TensorCore Hbm usage: ",
        rest=(
            rf"(?P<tensor_core_size>{SIZE}), SparseCore (?P<space>Hbm) usage (?P<sparse_core_size>{SIZE}),"
            rf" exceeding available bytes: {_CAPACITY}"
        ),
        says=("TensorCores need {tensor_core_size} of it, SparseCores {sparse_core_size}.",),
        backend="tpu",
    ),
    Form(
        name="one-buffer",
        kind="allocation",
        sign="Allocation (size=",
        rest=(
            r"(?P<needed>\d+)\) would exceed memory \(size=(?P<capacity>\d+)\)(?:[\s:]*(?:#allocation\d+[\s\[]*)?"
            rf"shape = '?(?P<shape>[^'\n]{{1,2000}}?)'?, space={_SPACE}"
            r"(?:.{0,2000}?tag = '(?P<tag>[^']*)'\]?(?:\s*::\s*(?P<hlo>\S+))?)?)?"
        ),
        backend="tpu",
    ),
    Form(
        name="early",
        kind="compile",
        sign="Aborting compilation early because it's unlikely to have enough ",
        rest=rf".{{0,500}}?Requires {_NEEDED}, has {_CAPACITY} available",
        says=("The compiler stopped before it planned the memory.",),
    ),
    Form(
        name="sparse-core",
        kind="kernel",
        sign="current allocation offset upper bound (",
        rest=(
            r"(?P<needed>\d+) words\) exceeds the legitimate user allocatable offset upper bound"
            r" \((?P<capacity>\d+) words\)(?: in memory space (?P<space_number>\d+))?"
            r"(?: when allocating (?P<asked>\d+) words)?"
        ),
        context=rf"Hlo-Op: {_KERNEL}",
        says=(
            "{kernel} runs on a SparseCore and needs more of its {space} than there is.",
            "The allocation of {asked} words is one that does not fit.",
        ),
        next_step="Give that operation a smaller tile or window. It is not the HBM that is full; no dump shows it.",
        backend="tpu",
        bytes_per_unit=4,
    ),
    Form(
        name="replica-count",
        kind="kernel",
        sign="No viable logical replica count for the embedding table",
        rest=r"(?:.{0,600}?total_spmem_size_bytes = (?P<capacity>\d+))?",
        says=("An embedding table on a SparseCore does not fit into its {space}, however it is split.",),
        next_step="Use a smaller batch, or better estimates of the largest numbers of ids (max_nz_per_row).",
        backend="tpu",
        space="spmem",
    ),
    Form(
        name="hbm-usage",
        kind="compiled",
        sign="program HBM usage: ",
        rest=rf"{_NEEDED} / {_CAPACITY}",
        backend="tpu",
        space="hbm",
    ),
)

_LOADING = (
    Form(
        name="reserve",
        kind="load",
        sign="Attempting to reserve ",
        rest=(
            rf"{_NEEDED} at the bottom of memory(?:\. That was not possible)?(?:\. There are {_FREE} free"
            rf"{_PIECES})?"
        ),
        backend="tpu",
    ),
    Form(
        name="buffer",
        kind="data",
        sign="Attempting to allocate ",
        rest=(
            rf"{_NEEDED}\.\s*That was not possible(?:\. There are {_FREE} free{_PIECES}(?:\.; \((?P<device>\w+)\))?)?"
        ),
        backend="tpu",
    ),
    Form(
        name="buffer-in-memory",
        kind="data",
        sign="ould not allocate ",
        rest=(
            r"(?P<needed>\d+) bytes in memory (?P<device>\w+); (?P<reservable>\d+) bytes allocatable,"
            r" (?P<free>\d+) bytes available"
        ),
        backend="tpu",
    ),
    Form(
        name="constant",
        kind="load",
        sign="ailed to allocate ",
        rest=r"(?P<needed>\d+) bytes for new constant",
        says=("It is for a constant of the program.",),
        next_step="Pass that constant as an argument, or make it in the program.",
    ),
    Form(
        name="cubin",
        kind="code",
        sign="ailed to load in-memory CUBIN",
        rest=r"[^\n]{0,120}?(?:OUT_OF_MEMORY|OutOfMemory)",
        says=("The code of a program (CUBIN) is loaded outside of XLA’s pool, where nothing was left.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="graph",
        kind="library",
        sign="Underlying backend ran out of memory trying to instantiate ",
        rest=r"(?P<graph>graph|command buffer) with (?P<nodes>\d+)(?:[^\n]{0,80}?total of (?P<alive>\d+) alive)?",
        says=(
            "The driver had no memory for a CUDA graph of {nodes} nodes.",
            "{alive} graphs are alive in the process.",
        ),
        next_step=(
            "Leave memory to the driver with a smaller `XLA_PYTHON_CLIENT_MEM_FRACTION`, or switch the graphs off with"
            " `XLA_FLAGS=--xla_gpu_enable_command_buffer=`."
        ),
        backend="gpu",
    ),
    Form(
        name="instantiate",
        kind="library",
        sign="ailed to instantiate CUDA graph",
        rest=r": [^\n]{0,80}?(?:OUT_OF_MEMORY|out of memory)",
        says=("The driver had no memory for a CUDA graph.",),
        next_step=(
            "Leave memory to the driver with a smaller `XLA_PYTHON_CLIENT_MEM_FRACTION`, or switch the graphs off with"
            " `XLA_FLAGS=--xla_gpu_enable_command_buffer=`."
        ),
        backend="gpu",
    ),
)

_KERNELS = (
    Form(
        name="shared-memory",
        kind="kernel",
        sign="hared memory size limit exceeded",
        rest=r"(?:: requested (?P<needed>\d+), available:? (?P<capacity>\d+))?",
        says=("A kernel needs more shared memory of a block than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
    Form(
        name="shared-memory-device",
        kind="kernel",
        sign="hared memory requested exceeds device resources",
        says=("A kernel needs more shared memory of a block than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
    Form(
        name="triton",
        kind="kernel",
        sign="out of resource: shared memory, Required: ",
        rest=r"(?P<needed>\d+), Hardware limit: (?P<capacity>\d+)",
        says=("A Triton kernel needs more shared memory of a block than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
    Form(
        name="triton-resource",
        kind="kernel",
        sign="out of resource: ",
        rest=r"(?P<resource>[\w ]+), Required: (?P<required>\d+), Hardware limit: (?P<limit>\d+)",
        says=("A Triton kernel needs {required} of the resource “{resource}”; {limit} is the limit of the GPU.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
    ),
    Form(
        name="ptxas",
        kind="kernel",
        sign="uses too much shared data (",
        rest=r"(?P<needed>0x[0-9a-fA-F]+) bytes, (?P<capacity>0x[0-9a-fA-F]+) max\)",
        context=r"Entry function '(?P<kernel>[^']{1,300})'",
        says=("The kernel {kernel} needs more shared memory of a block than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
    Form(
        name="mosaic-shared",
        kind="kernel",
        sign="exceeds available shared memory: ",
        rest=r"smem_bytes=(?P<needed>\d+) > max_smem_bytes=(?P<capacity>\d+)",
        says=("A Pallas kernel (Mosaic) needs more shared memory of a block than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
    Form(
        name="local-memory",
        kind="kernel",
        sign="local memory (",
        rest=r"(?P<needed>\d+)\) exceeds limit \((?P<capacity>\d+)\)(?: in function '(?P<kernel>[^']*)')?",
        says=("The kernel {kernel} needs more shared memory of a block (LDS) than the GPU has.",),
        next_step=_SMALLER_TILES,
        backend="gpu",
        space="shared memory",
    ),
)

_GPU_RUNTIME = (
    Form(
        name="autotuning-warning",
        kind="attempt",
        sign="ailed to determine best cudnn convolution algorithm",
        rest=(
            rf"(?:.{{0,6000}}?trying to allocate {_NEEDED})?"
            r".{0,600}?(?P<goes_on>onvolution performance may be suboptimal)"
        ),
        says=(
            "XLA tried the algorithms of cuDNN for a convolution, each of which needs scratch memory.",
            "{needed} did not fit, so another algorithm runs, which may be slower.",
        ),
        next_step="Nothing has to be done. If it is slow, a smaller batch or pool at compile time leaves room to try.",
        backend="gpu",
        may_hold=("allocate", "request", "bfc", "driver"),
    ),
    Form(
        name="autotuning",
        kind="autotuning",
        sign="ailed to determine best cudnn convolution algorithm",
        rest=(
            rf"(?: for)?:(?:\s*%?{_KERNEL} = .{{0,4000}}?custom-call\((?P<input>\w+\[[\d,]*\])?)?"
            r"(?:.{0,6000}?source_file=\"(?P<source_file>[^\"]*)\" source_line=(?P<source_line>\d+))?"
            rf"(?:.{{0,2000}}?(?:trying to allocate|Failed to allocate request for) {_NEEDED})?"
        ),
        says=(
            "XLA tried the algorithms of cuDNN for {kernel} ({source}), each of which needs scratch memory.",
            "{needed} did not fit.",
            "Its first input is {input}.",
        ),
        next_step=(
            "Let XLA choose without trying: `XLA_FLAGS=--xla_gpu_strict_conv_algorithm_picker=false`, which the message"
            " names, too. A smaller batch, or a smaller pool before the compilation, leaves room to try."
        ),
        backend="gpu",
        may_hold=("allocate", "request", "bfc", "driver"),
    ),
    Form(
        name="gemm-autotuning",
        kind="autotuning",
        sign="Autotuning failed for HLO: ",
        rest=(
            rf"(?:%?{_KERNEL} = )?(?:.{{0,6000}}?source_file=\"(?P<source_file>[^\"]{{0,300}})\""
            r" source_line=(?P<source_line>\d+))?(?:.{0,6000}?with error: (?P<why>[A-Z_]+: [^\n]{1,200}))?"
        ),
        says=("XLA tried the algorithms for {kernel}: {why}", "It is at {source}.", "{needed} did not fit."),
        next_step=_LESS_SCRATCH + " `XLA_FLAGS=--xla_gpu_autotune_level=0` compiles without trying any.",
        backend="gpu",
        may_hold=("allocate", "request", "bfc", "driver"),
    ),
    Form(
        name="no-configs",
        kind="autotuning",
        sign="Autotuner could not find any supported configs for HLO: ",
        rest=rf"%?{_KERNEL} = ",
        says=("XLA tried the algorithms for {kernel}, and none could run: often there is no memory left to try.",),
        next_step=_LESS_SCRATCH + " `XLA_FLAGS=--xla_gpu_autotune_level=0` compiles without trying any.",
        backend="gpu",
    ),
    Form(
        name="pinned-pool",
        kind="host",
        sign="Out of host memory while trying to allocate ",
        rest=rf"{_NEEDED}(?: with allocator (?P<allocator>\w+))?",
        says=("{needed} of pinned host memory are asked for, which is not the memory of the device.",),
        next_step=(
            "The pool of pinned host memory ends at 64 GiB unless `XLA_PJRT_GPU_HOST_MEMORY_LIMIT_GB` says more. Raise"
            " it if the host has more, or offload less."
        ),
        backend="gpu",
        space="host",
    ),
    Form(
        name="pinned",
        kind="host",
        sign="could not allocate pinned host memory of size: ",
        rest=r"(?P<needed>\d+)",
        says=("{needed} of pinned host memory are asked for, which is not the memory of the device.",),
        next_step="Free memory of the host, or offload less to it.",
        backend="gpu",
        space="host",
    ),
    Form(
        name="driver-host",
        kind="host",
        sign="failed to alloc ",
        rest=rf"{_NEEDED} on host",
        says=("{needed} of pinned host memory are asked for, which is not the memory of the device.",),
        next_step="Free memory of the host, or offload less to it.",
        backend="gpu",
        space="host",
    ),
    Form(
        name="allocate",
        kind="execution",
        sign="Out of memory while trying to allocate ",
        rest=rf"{_NEEDED}(?:\.? with allocator (?P<allocator>\w+))?(?: on device (?P<device>\d+))?",
        backend="gpu",
    ),
    Form(
        name="request",
        kind="execution",
        sign="ailed to allocate request for ",
        rest=rf"{SIZE} \((?P<needed>\d+)B\)(?: on device ordinal (?P<device>\d+))?",
        backend="gpu",
    ),
    Form(
        name="bfc-attempt",
        kind="attempt",
        sign=") ran out of memory trying to allocate ",
        rest=rf"{_NEEDED}[^\n]{{0,60}}?[.\s]\s*The caller indicates that this is not a failure",
        before=r"Allocator \((?P<device>\w+)",
        says=("{needed} did not fit. The program runs without it; with more memory it might be faster.",),
        next_step="Nothing has to be done. If the program is slow, a smaller batch or a larger pool leaves more room.",
        backend="gpu",
    ),
    Form(
        name="bfc",
        kind="execution",
        sign=") ran out of memory trying to allocate ",
        rest=rf"{_NEEDED}(?: \(rounded to \d+\))?",
        before=r"Allocator \((?P<device>\w+)",
        backend="gpu",
    ),
    Form(
        name="driver",
        kind="attempt",
        sign="ailed to allocate ",
        rest=(
            rf"(?:device memory of )?{SIZE} \((?P<needed>\d+) bytes\)(?: from device)?:"
            r" [^\n]{0,60}?(?:OUT_OF_MEMORY|OutOfMemory)"
        ),
        says=(
            "The driver could not give {needed} of device memory.",
            "XLA may go on with a smaller pool: only a RESOURCE_EXHAUSTED after this line is a failure.",
        ),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="cuda-async",
        kind="execution",
        sign="cuMemAllocAsync failed to allocate ",
        rest=(rf"(?:{_NEEDED}|\d+)(?:.{{0,300}}?Free memory/Total memory: (?P<free>\d+)/(?P<capacity>\d+))?"),
        backend="gpu",
    ),
    Form(
        name="nccl",
        kind="library",
        sign="NCCL ",
        # Most lines of NCCL are about something else, and are left at once.
        rest=(
            r"(?:WARN|operation|error)(?=[^\n]{0,840}?out of memory)"
            r"[^\n]{0,600}?[Cc]uda (?:failure|error)[^\n]{0,200}?'?out of memory"
        ),
        says=("NCCL, the library of collectives, allocates outside of XLA’s pool, where nothing was left.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="library-handle",
        kind="library",
        sign="STATUS_ALLOC_FAILED",
        before=r"(?P<library>CUBLAS|CUDNN|CUSOLVER|CUSPARSE|CUFFT|HIPBLAS|ROCBLAS|MIOPEN)_",
        says=("{library}, a library of the GPU, allocates outside of XLA’s pool, where nothing was left.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="library-create",
        kind="library",
        sign=" handle: ",
        rest=(
            r"[^\n]{0,40}?(?:resource allocation failed|STATUS_)"
            r"(?:.{0,200}?Memory usage: (?P<free_size>\d+) bytes free, (?P<total_size>\d+) bytes total)?"
        ),
        before=r"(?:ailed to|ould not) create (?P<library>\w{1,20})",
        says=(
            "{library}, a library of the GPU, allocates outside of XLA’s pool, where little was left.",
            "{free_size} of {total_size} were free.",
        ),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="gpu-operation",
        kind="library",
        sign=" failed: ",
        rest=r"(?:out of memory|cu\w+ internal error|the resource allocation failed)",
        before=r"operation (?P<operation>\w{1,60})\([^()]{0,60}\)",
        says=("A library of the GPU ({operation}) needs memory outside of XLA’s pool, where little was left.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
    Form(
        name="fft",
        kind="library",
        sign="ailed to ",
        rest=r"(?:allocate work area|create cuFFT|initialize cuFFT)",
        says=("cuFFT, a library of the GPU, had no room for its scratch memory.",),
        next_step="Transform smaller batches, or leave more memory free.",
        backend="gpu",
    ),
    Form(
        name="driver-call",
        kind="library",
        sign="failed call to ",
        rest=r"(?P<call>\w{1,60}): [^\n]{0,80}?OUT_OF_MEMORY(?:.{0,300}?total memory reported: (?P<total_size>\d+))?",
        says=(
            "The driver had no memory for {call}, often because another process holds it.",
            "The device has {total_size}.",
        ),
        next_step="End other processes on the device (`nvidia-smi` lists them), or use a smaller pool.",
        backend="gpu",
    ),
    Form(
        name="driver-error",
        kind="library",
        sign="CUDA_ERROR_OUT_OF_MEMORY",
        says=("The driver of the GPU reported that it had no memory.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
        yields_to=ANY,
    ),
    Form(
        name="stream",
        kind="library",
        sign="ould not allocate CUDA stream for context",
        says=("The driver had no memory for a stream.",),
        next_step=_LEAVE_ROOM,
        backend="gpu",
    ),
)

_OF_COMPILED = (
    (
        "What XLA planned for the program adds up to {total}: arguments {arguments}, outputs {outputs}, less {aliased}"
        " that they share, and temporaries {temporaries}."
    ),
    "Its peak is {peak_memory_in_bytes}.",
    "Its temporaries in the memory of the host are {host_temp_size_in_bytes}.",
    "Its arguments in the memory of the host are {host_argument_size_in_bytes}.",
)

_FIGURES = (
    Form(
        name="rematerialization",
        kind="rematerialization",
        sign=" reduce memory use below ",
        rest=(
            rf"(?:{SIZE} \((?P<capacity>-?\d+) bytes\)|(?P<capacity_printed>{SIZE})) by rematerialization"
            rf"(?:; only reduced to {SIZE} \((?P<needed>\d+) bytes\)| \(only reduced to (?P<needed_printed>{SIZE})\))"
            rf"(?:, down from {SIZE} \((?P<held>\d+) bytes\))?"
        ),
        says=("Recomputing brought it from {held} to {needed}; {capacity} is the limit.",),
    ),
    Form(
        name="arguments",
        kind="arguments",
        sign="The byte size of input/output arguments (",
        rest=r"(?P<needed>\d+)\) exceeds the base limit \((?P<capacity>\d+)\)",
        next_step="Donate arguments that are updated (`donate_argnums`), or shard them over more devices.",
        backend="gpu",
    ),
    Form(
        name="allocator",
        kind="allocator",
        sign="memory_limit",
        rest=rf"_?: (?P<capacity>{SIZE}|\d+) available (?:bytes|size): (?P<free>{SIZE}|\d+)",
        backend="gpu",
    ),
    Form(
        name="memory-analysis",
        kind="compiled",
        sign="argument_size_in_bytes",
        rows=r"\b(?P<name>(?:host_)?(?:generated_code|argument|output|alias|temp)_size_in_bytes|peak_memory_in_bytes)"
        r"[\"']?\s*[=:]\s*(?P<size>\d++)",
        lines=14,
        says=_OF_COMPILED,
    ),
    Form(
        name="torch-xla",
        kind="compiled",
        sign="Graph input size: ",
        rows=(
            r"(?P<name>Graph input|Graph output|Aliased Input|Intermediate tensor|Compiled program) size:"
            r" (?P<size>[\d.]+ [KMGT]?B)"
        ),
        lines=8,
        says=_OF_COMPILED,
    ),
    Form(
        name="usage-report",
        kind="compiled",
        sign="Total bytes used: ",
        rest=r"(?P<needed>\d+)[^\n]{0,40}?\s+Allocations sorted by size:",
        rows=r"allocation \d+: size (?P<size>[\d.]+[KMGT]?i?B), (?P<name>[^\n]*)",
        lines=400,
        says=("It is the memory usage report of a module: it lists allocations and has no live ranges, so no peak.",),
        next_step=_OTHER_FILES,
    ),
    Form(
        name="usage-report-spaces",
        kind="compiled",
        sign="Memory Space: ",
        rest=r"(?P<space_name>[^\n(]{1,60}?) \(color=(?P<color>\d+)\)\s+Total bytes: (?P<needed>\d+)",
        says=(
            (
                "It is the memory usage report of a module, for {space_name}: it lists slots that values share, and has"
                " no live ranges, so no peak."
            ),
        ),
        next_step=_OTHER_FILES,
    ),
    Form(
        name="memory-stats",
        kind="device",
        sign="bytes_in_use",
        rows=(
            r"\b(?P<name>bytes_in_use|peak_bytes_in_use|bytes_limit|largest_alloc_size|largest_free_block_bytes"
            r"|bytes_reserved|bytes_reservable_limit|pool_bytes|peak_pool_bytes)[\"']?\s*[=:]\s*(?P<size>\d++)"
        ),
        lines=14,
        says=(
            "{bytes_in_use} of {bytes_limit} are in use now, and {peak_bytes_in_use} were at most.",
            "The largest free piece is {largest_free_block_bytes}.",
            "Which arrays and programs hold it is not in these figures.",
        ),
        next_step="`jax.live_arrays()` lists the arrays; a dump shows what one program needs.",
    ),
    Form(
        name="memory-info",
        kind="device",
        sign="bytes_used",
        rows=r"\b(?P<name>bytes_used|bytes_limit|peak_bytes_used)[\"']?\s*[=:]\s*(?P<size>\d++)",
        lines=4,
        says=("{bytes_used} of {bytes_limit} are in use now.", "At most {peak_bytes_used} were."),
    ),
)

_HOST = (
    Form(
        name="memory-lines",
        kind="compiled",
        sign="Input memory: ",
        rest=(
            r"(?P<inputs>[\d.]+ ?[KMGT]?B)\s+Output memory: (?P<results>[\d.]+ ?[KMGT]?B)\s+Temp memory:"
            r" (?P<temps>[\d.]+ ?[KMGT]?B)(?:.{0,80}?Total HBM memory: (?P<all>[\d.]+ ?[KMGT]?B))?"
        ),
        says=("Arguments take {inputs}, outputs {results}, temporaries {temps}.", "They add up to {all}."),
    ),
    Form(
        name="maxtext-bytes",
        kind="compiled",
        sign="utput size: ",
        rest=(
            r"(?P<results_size>\d+), temp size: (?P<temps_size>\d+), argument size: (?P<inputs_size>\d+)"
            r"(?:, host temp size: (?P<on_host_size>\d+))?, in bytes"
        ),
        says=(
            "Arguments take {inputs_size}, outputs {results_size}, temporaries {temps_size}.",
            "Temporaries in the memory of the host are {on_host_size}.",
        ),
    ),
    Form(
        name="allocator-stats",
        kind="device",
        sign="AllocatorStats",
        rows=(
            r"(?P<name>In Use|Peak In Use|Largest Alloc Size|Limit|Reserved|Largest Free Block):"
            r" (?P<size>[\d.]+ ?[KMGT]?i?B)"
        ),
        lines=16,
        says=("{In Use} of {Limit} are in use now, and {Peak In Use} were at most.", "{Reserved} are reserved."),
        next_step="`jax.live_arrays()` lists the arrays; a dump shows what one program needs.",
    ),
    Form(
        name="memory-viewer",
        kind="device",
        sign="Stack Reservation: ",
        rest=(
            r"(?P<stack_size>[\d.]+ ?[KMGT]?i?B)\s+Heap Allocation: (?P<heap_size>[\d.]+ ?[KMGT]?i?B)"
            r"(?:\s+Free Memory: (?P<free_size>[\d.]+ ?[KMGT]?i?B))?"
        ),
        says=(
            "A profile of memory: programs reserve {stack_size}, arrays and code take {heap_size}: {both}.",
            "{free_size} were free.",
        ),
        next_step="A dump shows what one program needs: `reportgen run -- COMMAND`.",
    ),
    Form(
        name="nvidia-smi",
        kind="device",
        sign="MiB / ",
        rest=r"(?P<capacity>\d+MiB)",
        before=r"(?<!\d)(?P<used_mib>\d+)",
        says=(
            "{used_mib} of {capacity} are taken.",
            "By default JAX reserves 75 % of a GPU for its pool when it starts, whatever its arrays need.",
        ),
        next_step="`XLA_PYTHON_CLIENT_PREALLOCATE=false` lets the pool grow with what is needed.",
    ),
    Form(
        name="bad-alloc",
        kind="host",
        sign="std::bad_alloc",
        says=("The process ran out of memory of the host, not of a device.",),
        next_step="Use smaller arrays on the host, or a host with more memory.",
        space="host",
    ),
    Form(
        name="maxtext-size",
        kind="compiled",
        sign="otal ",
        rest=(
            r"(?:estimated )?memory size: (?P<all>[\d.]+ GB), (?:estimated )?[Oo]utput size: (?P<results>[\d.]+ GB),"
            r" (?:estimated )?[Tt]emp size: (?P<temps>[\d.]+ GB),"
            r" (?:estimated )?[Aa]rgument size: (?P<inputs>[\d.]+ GB)"
            r"(?:, (?:Estimated )?[Hh]ost temp size: (?P<on_host>[\d.]+ GB))?"
        ),
        says=(
            "MaxText estimates {all}: arguments {inputs}, outputs {results}, temporaries {temps}.",
            "Temporaries in the memory of the host are {on_host}.",
        ),
    ),
    Form(
        name="maxtext-use",
        kind="device",
        sign="Using (GB) ",
        rest=r"(?P<used>[\d.]+) / (?P<limit>[\d.]+) \([\d.]+%\) on (?P<device>\w+)",
        says=("{used} of {limit} GB are in use on {device}.",),
        next_step="`jax.live_arrays()` lists the arrays; a dump shows what one program needs.",
    ),
    Form(
        name="tpu-info",
        kind="device",
        sign=" GiB / ",
        rest=r"(?P<capacity>[\d.]+ GiB)",
        before=r"(?<![\d.])(?P<used>[\d.]+)",
        says=("{used} GiB of {capacity} are in use.",),
        next_step="`jax.live_arrays()` lists the arrays; a dump shows what one program needs.",
    ),
    Form(
        name="pprof-tags",
        kind="device",
        sign=": Total ",
        rest=rf"(?P<held>{SIZE})(?:\s+[\d.]{{1,20}}\w{{1,3}} \( {{0,5}}[\d.]{{1,20}}%\): (?P<first>[^\n]{{1,80}}?\)))?",
        before=r"(?:device|kind)",
        says=("A profile of device memory: {held} in use.", "Most of it is on {first}."),
        next_step="`pprof -peek` or `-tree` shows which lines of the program made the arrays.",
    ),
    Form(
        name="pprof-nodes",
        kind="device",
        sign="Showing nodes accounting for ",
        rest=rf"{SIZE}, [\d.]+% of (?P<held>{SIZE}) total",
        says=("A profile of device memory: {held} in use.",),
        next_step="`pprof -peek` or `-tree` shows which lines of the program made the arrays.",
    ),
    Form(
        name="memory-info-kib",
        kind="device",
        sign="kb_free",
        rest=r"[\"']?\s*[=:]\s*(?P<free_kib>\d+),\s*[\"']?kb_total[\"']?\s*[=:]\s*(?P<total_kib>\d+)",
        says=("{free_kib} of {total_kib} are free now.",),
        next_step="A dump shows what one program needs: `reportgen run -- COMMAND`.",
    ),
    Form(
        name="cupy",
        kind="other runtime",
        sign="Out of memory allocating ",
        rest=r"(?P<asked>[\d,]+ bytes) \(allocated so far: (?P<had>[\d,]+ bytes)",
        says=("CuPy’s own allocator could not give {asked}; it had {had} in use.", _NO_PLAN),
        next_step="`cupy.get_default_memory_pool().free_all_blocks()` gives back what CuPy keeps.",
    ),
    Form(
        name="cpu",
        kind="host",
        sign="Out of memory allocating ",
        rest=rf"{_NEEDED}",
        says=("XLA’s CPU client asked the host for {needed}, and the host refused.",),
        next_step="Use smaller arrays, or a host with more memory. " + _RUN_AGAIN,
        backend="cpu",
        space="host",
    ),
    Form(
        name="large-share",
        kind="attempt",
        sign="% of free system memory",
        before=r"Allocation of (?P<needed>\d+) exceeds (?P<percent>\d+)",
        says=("One allocation of {needed} takes more than {percent} % of the free memory of the host. It succeeded.",),
        next_step="Nothing has to be done.",
    ),
    Form(
        name="oom-killer",
        kind="system",
        sign="ut of memory: Kill",
        rest=(
            r"(?:ed)? process (?P<process>\d+) \((?P<program>[^)]{0,100})\)"
            r"(?:[^\n]{0,120}?anon-rss:(?P<resident_kib>\d+)kB)?"
        ),
        says=("The kernel of the host killed process {process} ({program}).", "It had {resident_kib} of memory."),
        next_step="It is memory of the host, not of a device: load less data at a time, or ask for more.",
    ),
    Form(
        name="oom-kill-event",
        kind="system",
        sign="oom",
        rest=r"[-_]kill event",
        says=("The cluster killed the process because it used more memory of the host than the job may.",),
        next_step="It is memory of the host, not of a device: load less data at a time, or ask for more.",
    ),
    Form(
        name="oom-killed",
        kind="system",
        sign="OOMKilled",
        says=("The container was killed because it used more memory of the host than its limit.",),
        next_step="It is memory of the host, not of a device: load less data at a time, or raise the limit.",
    ),
    Form(
        name="ray-memory",
        kind="system",
        sign="due to the node running low on memory",
        rest=r"(?:.{0,400}?was running was (?P<had>[\d.]+GB) / (?P<total>[\d.]+GB))?",
        says=("Ray killed the task because its node was short of memory.", "The node used {had} of {total}."),
        next_step="It is memory of the host, not of a device: run fewer tasks on a node.",
    ),
)

_TORCH_TAIL = (
    r"(?P<asked>[\d.]+ [KMGT]?i?B)(?:[^\n]{0,40}?(?P<total>[\d.]+ [KMGT]?i?B)(?: total)?(?: capacity)?"
    r"(?: of which (?P<left>[\d.]+ [KMGT]?i?B) is free)?"
    r"(?:; (?P<allocated>[\d.]+ [KMGT]?i?B) already allocated; (?P<unused>[\d.]+ [KMGT]?i?B) free)?)?"
    r"(?:.{0,600}?(?<![\d.])(?P<by_torch>[\d.]+ [KMGT]?i?B) is allocated by PyTorch)?"
)
_TORCH_SAYS = (
    "PyTorch’s own allocator ({device}) could not give {asked}.",
    "The device has {total}, of which {left} is free.",
    "The device has {total}, of which {unused} is free and {allocated} is allocated.",
    "PyTorch itself holds {by_torch}.",
    _NO_PLAN,
)

_OTHERS = (
    Form(
        name="torch",
        kind="other runtime",
        sign=" out of memory. Tried to allocate ",
        rest=_TORCH_TAIL,
        before=r"(?P<device>CUDA|HIP|XPU|MPS|NPU|MUSA)",
        says=_TORCH_SAYS,
        next_step=_TORCH,
    ),
    Form(
        name="torch-mps",
        kind="other runtime",
        sign="MPS backend out of memory",
        rest=(
            r"(?: \(MPS allocated: (?P<allocated>[\d.]+ \w+), other allocations: (?P<others>[\d.]+ \w+),"
            r" max allowed: (?P<most>[\d.]+ \w+)\)\. Tried to allocate (?P<asked>[\d.]+ \w+))?"
        ),
        says=(
            "PyTorch’s own allocator for Metal (MPS) could not give {asked}.",
            "{allocated} and {others} of {most} are taken.",
            _NO_PLAN,
        ),
        next_step="`PYTORCH_MPS_HIGH_WATERMARK_RATIO` sets its limit.",
    ),
    Form(
        name="torch-cuda",
        kind="other runtime",
        sign="CUDA error: out of memory",
        says=("PyTorch ran out of memory of the GPU.", _NO_PLAN),
        next_step=_TORCH,
    ),
    Form(
        name="torch-cpu",
        kind="other runtime",
        sign="you tried to allocate ",
        rest=r"(?P<asked_size>\d+) bytes",
        context=r"(?P<device>DefaultCPUAllocator)",
        says=("PyTorch’s own allocator for the CPU could not give {asked_size} of the host.", _NO_PLAN),
        next_step="It is memory of the host: use smaller tensors.",
    ),
    Form(
        name="tensorflow",
        kind="other runtime",
        sign="OOM when allocating tensor with shape[",
        rest=(
            r"(?P<dimensions>[\d,]*)\] and type (?P<dtype>\w+) on (?P<device>\S+)(?: by allocator (?P<allocator>\w+))?"
        ),
        says=(
            "TensorFlow ran an operation outside of XLA, and its tensor {dtype}[{dimensions}] of {tensor} did not fit.",
        ),
        next_step=(
            "With `jit_compile=True` XLA plans the memory of a function, and there is a plan to dump. Otherwise the"
            " profiler of TensorFlow shows what holds it."
        ),
    ),
    Form(
        name="itex",
        kind="other runtime",
        sign="llocator ran out of memory trying to allocate ",
        rest=r"(?P<asked_size>\d+) Bytes",
        says=("TensorFlow on an Intel GPU could not get {asked_size} outside of XLA.", _NO_PLAN),
        next_step="Use a smaller batch.",
    ),
    Form(
        name="tensorflow-copy",
        kind="other runtime",
        sign="Dst tensor is not initialized",
        says=("TensorFlow could not copy a tensor to the device, because its memory is full.", _NO_PLAN),
        next_step="End other processes on the device, or use smaller tensors.",
    ),
    Form(
        name="neuron-compiler",
        kind="other runtime",
        sign="Estimated peak HBM usage (",
        rest=r"(?P<asked>[\d.]+)\) exceeds (?P<limit>[\d.]+ ?GB)",
        says=(
            "AWS Neuron’s compiler refused the program: it estimates {asked} GB at the peak, and {limit} are there.",
            _NEURON_PLAN,
        ),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-tensors",
        kind="other runtime",
        sign="exceeds HBM limit of ",
        rest=r"(?P<chip>\w+)(?:.{0,40}?Needed (?P<asked>[\d,]+ bytes)[^\n]{0,40}?available (?P<limit>[\d,]+ bytes))?",
        says=(
            "AWS Neuron’s compiler refused the program: inputs and outputs do not fit on a {chip}.",
            "They need {asked}, and {limit} are there.",
            _NEURON_PLAN,
        ),
        next_step="Shard the model over more cores.",
    ),
    Form(
        name="neuron-runtime",
        kind="other runtime",
        sign="TDRV:",
        rest=(
            r"\w+\s+Failed to allocate (?P<asked>[\d.]{1,20} ?\w{0,3}) \(usage: (?P<usage>[^)]{0,80})\)"
            r" on (?P<device>ND \d+:NC \d+)"
        ),
        rows=r"\* (?P<name>[\w ]+): (?P<size>[\d.]+ ?[KMGT]?B)",
        lines=16,
        says=(
            "AWS Neuron’s runtime could not give {asked} more for {usage} on {device}.",
            "In use are {rows}.",
            _NEURON_PLAN,
        ),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-instruction",
        kind="other runtime",
        sign="couldn't be allocated in ",
        rest=(
            r"(?P<bank>SB|PSUM)\b(?:.{0,2000}?Bytes per partition by instruction: (?P<asked_size>\d+)"
            r".{0,80}?Partition Size: (?P<limit_size>\d+))?"
        ),
        says=(
            "AWS Neuron’s compiler could not place an instruction in {bank}, the memory of a core.",
            "It needs {asked_size} of each partition, and {limit_size} are there.",
            _NEURON_PLAN,
        ),
        next_step="Use smaller tiles in that kernel.",
    ),
    Form(
        name="neuron-device",
        kind="other runtime",
        sign="ailed to allocate ",
        rest=r"(?P<asked>\d+ bytes) on DEVICE for tensor",
        says=("AWS Neuron’s runtime could not give {asked}.", _NEURON_PLAN),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-dmem",
        kind="other runtime",
        sign="ailed to alloc DEVICE memory: ",
        rest=r"(?P<asked_size>\d+)",
        says=("AWS Neuron’s runtime could not give {asked_size}.", _NEURON_PLAN),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-resource",
        kind="other runtime",
        sign="NRT_RESOURCE",
        says=("AWS Neuron’s runtime ran out of memory or of another resource of its device.", _NEURON_PLAN),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-resources",
        kind="other runtime",
        sign="NERR_",
        rest=r"(?P<code_name>\w+)",
        says=("AWS Neuron’s runtime ran out of memory or of another resource (NERR_{code_name}).", _NEURON_PLAN),
        next_step="Use fewer cores at once, a smaller batch, or more devices.",
    ),
    Form(
        name="neuron-compiler-code",
        kind="other runtime",
        sign="[NCC_",
        rest=r"(?P<number>\w+)\] (?P<why>[^\n]{0,300}(?:emory|HBM|SBUF|PSUM)[^\n]{0,300})",
        says=("AWS Neuron’s compiler refused the program (NCC_{number}): {why}", _NEURON_PLAN),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="neuron-status",
        kind="other runtime",
        sign="status=4",
        rest=r"[^\n]{0,40}?Allocation Failure",
        says=("AWS Neuron’s runtime could not load a model: its memory is full.", _NEURON_PLAN),
        next_step="Use a smaller batch, or shard the model over more cores.",
    ),
    Form(
        name="tenstorrent",
        kind="other runtime",
        sign="Not enough space to allocate ",
        rest=(
            r"(?P<asked_size>\d+) B (?P<bank>\w+) buffer across (?P<banks>\d+) banks, where each bank needs to store"
            r" (?P<each_size>\d+) B(?:, but bank size is (?:only )?(?P<total_size>\d+) B"
            r"(?: \(allocated: \d+ B, free: (?P<left_size>\d+) B)?)?"
        ),
        says=(
            "Tenstorrent’s allocator could not give {asked_size} of {bank}.",
            "Each of {banks} banks has to take {each_size}.",
            "A bank has {total_size}, of which {left_size} are free.",
            "Tenstorrent’s own compiler plans the memory, so no buffer assignment of XLA exists.",
        ),
        next_step="Use a smaller batch, or tensors of a narrower type.",
    ),
    Form(
        name="tenstorrent-clash",
        kind="other runtime",
        sign="tatically allocated circular buffers in program ",
        rest=(
            r"(?P<number>\d+) clash with L1 buffers.{0,200}?allocated at (?P<start>\d+) and static circular buffer"
            r" region ends at (?P<end>\d+)"
        ),
        says=(
            "Tenstorrent’s program {number} needs L1, the memory of a core, to byte {end}; a buffer begins at {start}.",
            "Tenstorrent’s own compiler plans the memory, so no buffer assignment of XLA exists.",
        ),
        next_step="Give that operation smaller blocks, or keep its tensors in DRAM.",
    ),
    Form(
        name="tenstorrent-l1",
        kind="other runtime",
        sign="tatically allocated circular buffers ",
        rest=r".{0,300}?grow to (?P<asked>\d+ B) which is beyond max L1 size of (?P<limit>\d+ B)",
        says=(
            "Tenstorrent’s kernel needs {asked} of L1, the memory of a core, and {limit} are there.",
            "Tenstorrent’s own compiler plans the memory, so no buffer assignment of XLA exists.",
        ),
        next_step="Give that operation smaller blocks.",
    ),
    Form(
        name="iree",
        kind="other runtime",
        sign="RESOURCE_EXHAUSTED; ",
        rest=r"(?P<why>[^\n;]{0,200})(?:[^\n]{0,200}?of length (?P<asked_size>\d+))?",
        says=(
            "IREE’s runtime ran out of memory: {why}",
            "It could not give {asked_size}.",
            "IREE plans memory by itself, so no plan of XLA exists.",
        ),
        next_step="IREE’s own tools show its allocations (`--print_statistics` of `iree-run-module`).",
    ),
    Form(
        name="metal",
        kind="other runtime",
        sign="kIOGPUCommandBufferCallbackErrorOutOfMemory",
        says=("Metal, Apple’s runtime for GPUs, ran out of memory.", _NO_PLAN),
        next_step="Use smaller arrays or batches: the GPU shares the memory of the machine.",
    ),
    Form(
        name="metal-malloc",
        kind="other runtime",
        sign="[metal::malloc] Attempting to allocate ",
        rest=(
            r"(?P<asked_size>\d+) bytes which is greater than the maximum allowed buffer size of"
            r" (?P<limit_size>\d+) bytes"
        ),
        says=(
            "Metal, Apple’s runtime for GPUs, could not allocate {asked_size}: a buffer has at most {limit_size}.",
            _NO_PLAN,
        ),
        next_step="Split that array, or use smaller batches.",
    ),
    Form(
        name="metal-limit",
        kind="other runtime",
        sign="[metal::malloc] ",
        rest=r"(?P<why>[^\n]{1,200})",
        says=("Metal, Apple’s runtime for GPUs, refused an allocation: {why}", _NO_PLAN),
        next_step="Use smaller arrays or batches: the GPU shares the memory of the machine.",
        yields_to=ANY,
    ),
    Form(
        name="metal-buffer",
        kind="other runtime",
        sign="MTLBuffer",
        before=r"ailed to allocate (?P<device>\w+ )?",
        says=("Metal, Apple’s runtime for GPUs, could not allocate a buffer.", _NO_PLAN),
        next_step="Use smaller arrays or batches: the GPU shares the memory of the machine.",
    ),
    Form(
        name="gaudi",
        kind="other runtime",
        sign="PT_DEVMEM",
        rest=r"[^\n]{0,60}?Allocation failed for size::(?P<asked_size>\d+)",
        says=("Intel Gaudi’s allocator could not give {asked_size}.", _NO_PLAN),
        next_step="Use a smaller batch.",
    ),
    Form(
        name="oneapi",
        kind="other runtime",
        sign="_OUT_OF_DEVICE_MEMORY",
        before=r"(?P<device>UR_RESULT_ERROR|ZE_RESULT_ERROR|PI_ERROR)",
        says=("Intel’s oneAPI runtime ran out of memory of the device.", _NO_PLAN),
        next_step="Use a smaller batch.",
    ),
    Form(
        name="onnx",
        kind="other runtime",
        sign="ailed to allocate memory for requested buffer of size ",
        rest=r"(?P<asked_size>\d+)",
        says=("ONNX Runtime’s own allocator could not give {asked_size}.", _NO_PLAN),
        next_step="Use a smaller batch, or raise `gpu_mem_limit`.",
    ),
    Form(
        name="torch-any",
        kind="other runtime",
        sign="OutOfMemoryError",
        before=r"torch(?:\.cuda)?\.|c10::(?:cuda::)?",
        says=("PyTorch’s own allocator ran out of memory.", _NO_PLAN),
        next_step=_TORCH,
        yields_to=ANY,
    ),
    Form(
        name="tensorflow-any",
        kind="other runtime",
        sign="ResourceExhaustedError",
        says=("TensorFlow ran out of memory or of another resource outside of XLA.",),
        next_step="With `jit_compile=True` XLA plans the memory of a function, and there is a plan to dump.",
        yields_to=ANY,
    ),
    Form(
        name="tenstorrent-any",
        kind="other runtime",
        sign="TT_",
        rest=r"(?:FATAL|THROW)\b.{0,400}?(?:ut of [Mm]emory|L1|DRAM)",
        says=(
            "Tenstorrent’s runtime ran out of memory.",
            "Tenstorrent’s own compiler plans the memory, so no buffer assignment of XLA exists.",
        ),
        next_step="Use a smaller batch, or tensors of a narrower type.",
        yields_to=ANY,
    ),
    Form(
        name="numpy",
        kind="other runtime",
        sign="Unable to allocate ",
        rest=r"(?P<asked>[\d.]+ [KMGTPE]?i?B) for an array with shape (?P<dimensions>\([\d, ]*\))",
        says=("NumPy could not allocate {asked} of the host for an array of {dimensions}.", _NO_PLAN),
        next_step="It is memory of the host: use smaller arrays.",
    ),
)

FORMS: tuple[Form, ...] = (
    *_OTHERS,
    *_KERNELS,
    *_TPU_COMPILER,
    *_LOADING,
    *_GPU_RUNTIME,
    *_FIGURES,
    *_HOST,
    Form(
        name="resharding",
        kind="sharding",
        sign="Involuntary full rematerialization",
        rest=r"(?:.{0,200}?from sharding (?P<before>\{[^{}]{0,200}\})(?:.{0,60}?to (?P<after>\{[^{}]{0,200}\}))?)?",
        says=(
            "XLA cannot change the sharding from {before} to {after} in pieces, so each device holds the whole tensor.",
        ),
        next_step="Constrain the sharding of that tensor where it is made (`jax.lax.with_sharding_constraint`).",
    ),
    Form(
        name="donated-unused",
        kind="donation",
        sign="Some donated buffers were not usable: ",
        rest=r"(?P<arrays>[^\n]{1,300})",
        says=(
            "Arrays were donated, and no output takes their place: {arrays}",
            "They take memory next to the outputs, as if they were not donated.",
        ),
        next_step="Only an output of the same shape, type and sharding can take the place of a donated argument.",
    ),
    Form(
        name="donated-used",
        kind="not memory",
        sign="buffer has been deleted or donated",
        says=("An array was used after it was deleted or donated.",),
        next_step="Use the output that took its place, or leave it out of `donate_argnums`.",
    ),
    Form(
        name="donation-invalid",
        kind="not memory",
        sign="Donation requested for invalid buffer",
        says=("An array was donated that had been deleted or donated before.",),
        next_step="Use the output that took its place, or leave it out of `donate_argnums`.",
    ),
    Form(
        name="message-size",
        kind="not memory",
        sign="Received message larger than max (",
        rest=r"(?P<asked_size>\d+) vs\. (?P<limit_size>\d+)",
        says=("gRPC refused a message of {asked_size}: its limit is {limit_size}. No device was short of memory.",),
        next_step="Raise the limit of the connection (`grpc.max_receive_message_length`), or send less.",
    ),
    Form(
        name="quota",
        kind="not memory",
        sign="uota",
        rest=r"(?: [\w' ]{0,80}?exceed| metrics exceed)",
        says=("A cloud refused a request because of a quota. No device was short of memory.",),
        next_step="Ask for more of that quota, or use another zone or type of device.",
    ),
    Form(
        name="halted",
        kind="not memory",
        sign="ccelerator device halted prematurely",
        says=("A device halted while it ran a program; memory is not what the message is about.",),
        next_step="Report it with the message; a smaller program that halts, too, helps to find out why.",
    ),
    Form(
        name="slow",
        kind="not memory",
        sign="Constant folding an instruction is taking > ",
        rest=r"\d+s:?(?:\s*%?(?P<kernel>[\w.-]+) = )?",
        says=("Constant folding of {kernel} takes long: it costs time at compilation, not memory of the device.",),
        next_step="Pass that constant as an argument, or make it on the device.",
    ),
    Form(
        name="mosaic",
        kind="not memory",
        sign="Mosaic failed to compile TPU kernel: ",
        rest=r"(?P<why>[^\n]{1,400})",
        says=("Mosaic, the compiler of Pallas kernels, refused a kernel: {why}",),
        next_step="It is about the shapes or operations of that kernel; a dump has nothing on it.",
        yields_to=ANY,
    ),
    Form(
        name="unknown",
        kind="unknown",
        sign="RESOURCE_EXHAUSTED",
        rest=r": *(?P<why>[A-Za-z][^\n]{3,300})",
        before=r"(?:^|[Ee]rror: |failed: |access: )",
        says=("reportgen does not know what this sentence says.",),
        next_step="If it is about the memory of a program, `reportgen run -- COMMAND` shows what that needs.",
        yields_to=ANY,
    ),
)
FRAGMENT = Form(name="fragment", kind="fragment", sign="")
"""A list or a table whose beginning is missing."""

STATE = Form(name="state", kind="allocator", sign="", backend="gpu")
"""The statistics of an allocator, which begin without a sentence."""

STATISTICS = Form(
    name="statistics",
    kind="compiled",
    sign="",
    says=("They are the statistics of a buffer assignment: sums of allocations, and no buffer by its name.",),
)
"""The statistics of a buffer assignment, as compilers log them."""

FORM_OF: Mapping[str, Form] = {form.name: form for form in (*FORMS, FRAGMENT, STATE, STATISTICS)}

OF_TABLES = (
    " usage >=",
    " requirement ",
    "Largest program allocations in ",
    "BufferAssignment stats:",
    "Peak buffers:",
    "XLA label: ",
    "XLA Label: ",
    "Entry Parameter Subshape: ",
    "MaxInUse: ",
    " Chunks of size ",
)
"""Signs of tables and lists, which may be all that is left of an error."""
