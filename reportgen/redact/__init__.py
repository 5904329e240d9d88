"""Takes out of the input what a public report must not say, before anything is parsed.

A path, a person or a machine may stand anywhere in a dump: in metadata, in the configuration of a custom
call, in a label of the stack trace, in a line that nobody understands. So the text itself is changed, as
soon as it has been read, and no page, shard, digest or manifest can hold what was there.

What is hidden becomes a token with a number, in the order in which a dump first says it: the same path is
the same token all over a dump, so that groups by source line stay what they are. There is no digest of
anything hidden, because a digest of `/home/alice` is found by trying names. The price is that the tokens
of two dumps are not related: `path-1.py` of one may be `path-2.py` of the other. So a dump can be redacted
alone, by any process, and stays the same when others join it.
"""
