"""Read the protos that hold XLA's plan, and print from each the texts that XLA dumps.

A `.hlo.pb`, a profile and a compiled function hold one message, `HloProto`: a module and its buffer assignment. The
rest of the program knows dumps as texts, so a proto becomes the same texts here, and nothing after it differs.
"""
