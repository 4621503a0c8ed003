"""Options of a comparison with peers; every refusal shows the word and the fix."""

from __future__ import annotations

from collections.abc import Sequence

from .... import api
from ....errors import ScenarioError
from ....present.units import plain_rate, seconds
from .workload import LAST_START, SPREAD, Workload, buffer_of, rate_for, seconds_for

QUEUES = ("drop_tail", "red")
FLOWS = (10, 100)
SEEDS = 5
RESULT_SEEDS = 10

LEAST_BUFFER = 8
"""packets: RED's thresholds are quarters of it."""

MOST_FLOWS = 100_000
MOST_RATE = 100e9


def refused(option: str, value: object, cause: str, fix: str) -> ScenarioError:
    """A word of the command line that is wrong, underlined."""
    line = f"{option} {value}"
    caret = " " * (len(option) + 1) + "^" * len(str(value))
    return ScenarioError(
        f"{line}\n{caret} {cause}\nhelp: {fix}", {"option": option, "cause": cause, "fix": fix}
    )


def workloads(
    flows: Sequence[int],
    rate: str | None,
    queues: Sequence[str],
    time: str | None,
    against: Sequence[str],
) -> list[Workload]:
    """The comparisons asked for: each peer, each number of flows, each queue."""
    peers = chosen("--against", against, ("ns2", "ns3"))
    kinds = chosen("--queue", queues, QUEUES)
    counts = [_flows(n) for n in flows] or list(FLOWS)
    fixed = None if rate is None else _rate(rate)
    lasting = None if time is None else _seconds(time)
    return [
        Workload(n, fixed or rate_for(n), kind, lasting or seconds_for(n, peer), peer)
        for peer in peers
        for n in counts
        for kind in kinds
    ]


def chosen(option: str, words: Sequence[str], known: Sequence[str]) -> list[str]:
    """The words, each of them known and once; all that are known if there are none."""
    for word in words:
        if word not in known:
            near = api.nearest(word, known)
            fix = f"did you mean `{near}`?" if near else f"write one of {', '.join(known)}"
            raise refused(option, word, f"here it can be {', '.join(known)}", fix)
    return list(dict.fromkeys(words)) or list(known)


def seeds_of(value: int | None, default: int, least: int = 1) -> int:
    """The number of seeds."""
    if value is not None and value < least:
        cause = (
            "there must be at least one run"
            if least == 1
            else f"an interval takes at least {least} runs"
        )
        raise refused("--seeds", value, cause, f"write --seeds {default}")
    return value or default


def only_with_results(**given: object) -> None:
    """Refuses words that say which workload is timed, where results are compared."""
    for name, value in given.items():
        if value:
            shown = value[0] if isinstance(value, list) else value
            fix = (
                f"leave out --results, or leave out --{name}: the scenarios of --results "
                "have their own"
            )
            raise refused(f"--{name}", shown, "this does not apply to --results", fix)


def only_for_schemes(option: str) -> ScenarioError:
    """An option that says how schemes are compared, where none is named."""
    cause, fix = (
        "this is only for comparing schemes",
        "name the schemes first, as in `dumbbell compare drop_tail red --cc cubic`",
    )
    return ScenarioError(
        f"{option}\n{'^' * len(option)} {cause}\nhelp: {fix}",
        {"option": option, "cause": cause, "fix": fix},
    )


def _flows(value: int) -> int:
    if value < 1:
        raise refused("--flows", value, "a comparison needs at least one flow", "write --flows 10")
    if value > MOST_FLOWS:
        raise refused(
            "--flows",
            value,
            "neither ns-2 nor ns-3 can set up so many flows",
            f"write at most {MOST_FLOWS}",
        )
    return value


def _rate(text: str) -> float:
    value = plain_rate(text)
    if value is None:
        raise refused(
            "--rate", text, "this is not a rate", "write it with its unit, as in --rate 100Mbps"
        )
    if buffer_of(value) < LEAST_BUFFER:
        cause = f"a bandwidth-delay product of 24 ms is less than {LEAST_BUFFER} packets"
        raise refused("--rate", text, cause, "write at least 2.67Mbps")
    if value > MOST_RATE:
        raise refused(
            "--rate", text, "this exceeds the resolution of ns-2's clock", "write at most 100Gbps"
        )
    return value


def _seconds(text: str) -> float:
    try:
        value = seconds(text)
    except ValueError:
        raise refused(
            "--time", text, "this is not a time", "write it with its unit, as in --time 20s"
        ) from None
    if not LAST_START + SPREAD < value <= 1e5:
        cause = "the last flow starts after one second" if value < 2 else "this is more than a day"
        raise refused("--time", text, cause, "write a time from 2s to 100000s")
    return value
