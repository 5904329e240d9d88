"""Compare two builds: which values are the same, how one peak became the other, and whether budgets are kept.

What to change, and where it is:

Two builds, from the whole to the byte
- `builds`: two builds module by module, what became of each module, and what differs in its program and flags
- `module_pairing`: which modules are builds of the same module
- `dump_comparison`: two dumps of one module, space by space
- `difference`: the terms that lead from one peak to the other
- `terms`: the kinds of terms, what people read of each, and the steps that join them
- `scope_changes`: the same difference by scope, without matching

Which values are the same
- `matching`: how values are matched
- `evidence`: what two values have in common, tier by tier, and how far that can be trusted
- `graph`: one build as a graph of values and their readers
- `signature`: arguments and outputs, which are matched first
- `schedule_alignment`: where a moment of one build lies in the other, and the place that is compared
- `common_subsequence`: the algorithm that aligns two lists

What people and programs read
- `compare_words`: the words for a module in two builds
- `reasons`: why its peak changed
- `argument_changes`: what changed in its arguments
- `compare_markdown`: the summary of a job, and a comment
- `compare_document`, `compare_json`: what `compare.json` has, and how it is filled

Budgets
- `budgets`: the file of budgets
- `growth`: sizes and growth as people write them
- `figures`: the figures that a budget can hold
- `baseline`: the figures of an earlier build from its `report.json`
- `verdicts`: whether budgets are kept

Builds over time
- `history`: the file of builds and their figures
- `build_metadata`: the commit, the time and the link of a build
- `series`: which modules of many builds are one function, and what changed in its memory
"""
