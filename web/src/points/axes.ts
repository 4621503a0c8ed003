// The frame of a panel of points: ticks, grid, names of the axes.

import type { Panel } from "../meta";
import type { Frame } from "../panels/draw";
import { px, py } from "../panels/draw";
import type { Colors } from "../ui/theme";
import type { Tick } from "./scale";
import { minor, ticksOf } from "./scale";

export const FONT = '11px system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
const LINE_PX = 15;
/** Room for names that are drawn at an angle. */
const SLANTED_PX = 92;

export interface Layout {
  frame: Frame;
  across: Tick[];
  up: Tick[];
  slanted: boolean;
}

/** Where everything goes in `wide` by `high` pixels. */
export function layout(
  ctx: CanvasRenderingContext2D, panel: Panel, wide: number, high: number,
  ends: { from: number; to: number; low: number; high: number },
): Layout {
  ctx.font = FONT;
  const measure = (ticks: Tick[]) => Math.max(0, ...ticks.map((t) => ctx.measureText(t.text).width));
  const up = ticksOf(panel.log ? "log" : "linear", ends.low, ends.high, (high - 50) / 40);
  const gutter = Math.ceil(measure(up)) + 14;
  const right = 12;
  const kind = panel.x?.scale ?? "linear";
  const across = ticksOf(kind, ends.from, ends.to, (wide - gutter) / 80, panel.x?.names);
  const longest = measure(across);
  const names = kind === "names";
  const room = names ? (wide - gutter - right) / Math.max(1, ends.to - ends.from) : Infinity;
  const slanted = longest > room - 4;
  // The first name at an angle reaches to the left of its place.
  const left = slanted ? Math.max(gutter, Math.min(64, longest * 0.71 - room / 2)) : gutter;
  const width = Math.max(10, wide - left - right);
  const labels = slanted ? Math.min(SLANTED_PX, longest * 0.71 + LINE_PX) : LINE_PX + 3;
  const top = 8;
  const named = axisName(panel) ? LINE_PX + 2 : 0;
  const height = Math.max(20, high - top - labels - named);
  return { frame: { ctx, left, top, width, height, ...ends }, across, up, slanted };
}

export function axisName(panel: Panel): string {
  const { label = "", unit = "" } = panel.x ?? {};
  return [label, unit].filter(Boolean).join(", ");
}

export function paintAxes(l: Layout, panel: Panel, colors: Colors, high: number): void {
  const { frame: f, across, up } = l;
  const { ctx } = f;
  const foot = f.top + f.height;
  ctx.lineWidth = 1;
  ctx.strokeStyle = colors.grid;
  ctx.beginPath();
  for (const at of panel.log ? minor(f.low, f.high) : []) rule(ctx, f.left, py(f, at), f.width);
  for (const at of panel.x?.scale === "log" ? minor(f.from, f.to) : []) {
    const x = Math.round(px(f, at)) + 0.5;
    ctx.moveTo(x, f.top);
    ctx.lineTo(x, foot);
  }
  ctx.globalAlpha = 0.55;
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.fillStyle = colors.soft;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (const { at, text } of up) {
    rule(ctx, f.left, py(f, at), f.width);
    ctx.fillText(text, f.left - 6, py(f, at));
  }
  for (const { at } of across) {
    const x = Math.round(px(f, at)) + 0.5;
    ctx.moveTo(x, f.top);
    ctx.lineTo(x, foot);
  }
  ctx.stroke();
  ctx.strokeStyle = colors.line;
  ctx.beginPath();
  ctx.moveTo(f.left + 0.5, f.top);
  ctx.lineTo(f.left + 0.5, foot + 0.5);
  ctx.lineTo(f.left + f.width, foot + 0.5);
  ctx.stroke();
  if (l.slanted) slanted(l);
  else level(l);
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillText(axisName(panel), f.left + f.width / 2, high - 1, f.width);
}

function rule(ctx: CanvasRenderingContext2D, left: number, at: number, width: number): void {
  const y = Math.round(at) + 0.5;
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
}

/** Labels beneath the axis; one that would touch the one before is left out. */
function level({ frame: f, across }: Layout): void {
  const { ctx } = f;
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  let end = -Infinity;
  for (const { at, text } of across) {
    const half = ctx.measureText(text).width / 2;
    const x = Math.min(f.left + f.width + 10 - half, px(f, at));
    if (x - half < end + 5) continue;
    ctx.fillText(text, x, f.top + f.height + 4);
    end = x + half;
  }
}

function slanted({ frame: f, across }: Layout): void {
  const { ctx } = f;
  const room = (SLANTED_PX - LINE_PX) / 0.71;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  let before = -Infinity;
  for (const { at, text } of across) {
    const x = px(f, at);
    if (x - before < 11) continue;
    before = x;
    ctx.save();
    ctx.translate(x + 3, f.top + f.height + 7);
    ctx.rotate(-Math.PI / 4);
    ctx.fillText(shortened(ctx, text, Math.min(room, (x - 4) / 0.71)), 0, 0);
    ctx.restore();
  }
}

function shortened(ctx: CanvasRenderingContext2D, text: string, room: number): string {
  if (ctx.measureText(text).width <= room) return text;
  let length = text.length - 1;
  while (length > 1 && ctx.measureText(`${text.slice(0, length)}\u2026`).width > room) length--;
  return `${text.slice(0, length)}\u2026`;
}
