// The phase plane: one column against another over the visible window.

import type { Store } from "../data/store";
import { Trace, after } from "../data/levels";
import type { Meta, Panel, Series } from "../meta";
import { h, on } from "../ui/dom";
import { tick, ticks } from "../ui/format";
import { swatch } from "../ui/marks";
import type { Theme } from "../ui/theme";
import type { Part } from "../view/part";
import type { Change, State } from "../view/state";
import { roundUp } from "./chart";

const HEIGHT_PX = 380;
/** A path of more points than this is thinned. */
const MOST = 20_000;

interface Pair {
  series: Series;
  x: Trace;
  y: Trace;
}

export class Phase implements Part {
  readonly root: HTMLDetailsElement;
  readonly id: string;
  private readonly canvas = h("canvas", { class: "square", role: "img" });
  private readonly key = h("p", { class: "note" });
  private readonly pairs: Pair[] = [];

  constructor(
    meta: Meta,
    private readonly panel: Panel,
    store: Store,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.id = panel.id;
    for (const series of panel.series) {
      const [own, other] = [meta.tables[series.table], meta.tables[series.x?.table ?? ""]];
      if (!own || !other || !series.x) continue;
      const y = new Trace(store, own, series.column, series.time);
      this.pairs.push({ series, y, x: new Trace(store, other, series.x.column) });
    }
    this.canvas.setAttribute("aria-label", `${panel.title}: the path in the visible window`);
    this.root = h(
      "details",
      { class: "panel", "data-panel": panel.id, "data-folds": true },
      h(
        "summary",
        {},
        h("span", { class: "panel-title" }, panel.title),
        h("span", { class: "panel-unit" }, "the path of the visible window"),
      ),
      h("div", { class: "square-body" }, this.canvas),
      this.key,
    );
    on(this.root, "toggle", () => state.touch("shown"));
    for (const { series } of this.pairs) {
      const name = h("span", { class: "key" }, swatch(meta.look[series.look]), series.label);
      this.key.append(name);
    }
    this.looks = meta.look;
  }

  private readonly looks: Meta["look"];

  update(changes: ReadonlySet<Change>, ratio = devicePixelRatio || 1): void {
    if (!this.root.open || changes.size === 0) return;
    const wide = Math.min(720, this.canvas.parentElement?.clientWidth ?? 0);
    if (wide === 0) return;
    const { canvas } = this;
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(HEIGHT_PX * ratio);
    canvas.style.width = `${wide}px`;
    const ctx = canvas.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    const paths = this.paths();
    let [right, top] = [0, 0];
    for (const { points } of paths) {
      for (let i = 0; i < points.length; i += 2) {
        if (points[i]! > right) right = points[i]!;
        if (points[i + 1]! > top) top = points[i + 1]!;
      }
    }
    const [left, foot] = [62, HEIGHT_PX - 36];
    const width = wide - left - 12;
    const height = foot - 10;
    right = roundUp(0, right || 1, width / 2);
    top = roundUp(0, top || 1, height / 2);
    const x = (v: number) => left + (v / right) * width;
    const y = (v: number) => foot - (v / top) * height;
    this.axes(ctx, { left, foot, width, height, right, top, x, y });
    for (const { series, points, now } of paths) {
      ctx.strokeStyle = ctx.fillStyle = this.theme.look(this.looks[series.look]);
      ctx.globalAlpha = this.state.faint(series.switch) ? 0.2 : 0.8;
      ctx.setLineDash(this.looks[series.look]?.dash ?? []);
      ctx.lineWidth = 1.1;
      ctx.beginPath();
      for (let i = 0; i < points.length; i += 2) ctx.lineTo(x(points[i]!), y(points[i + 1]!));
      ctx.stroke();
      ctx.setLineDash([]);
      ctx.globalAlpha = 1;
      if (!now) continue;
      ctx.strokeStyle = this.theme.colors.paper;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(x(now[0]), y(now[1]), 5.5, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    }
  }

  private paths(): { series: Series; points: number[]; now: [number, number] | null }[] {
    const { window, cursor } = this.state;
    const found = [];
    for (const { series, x, y } of this.pairs) {
      const [ox, oy] = [x.full(), y.full()];
      if (!this.state.shows(series) || !ox || !oy) continue;
      const end = after(oy.times, window.to);
      const begin = Math.max(0, after(oy.times, window.from) - 1);
      const stride = Math.max(1, Math.ceil((end - begin) / MOST));
      const scale = series.x!.scale;
      const points: number[] = [];
      // Where the columns have instants of their own, x is the sample at or before y's.
      const at = (t: number) => (ox.values[after(ox.times, t) - 1] ?? NaN) * scale;
      for (let i = begin; i < end; i += stride) {
        const [a, b] = [at(oy.times[i]!), oy.values[i]! * series.scale];
        if (!Number.isNaN(a + b)) points.push(a, b);
      }
      let now: [number, number] | null = null;
      if (cursor !== null) {
        const pair = [at(cursor), (oy.values[after(oy.times, cursor) - 1] ?? NaN) * series.scale];
        if (!Number.isNaN(pair[0]! + pair[1]!)) now = pair as [number, number];
      }
      found.push({ series, points, now });
    }
    return found;
  }

  private axes(
    ctx: CanvasRenderingContext2D,
    g: {
      left: number; foot: number; width: number; height: number; right: number; top: number;
      x(v: number): number; y(v: number): number;
    },
  ): void {
    const { colors } = this.theme;
    ctx.strokeStyle = colors.grid;
    ctx.fillStyle = colors.soft;
    ctx.lineWidth = 1;
    ctx.beginPath();
    const across = ticks(0, g.right, g.width / 80);
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    for (const v of across.at) {
      const at = Math.round(g.x(v)) + 0.5;
      ctx.moveTo(at, g.foot);
      ctx.lineTo(at, g.foot - g.height);
      ctx.fillText(tick(v, across.step), at, g.foot + 4);
    }
    const up = ticks(0, g.top, g.height / 45);
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const v of up.at) {
      const at = Math.round(g.y(v)) + 0.5;
      ctx.moveTo(g.left, at);
      ctx.lineTo(g.left + g.width, at);
      ctx.fillText(tick(v, up.step), g.left - 6, at);
    }
    ctx.stroke();
    ctx.strokeStyle = colors.line;
    ctx.strokeRect(g.left + 0.5, g.foot - g.height + 0.5, g.width, g.height);
    const x = this.pairs[0]?.series.x;
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    if (x) ctx.fillText(`${x.label}, ${x.unit}`, g.left + g.width / 2, HEIGHT_PX - 2);
    ctx.save();
    ctx.translate(11, g.foot - g.height / 2);
    ctx.rotate(-Math.PI / 2);
    ctx.textBaseline = "middle";
    ctx.fillText(this.panel.unit, 0, 0);
    ctx.restore();
  }
}
