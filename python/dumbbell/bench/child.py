"""The process in which one run is measured: reads a request of the verb `bench` on stdin, prints
what it cost.

It imports nothing but the laboratory, so that its memory is the run's.
"""

import json
import sys

from .. import _native


def main() -> None:
    """Answers `{"bench": ...}`, or `{"error": {"code", "text", "detail"}}`."""
    try:
        print(f'{{"bench": {_native.call("bench", sys.stdin.read())}}}')
    except _native.Problem as problem:
        code, text, detail = problem.args
        print(json.dumps({"error": {"code": code, "text": text, "detail": json.loads(detail)}}))


if __name__ == "__main__":
    main()
