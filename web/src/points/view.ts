// What part of its axes a panel of points shows: all of it, or where it was zoomed to.

import type { Panel } from "../meta";
import type { Points } from "./data";
import { place, span } from "./scale";

export interface Ends {
  from: number;
  to: number;
  low: number;
  high: number;
}

/** Parts smaller than this of the whole are not zoomed to. */
const LEAST = 1e-6;

export class View {
  private x: [number, number] | null = null;
  private y: [number, number] | null = null;

  constructor(private readonly panel: Panel) {}

  get zoomed(): boolean {
    return this.x !== null || this.y !== null;
  }

  reset(): void {
    this.x = this.y = null;
  }

  /** The ends of both axes; the vertical one fits what the horizontal one shows. */
  ends(all: Points[]): Ends {
    const [from, to] = this.x ?? this.across(all);
    const [low, high] = this.y ?? this.up(all, from, to);
    return { from, to, low, high };
  }

  set(x: [number, number] | null, y: [number, number] | null, all: Points[]): void {
    const whole = this.across(all);
    if (x && this.panel.x?.scale !== "names") {
      const from = Math.max(whole[0], x[0]);
      const to = Math.min(whole[1], x[1]);
      if (to - from > LEAST * (whole[1] - whole[0])) this.x = [from, to];
      if (from === whole[0] && to === whole[1]) this.x = null;
    }
    if (y && y[1] - y[0] > 0) this.y = y;
  }

  private across(all: Points[]): [number, number] {
    const names = this.panel.x?.names?.length ?? 0;
    if (this.panel.x?.scale === "names") return [-0.5, Math.max(1, names) - 0.5];
    let [low, high] = [Infinity, -Infinity];
    let least = Infinity;
    for (const { px, py, series } of all) {
      for (let i = 0; i < px.length; i++) {
        if (Number.isNaN(px[i]! + py[i]!)) continue;
        if (px[i]! < low) low = px[i]!;
        if (px[i]! > high) high = px[i]!;
        if (series.shape === "bars" && i) least = Math.min(least, Math.abs(px[i]! - px[i - 1]!));
      }
    }
    // Bars at the ends need half their room.
    if (Number.isFinite(least)) return [low - least / 2, high + least / 2];
    return span(this.panel.x?.scale ?? "linear", low, high);
  }

  private up(all: Points[], from: number, to: number): [number, number] {
    const kind = this.panel.log ? "log" : "linear";
    let [low, high, bars] = [Infinity, -Infinity, false];
    for (const points of all) {
      bars ||= points.series.shape === "bars";
      for (let i = 0; i < points.px.length; i++) {
        if (!(points.px[i]! >= from - 1e-12 && points.px[i]! <= to + 1e-12)) continue;
        const ends = [points.low?.[i], points.high?.[i]].map((v) => place(kind, v ?? NaN));
        for (const v of [points.py[i]!, ...ends]) {
          if (v < low) low = v;
          if (v > high) high = v;
        }
      }
    }
    for (const { value } of this.panel.lines ?? []) {
      const v = place(kind, value);
      const far = v - low > 2.5 * (high - low) || high - v > 2.5 * (high - low);
      if (!far && v > high) high = v;
      if (!far && v < low) low = v;
    }
    if (bars && kind === "linear") [low, high] = [Math.min(0, low), Math.max(0, high)];
    const bottom = this.panel.range?.from;
    return span(kind, low, high, bottom === undefined ? undefined : place(kind, bottom));
  }
}
