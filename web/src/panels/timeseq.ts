// The time-sequence graph, as tcptrace draws it: segments as strokes from first to last byte,
// retransmissions with an R, losses with a cross, acknowledgments as a staircase.

import type { Store } from "../data/store";
import { after } from "../data/levels";
import type { Meta, TimeSeq } from "../meta";
import type { Theme } from "../ui/theme";
import type { Content } from "./chart";
import type { Frame } from "./draw";
import { px, py } from "./draw";

/** Fewer segments than this in view have arrow heads and letters. */
const FEW = 400;

const COLORS = {
  data: ["#1b1b1b", "#ececec"],
  again: ["#a8487c", "#ee94c3"],
  lost: ["#c04a00", "#ff8c52"],
  probe: ["#0060a0", "#6db6f2"],
  ack: ["#00795a", "#5fd0a5"],
} as const;

interface Data {
  times: Float64Array;
  seq: Float64Array;
  end: Float64Array;
  kind: Float64Array;
  words: string[];
  ackTimes: Float64Array;
  ack: Float64Array;
}

export class TimeSequence implements Content {
  chosen: TimeSeq;

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    private readonly theme: Theme,
    readonly all: TimeSeq[],
  ) {
    this.chosen = all[0]!;
  }

  extent(from: number, to: number): [number, number] {
    const data = this.data();
    let [low, high] = [Infinity, -Infinity];
    if (data) {
      const end = after(data.times, to);
      for (let i = after(data.times, from); i < end; i++) {
        if (data.seq[i]! < low) low = data.seq[i]!;
        if (data.end[i]! > high) high = data.end[i]!;
      }
      const [a, b] = [after(data.ackTimes, from), after(data.ackTimes, to)];
      if (b > a) {
        low = Math.min(low, data.ack[a]!);
        high = Math.max(high, data.ack[b - 1]!);
      }
    }
    if (!(high > low)) return [0, 1];
    const margin = (high - low) * 0.06;
    return [Math.max(0, low - margin), high + margin];
  }

  paint(f: Frame): void {
    const data = this.data();
    if (!data) return;
    this.segments(f, data);
    this.staircase(f, data);
  }

  /** The segment and the acknowledgment at an instant, in words. */
  at(t: number): string {
    const data = this.data();
    if (!data) return "";
    const row = after(data.times, t) - 1;
    const ack = after(data.ackTimes, t) - 1;
    const parts: string[] = [];
    if (row >= 0) {
      const kind = data.words[data.kind[row]!] ?? "";
      const name = kind === "again" ? "sent again" : kind === "lost" ? "sent and lost" : kind;
      parts.push(`last segment: bytes ${data.seq[row]} to ${data.end[row]! - 1}, ${name}`);
    }
    if (ack >= 0) parts.push(`acknowledged up to ${data.ack[ack]}`);
    return parts.join(" \u00b7 ");
  }

  private data(): Data | null {
    const [sent, acks] = [this.meta.tables[this.chosen.sent], this.meta.tables[this.chosen.acks]];
    const get = (table: typeof sent, name: string) => {
      const column = table?.columns[name];
      return column && this.store.get(column);
    };
    const [times, seq, end, kind] = ["time_s", "seq", "end", "kind"].map((n) => get(sent, n));
    const [ackTimes, ack] = ["time_s", "ack"].map((n) => get(acks, n));
    if (!times || !seq || !end || !kind || !ackTimes || !ack) return null;
    return { times, seq, end, kind, ackTimes, ack, words: sent?.columns["kind"]?.words ?? [] };
  }

  private segments(f: Frame, data: Data): void {
    const { ctx } = f;
    const [from, to] = [Math.max(0, after(data.times, f.from) - 1), after(data.times, f.to)];
    const few = to - from < FEW;
    data.words.forEach((word, index) => {
      const pair = COLORS[word as keyof typeof COLORS] ?? COLORS.data;
      ctx.strokeStyle = ctx.fillStyle = pair[this.theme.dark ? 1 : 0];
      ctx.lineWidth = few ? 1.4 : 1;
      ctx.textAlign = "center";
      ctx.textBaseline = "bottom";
      ctx.beginPath();
      // Plain segments on one pixel are one stroke; the others are few and all drawn.
      let [column, low, high] = [NaN, 0, 0];
      const flush = (): void => {
        if (Number.isNaN(column)) return;
        ctx.moveTo(column, low);
        ctx.lineTo(column, Math.min(high, low - 1));
      };
      for (let i = from; i < to; i++) {
        if (data.kind[i] !== index) continue;
        const x = px(f, data.times[i]!);
        const [a, b] = [py(f, data.seq[i]!), py(f, data.end[i]!)];
        if (word === "lost") {
          const y = (a + b) / 2;
          ctx.moveTo(x - 3.5, y - 3.5);
          ctx.lineTo(x + 3.5, y + 3.5);
          ctx.moveTo(x - 3.5, y + 3.5);
          ctx.lineTo(x + 3.5, y - 3.5);
        }
        if (word === "again") ctx.fillText("R", x, b - 1);
        if (few) {
          ctx.moveTo(x - 2.5, b + 2.5);
          ctx.lineTo(x, b);
          ctx.lineTo(x + 2.5, b + 2.5);
        }
        if (Math.abs(x - column) < 0.5 && a >= high - 2 && b <= low + 2) {
          low = Math.max(low, a);
          high = Math.min(high, b);
        } else {
          flush();
          [column, low, high] = [x, a, b];
        }
      }
      flush();
      ctx.stroke();
    });
  }

  private staircase(f: Frame, data: Data): void {
    const { ctx } = f;
    ctx.strokeStyle = COLORS.ack[this.theme.dark ? 1 : 0];
    ctx.lineWidth = 1.4;
    ctx.beginPath();
    const [from, to] = [Math.max(0, after(data.ackTimes, f.from) - 1), after(data.ackTimes, f.to) + 1];
    let [x, y] = [NaN, NaN];
    for (let i = from; i < Math.min(to, data.ack.length); i++) {
      const [nx, ny] = [px(f, data.ackTimes[i]!), py(f, data.ack[i]!)];
      if (nx - x < 0.5) continue;
      if (!Number.isNaN(x)) ctx.lineTo(nx, y);
      ctx.lineTo(nx, ny);
      [x, y] = [nx, ny];
    }
    if (to >= data.ack.length) ctx.lineTo(f.left + f.width, y);
    ctx.stroke();
  }
}
