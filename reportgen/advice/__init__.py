"""Compute what would lower the peak of a program, by how much really, and how sure that is.

A reader who is out of memory looks at the largest buffer and takes its size as what can be saved. That is wrong in
three ways. The peak may be as high at another moment. The bytes may be needed by others as soon as they are free. And
two savings do not add up, because the second one meets another peak.

So nothing here is read off a size. A *suggestion* changes the dump in memory, as `memory.Memory`, and asks for the peak
again. Each says how sure its number is (`advice_records.Confidence`), which was measured on programs that were really
changed and compiled again: `python -m tests.advice.accuracy`.

**A kind of suggestion** is a record in the table of `kinds`: its slug, its caveat, and what orders it among others. Its
finder is in the list of `finders`, and makes suggestions with `suggest`; the glossary has its section. A finder is at
home in the file of what it computes, such as `hoisted`, or next to it: `donation_finder` asks `donation`, and
`checkpoint_finder` asks `checkpoint`, `loops` and `repeated_calls`. They ask a `context.AdviceContext`, which reads the
program once for all of them: `arguments` has what the caller passes and gets, `where` and `framework` the words for
places and code.

**What becomes of suggestions:** `order` puts those worth trying in order, `rematerialized` lowers what is claimed,
`next_peak` says what is next, `combined` computes them one after the other, and `fitting` judges whether the program
fits then. `tables` says what else a page shows. `advise.Advice` has all of it for a memory space, or says why there is
nothing, by `withheld`.
"""
