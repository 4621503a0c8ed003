// What lies over and under the series of a panel of points: crosshair, selection, thresholds.

import type { Meta, Panel } from "../meta";
import type { Frame } from "../panels/draw";
import { px, py } from "../panels/draw";
import type { Colors, Theme } from "../ui/theme";
import type { Spot } from "./pointer";
import { place } from "./scale";

export function paintThresholds(f: Frame, panel: Panel, meta: Meta, theme: Theme): void {
  const { ctx } = f;
  for (const line of panel.lines ?? []) {
    const y = Math.round(py(f, place(panel.log ? "log" : "linear", line.value))) + 0.5;
    if (!(y >= f.top && y <= f.top + f.height)) continue;
    const look = meta.look[line.look];
    ctx.strokeStyle = ctx.fillStyle = theme.look(look);
    ctx.lineWidth = look?.width ?? 1;
    ctx.setLineDash(look?.dash.length ? look.dash : [5, 4]);
    ctx.beginPath();
    ctx.moveTo(f.left, y);
    ctx.lineTo(f.left + f.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.textAlign = "right";
    ctx.textBaseline = y - f.top < 14 ? "top" : "bottom";
    ctx.fillText(line.label, f.left + f.width - 4, y + (y - f.top < 14 ? 2 : -2));
  }
}

export function paintCrosshair(
  f: Frame, at: number | null, rings: [number, number][], selection: [Spot, Spot] | null,
  colors: Colors,
): void {
  const { ctx } = f;
  ctx.lineWidth = 1;
  if (selection) {
    const [a, b] = selection;
    ctx.globalAlpha = 0.14;
    ctx.fillStyle = colors.accent;
    ctx.fillRect(Math.min(a.x, b.x), Math.min(a.y, b.y), Math.abs(a.x - b.x), Math.abs(a.y - b.y));
    ctx.globalAlpha = 1;
  }
  if (at === null) return;
  const x = Math.round(px(f, at)) + 0.5;
  if (x < f.left - 1 || x > f.left + f.width + 1) return;
  ctx.strokeStyle = colors.ink;
  ctx.globalAlpha = 0.5;
  ctx.beginPath();
  ctx.moveTo(x, f.top);
  ctx.lineTo(x, f.top + f.height);
  ctx.stroke();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 1.5;
  for (const [cx, cy] of rings) {
    if (cx < f.left - 1 || cx > f.left + f.width + 1 || cy < f.top - 4) continue;
    ctx.beginPath();
    ctx.arc(cx, cy, 6, 0, 2 * Math.PI);
    ctx.stroke();
  }
}
