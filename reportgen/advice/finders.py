"""List the finders of suggestions: each yields those of a kind, or of two that are found in one way.

A finder asks a context, which is a program in a memory space, as it is or as a donation leaves it.
"""

from collections.abc import Callable, Iterable, Sequence

from reportgen.advice.advice_records import Suggestion
from reportgen.advice.avoidable import find_copies, find_early_creation, find_early_recomputation
from reportgen.advice.batch_finder import find_smaller_batch
from reportgen.advice.checkpoint_finder import find_checkpoints
from reportgen.advice.context import AdviceContext
from reportgen.advice.donation_finder import find_donations
from reportgen.advice.hoisted import find_hoisted
from reportgen.advice.levers import find_attention, find_carries, find_logits, find_narrower_types, find_offload
from reportgen.advice.merged_dimensions import find_padding
from reportgen.advice.shard import find_sharding
from reportgen.advice.unreturned import find_unreturned

Finder = Callable[[AdviceContext], Iterable[Suggestion]]

CHANGES_OF_PROGRAM: Sequence[Finder] = (
    find_smaller_batch,
    find_early_recomputation,
    find_checkpoints,
    find_early_creation,
    find_copies,
    find_hoisted,
    find_padding,
    find_attention,
    find_logits,
    find_carries,
    find_offload,
    find_narrower_types,
)
"""Finders of what changes the program, and not what its caller passes and gets.

They are asked again after a donation, because that changes the peak.
"""

FINDERS: Sequence[Finder] = (find_donations, find_sharding, *CHANGES_OF_PROGRAM, find_unreturned)
"""All finders, in the order in which suggestions are listed."""
