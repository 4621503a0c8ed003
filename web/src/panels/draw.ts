// Traces on canvases. Rows that fall on one pixel column become one stroke between their bounds,
// so that the cost depends on the width and not on the rows.

import type { Piece } from "../data/levels";
import { after } from "../data/levels";
import type { Marker } from "../meta";
import { outline } from "../ui/marks";

/** The geometry of one drawing. */
export interface Frame {
  ctx: CanvasRenderingContext2D;
  left: number;
  top: number;
  width: number;
  height: number;
  from: number;
  to: number;
  low: number;
  high: number;
}

export function px(f: Frame, t: number): number {
  return f.left + ((t - f.from) / (f.to - f.from)) * f.width;
}

export function py(f: Frame, v: number): number {
  return f.top + f.height - ((v - f.low) / (f.high - f.low)) * f.height;
}

/** The bounds of a piece's values, NaN without any. */
export function bounds(piece: Piece): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = piece.from; i < piece.to; i++) {
    const a = piece.low[i]!;
    const b = piece.high[i]!;
    if (a < low) low = a;
    if (b > high) high = b;
  }
  return low <= high ? [low, high] : [NaN, NaN];
}

/** The value that a piece's maxima stay below for 99 % of the time after the warmup; for 99 % of the
 * whole time if nothing is after it. */
export function usually(piece: Piece, warmup: number): number {
  const stride = Math.max(1, Math.floor((piece.to - piece.from) / 2000));
  const found: [value: number, weight: number][] = [];
  let total = 0;
  let from = piece.from;
  while (from + stride < piece.to && piece.first[from]! < warmup) from++;
  if (from + stride >= piece.to) from = piece.from;
  for (let i = from; i + stride < piece.to; i += stride) {
    const value = piece.high[i]!;
    const weight = piece.first[i + stride]! - piece.first[i]!;
    if (Number.isNaN(value) || !(weight > 0)) continue;
    found.push([value, weight]);
    total += weight;
  }
  found.sort((a, b) => a[0] - b[0]);
  let sum = 0;
  for (const [value, weight] of found) {
    sum += weight;
    if (sum >= 0.99 * total) return value;
  }
  return NaN;
}

/** Strokes a trace with the context's style. */
export function stroke(f: Frame, piece: Piece, scale: number, shape: "line" | "step"): void {
  const { ctx } = f;
  const kx = f.width / (f.to - f.from);
  const ky = (-f.height / (f.high - f.low)) * scale;
  const y0 = f.top + f.height + (f.low * f.height) / (f.high - f.low);
  const { first, last, low, high, size } = piece;
  const step = shape === "step" && size === 1;
  ctx.beginPath();
  let down = false;
  let y = 0;
  let column = NaN;
  let count = 0;
  let [begin, min, max, end] = [0, 0, 0, 0];
  const flush = (): void => {
    if (count === 0) return;
    const x = f.left + column;
    if (!down) ctx.moveTo(x, begin);
    else {
      if (step) ctx.lineTo(x, y);
      ctx.lineTo(x, begin);
    }
    if (count > 1) {
      // The nearer bound first: half the zigzag.
      const near = Math.abs(min - begin) < Math.abs(max - begin);
      ctx.lineTo(x, near ? min : max);
      ctx.lineTo(x, near ? max : min);
      if (size === 1) ctx.lineTo(x, end);
    }
    y = size === 1 ? end : (min + max) / 2;
    down = true;
    count = 0;
  };
  for (let i = piece.from; i < piece.to; i++) {
    const a = low[i]!;
    const b = high[i]!;
    if (a !== a || b !== b) {
      flush();
      down = false;
      continue;
    }
    const at = ((first[i]! + last[i]!) / 2 - f.from) * kx;
    const ya = y0 + b * ky;
    const yb = y0 + a * ky;
    if (count > 0 && Math.abs(at - column) < 1) {
      if (ya < min) min = ya;
      if (yb > max) max = yb;
      end = ya;
      count++;
      continue;
    }
    flush();
    column = at;
    begin = size === 1 ? ya : Math.abs(ya - y) < Math.abs(yb - y) ? ya : yb;
    min = ya;
    max = yb;
    end = ya;
    count = size === 1 ? 1 : 2;
  }
  flush();
  if (step && down) ctx.lineTo(Math.min(f.left + f.width, f.left + column + f.width), y);
  ctx.stroke();
}

/** Fills between the minima of one piece and the maxima of another. */
export function fill(f: Frame, lower: Piece, upper: Piece, scale: number): void {
  const { ctx } = f;
  const edge = (piece: Piece, values: Float64Array, pick: (a: number, b: number) => number) => {
    const points: [number, number][] = [];
    for (let i = piece.from; i < piece.to; i++) {
      const v = values[i]! * scale;
      if (Number.isNaN(v)) continue;
      const x = px(f, (piece.first[i]! + piece.last[i]!) / 2);
      const y = py(f, v);
      const newest = points[points.length - 1];
      if (newest && x - newest[0] < 1) newest[1] = pick(newest[1], y);
      else points.push([x, y]);
    }
    return points;
  };
  const points = edge(upper, upper.high, Math.min).concat(edge(lower, lower.low, Math.max).reverse());
  if (points.length < 3) return;
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.closePath();
  ctx.fill();
}

/** Markers on a trace, about `gap` pixels apart, at instants that zooming keeps. */
export function dots(
  f: Frame, piece: Piece, scale: number, marker: Marker, gap: number, shift: number,
): void {
  const { ctx } = f;
  const raw = ((f.to - f.from) * gap) / f.width;
  const spacing = 2 ** Math.round(Math.log2(raw));
  ctx.beginPath();
  let filled = true;
  for (let k = Math.ceil(f.from / spacing - shift); (k + shift) * spacing < f.to; k++) {
    const row = after(piece.first, (k + shift) * spacing) - 1;
    if (row < piece.from || row >= piece.to) continue;
    const t = (piece.first[row]! + piece.last[row]!) / 2;
    const y = py(f, ((piece.low[row]! + piece.high[row]!) / 2) * scale);
    if (t < f.from || Number.isNaN(y) || y < f.top) continue;
    filled = outline(ctx, marker, px(f, t), y, 3.6);
  }
  ctx.setLineDash([]);
  if (filled) ctx.fill();
  else ctx.stroke();
}
