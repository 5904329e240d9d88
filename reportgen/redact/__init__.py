"""Keep of the input only what a public report may show, before anything is parsed.

A path, a person or a machine may be named anywhere in a dump: in metadata, in the configuration of a custom call, in
a label of the stack trace, in a line that nobody understands. The text itself is therefore changed as soon as it has
been read, so that no page, shard, digest or manifest can contain what it said. What stays is a list of what is known
to be safe (`vocabulary`), because a list of what identifies somebody is never complete.

A hidden text becomes a numbered token, in the order in which a dump first mentions it: the same path is the same token
everywhere in the dump, so groups by source line do not change. Digests of hidden texts are never used, because a
digest of `/home/alice` is found by trying names. As a consequence the tokens of two dumps are unrelated: `path-1.py`
of one may be `path-2.py` of the other. In return each dump can be redacted alone, by any process, and stays the same
when others are added.

A build calls this package in two places: `redact_labels` for what discovery found, and `redact_contents` for what was
read of each dump.
"""
