"""Workers of a Dask cluster that is there: `dask://HOST:PORT`."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import Any

import distributed

from ..errors import DumbbellError, EnvironmentLacks
from .crew import Answer, Parcel, first_line
from .options import endpoint
from .task import perform

_dask: Any = distributed  # It has no types.
# The seconds that a scheduler, or its first worker, may take to answer.
_PATIENCE_S = 30
# Between two attempts to reach one, seconds.
_BEAT_S = 0.5


class Cluster:
    """A Dask cluster, as a client."""

    def __init__(self, client: Any) -> None:
        self._client = client

    @classmethod
    def at(cls, address: str) -> Cluster:
        """The cluster whose scheduler listens at `//HOST:PORT`, or at an address of Dask's such as
        `tls://...`."""
        host, port = endpoint(address)
        address = f"tcp:{address}" if address.startswith("//") else address
        client: Any = None
        try:
            _reach(
                host, port
            )  # A client that finds nobody leaves tracebacks behind when it is dropped.
            client = _dask.Client(address, timeout=_PATIENCE_S, set_as_default=False)
            client.wait_for_workers(1, timeout=_PATIENCE_S)
        except (OSError, TimeoutError, ValueError) as error:
            if client is not None:
                client.close()
            raise EnvironmentLacks(
                f"there is no Dask cluster with a worker at {address} ({first_line(error)}): start "
                f"`dask scheduler`, and `dask worker {address}` on each machine"
            ) from None
        return cls(client)

    def places(self) -> int:
        """The threads of all workers."""
        return max(1, int(sum(self._client.nthreads().values())))

    def work(self, parcels: list[Parcel]) -> Iterator[Answer]:
        """Sends all parcels; the scheduler sends one again whose worker dies."""
        sent = {self._client.submit(perform, parcel, pure=False): parcel for parcel in parcels}
        try:
            for future in _dask.as_completed(list(sent), loop=self._client.loop):
                error = future.exception() if future.status != "finished" else None
                if error is None:
                    yield sent[future], future.result()
                elif isinstance(error, _dask.KilledWorker | OSError) or future.status in (
                    "lost",
                    "cancelled",
                ):
                    yield (
                        sent[future],
                        error if isinstance(error, Exception) else DumbbellError(str(error)),
                    )
                elif isinstance(error, DumbbellError):
                    raise error
                elif isinstance(error, ImportError):
                    raise EnvironmentLacks(
                        f"a worker cannot import dumbbell ({error}): install it there"
                    )
                else:
                    raise DumbbellError(f"a worker failed: {type(error).__name__}: {error}")
        finally:
            self._client.cancel(list(sent))

    def dismiss(self, whole: bool) -> None:
        """Leaves the cluster."""
        self._client.close()


def _reach(host: str, port: int) -> None:
    """Waits until something listens there; after `_PATIENCE_S` the `OSError` of the last
    attempt."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            socket.create_connection((host, port), timeout=max(0.1, end - time.monotonic())).close()
            return
        except socket.gaierror:
            raise  # There is no such host, and waiting makes none.
        except OSError:
            if time.monotonic() + _BEAT_S > end:
                raise
        time.sleep(_BEAT_S)
