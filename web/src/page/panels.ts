// The panels of the page's JSON, each as a part by its kind.

import { paintHairlines } from "../events/chain";
import type { Markers } from "../events/markers";
import type { Panel } from "../meta";
import { shadeWarmup } from "../panels/axis";
import type { Frame } from "../panels/draw";
import { Phase } from "../panels/phase";
import { SeriesContent, linesOf } from "../panels/series";
import type { Reading } from "../panels/timepanel";
import { TimePanel } from "../panels/timepanel";
import { PointsPanel } from "../points/panel";
import { Readout } from "../ui/readout";
import type { Part } from "../view/part";
import type { Picked } from "../view/state";
import type { Context } from "./context";

const FIRST_PX = 206;
const HEIGHT_PX = 158;

export interface Around {
  markers: Markers;
  pick(picked: Picked): void;
}

/** The part of a panel; a large one is higher if it is over time. */
export function build(on: Context, panel: Panel, around: Around, large: boolean): Part {
  const { meta, store, state, theme } = on;
  if (panel.kind === "points") return new PointsPanel(meta, panel, store, state, theme);
  if (panel.kind === "phase") return new Phase(meta, panel, store, state, theme);
  return timePanel(on, panel, around, large);
}

function timePanel(
  on: Context, panel: Panel, { markers, pick }: Around, large: boolean,
): TimePanel {
  const { meta, store, state, theme } = on;
  const lines = linesOf(meta, store, panel.series);
  const content = new SeriesContent(meta, panel, lines, state, theme, (f, id) => markers.paint(f, id));
  const warmup = Math.max(0, ...meta.runs.map((run) => run.warmup_s));
  return new TimePanel(
    {
      id: panel.id,
      title: panel.title,
      unit: panel.unit,
      height: large ? FIRST_PX : HEIGHT_PX,
      labelled: true,
      content: {
        extent: (from, to, width) => content.extent(from, to, width),
        paint: (f) => {
          shadeWarmup(f, warmup, theme);
          content.paint(f);
        },
        get coarse() {
          return content.coarse;
        },
        over: (f) => content.over(f),
      },
      reading: readingOf(on, panel, content),
      open: true,
      hit: (f, x, y) => markers.hit(f, panel.id, x, y),
      pick,
      above: (f) => hairlines(on, f, true),
    },
    store,
    state,
    theme,
  );
}

function readingOf({ meta, state }: Context, panel: Panel, content: SeriesContent): Reading {
  const readout = new Readout(meta, panel.unit, state, panel.title);
  return {
    root: readout.root,
    update: (changes) => {
      if (changes.has("shown")) readout.rows(content.shown());
      const { cursor, rests } = state;
      readout.values((line) => {
        const value = cursor === null ? null : line.trace.at(cursor, rests);
        const { scale } = line.series;
        return value && { low: value.low * scale, high: value.high * scale };
      });
    },
  };
}

/** The chain's instants through a panel. */
export function hairlines({ state, theme }: Context, f: Frame, numbers: boolean): void {
  if (state.chain) paintHairlines(f, state.chain, theme, numbers);
}
