// The network in motion: packets between nodes at the crosshair's instant, played at a chosen
// speed.

import type { Store } from "../data/store";
import type { Meta, Space } from "../meta";
import { h, on, say } from "../ui/dom";
import { instant } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { Part } from "../view/part";
import type { Change, State } from "../view/state";
import { between, ending, hopsOf, looksOf } from "./hops";

const HEIGHT_PX = 210;
/** A drop stays visible for this long on the screen. */
const DROP_MS = 700;
const SPEEDS: [label: string, speed: number][] = [
  ["1/1000", 0.001],
  ["1/300", 1 / 300],
  ["1/100", 0.01],
  ["1/30", 1 / 30],
  ["1/10", 0.1],
  ["1/3", 1 / 3],
  ["1", 1],
];

export class Animation implements Part {
  readonly root: HTMLDetailsElement;
  readonly id: string;
  private readonly canvas = h("canvas", { class: "stage", role: "img" });
  private readonly play = h("button", { type: "button" }, "Play");
  private readonly speed = h(
    "select",
    { "aria-label": "Speed" },
    ...SPEEDS.map(([label, value]) => h("option", { value }, `${label} of real time`)),
  );
  private readonly slider: HTMLInputElement;
  private readonly time = h("span", { class: "value" });
  private playing = false;
  private last = 0;

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    private readonly space: Space,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.id = `animation-${space.run}`;
    this.slider = h("input", {
      type: "range", min: space.from_s, max: space.to_s, step: "any", value: space.from_s,
      "aria-label": "Instant",
    });
    this.speed.value = "0.01";
    this.canvas.setAttribute("aria-label", "Packets between the nodes at the crosshair");
    const run = meta.runs.length > 1 ? `, ${meta.runs[space.run]?.label}` : "";
    this.root = h(
      "details",
      { class: "panel", "data-panel": this.id, "data-folds": true },
      h("summary", {}, h("span", { class: "panel-title" }, `Network in motion${run}`)),
      h("div", { class: "tools" }, this.play, this.speed, this.slider, this.time),
      h("div", { class: "square-body" }, this.canvas),
      h(
        "p",
        { class: "note" },
        "Above the line: data. Below: acknowledgments. Stacks: packets that wait. Crosses: drops.",
      ),
    );
    on(this.root, "toggle", () => {
      if (!this.root.open) this.playing = false;
      else if (this.outside()) state.point(space.from_s);
      state.touch("shown");
    });
    on(this.play, "click", () => this.toggle());
    on(this.slider, "input", () => {
      state.point(Number(this.slider.value));
    });
  }

  update(_changes: ReadonlySet<Change>, ratio = devicePixelRatio || 1): void {
    if (!this.root.open) return;
    const t = this.state.cursor ?? this.space.from_s;
    say(this.play, this.playing ? "Pause" : "Play");
    say(this.time, `${instant(t, 0.01)} s`);
    this.slider.value = String(t);
    const wide = this.canvas.parentElement?.clientWidth ?? 0;
    if (wide === 0) return;
    const { canvas } = this;
    const [width, height] = [Math.round(wide * ratio), Math.round(HEIGHT_PX * ratio)];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const ctx = canvas.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, wide, HEIGHT_PX);
    ctx.font = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
    this.draw(ctx, wide, t);
  }

  private outside(): boolean {
    const { cursor } = this.state;
    return cursor === null || cursor < this.space.from_s || cursor >= this.space.to_s;
  }

  private toggle(): void {
    this.playing = !this.playing;
    if (this.playing) {
      if (this.outside()) this.state.point(this.space.from_s);
      this.last = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.state.touch("cursor");
  }

  private tick(now: number): void {
    if (!this.playing) return;
    const passed = (Math.min(100, now - this.last) / 1000) * Number(this.speed.value);
    this.last = now;
    const t = (this.state.cursor ?? this.space.from_s) + passed;
    if (t >= this.space.to_s) this.playing = false;
    this.state.point(Math.min(t, this.space.to_s));
    requestAnimationFrame((next) => this.tick(next));
  }

  private draw(ctx: CanvasRenderingContext2D, wide: number, t: number): void {
    const { colors } = this.theme;
    const { nodes } = this.space;
    const inset = Math.min(90, wide / 8);
    const x = (node: number) => inset + (node / Math.max(1, nodes.length - 1)) * (wide - 2 * inset);
    const y = 142;
    ctx.strokeStyle = colors.line;
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x(0), y);
    ctx.lineTo(x(nodes.length - 1), y);
    ctx.stroke();
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    nodes.forEach(({ label }, node) => {
      ctx.fillStyle = colors.card;
      ctx.strokeStyle = colors.soft;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      ctx.arc(x(node), y, 13, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
      ctx.fillStyle = colors.ink;
      ctx.fillText(label, x(node), y + 34);
    });
    const hops = hopsOf(this.meta, this.store, this.space);
    if (!hops) return;
    const looks = looksOf(this.meta, hops);
    const lingers = (DROP_MS / 1000) * Number(this.speed.value);
    const [from, to] = between(hops, t - lingers, t);
    const waiting = new Map<number, number>();
    for (let i = from; i < to; i++) {
      const { look, id } = looks[hops.flow[i]!] ?? { look: undefined, id: null };
      if (id && !this.state.isOn(id)) continue;
      const ack = hops.ack[i] === hops.isAck;
      const side = ack ? 1 : -1;
      ctx.globalAlpha = id && this.state.faint(id) ? 0.2 : 1;
      ctx.fillStyle = ctx.strokeStyle = this.theme.look(look);
      const start = hops.from[i]!;
      if (Number.isNaN(hops.far[i]!)) {
        const age = (t - ending(hops, i)) / lingers;
        if (age < 0 || age > 1) continue;
        const [cx, cy] = [x(start), y - 26 - 30 * age];
        ctx.globalAlpha *= 1 - age * 0.8;
        ctx.lineWidth = 2.4;
        ctx.beginPath();
        ctx.moveTo(cx - 5, cy - 5);
        ctx.lineTo(cx + 5, cy + 5);
        ctx.moveTo(cx - 5, cy + 5);
        ctx.lineTo(cx + 5, cy - 5);
        ctx.stroke();
        continue;
      }
      if (t >= hops.far[i]!) continue;
      if (t < hops.departed[i]!) {
        const key = start * 2 + Number(ack);
        const place = waiting.get(key) ?? 0;
        waiting.set(key, place + 1);
        // Columns of ten, left of the node.
        const column = Math.floor(place / 10);
        const row = place % 10;
        ctx.fillRect(x(start) - 12 - column * 13, y - 30 - row * 9, 11, 7);
        continue;
      }
      const share = (t - hops.departed[i]!) / (hops.far[i]! - hops.departed[i]!);
      const at = x(start) + share * (x(hops.to[i]!) - x(start));
      if (ack) ctx.fillRect(at - 2.5, y + side * 9 - 2.5, 5, 5);
      else {
        ctx.beginPath();
        ctx.arc(at, y + side * 9, 4.5, 0, 2 * Math.PI);
        ctx.fill();
      }
    }
    ctx.globalAlpha = 1;
    ctx.fillStyle = colors.soft;
    ctx.textAlign = "left";
    for (const [key, count] of waiting) {
      if (key % 2 === 0) ctx.fillText(`${count} waiting`, x(key / 2) + 8, y - 34);
    }
  }
}
