// The content of a time panel: its series, bands and thresholds, and their values at an instant.

import type { Store } from "../data/store";
import type { Piece } from "../data/levels";
import { Trace } from "../data/levels";
import type { Meta, Panel, Series } from "../meta";
import type { Theme } from "../ui/theme";
import type { State } from "../view/state";
import type { Content } from "./chart";
import { roundUp } from "./chart";
import type { Frame } from "./draw";
import { bounds, dots, fill, px, py, stroke, usually } from "./draw";

/** A series with its traces. */
export interface Line {
  series: Series;
  key: string;
  trace: Trace;
  band: { low: Trace; high: Trace } | null;
}

type Threshold = NonNullable<Panel["lines"]>[number];

/** Of more lines than this, single ones are pale and groups are drawn over them. */
const CROWD = 24;

/** Thresholds further above the data than this do not stretch the axis. */
const FAR = 2.5;

export function linesOf(meta: Meta, store: Store, series: Series[]): Line[] {
  const lines: Line[] = [];
  for (const each of series) {
    const table = meta.tables[each.table];
    if (!table) continue;
    const trace = (column: string) => new Trace(store, table, column, each.time);
    lines.push({
      series: each,
      key: `${each.table}/${each.column}`,
      trace: trace(each.column),
      band: each.band ? { low: trace(each.band.low), high: trace(each.band.high) } : null,
    });
  }
  return lines;
}

export class SeriesContent implements Content {
  private pieces: { line: Line; piece: Piece; low: Piece | null; high: Piece | null }[] = [];
  private readonly warmup: number;

  constructor(
    private readonly meta: Meta,
    readonly panel: Panel,
    readonly lines: Line[],
    private readonly state: State,
    private readonly theme: Theme,
    private readonly paintEvents: (f: Frame, panel: string) => void,
  ) {
    this.warmup = Math.max(0, ...meta.runs.map(({ warmup_s }) => warmup_s));
  }

  get coarse(): number {
    return Math.max(0, ...this.pieces.map(({ piece }) => piece.size));
  }

  shown(): Line[] {
    return this.lines.filter((line) => this.state.shows(line.series));
  }

  extent(from: number, to: number, width: number): [number, number] {
    this.pieces = [];
    let [low, high, calm] = [Infinity, -Infinity, -Infinity];
    for (const line of this.shown()) {
      const piece = line.trace.piece(from, to, width);
      if (!piece) continue;
      const band = line.band && {
        low: line.band.low.piece(from, to, width),
        high: line.band.high.piece(from, to, width),
      };
      this.pieces.push({ line, piece, low: band?.low ?? null, high: band?.high ?? null });
      for (const each of [piece, band?.low, band?.high]) {
        if (!each) continue;
        const [a, b] = bounds(each);
        if (a * line.series.scale < low) low = a * line.series.scale;
        if (b * line.series.scale > high) high = b * line.series.scale;
        if (this.panel.range?.robust) {
          const value = usually(each, this.warmup) * line.series.scale * 1.3;
          if (value > calm) calm = value;
        }
      }
    }
    if (this.panel.range?.robust && calm > 0 && high > calm) high = calm;
    if (!(high >= low)) [low, high] = [0, 1];
    const bottom = this.panel.range?.from ?? Math.min(0, low);
    if (high <= bottom) high = bottom + 1;
    let top = high + (high - bottom) * 0.04;
    for (const { value } of this.panel.lines ?? []) {
      if (value > top && value - bottom <= FAR * (high - bottom)) top = value * 1.03;
    }
    const height = 120;
    return [bottom < 0 ? -roundUp(0, -bottom * 1.04, height) : bottom, roundUp(bottom, top, height)];
  }

  paint(f: Frame): void {
    const { ctx } = f;
    for (const line of this.panel.lines ?? []) this.threshold(f, line);
    const order = [...this.pieces].sort((a, b) => this.rank(a.line) - this.rank(b.line));
    const marked = this.pieces.length > 1 && this.pieces.length <= CROWD;
    order.forEach(({ line, piece, low, high }, index) => {
      const { series } = line;
      const look = this.meta.look[series.look];
      const faint = this.state.faint(series.switch);
      const chosen = series.switch === this.state.highlight;
      ctx.strokeStyle = ctx.fillStyle = this.theme.look(look);
      if (low && high) {
        ctx.globalAlpha = faint ? 0.06 : 0.18;
        fill(f, low, high, series.scale);
      }
      const pale = this.pieces.length > CROWD && !chosen && !line.band;
      ctx.globalAlpha = faint ? 0.22 : pale ? 0.4 : 1;
      ctx.lineWidth = (look?.width ?? 1.4) * (chosen ? 1.5 : 1);
      ctx.setLineDash(look?.dash ?? []);
      stroke(f, piece, series.scale, series.shape === "step" ? "step" : "line");
      ctx.setLineDash([]);
      if (look?.marker && marked && !faint) {
        dots(f, piece, series.scale, look.marker, 150, (index * 0.382) % 1);
      }
      ctx.globalAlpha = 1;
    });
    this.paintEvents(f, this.panel.id);
    for (const line of this.panel.lines ?? []) this.name(f, line);
  }

  over(f: Frame): void {
    const t = this.state.cursor;
    if (t === null) return;
    const { ctx } = f;
    if (this.pieces.length > 40) return;
    for (const { line } of this.pieces) {
      if (this.state.faint(line.series.switch)) continue;
      const value = line.trace.at(t, false);
      if (!value || value.low !== value.high) continue;
      const y = py(f, value.low * line.series.scale);
      if (y < f.top - 4) continue;
      ctx.fillStyle = this.theme.look(this.meta.look[line.series.look]);
      ctx.strokeStyle = this.theme.colors.paper;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.arc(px(f, t), y, 3.2, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
  }

  private threshold(f: Frame, line: Threshold): void {
    const { ctx } = f;
    const y = Math.round(py(f, line.value)) + 0.5;
    if (y < f.top || y > f.top + f.height) return;
    const look = this.meta.look[line.look];
    ctx.strokeStyle = this.theme.look(look);
    ctx.lineWidth = look?.width ?? 1;
    ctx.setLineDash(look?.dash.length ? look.dash : [5, 4]);
    ctx.beginPath();
    ctx.moveTo(f.left, y);
    ctx.lineTo(f.left + f.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  /** A threshold's name, above all curves on a ground of paper. */
  private name(f: Frame, line: Threshold): void {
    const { ctx } = f;
    const y = py(f, line.value);
    if (y < f.top || y > f.top + f.height) return;
    const beneath = y - f.top < 14;
    const wide = ctx.measureText(line.label).width;
    const end = f.left + f.width - 5;
    ctx.fillStyle = this.theme.colors.paper;
    ctx.globalAlpha = 0.8;
    ctx.fillRect(end - wide - 3, beneath ? y + 2 : y - 14, wide + 6, 13);
    ctx.globalAlpha = 1;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    ctx.fillStyle = this.theme.look(this.meta.look[line.look]);
    ctx.fillText(line.label, end, beneath ? y + 9 : y - 7);
  }

  private rank(line: Line): number {
    if (line.series.switch === this.state.highlight) return 2;
    if (this.state.faint(line.series.switch)) return 0;
    return line.band ? 1.5 : 1;
  }
}
