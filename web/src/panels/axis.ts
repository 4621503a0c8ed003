// The time axis beneath all panels, the run as a whole above a brush, and the band for labels.

import type { Frame } from "./draw";
import { px } from "./draw";
import type { Content } from "./chart";
import { labels } from "./chart";
import { instant } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { State } from "../view/state";

export const AXIS_PX = 24;

/** Labels of the axis, and the crosshair's instant on it. */
export class Axis implements Content {
  constructor(
    private readonly state: State,
    private readonly theme: Theme,
  ) {}

  extent(): null {
    return null;
  }

  paint(f: Frame): void {
    const { ctx } = f;
    ctx.clearRect(f.left, 0, f.width, f.height);
    ctx.fillStyle = this.theme.colors.soft;
    labels(f, 6);
  }

  over(f: Frame): void {
    const { cursor } = this.state;
    if (cursor === null || cursor < f.from || cursor > f.to) return;
    const { ctx } = f;
    const text = `${instant(cursor, f.to - f.from)} s`;
    const wide = ctx.measureText(text).width + 12;
    const x = Math.min(f.left + f.width - wide, Math.max(f.left, px(f, cursor) - wide / 2));
    ctx.fillStyle = this.theme.colors.ink;
    ctx.fillRect(x, 3, wide, 18);
    ctx.fillStyle = this.theme.colors.paper;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(text, x + 6, 12.5);
  }
}

/** The warmup, before which measurements do not count. */
export function shadeWarmup(f: Frame, warmup: number, theme: Theme): void {
  if (!(warmup > f.from)) return;
  const { ctx } = f;
  ctx.fillStyle = theme.colors.soft;
  ctx.globalAlpha = 0.07;
  ctx.fillRect(f.left, f.top, Math.min(f.width, px(f, warmup) - f.left), f.height);
  ctx.globalAlpha = 1;
}
