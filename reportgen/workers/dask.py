"""Connect to a Dask cluster and explain its failures. Only this module uses Dask."""

import asyncio
import logging
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import reportgen
from reportgen.errors import ClusterFailed

if TYPE_CHECKING:
    from distributed import Client

_DISTRIBUTION = "xla-reportgen"
_SECONDS_TO_ANSWER = 10
_NO_DASK = "--executor dask://… needs Dask: pip install 'xla-reportgen[dask]'"
_LOST_WORKER = (
    "Workers of the cluster died repeatedly over one dump, most likely for lack of memory."
    " Give each worker more memory or only one thread."
)


@contextmanager
def connected(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield the executor of the cluster at host:port and its number of threads, until the end of the `with`.

    Raises ClusterFailed if the cluster cannot be reached, cannot do the work, or is lost.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ModuleNotFoundError as error:
        raise ClusterFailed(_NO_DASK) from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # because it logs what it also raises
    try:
        # Greet the scheduler first, because a client ignores its timeout and waits forever for a server that accepts a
        # connection but stays silent. Use a thread, because the caller may have an event loop of its own.
        with ThreadPoolExecutor(1) as aside:
            greeting = asyncio.wait_for(_greet(f"tcp://{address}"), _SECONDS_TO_ANSWER)
            aside.submit(asyncio.run, greeting).result()
        client = Client(f"tcp://{address}", timeout=_SECONDS_TO_ANSWER, set_as_default=False)
    except Exception as error:  # because a server that is not Dask may answer anything
        raise ClusterFailed(f"dask://{address}: no scheduler answers at this address.") from error
    executor = client.get_executor(pure=False)  # because equal tasks must write their pages again
    try:
        yield executor, _threads(client, address)
    except KilledWorker as error:
        raise ClusterFailed(f"dask://{address}: {_LOST_WORKER}") from error
    except CancelledError as error:
        raise ClusterFailed(f"dask://{address}: the connection to the scheduler was lost.") from error
    finally:
        executor.shutdown(wait=False)  # because a lost cluster never finishes
        client.close()


async def _greet(address: str) -> None:
    """Connect to the scheduler and disconnect. Raises an exception if it does not answer in time."""
    from distributed.comm.core import connect

    comm = await connect(address, timeout=_SECONDS_TO_ANSWER)
    await comm.close()


def _threads(client: "Client", address: str) -> int:
    """Return how many items the cluster works on at once. Raises ClusterFailed if its workers cannot do our work."""
    threads: int = sum(client.nthreads().values())
    if not threads:
        raise ClusterFailed(f"dask://{address}: the scheduler has no workers.")
    try:
        versions = set(client.run(version, _DISTRIBUTION).values())
    except PackageNotFoundError as error:
        raise ClusterFailed(f"dask://{address}: {_DISTRIBUTION} is not installed for all workers.") from error
    if versions != {reportgen.__version__}:
        reason = f"its workers have {_DISTRIBUTION} {', '.join(sorted(versions))}, not {reportgen.__version__}."
        raise ClusterFailed(f"dask://{address}: {reason}")
    return threads
