"""Compute what would lower the peak of a program, by how much really, and how sure that is.

A reader who is out of memory looks at the largest buffer and takes its size as what can be saved. That is wrong in
three ways. The peak may be as high at another moment. The bytes may be needed by others as soon as they are free. And
two savings do not add up, because the second one meets another peak.

So nothing here is read off a size. A *suggestion* changes the dump in memory, as `memory.Memory`, and asks for the peak
again:

* values are not held for some time (`avoidable`, `families`, `checkpoint`, `loops`): cut from the curve;
* results take the place of arguments (`donation`), or are not returned (`unreturned`): bytes move between what the
  caller holds and the temporaries;
* the batch is another one (`batch`).

Each suggestion says how sure its number is (`advice_records.Confidence`), which was measured on programs that were
really changed and compiled again: `python -m tests.advice.accuracy`. `program` reads what the dump says of the program,
and `arguments` what the caller passes and gets. `context` holds what several suggestions need, `suggestions` puts each
into words, `combined` computes those that go together, and `advise` puts it all together.
"""
