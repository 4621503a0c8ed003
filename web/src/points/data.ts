// The points of a panel as numbers on its axes.

import type { Store } from "../data/store";
import type { Column, Meta, Panel, Series } from "../meta";
import { place } from "./scale";

/** A series in positions; NaN where there is no value. `x` is what it was, in the axis's unit. */
export interface Points {
  series: Series;
  index: number;
  x: Float64Array;
  y: Float64Array;
  /** On the axes. */
  px: Float64Array;
  py: Float64Array;
  /** Bounds: values and positions. */
  low: Float64Array | null;
  high: Float64Array | null;
  href(row: number): string;
}

/** Decodes a panel's series as they arrive. */
export class Data {
  private readonly found: (Points | null)[];

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    private readonly panel: Panel,
  ) {
    this.found = panel.series.map(() => null);
  }

  /** The series that are decoded, in the panel's order. */
  all(): Points[] {
    this.panel.series.forEach((series, index) => (this.found[index] ??= this.decode(series, index)));
    return this.found.filter((each): each is Points => each !== null);
  }

  private decode(series: Series, index: number): Points | null {
    const table = this.meta.tables[series.table];
    const over = this.meta.tables[series.x?.table ?? ""];
    const xs = this.numbers(over?.columns[series.x?.column ?? ""], series.x?.scale);
    const ys = this.numbers(table?.columns[series.column], series.scale);
    const low = series.band && this.numbers(table?.columns[series.band.low], series.scale);
    const high = series.band && this.numbers(table?.columns[series.band.high], series.scale);
    const links = series.href === undefined ? undefined : table?.columns[series.href];
    const words = links && this.store.get(links);
    if (!xs || !ys || (series.band && !(low && high)) || (links && !words)) return null;
    const rows = Math.min(xs.length, ys.length);
    const across = this.panel.x?.scale ?? "linear";
    const up = this.panel.log ? "log" : "linear";
    return {
      series,
      index,
      x: xs.subarray(0, rows),
      y: ys.subarray(0, rows),
      px: xs.subarray(0, rows).map((v) => place(across, v)),
      py: ys.subarray(0, rows).map((v) => place(up, v)),
      low: low ?? null,
      high: high ?? null,
      href: (row) => links?.words?.[words?.[row] ?? -1] ?? "",
    };
  }

  private numbers(column: Column | undefined, scale = 1): Float64Array | undefined {
    if (!column) return new Float64Array(0);
    const found = this.store.get(column);
    return found && (scale === 1 ? found : found.map((v) => v * scale));
  }
}

/** Where the crosshair may stand: all values of x, each once, in order. */
export function stops(all: Points[]): { x: number; at: number }[] {
  const found = new Map<number, number>();
  for (const { x, px, py } of all) {
    for (let i = 0; i < x.length; i++) {
      if (!Number.isNaN(px[i]! + py[i]!)) found.set(x[i]!, px[i]!);
    }
  }
  return [...found].map(([x, at]) => ({ x, at })).sort((a, b) => a.at - b.at);
}

/** The row of a series that is nearest to the position `at`; -1: it has none. */
export function nearestRow(points: Points, at: number): number {
  let best = -1;
  let least = Infinity;
  for (let i = 0; i < points.px.length; i++) {
    const gap = Math.abs(points.px[i]! - at);
    if (gap < least && !Number.isNaN(points.py[i]!)) [least, best] = [gap, i];
  }
  return best;
}
