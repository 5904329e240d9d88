"""Work on a Dask cluster: connecting to it, and its failures in words. The one module that knows Dask."""

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
    "Workers of the cluster died over one dump again and again, most likely for lack of memory."
    " Give each more memory, or one thread."
)


@contextmanager
def connected(address: str) -> Iterator[tuple[Executor, int]]:
    """The cluster's executor and its number of threads, until the end of the `with`; `address` is host:port.

    Raises ClusterFailed if it cannot be reached, cannot do our work, or is lost.
    """
    try:
        from distributed import Client
        from distributed.scheduler import KilledWorker
    except ModuleNotFoundError as error:
        raise ClusterFailed(_NO_DASK) from error
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it would log is raised, too
    try:
        with ThreadPoolExecutor(1) as aside:  # whoever calls this may have an event loop of its own
            aside.submit(_greet, f"tcp://{address}").result()
        client = Client(f"tcp://{address}", timeout=_SECONDS_TO_ANSWER, set_as_default=False)
    except Exception as error:  # whatever is behind the address may answer anything
        raise ClusterFailed(f"dask://{address}: no scheduler answers there.") from error
    executor = client.get_executor(pure=False)
    try:
        yield executor, _threads(client, address)
    except KilledWorker as error:
        raise ClusterFailed(f"dask://{address}: {_LOST_WORKER}") from error
    except CancelledError as error:
        raise ClusterFailed(f"dask://{address}: the connection to the scheduler was lost.") from error
    finally:
        executor.shutdown(wait=False)
        client.close()


def _greet(address: str) -> None:
    """A client waits for ever on what takes the connection and is silent, whatever its timeout."""
    asyncio.run(asyncio.wait_for(_connect(address), _SECONDS_TO_ANSWER))


async def _connect(address: str) -> None:
    from distributed.comm.core import connect

    comm = await connect(address, timeout=_SECONDS_TO_ANSWER)
    await comm.close()


def _threads(client: "Client", address: str) -> int:
    """How many pieces of work the cluster does at once. Raises ClusterFailed if its workers are not as we are."""
    threads: int = sum(client.nthreads().values())
    if not threads:
        raise ClusterFailed(f"dask://{address}: the scheduler has no workers.")
    try:
        versions = set(client.run(version, _DISTRIBUTION).values())
    except PackageNotFoundError as error:
        raise ClusterFailed(f"dask://{address}: {_DISTRIBUTION} is not installed for all workers.") from error
    if versions != {reportgen.__version__}:
        found = ", ".join(sorted(versions))
        raise ClusterFailed(f"dask://{address}: its workers have {_DISTRIBUTION} {found}, not {reportgen.__version__}.")
    return threads
