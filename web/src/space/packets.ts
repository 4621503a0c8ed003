// The packet view: nodes as lines, packets as slanted strokes between them, waiting as bars at the
// queue, drops as crosses. It zooms by itself within its interval.

import type { Store } from "../data/store";
import type { Meta, Space } from "../meta";
import type { Content } from "../panels/chart";
import { Chart } from "../panels/chart";
import type { Frame } from "../panels/draw";
import { px } from "../panels/draw";
import { attach } from "../panels/pointer";
import { h, on, say } from "../ui/dom";
import { duration, instant, number } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { Part } from "../view/part";
import type { Change, State } from "../view/state";
import { Window } from "../view/window";
import type { Hops } from "./hops";
import { between, hopsOf, looksOf } from "./hops";

/** More strokes than this are thinned. */
const MOST = 12_000;
const SLOT_PX = 3;
const SLOTS = 9;
const REACH_PX = 8;
const HEIGHT_PX = 340;

class Diagram implements Content {
  /** One of this many packets is drawn. */
  stride = 1;
  chosen = -1;

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    private readonly space: Space,
    private readonly state: State,
    private readonly theme: Theme,
  ) {}

  extent(): null {
    return null;
  }

  hops(): Hops | null {
    return hopsOf(this.meta, this.store, this.space);
  }

  height(f: Frame, node: number): number {
    return f.top + ((node + 0.35) / this.space.nodes.length) * f.height;
  }

  paint(f: Frame): void {
    const { ctx } = f;
    const { colors } = this.theme;
    ctx.strokeStyle = colors.line;
    ctx.lineWidth = 1;
    ctx.beginPath();
    this.space.nodes.forEach((_, node) => {
      const y = Math.round(this.height(f, node)) + 0.5;
      ctx.moveTo(f.left, y);
      ctx.lineTo(f.left + f.width, y);
    });
    ctx.stroke();
    const hops = this.hops();
    if (hops) this.strokes(f, hops);
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    this.space.nodes.forEach(({ label }, node) => {
      const y = this.height(f, node);
      const wide = ctx.measureText(label).width;
      ctx.fillStyle = colors.paper;
      ctx.globalAlpha = 0.85;
      ctx.fillRect(f.left + 3, y - 16, wide + 6, 14);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colors.ink;
      ctx.fillText(label, f.left + 6, y - 2);
    });
  }

  over(f: Frame): void {
    const hops = this.hops();
    if (!hops || this.chosen < 0) return;
    const { ctx } = f;
    ctx.strokeStyle = this.theme.colors.accent;
    ctx.lineWidth = 3;
    ctx.beginPath();
    // The whole way of the packet, not only this hop.
    const [flow, packet, ack] = [hops.flow, hops.packet, hops.ack].map((c) => c[this.chosen]);
    const [from, to] = between(hops, f.from, f.to);
    for (let i = from; i < to; i++) {
      if (hops.packet[i] !== packet || hops.flow[i] !== flow || hops.ack[i] !== ack) continue;
      this.path(f, hops, i);
    }
    ctx.stroke();
  }

  hit(f: Frame, x: number, y: number): number {
    const hops = this.hops();
    if (!hops) return -1;
    const t = f.from + ((x - f.left) / f.width) * (f.to - f.from);
    const reach = (REACH_PX * (f.to - f.from)) / f.width;
    const [from, to] = between(hops, t - reach, t + reach);
    let [best, least] = [-1, REACH_PX];
    for (let i = from; i < to; i++) {
      const gap = this.distance(f, hops, i, x, y);
      if (gap < least) [best, least] = [i, gap];
    }
    return best;
  }

  say(row: number): string {
    const hops = this.hops();
    if (!hops || row < 0) return "";
    const node = (index: number) => this.space.nodes[index]?.label ?? "";
    const [arrived, departed, far] = [hops.arrived[row]!, hops.departed[row]!, hops.far[row]!];
    const at = (t: number) => `${instant(t, 0.002)} s`;
    const kind = hops.ack[row] === hops.isAck ? "acknowledgment" : "packet";
    const lost = Number.isNaN(far);
    return [
      `${hops.flows[hops.flow[row]!]}, ${kind} ${number(hops.packet[row]!)}`,
      `${number(hops.size[row]!)} bytes`,
      `at ${node(hops.from[row]!)} ${at(arrived)}`,
      lost ? "dropped" : `waited ${duration(departed - arrived)}`,
      lost ? "" : `at ${node(hops.to[row]!)} ${at(far)}`,
    ]
      .filter(Boolean)
      .join(" \u00b7 ");
  }

  private strokes(f: Frame, hops: Hops): void {
    const { ctx } = f;
    const [from, to] = between(hops, f.from, f.to);
    this.stride = Math.max(1, Math.ceil((to - from) / MOST));
    looksOf(this.meta, hops).forEach(({ look, id }, flow) => {
      if (id && !this.state.isOn(id)) return;
      ctx.strokeStyle = this.theme.look(look);
      ctx.fillStyle = ctx.strokeStyle;
      for (const ack of [false, true]) {
        ctx.globalAlpha = (id && this.state.faint(id) ? 0.2 : 1) * (ack ? 0.6 : 0.95);
        ctx.lineWidth = ack ? 0.8 : 1.3;
        ctx.setLineDash(ack ? [3, 2] : []);
        ctx.beginPath();
        for (let i = from; i < to; i += this.stride) {
          if (hops.flow[i] !== flow || (hops.ack[i] === hops.isAck) !== ack) continue;
          this.path(f, hops, i);
        }
        ctx.stroke();
      }
      ctx.setLineDash([]);
      // Crosses are never thinned.
      ctx.globalAlpha = 1;
      ctx.lineWidth = 2;
      ctx.beginPath();
      for (let i = from; i < to; i++) {
        if (hops.flow[i] !== flow || !Number.isNaN(hops.far[i]!)) continue;
        const [x, y] = [px(f, hops.arrived[i]!), this.height(f, hops.from[i]!)];
        ctx.moveTo(x - 4, y - 4);
        ctx.lineTo(x + 4, y + 4);
        ctx.moveTo(x - 4, y + 4);
        ctx.lineTo(x + 4, y - 4);
      }
      ctx.stroke();
    });
    ctx.globalAlpha = 1;
  }

  /** The corners of a hop: arrival, wait, far end. */
  private corners(f: Frame, hops: Hops, i: number): [number, number, number, number, number] {
    const y = this.height(f, hops.from[i]!);
    const slot = Math.min(SLOTS, hops.slot[i]!) + 1;
    const waits = hops.departed[i]! > hops.arrived[i]!;
    const down = hops.to[i]! > hops.from[i]! ? 1 : -1;
    return [
      px(f, hops.arrived[i]!),
      y + (waits ? down * slot * SLOT_PX : 0),
      px(f, hops.departed[i]!),
      px(f, hops.far[i]!),
      this.height(f, hops.to[i]!),
    ];
  }

  private path(f: Frame, hops: Hops, i: number): void {
    if (Number.isNaN(hops.far[i]!)) return;
    const [x0, y0, x1, x2, y2] = this.corners(f, hops, i);
    f.ctx.moveTo(x0, y0);
    if (x1 > x0) f.ctx.lineTo(x1, y0);
    f.ctx.lineTo(x2, y2);
  }

  private distance(f: Frame, hops: Hops, i: number, x: number, y: number): number {
    const [x0, y0, x1, x2, y2] = this.corners(f, hops, i);
    if (Number.isNaN(x2)) return Math.hypot(x - x0, y - this.height(f, hops.from[i]!));
    return Math.min(toSegment(x, y, x0, y0, x1, y0), toSegment(x, y, x1, y0, x2, y2));
  }
}

function toSegment(
  x: number, y: number, x0: number, y0: number, x1: number, y1: number,
): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const share = length > 0 ? ((x - x0) * dx + (y - y0) * dy) / length : 0;
  const k = Math.max(0, Math.min(1, share));
  return Math.hypot(x - x0 - k * dx, y - y0 - k * dy);
}

export class PacketView implements Part {
  readonly root: HTMLDetailsElement;
  readonly id: string;
  private readonly window: Window;
  private readonly chart: Chart;
  private readonly diagram: Diagram;
  private readonly note = h("p", { class: "note", role: "status" });
  private stale = true;

  constructor(
    meta: Meta,
    store: Store,
    space: Space,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.id = `packets-${space.run}`;
    this.window = new Window([space.from_s, space.to_s], () => {
      this.stale = true;
      state.touch("cursor");
    });
    this.diagram = new Diagram(meta, store, space, state, theme);
    const run = meta.runs.length > 1 ? `, ${meta.runs[space.run]?.label}` : "";
    const title = `Packets between nodes${run}`;
    this.chart = new Chart(this.diagram, this.window, theme, HEIGHT_PX, title, true);
    const follow = h("button", { type: "button" }, "Show the panels' window");
    on(follow, "click", () => this.follow());
    const whole = h("button", { type: "button" }, "All packets");
    on(whole, "click", () => this.window.reset());
    this.root = h(
      "details",
      { class: "panel", "data-panel": this.id, "data-folds": true },
      h(
        "summary",
        {},
        h("span", { class: "panel-title" }, title),
        h("span", { class: "panel-unit" }, `${number(space.from_s)} to ${number(space.to_s)} s`),
      ),
      h("div", { class: "tools" }, follow, whole),
      this.chart.root,
      this.note,
    );
    on(this.root, "toggle", () => {
      if (this.root.open) this.follow();
      this.stale = true;
      state.touch("shown");
    });
    attach(this.chart.root, {
      window: this.window,
      plot: () => this.chart.frame,
      point: (t, y) => {
        state.point(t);
        const f = this.chart.frame;
        this.diagram.chosen = f ? this.diagram.hit(f, px(f, t), y) : -1;
        if (this.diagram.chosen >= 0) say(this.note, this.diagram.say(this.diagram.chosen));
      },
      select: (range) => {
        state.selection = range;
        state.touch("cursor");
      },
      click: () => undefined,
    });
    on(this.chart.root, "keydown", (event) => this.key(event));
  }

  update(changes: ReadonlySet<Change>, ratio?: number): void {
    if (!this.root.open) return;
    if (changes.has("shown") || changes.has("data") || changes.has("theme")) this.stale = true;
    if (this.chart.fit(ratio) || changes.has("window")) this.stale = true;
    if (this.stale) this.chart.draw();
    this.stale = false;
    if (this.diagram.chosen < 0) say(this.note, this.hint());
    this.chart.drawAbove((f) => this.above(f));
  }

  private hint(): string {
    const { stride } = this.diagram;
    const thin = stride > 1 ? `One packet of ${stride} is drawn: zoom in to see all. ` : "";
    return `${thin}Solid: data. Dashed: acknowledgments. Bars: waiting. Crosses: dropped.`;
  }

  /** As much of the panels' window as there are packets for. */
  private follow(): void {
    const from = Math.max(this.state.window.from, this.window.whole[0]);
    const to = Math.min(this.state.window.to, this.window.whole[1]);
    if (to > from) this.window.set(from, to);
    else this.window.reset();
  }

  /** In this panel the keys of the window move its own. */
  private key(event: KeyboardEvent): void {
    const { window } = this;
    const middle = (window.from + window.to) / 2;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => window.pan(-window.span / 8),
      ArrowRight: () => window.pan(window.span / 8),
      "+": () => window.zoom(middle, 1 / 1.5),
      "-": () => window.zoom(middle, 1.5),
      "0": () => window.reset(),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  private above(f: Frame): void {
    const { ctx } = f;
    const { selection, cursor } = this.state;
    if (selection) {
      ctx.globalAlpha = 0.14;
      ctx.fillStyle = this.theme.colors.accent;
      const [a, b] = selection.map((t) => px(f, t)) as [number, number];
      ctx.fillRect(a, f.top, b - a, f.height);
      ctx.globalAlpha = 1;
    }
    if (cursor === null) return;
    const x = Math.round(px(f, cursor)) + 0.5;
    ctx.strokeStyle = this.theme.colors.ink;
    ctx.globalAlpha = 0.6;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, f.top);
    ctx.lineTo(x, f.top + f.height);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
}
