// Events on canvases: a strip with a lane for each kind, and markers at the curves they belong to.
// Where events are dense, each pixel column has a bar for their number instead.

import { after } from "../data/levels";
import type { Content } from "../panels/chart";
import type { Frame } from "../panels/draw";
import { px, py } from "../panels/draw";
import { outline } from "../ui/marks";
import type { Theme } from "../ui/theme";
import type { Picked, State } from "../view/state";
import { kindOf, order } from "./kinds";
import type { Events, Loaded } from "./lists";

export const LANE_PX = 18;
/** Markers closer than this become bars. */
const APART_PX = 9;
/** How far from a marker a click may fall. */
const REACH_PX = 9;

function visible(loaded: Loaded, f: Frame): [number, number] {
  const margin = ((f.to - f.from) * 6) / f.width;
  return [
    Math.max(0, after(loaded.times, f.from - margin) - 1),
    after(loaded.times, f.to + margin),
  ];
}

export class Strip implements Content {
  readonly words: string[];

  constructor(
    private readonly events: Events,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.words = [...events.words].sort((a, b) => order(a) - order(b));
  }

  extent(): null {
    return null;
  }

  paint(f: Frame): void {
    const { ctx } = f;
    const { colors } = this.theme;
    const columns = Math.ceil(f.width);
    const shown = this.events.shown();
    this.words.forEach((word, lane) => {
      const kind = kindOf(word);
      const middle = lane * LANE_PX + LANE_PX / 2;
      ctx.strokeStyle = colors.grid;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(f.left, middle + LANE_PX / 2 - 0.5);
      ctx.lineTo(f.left + f.width, middle + LANE_PX / 2 - 0.5);
      ctx.stroke();
      const counts = new Uint32Array(columns + 1);
      const single: number[] = [];
      let total = 0;
      for (const loaded of shown) {
        const index = loaded.words.indexOf(word);
        if (index < 0) continue;
        const [from, to] = visible(loaded, f);
        for (let i = from; i < to; i++) {
          if (loaded.kinds[i] !== index) continue;
          const x = px(f, loaded.times[i]!) - f.left;
          if (x < -6 || x > columns + 6) continue;
          total++;
          if (single.length < 4096) single.push(x);
          const column = Math.floor(x);
          if (column >= 0 && column <= columns) counts[column]!++;
        }
      }
      ctx.strokeStyle = ctx.fillStyle = this.theme.dark ? kind.dark : kind.light;
      single.sort((a, b) => a - b);
      if (total <= f.width / APART_PX) markers(f, single, kind.marker, middle);
      else bars(f, counts, middle + LANE_PX / 2 - 1);
    });
  }

  over(f: Frame): void {
    const facts = this.state.picked && this.events.facts(this.state.picked);
    if (!facts) return;
    const lane = this.words.indexOf(facts.kind);
    if (lane < 0) return;
    f.ctx.strokeStyle = this.theme.colors.accent;
    f.ctx.lineWidth = 2;
    f.ctx.beginPath();
    f.ctx.arc(px(f, facts.t), lane * LANE_PX + LANE_PX / 2, 7, 0, 2 * Math.PI);
    f.ctx.stroke();
  }

  /** The event at a place of the strip; outside the lanes' kinds the nearest of any kind. */
  hit(f: Frame, x: number, y: number): Picked | null {
    const word = this.words[Math.floor(y / LANE_PX)];
    const second = (f.to - f.from) / f.width;
    const t = f.from + (x - f.left) * second;
    return this.events.nearest(t, REACH_PX * second, (loaded, row) =>
      loaded.words[loaded.kinds[row]!] === word ? Math.abs(loaded.times[row]! - t) : Infinity,
    );
  }
}

function markers(f: Frame, xs: number[], marker: Parameters<typeof outline>[1], y: number): void {
  const { ctx } = f;
  ctx.lineWidth = 1.8;
  ctx.beginPath();
  let filled = true;
  for (const x of xs) filled = outline(ctx, marker, f.left + x, y, 4);
  if (filled) ctx.fill();
  else ctx.stroke();
}

function bars(f: Frame, counts: Uint32Array, foot: number): void {
  let most = 1;
  for (const n of counts) if (n > most) most = n;
  // A single event stays visible beside hundreds: heights grow with the logarithm.
  const unit = (LANE_PX - 4) / Math.log2(1 + Math.max(3, most));
  for (let k = 0; k < counts.length; k++) {
    const n = counts[k]!;
    if (n === 0) continue;
    const height = Math.max(3, Math.log2(1 + n) * unit);
    f.ctx.fillRect(f.left + k, foot - height, 1, height);
  }
}

/** Events at the curves of panels. */
export class Markers {
  constructor(
    private readonly events: Events,
    private readonly theme: Theme,
  ) {}

  paint(f: Frame, panel: string): void {
    const shown = this.events.shown().filter(({ list }) => panel in list.panels);
    let total = 0;
    for (const loaded of shown) {
      const [from, to] = visible(loaded, f);
      total += to - from;
    }
    if (total === 0) return;
    if (total > f.width / 12) {
      this.rug(f, shown);
      return;
    }
    const { ctx } = f;
    const roomy = total <= f.width / 30;
    for (const loaded of shown) {
      const [from, to] = visible(loaded, f);
      for (let i = from; i < to; i++) {
        const kind = kindOf(loaded.words[loaded.kinds[i]!] ?? "");
        const x = px(f, loaded.times[i]!);
        const y = this.height(f, loaded, i, panel);
        ctx.strokeStyle = ctx.fillStyle = this.theme.dark ? kind.dark : kind.light;
        ctx.lineWidth = 1.9;
        ctx.beginPath();
        if (outline(ctx, kind.marker, x, y, 4.2)) ctx.fill();
        else ctx.stroke();
        if (!roomy) continue;
        ctx.textAlign = "left";
        ctx.textBaseline = "middle";
        ctx.lineWidth = 3;
        ctx.strokeStyle = this.theme.colors.paper;
        ctx.strokeText(kind.letter, x + 7, y);
        ctx.fillText(kind.letter, x + 7, y);
      }
    }
  }

  hit(f: Frame, panel: string, x: number, y: number): Picked | null {
    const second = (f.to - f.from) / f.width;
    const t = f.from + (x - f.left) * second;
    return this.events.nearest(t, REACH_PX * second, (loaded, row) => {
      if (!(panel in loaded.list.panels)) return Infinity;
      const gap = Math.hypot(
        (loaded.times[row]! - t) / second,
        this.height(f, loaded, row, panel) - y,
      );
      return gap <= REACH_PX ? gap : Infinity;
    });
  }

  private height(f: Frame, loaded: Loaded, row: number, panel: string): number {
    const name = loaded.list.panels[panel];
    const value = name ? this.events.column(loaded, name)?.[row] : undefined;
    const edge = f.top + 5;
    return value === undefined || Number.isNaN(value) ? edge : Math.max(edge, py(f, value));
  }

  /** At the top edge a bar for each pixel column, of all kinds together. */
  private rug(f: Frame, shown: Loaded[]): void {
    const counts = new Uint32Array(Math.ceil(f.width) + 1);
    for (const loaded of shown) {
      const [from, to] = visible(loaded, f);
      for (let i = from; i < to; i++) {
        const column = Math.floor(px(f, loaded.times[i]!) - f.left);
        if (column >= 0 && column < counts.length) counts[column]!++;
      }
    }
    let most = 3;
    for (const n of counts) if (n > most) most = n;
    f.ctx.fillStyle = this.theme.colors.soft;
    f.ctx.globalAlpha = 0.7;
    for (let k = 0; k < counts.length; k++) {
      if (counts[k]) {
        f.ctx.fillRect(f.left + k, f.top, 1, 2 + (6 * Math.log2(1 + counts[k]!)) / Math.log2(1 + most));
      }
    }
    f.ctx.globalAlpha = 1;
  }
}
