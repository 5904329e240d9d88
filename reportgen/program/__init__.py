"""The program that a dump was compiled from, read once: what its instructions say, and what follows from that.

A dump names instructions, values and their places; the HLO text beside it says what loops, calls and fusions are made
of. `Program` answers from both together, so no other room reads the text of an instruction.
"""
