"""Durations of transfers: the distribution of completion times, and their mean against the size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ScenarioError
from . import style
from .recorded_run import Source, View
from .style import Figure, lettering, palette

if TYPE_CHECKING:
    import polars

_COLUMNS = ("session", "start_s", "size_bytes", "completion_s", "ideal_s")
_BINS_PER_DECADE = 2
_FEWEST = 2
"""Transfers of a bin whose mean is drawn."""


def of_source(source: Source, view: View) -> Figure:
    """The sessions of one run, those that started in view."""
    frame = view.cut(source.need("completions", _COLUMNS), "start_s")
    names = list(dict.fromkeys(frame["session"].to_list()))
    return completions({name: [frame.filter(frame["session"] == name)] for name in names})


def completions(schemes: Mapping[str, Sequence[polars.DataFrame]], title: str = "") -> Figure:
    """Left the CDF of completion times of each scheme, all its runs together; right their mean
    against the size, in bins of half a decade, with the mean of the shortest possible times dotted.
    What had not finished is in neither."""
    import polars as pl

    figure, (cdf, mean) = style.new(1, 2, size=(9.6, 3.9))
    ideal: list[polars.DataFrame] = []
    for place, (name, frames) in enumerate(schemes.items()):
        rows = pl.concat(list(frames)).filter(pl.col("completion_s").is_not_null())
        if rows.height == 0:
            continue
        look = palette.look(name.rsplit(" = ")[-1]) if len(schemes) > 1 else palette.nth(place)
        ms = np.sort(rows["completion_s"].to_numpy()) * 1e3
        share = np.arange(1, len(ms) + 1) / len(ms)
        cdf.plot(ms, share, drawstyle="steps-post", label=name, **look.trace())
        bins = _by_size(rows, "completion_s")
        mean.plot(bins["size_bytes"], bins["completion_s"] * 1e3, label=name, **look.line())
        ideal.append(rows)
    if not ideal:
        raise ScenarioError("no transfer finished in this part of the run")
    least = _by_size(pl.concat(ideal), "ideal_s")
    mean.plot(
        least["size_bytes"],
        least["ideal_s"] * 1e3,
        color="#555555",
        linestyle=(0, (1, 1.5)),
        label="at least",
    )
    cdf.set(
        xlabel="completion time [ms]",
        ylabel="share of transfers, at most",
        ylim=(0, 1.01),
        xscale="log",
    )
    mean.set(xlabel="size [B]", ylabel="mean completion time [ms]", xscale="log", yscale="log")
    lettering.legend(mean)
    lettering.head(figure, title)
    return figure


def _by_size(rows: polars.DataFrame, column: str) -> polars.DataFrame:
    """Mean of a column and of the size, in bins of the size."""
    import polars as pl

    place = (pl.col("size_bytes").log10() * _BINS_PER_DECADE).floor()
    bins = rows.group_by(place.alias("bin"), maintain_order=True).agg(
        pl.col("size_bytes").mean(), pl.col(column).mean(), pl.len().alias("n")
    )
    return bins.filter((pl.col("n") >= _FEWEST) | (pl.col("n").max() < _FEWEST)).sort("bin")
