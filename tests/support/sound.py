"""One small dump with every section and nothing to find in it, to be damaged in one place at a time.

    moment    0  1  2  3    4     5     6  7
    runs      p  a  b  big  drop  idle  c  root

`big` decides the peak, 4,864 bytes in moments 3 and 4; `c` takes over the bytes of its operand `a` in moment 6.
`drop` and `idle` are bitcasts of `big` and `b`.
"""

from tests.support.dumps import edited

TOTAL = "Total bytes used: 5124 (5.0KiB)\n"

BLOCK = """\
BufferAssignment:
allocation 0: size 256, parameter 0, shape |f32[64]| at ShapeIndex {}:
 value: <0 p @0> (size=256,offset=0): f32[64]{0}
allocation 1: size 256, output shape is |f32[64]|, maybe-live-out:
 value: <5 root @0> (size=256,offset=0): f32[64]{0}
allocation 2: size 4, thread-local:
 value: <6 x @0> (size=4,offset=0): f32[]
allocation 3: size 4608, preallocated-temp:
 value: <1 a @0> (size=256,offset=0): f32[64]{0}
 value: <2 b @0> (size=256,offset=256): f32[64]{0}
 value: <3 big @0> (size=4096,offset=512): f32[1024]{0}
 value: <4 c @0> (size=256,offset=0): f32[64]{0}
"""

USED = """\
Used values:
<0 p @0>
 positions:
  p
 uses:
  a, operand 0
  b, operand 0
 from instruction: %p = f32[64]{0} parameter(0), metadata={op_name="p"}
<1 a @0>
 positions:
  a
 uses:
  c, operand 0
 from instruction: %a = f32[64]{0} negate(%p), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=2}
<2 b @0>
 positions:
  b
  idle
 uses:
  c, operand 1
 from instruction: %b = f32[64]{0} exponential(%p), metadata={op_name="jit(f)/exp" source_file="f.py" source_line=3}
<3 big @0>
 positions:
  big
  drop
 uses:
  drop, operand 0
 from instruction: %big = f32[1024]{0} iota(), iota_dimension=0
<4 c @0>
 positions:
  c
 uses:
  root, operand 0
 from instruction: %c = f32[64]{0} add(%a, %b), metadata={op_name="jit(f)/add" source_file="f.py" source_line=4}
<5 root @0>
 positions:
  root
 uses:
  (none)
 from instruction: %root = f32[64]{0} negate(%c), metadata={op_name="jit(f)/neg" source_file="f.py" source_line=5}
<6 x @0>
 positions:
  x
 uses:
  (none)
 from instruction: %x = f32[] parameter(0)
"""

RANGES = """\
HloLiveRange (max 8):
  InstructionSequence:
    0:p
    1:a
    2:b
    3:big
    4:drop
    5:idle
    6:c
    7:root
  BufferLiveRange:
    p{}:0-8
    a{}:1-6
    b{}:2-6
    big{}:3-4
    c{}:6-7
    root{}:7-8
  Live ranges at 3 (peak):
    big{}: 4096 bytes (cumulative: 4096 bytes)
    a{}: 256 bytes (cumulative: 4352 bytes)
    b{}: 256 bytes (cumulative: 4608 bytes)
    p{}: 256 bytes (cumulative: 4864 bytes)
  Stack trace breakdown for peak usage: 4 864 bytes
    main (100.0%, total: 4 864 bytes, current: 0 bytes, remaining: 4 864 bytes)
      ├── big (84.2%, total: 4 096 bytes, current: 4 096 bytes, remaining: 768 bytes)
      ├── jit(f) (10.5%, total: 512 bytes, current: 0 bytes, remaining: 768 bytes)
      │   ├── exp (5.3%, total: 256 bytes, current: 256 bytes, remaining: 512 bytes)
      │   └── neg (5.3%, total: 256 bytes, current: 256 bytes, remaining: 256 bytes)
      └── p (5.3%, total: 256 bytes, current: 256 bytes, remaining: 0 bytes)
"""

SOUND = f"{BLOCK}\n{TOTAL}\n{USED}\n\n{RANGES}"


def damaged(*edits: tuple[str, str]) -> str:
    """Return the sound dump after the edits."""
    return edited(SOUND, *edits)
