"""Scenarios of random graphs: routers in a tree with more links, hosts, queues, impairments and
flows from the whole catalogue."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

_LOSSES = (
    '{ kind = "bernoulli", loss = 0.01 }',
    '{ kind = "reorder", share = 0.02, delay = "3 ms" }',
    '{ kind = "duplicate", share = 0.01 }',
)


def scenario(seed: int, queues: Sequence[str], controls: Sequence[str]) -> str:
    """A scenario as text, the same for the same seed and names."""
    dice = random.Random(seed)
    routers = [f"r{i}" for i in range(dice.randint(2, 6))]
    pairs = [(dice.choice(routers[:i]), routers[i]) for i in range(1, len(routers))]
    more = [tuple(dice.sample(routers, 2)) for _ in range(dice.randint(0, 2))]
    pairs += [pair for pair in more if pair not in pairs and pair[::-1] not in pairs]
    hosts = [f"h{i}" for i in range(dice.randint(2, 8))]
    text = [
        f'duration = "3 s"\nwarmup = "500 ms"\nseed = {dice.randint(1, 1000)}\n',
        f"host = [{', '.join(f'{{ name = {json.dumps(name)} }}' for name in hosts)}]",
        f"router = [{', '.join(f'{{ name = {json.dumps(name)} }}' for name in routers)}]",
    ]
    text += [_link(dice, *pair, dice.choice(queues)) for pair in pairs]
    text += [
        f'[[link]]\nbetween = ["{host}", "{dice.choice(routers)}"]\nrate = "100 Mbps"\n'
        f'delay = "{dice.randint(1, 5)} ms"\n'
        for host in hosts
    ]
    for _ in range(dice.randint(1, 5)):
        source, target = dice.sample(hosts, 2)
        text.append(
            f'[[flow]]\nfrom = "{source}"\nto = "{target}"\ncount = {dice.randint(1, 2)}\n'
            f'cc = "{dice.choice(controls)}"\nstart = "{dice.randint(0, 500)} ms"\n'
        )
    return "\n".join(text)


def _link(dice: random.Random, one: str, other: str, queue: str) -> str:
    impaired = dice.random() < 0.3
    return (
        f'[[link]]\nbetween = ["{one}", "{other}"]\nrate = "{dice.randint(2, 20)} Mbps"\n'
        f'delay = "{dice.randint(1, 30)} ms"\n'
        f'queue = {{ kind = "{queue}", limit = "{dice.randint(10, 80)} pkt" }}\n'
        + (f"impairment = [{dice.choice(_LOSSES)}]\n" if impaired else "")
    )
