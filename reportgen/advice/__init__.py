"""Compute what would lower the peak of a program, by how much really, and how sure that is.

A reader who is out of memory looks at the largest buffer and takes its size as what can be saved. That is wrong in
three ways. The peak may be as high at another moment. The bytes may be needed by others as soon as they are free. And
two savings do not add up, because the second one meets another peak.

So nothing here is read off a size. A *suggestion* changes the dump in memory, as `memory.Memory`, and asks for the peak
again. Each says how sure its number is (`advice_records.Confidence`), which was measured on programs that were really
changed and compiled again: `python -m tests.advice.accuracy`.

**A kind of suggestion** is a record in the table of `kinds`: its slug, its caveat, and what orders it among others. Its
finder is in the list of `finders`, and makes suggestions with `suggest`; the glossary has its section. Finders are at
home in

* `donation_finder`, with `donation`: results take the place of arguments;
* `batch_finder`, with `batch`: the batch is another one;
* `checkpoint_finder`, with `checkpoint`, `loops` and `repeated_calls`: values are computed again;
* `avoidable`, `hoisted`, `merged_dimensions`: what could be held later, for one step of a loop, or without padding;
* `levers`, with `attention`: what an expert would change;
* `shard`: what several devices hold whole is divided;
* `unreturned`: bytes move between what the caller holds and the temporaries;
* `similar_buffers`: a group of buffers is never held.

They ask a `context.AdviceContext`, which reads the program once for all of them: `arguments` has what the caller passes
and gets, `where` and `framework` the words for places and code.

**What becomes of suggestions:** `order` puts those worth trying in order, `rematerialized` lowers what is claimed,
`next_peak` says what is next, `combined` computes them one after the other, and `fitting` judges whether the program
fits then. `more_devices` and `tables` say what else a page shows. `advise.Advice` has all of it for a memory space, or
says why there is nothing, by `withheld`.
"""
