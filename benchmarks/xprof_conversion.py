"""What XProf's memory viewer takes for a module: runs in an environment of its own, where only XProf is.

Arguments: a session directory that holds MODULE.hlo_proto.pb, the module's name, and numbers of memory spaces.
Prints the bytes that XProf finds allocated in each of these spaces, as JSON.
"""

import json
import sys
from pathlib import Path

from xprof.convert.raw_to_tool_data import xspace_to_tool_data

_MEBIBYTE = 1 << 20


def main(directory: str, module: str, *spaces: str) -> None:
    trace = Path(directory) / "host.xplane.pb"
    trace.touch()  # XProf wants a trace; what it asks of the module is in the module's own file
    allocated = {space: _allocated_bytes(_convert(trace, module, space)) for space in spaces}
    print(json.dumps({"allocated_bytes": allocated}))


def _convert(trace: Path, module: str, space: str) -> bytes:
    asked = {"module_name": module, "memory_space": space}
    data, _ = xspace_to_tool_data([str(trace)], "memory_viewer", asked)
    if data is None:
        raise SystemExit(f"XProf has no answer for {module}, space {space}")
    return bytes(data)


def _allocated_bytes(answer: bytes) -> int:
    allocated: float = json.loads(answer).get("totalBufferAllocationMib", 0.0)
    return round(allocated * _MEBIBYTE)


if __name__ == "__main__":
    main(*sys.argv[1:])
