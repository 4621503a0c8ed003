// A chart: a canvas with axes for its content, and one above it for crosshair and selection.

import { after } from "../data/levels";
import type { Window } from "../view/window";
import { h } from "../ui/dom";
import { tick, ticks } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { Frame } from "./draw";
import { px, py } from "./draw";

/** What a chart shows. */
export interface Content {
  /** The bounds of the vertical axis; null: there is no such axis. */
  extent(from: number, to: number, width: number): [number, number] | null;
  paint(f: Frame): void;
  /** Rows of the largest bucket that was drawn; 1: every row. */
  readonly coarse?: number;
  over?(f: Frame): void;
}

const FONT = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';

/** The gutters of all charts are one width, so that their instants line up. */
export function gutters(width: number): { left: number; right: number } {
  return { left: width < 480 ? 46 : 62, right: 8 };
}

export class Chart {
  readonly root: HTMLDivElement;
  /** Whether it is on the screen; null: not known yet. */
  visible: boolean | null = null;
  frame: Frame | null = null;
  private readonly base = h("canvas", { class: "base", "aria-hidden": "true" });
  private readonly above = h("canvas", { class: "above", "aria-hidden": "true" });
  private wide = 0;
  private high = 0;
  private ratio = 0;

  constructor(
    readonly content: Content,
    readonly window: Window,
    private readonly theme: Theme,
    readonly height: number,
    label: string,
    private readonly labelled = false,
  ) {
    this.root = h("div", { class: "plot", tabindex: 0, role: "group", "aria-label": label });
    this.root.style.height = `${height}px`;
    this.root.append(this.base, this.above);
  }

  /** Fits the canvases to the element; true: their size changed. */
  fit(ratio = Math.min(3, devicePixelRatio || 1)): boolean {
    const wide = this.root.clientWidth;
    if (wide === this.wide && this.height === this.high && ratio === this.ratio) return false;
    if (wide === 0) return false;
    [this.wide, this.high, this.ratio] = [wide, this.height, ratio];
    for (const canvas of [this.base, this.above]) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    return true;
  }

  draw(): void {
    if (this.wide === 0) return;
    const ctx = this.base.getContext("2d")!;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.wide, this.high);
    const { left, right } = gutters(this.wide);
    const width = Math.max(10, this.wide - left - right);
    const { from, to } = this.window;
    const extent = this.content.extent(from, to, width);
    const top = extent ? 8 : 0;
    const height = this.high - top - (extent ? 7 : 0) - (this.labelled ? 16 : 0);
    const f: Frame = {
      ctx, left, top, width, height, from, to, low: extent?.[0] ?? 0, high: extent?.[1] ?? 1,
    };
    ctx.font = FONT;
    ctx.lineWidth = 1;
    this.frame = f;
    this.grid(f, extent !== null);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, 0, width, this.high);
    ctx.clip();
    ctx.lineJoin = "round";
    this.content.paint(f);
    ctx.restore();
  }

  drawAbove(paint: (f: Frame) => void): void {
    if (this.wide === 0 || !this.frame) return;
    const ctx = this.above.getContext("2d")!;
    ctx.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    ctx.clearRect(0, 0, this.wide, this.high);
    ctx.font = FONT;
    const f = { ...this.frame, ctx };
    ctx.save();
    ctx.beginPath();
    ctx.rect(f.left - 1, 0, f.width + 2, this.high);
    ctx.clip();
    this.content.over?.(f);
    paint(f);
    ctx.restore();
  }

  private grid(f: Frame, values: boolean): void {
    const { ctx } = f;
    const { colors } = this.theme;
    ctx.strokeStyle = colors.grid;
    ctx.fillStyle = colors.soft;
    ctx.beginPath();
    for (const t of ticks(f.from, f.to, f.width / 110).at) {
      const x = Math.round(px(f, t)) + 0.5;
      ctx.moveTo(x, f.top);
      ctx.lineTo(x, f.top + f.height);
    }
    if (values) {
      const { step, at } = ticks(f.low, f.high, f.height / 38);
      ctx.textAlign = "right";
      ctx.textBaseline = "middle";
      for (const v of at) {
        const y = Math.round(py(f, v)) + 0.5;
        ctx.moveTo(f.left, y);
        ctx.lineTo(f.left + f.width, y);
        ctx.fillText(tick(v, step), f.left - 6, y, f.left - 8);
      }
    }
    ctx.stroke();
    if (this.labelled) labels(f, f.top + f.height + 4);
    if (!values) return;
    ctx.strokeStyle = colors.line;
    ctx.beginPath();
    ctx.moveTo(f.left + 0.5, f.top);
    ctx.lineTo(f.left + 0.5, f.top + f.height + 0.5);
    ctx.lineTo(f.left + f.width, f.top + f.height + 0.5);
    ctx.stroke();
  }
}

/** The labels of the time axis at the height `y`, with the unit at the right end. */
export function labels(f: Frame, y: number): void {
  const { ctx } = f;
  const { step, at } = ticks(f.from, f.to, f.width / 110);
  ctx.textBaseline = "top";
  ctx.textAlign = "center";
  const end = f.left + f.width;
  for (const t of at) {
    const text = tick(t, step);
    const half = ctx.measureText(text).width / 2;
    const x = Math.min(end - half, Math.max(f.left + half, px(f, t)));
    if (x + half < end - 14) ctx.fillText(text, x, y);
  }
  ctx.textAlign = "right";
  ctx.fillText("s", end, y);
}

/** A round upper end of an axis, so that it stays in place while data beneath it moves. */
export function roundUp(low: number, high: number, height: number): number {
  if (!(high > low)) return low + 1;
  const { step } = ticks(low, high, height / 38);
  return low + Math.ceil((high - low) / (step / 2) - 1e-9) * (step / 2);
}

/** The row of `times` that is nearest to `t`. */
export function nearest(times: Float64Array, t: number): number {
  const row = after(times, t);
  if (row === 0) return 0;
  if (row === times.length) return row - 1;
  return t - times[row - 1]! <= times[row]! - t ? row - 1 : row;
}
