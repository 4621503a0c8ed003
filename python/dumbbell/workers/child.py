"""A worker at the other end of an ssh connection: parcels come in on standard input, answers leave
on standard output.

Both are JSON, one document a line: first the worker's `{"places": N}`; then for each
`{"number", "parcel"}` one `{"number", "answer"}`, or
`{"number", "error": {"code", "text", "detail"}}`. The worker ends with its input.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any

from ..errors import DumbbellError
from .task import perform


def main(places: int | None) -> None:
    """Serves until the input ends. places: parcels at the same time; None: one for each core."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # What anything else prints is no answer.
    places = places or len(os.sched_getaffinity(0))
    one_at_a_time = threading.Lock()

    def say(document: dict[str, Any]) -> None:
        with one_at_a_time:
            print(json.dumps(document, allow_nan=False), file=out, flush=True)

    say({"places": places})
    _serve(sys.stdin, ThreadPoolExecutor(places), say)
    os._exit(0)  # Whoever asked is gone: nobody reads what is still being done.


def _serve(orders: IO[str], pool: ThreadPoolExecutor, say: Any) -> None:
    for line in orders:
        order = json.loads(line)
        pool.submit(_done, order, say)


def _done(order: dict[str, Any], say: Any) -> None:
    number = order["number"]
    try:
        say({"number": number, "answer": perform(order["parcel"])})
    except DumbbellError as error:
        say(
            {
                "number": number,
                "error": {"code": error.code, "text": error.rendered, "detail": error.detail},
            }
        )
    except BaseException as error:  # Whatever it was: whoever asked waits for an answer.
        text = f"a worker failed: {type(error).__name__}: {error}"
        say({"number": number, "error": {"code": DumbbellError.code, "text": text, "detail": {}}})


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
