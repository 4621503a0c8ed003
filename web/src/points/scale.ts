// Axes of values: linear, logarithmic, or names. A position is a value on an axis that is even on
// the screen: on a logarithmic axis the decimal logarithm.

import type { PointAxis } from "../meta";
import { tick, ticks } from "../ui/format";

export interface Tick {
  at: number;
  text: string;
}

type Kind = PointAxis["scale"];

export function place(kind: Kind, value: number): number {
  if (kind !== "log") return value;
  return value > 0 ? Math.log10(value) : NaN;
}

export function value(kind: Kind, position: number): number {
  return kind === "log" ? 10 ** position : position;
}

/** Labelled positions between two others, about `count` of them. */
export function ticksOf(kind: Kind, low: number, high: number, count: number, names: string[] = []): Tick[] {
  if (kind === "names") return named(low, high, names);
  if (kind === "log") return logarithmic(low, high, count);
  const { step, at } = ticks(low, high, count);
  return at.map((each) => ({ at: each, text: tick(each, step) }));
}

function named(low: number, high: number, names: string[]): Tick[] {
  return names
    .map((text, at) => ({ at, text }))
    .filter(({ at }) => at >= low - 1e-9 && at <= high + 1e-9);
}

/** Powers of ten; with few of them in view also 2 and 5 times these, or round steps. */
function logarithmic(low: number, high: number, count: number): Tick[] {
  const decades = high - low;
  if (decades < 0.7) {
    const { step, at } = ticks(10 ** low, 10 ** high, count);
    return at
      .filter((each) => each > 0)
      .map((each) => ({ at: Math.log10(each), text: tick(each, step) }));
  }
  const digits = decades * 3 <= count * 1.3 ? [1, 2, 5] : [1];
  const stride = digits.length > 1 ? 1 : Math.max(1, Math.ceil(decades / Math.max(1, count)));
  const found: Tick[] = [];
  for (let power = Math.floor(low); power <= high + 1e-9; power++) {
    if (power % stride !== 0) continue;
    for (const digit of digits) {
      const at = power + Math.log10(digit);
      if (at < low - 1e-9 || at > high + 1e-9) continue;
      found.push({ at, text: plain(digit, power) });
    }
  }
  return found;
}

/** Positions of the thin lines between powers of ten. */
export function minor(low: number, high: number): number[] {
  if (high - low > 6) return [];
  const found: number[] = [];
  for (let power = Math.floor(low); power <= high; power++) {
    for (let digit = 2; digit < 10; digit++) {
      const at = power + Math.log10(digit);
      if (at > low && at < high) found.push(at);
    }
  }
  return found;
}

function plain(digit: number, power: number): string {
  if (power >= 6 || power < -4) return `${digit}e${power < 0 ? "\u2212" : ""}${Math.abs(power)}`;
  const size = digit * 10 ** power;
  return tick(size, 10 ** power);
}

/** The ends of an axis for values between `low` and `high`: positions. */
export function span(kind: Kind, low: number, high: number, from?: number): [number, number] {
  if (!(high >= low)) return kind === "log" ? [0, 1] : [0, 1];
  if (kind === "log") {
    if (high - low < 1e-9) return [low - 0.3, high + 0.3];
    const margin = (high - low) * 0.06;
    return [low - margin, high + margin];
  }
  const bottom = from ?? (low >= 0 && low < high / 2 ? 0 : low);
  if (high - bottom < 1e-12 * Math.max(1, Math.abs(high))) {
    const half = Math.abs(high) * 0.1 || 1;
    return [from ?? bottom - half, high + half];
  }
  const margin = (high - bottom) * 0.06;
  const foot = bottom === 0 || from !== undefined ? bottom : bottom - margin;
  return [foot, high + margin];
}
