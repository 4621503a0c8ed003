// Series of points on a canvas: bands, bars, lines, intervals, markers, in this order.

import type { Look, Meta, Panel } from "../meta";
import type { Frame } from "../panels/draw";
import { px, py } from "../panels/draw";
import { outline } from "../ui/marks";
import type { Theme } from "../ui/theme";
import type { Points } from "./data";
import { place } from "./scale";

/** Lines of more visible points than this have no marker at each. */
const MARKED = 80;
const CAP_PX = 3.5;
const MARK_PX = 3.8;
/** The share of the room of a name that its series take. */
const DODGED = 0.76;

/** A series with its place beside the others of its name. */
export interface Drawn {
  points: Points;
  look: Look | undefined;
  /** Position units to the right of its value. */
  shift: number;
  /** Half the width of its bars, in position units. */
  half: number;
}

/** Places series side by side: on an axis of names all of them, else only bars. */
export function arrange(shown: Points[], panel: Panel, meta: Meta): Drawn[] {
  const names = panel.x?.scale === "names";
  const beside = shown.filter(({ series }) => names || series.shape === "bars");
  const room = DODGED * (names ? 1 : gap(beside));
  return shown.map((points) => {
    const at = beside.indexOf(points);
    const each = room / Math.max(1, beside.length);
    const shift = at < 0 ? 0 : (at - (beside.length - 1) / 2) * each;
    return { points, look: meta.look[points.series.look], shift, half: each * 0.46 };
  });
}

/** The least distance between two positions of these series. */
function gap(all: Points[]): number {
  const found = [...new Set(all.flatMap(({ px }) => [...px]))].sort((a, b) => a - b);
  let least = Infinity;
  for (let i = 1; i < found.length; i++) least = Math.min(least, found[i]! - found[i - 1]!);
  return Number.isFinite(least) ? least : 1;
}

export class Painter {
  constructor(
    private readonly panel: Panel,
    private readonly theme: Theme,
  ) {}

  paint(f: Frame, all: Drawn[], faint: (points: Points) => boolean): void {
    const { ctx } = f;
    ctx.save();
    ctx.beginPath();
    ctx.rect(f.left - 6, f.top - 6, f.width + 12, f.height + 12);
    ctx.clip();
    ctx.lineJoin = "round";
    const layers = [this.band, this.bars, this.line, this.intervals, this.marks];
    for (const layer of layers) {
      for (const drawn of all) {
        ctx.strokeStyle = ctx.fillStyle = this.theme.look(drawn.look);
        ctx.globalAlpha = faint(drawn.points) ? 0.2 : 1;
        ctx.setLineDash([]);
        layer.call(this, f, drawn);
      }
    }
    ctx.restore();
    ctx.globalAlpha = 1;
  }

  at(f: Frame, drawn: Drawn, row: number): [x: number, y: number] {
    return [px(f, drawn.points.px[row]! + drawn.shift), py(f, drawn.points.py[row]!)];
  }

  private place(value: number): number {
    return place(this.panel.log ? "log" : "linear", value);
  }

  /** A bound on the screen; one below zero on a logarithmic axis is at its foot. */
  private bound(f: Frame, value: number): number {
    const position = this.place(value);
    return Number.isNaN(position) && !Number.isNaN(value) ? f.top + f.height : py(f, position);
  }

  private band(f: Frame, drawn: Drawn): void {
    const { low, high, series, px: xs } = drawn.points;
    if (!low || !high || series.interval !== "band" || series.shape === "bars") return;
    const { ctx } = f;
    const alpha = ctx.globalAlpha;
    ctx.globalAlpha = alpha * 0.16;
    const edge: [number, number, number][] = [];
    const flush = (): void => {
      ctx.beginPath();
      for (const [x, y] of edge) ctx.lineTo(x, y);
      for (const [x, , y] of edge.reverse()) ctx.lineTo(x, y);
      ctx.fill();
      edge.length = 0;
    };
    for (let i = 0; i < xs.length; i++) {
      const x = px(f, xs[i]! + drawn.shift);
      const [a, b] = [this.bound(f, low[i]!), this.bound(f, high[i]!)];
      if (Number.isNaN(x + a + b)) flush();
      else edge.push([x, a, b]);
    }
    flush();
  }

  private bars(f: Frame, drawn: Drawn): void {
    const { series, px: xs, py: ys } = drawn.points;
    if (series.shape !== "bars") return;
    const { ctx } = f;
    const zero = Math.min(f.top + f.height, this.panel.log ? Infinity : py(f, 0));
    const wide = Math.max(1, (drawn.half * 2 * f.width) / (f.to - f.from));
    const alpha = ctx.globalAlpha;
    ctx.lineWidth = 1.3;
    for (let i = 0; i < xs.length; i++) {
      const [x, y] = this.at(f, drawn, i);
      if (Number.isNaN(x + ys[i]!)) continue;
      ctx.globalAlpha = alpha * 0.28;
      ctx.fillRect(x - wide / 2, Math.min(y, zero), wide, Math.abs(zero - y));
      ctx.globalAlpha = alpha;
      ctx.setLineDash(drawn.look?.dash ?? []);
      ctx.strokeRect(x - wide / 2, Math.min(y, zero), wide, Math.abs(zero - y));
    }
  }

  private line(f: Frame, drawn: Drawn): void {
    const { series, px: xs, py: ys } = drawn.points;
    if (series.shape !== "line" && series.shape !== "step") return;
    const { ctx } = f;
    ctx.lineWidth = drawn.look?.width ?? 1.5;
    ctx.setLineDash(drawn.look?.dash ?? []);
    ctx.beginPath();
    let [before, down] = [0, false];
    for (let i = 0; i < xs.length; i++) {
      const [x, y] = this.at(f, drawn, i);
      if (Number.isNaN(xs[i]! + ys[i]!)) down = false;
      else if (!down) {
        ctx.moveTo(x, y);
        down = true;
      } else {
        if (series.shape === "step") ctx.lineTo(x, before);
        ctx.lineTo(x, y);
      }
      before = y;
    }
    ctx.stroke();
  }

  private intervals(f: Frame, drawn: Drawn): void {
    const { low, high, series, px: xs } = drawn.points;
    if (!low || !high || (series.interval === "band" && series.shape !== "bars")) return;
    const { ctx } = f;
    ctx.lineWidth = 1.2;
    ctx.beginPath();
    for (let i = 0; i < xs.length; i++) {
      const x = px(f, xs[i]! + drawn.shift);
      const [a, b] = [this.bound(f, low[i]!), this.bound(f, high[i]!)];
      if (Number.isNaN(x + a + b)) continue;
      ctx.moveTo(x, a);
      ctx.lineTo(x, b);
      for (const y of [a, b]) {
        ctx.moveTo(x - CAP_PX, y);
        ctx.lineTo(x + CAP_PX, y);
      }
    }
    ctx.stroke();
  }

  private marks(f: Frame, drawn: Drawn): void {
    const { series, px: xs, py: ys } = drawn.points;
    const marker = drawn.look?.marker ?? (series.shape === "marks" ? "circle" : undefined);
    const rows: number[] = [];
    for (let i = 0; i < xs.length; i++) {
      const at = xs[i]! + drawn.shift;
      if (at >= f.from && at <= f.to && !Number.isNaN(ys[i]!)) rows.push(i);
    }
    const lines = series.shape !== "marks";
    if (!marker || series.shape === "step" || (lines && rows.length > MARKED)) return;
    const { ctx } = f;
    ctx.lineWidth = 1.7;
    for (const row of rows) {
      ctx.beginPath();
      const [x, y] = this.at(f, drawn, row);
      if (outline(ctx, marker, x, y, MARK_PX)) ctx.fill();
      else ctx.stroke();
    }
  }
}
