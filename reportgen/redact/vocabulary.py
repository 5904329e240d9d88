"""Decide which words a redacted report may show: those of the compiler, of JAX and of common programs.

This is a list of what is allowed, because nobody can list everything that identifies a person, a machine or a project.
A word that is missing here costs a reader one name; a list of what is forbidden would publish what it forgot. Of a
message only the words of this package and of the system are kept, because it may quote what must be hidden.
"""

import os
import re
from functools import cache

from reportgen.options import Redaction
from reportgen.patterns import repeated

_TYPES = """
    bf16 bfloat16 c128 c64 e2m1fn e3m4 e4m3 e4m3b11fnuz e4m3fn e4m3fnuz e5m2 e5m2fnuz e8m0fnu f16 f32 f4e2m1fn f64
    f8e3m4 f8e4m3 f8e4m3b11fnuz f8e4m3fn f8e4m3fnuz f8e5m2 f8e5m2fnuz f8e8m0fnu float16 float32 float4 float64
    float8 i32 i64 int16 int32 int4 int64 int8 opaque pred s1 s16 s2 s32 s4 s64 s8 token u1 u16 u2 u32 u4 u64 u8 ui8
    uint16 uint32 uint4 uint64 uint8
"""

_COMPILER = """
    abs accessed acos acosh across add addn addv after alg algorithm aliasing aligned all allocate allocation allow
    allowed alpha and api apply approx are arg args argument array as asin assign assignment async asynchronous at
    atan atan2 attribute attributes available axes axis b backend barrier base batch be before beta bf bfloat bhqk
    bias bitcast bits bitwidth bkhd block body bool both bound bounds bqhd br branch breakdown broadcast buffer
    bufferassignment bufferliverange by bytes call called calls cbrt ceil channel cholesky chunk cl clamp class
    clone cloned clz code coefficient collapsed collective color colors column command compare complex computation
    computations concat concatbitcast concatenate cond condition conditional config configs const constant constants
    constrain constraints constructed consumer context continuation contracting control conv conv2d convert
    convolution convolve copy core cos cosh cosine cost could count cpu create cross ctas cublas cublaslt cuda cudnn
    cufft cumulative current custom damax data dce debug dedup deduplicated default demote descending determined
    device devices different dim dimension dimensions dims direction divide dkv dma domain done dot down dq dtype
    due duplicate dynamic earliest edge element elements embedding emitter emitters empty end ends entry epilogue eq
    equal erf estimate eu evaluate evict exclusive executable exp explicit expm1 exponential extend false ffi fft
    file fill filter finalized finite flag flags flash flat float floor flops fn fnu fnuz for force format forward
    forwarding fp8 frame from frontend fused fusion fwd gather ge gelu gemm generate generated get gib global gpu
    grad greater group groups gt gz hierarchical high highest hint hlo hlolive horizontal horizontally host id ids
    imag implicit in ind index indices induction inf infeed init initial initialized inner input inputs inserted
    instruction instructions instructionsequence int integer inter internal into invalid invariant inverse iota is
    isfinite kcall kcustom kernel key kib kind kinput kk kloop known koutput kslice l label lapack last layout
    layouts le left less level lhs lhs_batch limit line linear list lists live liverange load local locals log log1p
    logical logistic loop low lower lowering lt main major manual map mask matmul matrix max maximal maximum maxpool
    maxpool2d maybe memcpy memory merge mesh metadata mib min minimum minor minus mlir mode module move msg mul
    multi multiply name names nan native ne needs neg negate nested new next no node nondeterminism none norm not
    num number numbers numeric of offset one onednn onehot ones op opcode open operand operands operation operator
    ops optimization optimizations option or original out outer outfeed output outputs overlap p pack pad padded
    padding page pairs param parameter parameters part partial partition partitioned partitions passes peak per
    permutation permute phi pipelined plus point pointer pool pool2d popcnt popcount positions pow power
    preallocated precision predecessors predicate preferred prefetch prepacked priority prng program promise proto
    pruned psum queue queues r range ranges rank reads real recv reduce reduced reduction ref region reification
    reified relu rem remainder remaining remat remote replica replicate replicated replication reshape result return
    reused rev reverse reversed rhs right rng root rotate round row rsqrt rule s sampling sc scalar scale scan
    scatter schedule scheduled scheduling scoped scratchpad sdy select selected self semaphore send sequence
    serialization set shape shapeindex shard sharded sharding shards shift shot sign signed sin sine single sinh
    size sizes slice slices sm softmax solve sort sorted source space sparse spatial specialization spill spmd sqrt
    stable stack stage stages start state statewise static statistics step store strategy stream stride strides sub
    subtract successor successors sum sunk svd swap symbol sync synced synchronization synchronous t tan tanh target
    temp temporaries temporary text than thread threshold through thunk tile tiled tiles tma to top topk topkv total
    totalorder tp tpu trace transcendentals transferred transpose triangular trip triton true truncate tuple txt
    type typecast typed types ui uint unary unbounded unique unknown unreduced unroll unset unsigned up update
    updates usage use used user uses value values variable variables vector version visitor vmem volatile wait warp
    warps waves weight weights while wide window windows with workspace wrapped wrapper write x1 x32 x64 xla xor xz
    yet ynn zero zeroes zeros
"""

_JAX = """
    add all along any argmax argmin argsort axis bernoulli bessel bits body branch broadcasted bwd call categorical
    checkpoint clip closed closures collectives cond consts conv convert copy core count cross cumlogsumexp cummax
    cummin cumprod cumsum custom data diff digamma dilated div dkv dot dus eig eigh einsum element elu entropy erfc
    erfinv eval expand expm1 fft flax fn fold fori full fun func fwd gather ge geglu general glu gradient gt gumbel
    haiku hard householder hypot ifft igamma impl index integer inv iota irfft jax jaxpr jit jnp jvp keras labels
    lambda lax le leaky lgamma like linalg linspace log1p logits logsumexp lt lu map matmul mean median mha mosaic
    moveaxis multinomial nanmean nconsts nextafter nn nonzero normal numpy ones optax orthogonal outer pairwise
    pallas parallel parallelize partial patches permutation pjit pmap pmax pmin polygamma ppermute precise precision
    primitive prod psum ptp pvary qr quantile randint random reduce relu rem remat rematerialize rematted resize
    retvals rfft rng roll scan schur searchsorted seed seeds select selu shard shardings shmap shuffle sigmoid silu
    sinc softplus solve sort sparse split square squeeze stack statelesswhile std stop swiglu swish take tanh tape
    tensorflow threefry threefry2x32 tile top torch transpose triangular tridiagonal tril triu truncated uniform
    unique unstack unwrap var vjp vmap where while windowed wrap wrapped xlog1py xmap zeros
"""

_PROGRAMS = """
    a accum accumulate activation adafactor adam adamw adapter aggregate alibi attend attention attn aux average avg
    backward bert beta bias block blocks bn bottleneck bridge buffers cache caches causal cell channel cls cnn
    codebook codec coef combine conditioning context control conv cross d decay decode decoder deep delta demo
    denoise dense depthwise diffusion dim discriminator dispatch donate donated down downsample drop dropout dtype
    eager ema emb embed embedder embedding embeddings empty encode encoder ensemble epoch epsilon error example
    expert experts factor fc features ff ffn ffw final first flash flow focal forget freq gain gamma gan gate gates
    gating generator gpt gradients grads grid group gru h head heads hidden hub identity image images img inner
    input inputs kernel key keys kv latent layer layernorm layers learning lm ln lnf load lora loss losses lr lstm
    mae main mask masked masks memory metric metrics mha mid mixer mixture mlp mlp4 model models moe momentum mse mu
    multi multihead net network nodonate noise norm normalize nu o odd offload opt optim optimizer outer pair
    parameters params patch perceptron perplexity pooling pos position positional positions post posterior pred
    predict prefill preprocess prior proj project projection prompt q qk qkv qkvo quant quantize query rate
    recurrent reg regression repeat residual resnet reward rms rmsnorm rnn rope rotary router routing sample sampler
    samples sampling scheduler score scores script self sequence session shared skip softcap spatial stem step steps
    student swin task teacher temperature temporal test tiny tok token tokens tower toy train trainer training
    transform transformer u unembed unet update updates upsample v vae val valid vision vit vocab w wd weight
    weights wi wk wkv wo wq wqkv wv x y z
"""

_MESSAGES = """
    a about add added adds after again age alias all allocated allocations allowed allows already although an analysing
    and another answers anything apart archive archives are as asked asks assignment at attributeerror baseline be
    became because before begin begins being below between bits branches bucket budget budgets buffer build builds built
    bundle but by byte bytes cache caller came cannot carried check choose chooses closed cluster code comes command
    commands commit commits compilation compile compiled compiler compiles compressed contents contradict contradicts
    could cut damaged dash dask data decompress deeper delete denied did differ differs dir directory docs/error does
    doubtful dump dumped dumps each early eflop else elsewhere empty encrypted end ended enough errno error errors every
    exist exit extraction fail failed field figure file files find first fits flag flags flop folder follow followed for
    force form free from fsspec full function functions gap gflop give given goes grow growth gz handover has have hbm
    header help here hidden hides history hlo holds host if import in indexerror initialize install instead interrupted
    into is it its itself jit jobs json jsonl judge judged kept keyerror kflop know knows larger largest late law
    leading leads least leave leaves less line lines link lists live log logs long longer looked lost machine machines
    made many marked matches max may md memory memoryerror mflop mib misaligned mismatch missing mistaken module modules
    more must name named names needs nests nevertheless no nobody none not note nothing of off old omit omits on one
    only open or order origin oserror other others out output outside overflowerror oversized own pages part parts
    password path paths pb peak peaks perhaps permission pflop pip place plain plan please port ports process profile
    profiles program proto protos py python pytorch quotes ranges ray read reading recomputed recomputes recursionerror
    redact redaction regular reinstall replay report reportgen required reserved resident rows run runs runtime
    runtimeerror said same say schema scratch scripts search searched see served server set sets setting shape shapes
    share shared shorter show shown shows sibling site size skipped sliced smem so something spaces stands started
    starts static stderr stdout still stops stored such sure switches symbolic table tables taken takes temp tensorflow
    text texts tf tflop than that the them themselves there these this those to toml too took tool total touching train
    true try tuples turn turns type typeerror under unexplained unfilled unfinished unicodedecodeerror unit unknown
    unpack unparsed unread unreadable unset unsound until up url use used valueerror variable version vmem warn warning
    warnings was watched way were what whether which while whose wire with without work worker workers would write
    writes writing written wrote xla xplane xz zerodivisionerror
"""

_MEASURES = """
    binary_offset bitwidth byte_offset byte_stride bytes_accessed estimated_bundle_count estimated_cycles
    estimated_scoped_vmem_bytes estimated_vmem_bytes flops offset ones optimal_seconds output_chunk_bound
    output_window_bounds program_offset program_size remote_bytes_transferred scratchpad_allocation_size size sizes
    stack_size_high_watermark tail_padding_alignment_in_elements transcendentals window_bounds zeroes
"""
"""Keys of XLA whose numbers are bytes, cycles, operations or bits, and may be long."""

_COUNTS = """
    barrier_id buffering_level chain_id collective_config_parameter_index core_count core_ids
    dynamic_shape_metadata_prefix_bytes element_size_in_bits flag_end flag_start
    fully_unroll_if_trip_count_is_at_most fusion_id id indices init integer_value lhs_contracting_dimensions lhs_stride
    loop_index memory_space n num_batch_dims num_warps operand_original_end operand_original_start operation_queue_id
    out_memory_spaces outer_dimension_partitions output_tuple_original_end output_tuple_original_start
    pad_input_on_minor_dim pad_output_on_minor_dim rhs_contracting_dimensions rhs_stride ring_neighbor_table_offset
    serialization_format shard_group_id step tuple_index unroll_dimension unroll_factor width
    xla_skip_custom_call_alias_shape_check
"""
"""Keys of XLA whose numbers count or number something, and are short."""

_MACHINES = "client cpu device gpu host machine node pod rank server tpu user vm worker"
"""Known words that name a machine or a person once a number follows, as in `node17` or `user_4`."""

GROUPED = r"(?<!\d)\d" + repeated(r"[^0-9A-Za-z\\]{0,3}\d", 6)
"""A pattern for a long number, perhaps in groups, as people write telephone numbers: with any signs between the digits.

A backslash is none, because cutting an escape in two would make another of its rest.
"""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = re.compile(
    r"(?:\d(?:\.\d{1,10})?|\d{1,6}(?:\.\d{1,2})?)(?:[eE][+-]?\d{0,3})?|\d{1,11}(?:\.\d{1,2})?(?:[KMGT]i?)?B"
)
_SEGMENTS = re.compile(r"([_.$-]*)([^_.$-]*)")
_MIXED = re.compile(
    r"[A-Za-z]\d{0,3}|(?:\d{1,4})?" + repeated(r"x\d{1,4}", 1) + r"|[bfio]{0,2}[0-4]{1,3}[bfio]{1,2}|\d{1,2}a"
)
"""A letter with a number, the sizes of a window, the labels of dimensions, the `0a` of an architecture."""

_LETTERS_AND_DIGITS = re.compile(r"\d{0,3}+" + repeated(r"[A-Za-z]{2,}+\d{0,3}+|[xX]\d{1,4}+", 1))
_ADDRESS = re.compile(
    r"\d[._]\d+[._]\d|\d{2}[._]\d{5}|\d{3}[._]\d{4}|\d{4}[._]\d{3}|\d{5}[._]\d{2}"
    r"|(?<![0-9a-zA-Z])(?:[0-9a-fA-F]{2}[-_.$]){3}[0-9a-fA-F]{2}(?![0-9a-zA-Z])"
)
"""Three numbers in a row, two that together are as long as the number of a telephone, or four hexadecimal pairs."""

# Digits of the number of an instruction, any other number in a name, a changelist, and an amount in a message.
_LONGEST_SUFFIX, _LONGEST_NUMBER, _LONGEST_CHANGELIST, _LONGEST_AMOUNT = 6, 5, 10, 6
_LONGEST_COUNT, _LONGEST_MEASURE = 6, 20

_MESSAGE_WORD = re.compile(r"[^\s'\"`()\[\],;]+")
_PARTS_OF_LABELS = re.compile(r"[/#:=]|(?<=\d)(?=[-.])")
_MARKS = re.compile(r"[=*%→…]")
_GROUPED = re.compile(GROUPED)
_AMOUNT = re.compile(r"((?<![^\s(+-])\d{1,3}(?:,\d{3}){1,6}(?=[ .;:)]|$)(?![ .]\d))")
"""An amount as this package prints it."""
_TOKEN = re.compile(r"(?:data|dump|folder|host|name|number|path|person|program|text)-\d+")


@cache
def _vocabulary(redaction: Redaction) -> frozenset[str]:
    words = f"{_TYPES} {_COMPILER} {_JAX}" + (f" {_PROGRAMS}" if redaction == "paths" else "")
    return frozenset(words.lower().split())


@cache
def _keys(text: str) -> frozenset[str]:
    return frozenset(text.split())


@cache
def _message_words() -> frozenset[str]:
    of_the_system = " ".join(os.strerror(number) for number in range(1, 134)).lower()
    return _vocabulary("paths") | frozenset([*_MESSAGES.lower().split(), *re.findall("[a-z]+", of_the_system)])


def is_known(name: str, redaction: Redaction) -> bool:
    """Return whether a name consists of known words, types and numbers alone, as `add_fusion.12` does.

    With "paths" the common words of programs are known, too.
    """
    return _consists_of(name, _vocabulary(redaction))


def is_public_module(name: str, redaction: Redaction) -> bool:
    """Return whether the name of a module may be shown; with "names", none may."""
    return redaction != "names" and is_known(name, redaction)


def is_measure(key: str, digits: str) -> bool:
    """Return whether a string of digits is a number that XLA writes under a key."""
    if key in _keys(_MEASURES):
        return len(digits) <= _LONGEST_MEASURE
    return len(digits) <= _LONGEST_COUNT and key in _keys(_COUNTS)


def redact_message(message: str) -> str:
    """Return a message with only its own words and tokens, because it may quote a file that could not be read."""
    pieces = _AMOUNT.split(message)
    # The pieces with odd numbers are amounts. Long numbers are searched for in each text between them, because a number
    # before an amount would be taken for its first group.
    texts = [piece if number % 2 else _GROUPED.sub("(redacted)", piece) for number, piece in enumerate(pieces)]
    return _MESSAGE_WORD.sub(_redacted_word, "".join(texts))


def _redacted_word(match: re.Match[str]) -> str:
    word = match[0].rstrip(":.?!")
    is_label = _TOKEN.match(word) is not None
    pieces = _PARTS_OF_LABELS.split(_TOKEN.sub("", word)) if is_label else _MARKS.split(word.lstrip("-+<>"))
    return match[0] if all(map(_is_known_in_messages, pieces)) else "(redacted)" + match[0][len(word) :]


def _is_known_in_messages(word: str) -> bool:
    """Return whether a word of a message is one that this package or the system writes."""
    is_amount = word.isascii() and word.isdigit() and len(word) <= _LONGEST_AMOUNT
    return is_amount or _consists_of(word, _message_words())


def _consists_of(name: str, words: frozenset[str]) -> bool:
    """Return whether a name is a number, or segments that are known words or may follow them; never an address."""
    if _NUMBER.fullmatch(name):
        return True
    if not name.isascii() or _ADDRESS.search(name):
        return False
    before = ""
    for separator, segment in _SEGMENTS.findall(name)[:-1]:  # the last match is the empty end of the name
        if not _may_follow(before, separator, segment, words):
            return False
        before = segment
    return True


def _may_follow(before: str, separator: str, segment: str, words: frozenset[str]) -> bool:
    """Return whether a segment is known where it stands: a number only as the end of a word or an instruction."""
    if segment.lower() in words:
        return True
    has_digits = not segment.isalpha() and segment != ""
    if "-" in separator and (has_digits or before.isdigit()):
        return False  # because opcodes alone have hyphens, and machines and addresses have numbers next to them
    if segment.isdigit():
        return _is_number_after(before, separator, segment)
    return not segment or _is_compound(segment, words)


def _is_number_after(before: str, separator: str, number: str) -> bool:
    if separator.endswith("."):
        return bool(before) and len(number) <= _LONGEST_SUFFIX
    if before == "cl":
        return len(number) <= _LONGEST_CHANGELIST
    return bool(before) and before.lower() not in _keys(_MACHINES) and len(number) <= _LONGEST_NUMBER


def _is_compound(segment: str, words: frozenset[str]) -> bool:
    """Return whether a segment is a letter with a number, or known words with short numbers, as `conv2d` is."""
    if _MIXED.fullmatch(segment):
        return True
    if not _LETTERS_AND_DIGITS.fullmatch(segment):
        return False
    parts = [part.lower() for part in _WORD.findall(segment)]
    return all(part in words or part == "x" for part in parts) and (
        segment.isalpha() or _keys(_MACHINES).isdisjoint(parts)
    )
