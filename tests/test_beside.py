"""Work in a process forked from this one."""

import os
import subprocess
import sys

import pytest

from reportgen.beside import beside

# In a process of its own: that of the tests may have threads, and is not forked then.
_BESIDE = """
import os, signal, time
from reportgen.errors import ReportgenError
from reportgen.beside import beside, can_fork
seen = [1, 2]
with beside(lambda: (os.getpid(), sum(seen)), 2) as result:
    seen.append(3)
    process, total = result()
print(can_fork(), process == os.getpid(), total)
try:
    with beside(lambda: os.kill(os.getpid(), signal.SIGKILL), 2) as result:
        result()
except ReportgenError as error:
    print(error)
try:
    with beside(lambda: 1 // 0, 2) as result:
        result()
except ZeroDivisionError as error:
    print(error)
with beside(lambda: time.sleep(1000), 2):
    print("not asked for")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_work_beside_is_done_in_a_process_that_sees_the_memory_of_this_one() -> None:
    ran = subprocess.run([sys.executable, "-c", _BESIDE], capture_output=True, check=True, timeout=300, text=True)
    both, lost, raised, ended = ran.stdout.splitlines()
    assert both == "True False 3"
    assert "--jobs 1" in lost
    assert raised == "integer division or modulo by zero"
    assert ended == "not asked for"
    assert ran.stderr == ""


def test_work_beside_is_done_here_where_there_is_to_be_one_process() -> None:
    with beside(os.getpid, jobs=1) as result:
        assert result() == os.getpid()
    with beside(lambda: 1 // 0, jobs=1) as result, pytest.raises(ZeroDivisionError):
        result()
