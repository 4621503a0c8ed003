"""Figures of what flows of unlike frames do to each other: rates over time, one flow against
another, losses, delays.

Each has a panel for each of the picture's `points`, of the first run; `flows` are label to flow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ScenarioError
from ...figures import style
from ...figures.style import palette
from ..entries import Paper, Picture
from ..measures import delivery
from ..predicate import Family
from ..runs import Runs

_DOTS = {"marker": "o", "markersize": 2.6, "linestyle": "", "alpha": 0.45, "markeredgewidth": 0}


def rates(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """Throughput of each flow in bins of 50 ms: a row for each flow, with an axis of its own."""
    panels, flows = picture.options["points"], picture.options["flows"]
    size = (max(6.4, 4.6 * len(panels)), 1.5 * len(flows) + 0.6)
    figure, axes = style.new(
        len(flows), len(panels), size=size, sharex=True, sharey="row", squeeze=False
    )
    for column, (title, point) in enumerate(panels.items()):
        run, directory = _first(measured[point])
        for i, (label, flow) in enumerate(flows.items()):
            values = [1e-6 * rate for rate in delivery.rates(run, directory, flow)]
            times = [1e-12 * delivery.BIN_PS * (k + 0.5) for k in range(len(values))]
            axis = axes[i][column]
            axis.plot(times, values, color=palette.nth(i).color, linewidth=0.8)
            if column == 0:
                axis.set_ylabel(label)
        axes[0][column].set_title(f"{title}: throughput [Mbit/s]", loc="left")
        axes[-1][column].set_xlabel("time [s]")
    for row in axes:
        row[0].set_ylim(bottom=0)  # the axis is the row's: after all of it was drawn
    return figure


def sharing(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """One flow's throughput against another's, a dot for each bin of 50 ms; `flows`: label to flow,
    of x and of y."""
    panels = picture.options["points"]
    (x_label, x), (y_label, y) = picture.options["flows"].items()
    figure, axes = style.new(
        1, len(panels), size=(max(6.4, 4.6 * len(panels)), 3.6), sharey=True, squeeze=False
    )
    for i, (title, point) in enumerate(panels.items()):
        run, directory = _first(measured[point])
        pair = [[1e-6 * rate for rate in delivery.rates(run, directory, flow)] for flow in (x, y)]
        axis = axes[0][i]
        axis.plot(*pair, color=palette.nth(i).color, clip_on=False, **_DOTS)
        axis.set_xlim(left=0)
        axis.set(xlabel=f"{x_label} [Mbit/s]")
        axis.set_title(title, loc="left")
    axes[0][0].set_ylim(bottom=0)
    axes[0][0].set_ylabel(f"{y_label} [Mbit/s]")
    return figure


def lost(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """Cumulative loss of each flow over what it sent, every 0.1 s."""
    figure, axes = _panels(picture, sharey=True)
    for axis, (title, point) in zip(axes, picture.options["points"].items(), strict=True):
        run, directory = _first(measured[point])
        until = round(1e12 * run["duration_s"])
        for i, (label, flow) in enumerate(picture.options["flows"].items()):
            times, share = delivery.losses(directory, flow, 10**11, until)
            axis.plot(times, [100 * x for x in share], label=label, **palette.nth(i).trace())
        axis.set(xlabel="time [s]")
        axis.set_title(title, loc="left")
    axes[0].set_ylim(bottom=0, top=picture.options.get("top"))
    axes[0].set_ylabel("lost until then [%]")
    return _with_legend(figure, axes)


def delays(
    paper: Paper, picture: Picture, measured: Mapping[str, Runs], numbers: Mapping[str, Family]
) -> Any:
    """The share of each flow's packets with a one-way delay of at least so much, on a logarithmic
    axis."""
    figure, axes = _panels(picture, sharey=True, sharex=True)
    for axis, (title, point) in zip(axes, picture.options["points"].items(), strict=True):
        _, directory = _first(measured[point])
        for i, (label, flow) in enumerate(picture.options["flows"].items()):
            ms = np.sort(delivery.delays(directory, flow))
            share = 1 - np.arange(len(ms)) / len(ms)
            axis.plot(ms, share, drawstyle="steps-pre", label=label, **palette.nth(i).trace())
        axis.set(xlabel="one-way delay [ms]", yscale="log")
        axis.set_title(title, loc="left")
    axes[0].set_ylabel("share of packets, at least")
    return _with_legend(figure, axes)


def _with_legend(figure: Any, axes: Any) -> Any:
    """One legend over all panels."""
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False)
    return figure


def _panels(picture: Picture, **keywords: Any) -> tuple[Any, Any]:
    count = len(picture.options["points"])
    figure, axes = style.new(1, count, size=(max(6.4, 4.9 * count), 3.8), squeeze=False, **keywords)
    return figure, axes[0]


def _first(runs: Runs) -> tuple[dict[str, Any], Path]:
    """The first run and its directory."""
    if not runs.directories:
        raise ScenarioError(
            f"point `{runs.point.id}` has no packets: its scenario must record them"
        )
    return runs.runs[0], runs.directories[0]
