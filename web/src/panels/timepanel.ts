// A panel over the common time axis: chart, readout, and the pointer on both.

import type { Store } from "../data/store";
import type { Picked, State } from "../view/state";
import type { Change } from "../view/state";
import type { Part } from "../view/part";
import { h, on } from "../ui/dom";
import type { Theme } from "../ui/theme";
import type { Content } from "./chart";
import { Chart } from "./chart";
import type { Frame } from "./draw";
import { px } from "./draw";
import { attach } from "./pointer";

export interface Reading {
  readonly root: HTMLElement;
  update(changes: ReadonlySet<Change>): void;
}

export interface Parts {
  id: string;
  title: string;
  unit: string;
  height: number;
  content: Content;
  reading: Reading | null;
  /** Has labels on its time axis. */
  labelled?: boolean;
  /** Starts open; else folded. */
  open: boolean;
  controls?: HTMLElement;
  hit?(f: Frame, x: number, y: number): Picked | null;
  pick?(picked: Picked): void;
  above?(f: Frame): void;
}

export class TimePanel implements Part {
  readonly root: HTMLDetailsElement;
  readonly id: string;
  readonly chart: Chart;
  private stale = true;
  /** Whether the last drawing had all data that it asked for. */
  private complete = false;

  constructor(
    private readonly parts: Parts,
    private readonly store: Store,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.id = parts.id;
    const { title, unit } = parts;
    const label = unit ? `${title}, ${unit}` : title;
    this.chart = new Chart(
      parts.content, state.window, theme, parts.height, label, parts.labelled ?? false,
    );
    this.root = h(
      "details",
      { class: "panel", "data-panel": parts.id, "data-folds": !parts.open, open: parts.open },
      h(
        "summary",
        {},
        h("span", { class: "panel-title" }, title),
        unit && h("span", { class: "panel-unit" }, unit),
      ),
      parts.controls,
      h("div", { class: "panel-body" }, this.chart.root, parts.reading?.root ?? h("div", { class: "readout" })),
    );
    on(this.root, "toggle", () => {
      this.stale = true;
      state.touch("shown");
    });
    new IntersectionObserver((entries) => {
      this.chart.visible = entries.some((entry) => entry.isIntersecting);
      if (this.chart.visible) state.touch("cursor");
    }).observe(this.chart.root);
    attach(this.chart.root, {
      window: state.window,
      plot: () => this.chart.frame,
      point: (t, y) => {
        state.point(t);
        this.hover(t, y);
      },
      select: (range) => {
        state.selection = range;
        state.touch("cursor");
      },
      click: (x, y) => {
        const picked = this.chart.frame && parts.hit?.(this.chart.frame, x, y);
        if (picked) parts.pick?.(picked);
      },
    });
  }

  update(changes: ReadonlySet<Change>, ratio?: number): void {
    if (!this.root.open) return;
    const moved = changes.has("window") || changes.has("shown") || changes.has("theme");
    const news = changes.has("data") && !this.complete;
    if (moved || news || changes.has("event")) this.stale = true;
    this.parts.reading?.update(changes);
    if (this.chart.visible || ratio !== undefined) this.draw(ratio);
  }

  get lacking(): boolean {
    return this.root.open && this.chart.visible !== false && (this.stale || !this.complete);
  }

  get pending(): boolean {
    return this.root.open && this.stale && this.chart.root.clientWidth > 0;
  }

  settle(): void {
    this.draw();
  }

  private draw(ratio?: number): void {
    if (this.chart.fit(ratio)) this.stale = true;
    if (this.stale) {
      this.complete = this.store.complete(() => this.chart.draw());
      this.stale = false;
      this.root.dataset["coarse"] = String(this.parts.content.coarse ?? 0);
    }
    this.chart.drawAbove((f) => this.above(f));
  }

  private hover(t: number, y: number): void {
    const f = this.chart.frame;
    if (!f || !this.parts.hit) return;
    const hit = this.parts.hit(f, px(f, t), y);
    this.chart.root.style.cursor = hit ? "pointer" : "";
  }

  private above(f: Frame): void {
    const { ctx } = f;
    const { colors } = this.theme;
    const { selection, cursor } = this.state;
    this.parts.above?.(f);
    const foot = f.top + f.height;
    if (selection) {
      ctx.globalAlpha = 0.14;
      ctx.fillStyle = colors.accent;
      const [a, b] = selection.map((t) => px(f, t)) as [number, number];
      ctx.fillRect(a, 0, b - a, foot);
      ctx.globalAlpha = 1;
    }
    if (cursor === null) return;
    const x = Math.round(px(f, cursor)) + 0.5;
    ctx.strokeStyle = colors.ink;
    ctx.globalAlpha = 0.6;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, 0);
    ctx.lineTo(x, foot);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
}
