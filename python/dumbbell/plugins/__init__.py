"""Algorithms of your own, in Python: a queue's ([`Aqm`]) and a congestion control
([`CongestionControl`]).

```python
import dumbbell
from dumbbell import PASS, drop


class HalfFull(dumbbell.Aqm):
    '''Drops with probability p when the queue is more than half full.'''

    p: float = dumbbell.parameter(0.1, "The probability of a drop.", at_least=0, at_most=1)

    def arrive(self, cx, queue, packet, fits):
        if queue.fullness > 0.5 and cx.rng.unit() < self.p:
            return drop("early")
        return PASS
```

In a scenario: `use = ["mine.py"]` and `queue = { kind = "half_full", p = 0.2 }`; in Python:
`Scenario(..., queue=HalfFull(p=0.2))`. `dumbbell test mine.py` examines it,
`docs/how-to/your-own.md` tells all.
"""

from __future__ import annotations

from .base import Aqm, CongestionControl, Own
from .hook_types import MARK, PASS, SIGNAL, drop, evict, mark, signal
from .parameters import BitsPerSecond, Bytes, Packets, Parameter, Seconds, parameter

__all__ = [
    "MARK",
    "PASS",
    "SIGNAL",
    "Aqm",
    "BitsPerSecond",
    "Bytes",
    "CongestionControl",
    "Own",
    "Packets",
    "Parameter",
    "Seconds",
    "drop",
    "evict",
    "mark",
    "parameter",
    "signal",
]
