// A trace: one column over time at the resolution that a window needs. Coarse levels come first;
// finer ones replace them as they are decoded.

import type { Column, Table } from "../meta";
import type { Bounds } from "./extremes";
import { extremes } from "./extremes";
import type { Store } from "./store";

/** Rows or buckets `from` to `to` (exclusive) of a trace: minima and maxima between instants. */
export interface Piece {
  size: number;
  first: Float64Array;
  last: Float64Array;
  low: Float64Array;
  high: Float64Array;
  from: number;
  to: number;
}

/** What a trace is at an instant: the sample at or before it, or the bounds of its bucket. */
export interface Value {
  low: number;
  high: number;
}

interface Grade {
  size: number;
  columns: [first: Column, last: Column, low: Column, high: Column];
}

/** Rows of the buckets that are made here, finer than those of the packer: a window of a hundred
 * rows for each pixel is drawn from them. */
const FINE = 8;
/** Windows of fewer rows for each pixel are drawn from rows. */
const DENSE = 2 * FINE;

/** The index of the first instant after `t`. */
export function after(times: Float64Array, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! > t) high = middle;
    else low = middle + 1;
  }
  return low;
}

export class Trace {
  private readonly grades: Grade[];

  constructor(
    private readonly store: Store,
    readonly table: Table,
    column: string,
    time = "time_s",
  ) {
    const values = table.columns[column];
    const times = table.columns[time];
    this.grades = [];
    if (!values || !times) return;
    for (const { size, columns } of table.levels ?? []) {
      const value = columns[column];
      const span = columns[time];
      if (value && span)
        this.grades.push({ size, columns: [span.low, span.high, value.low, value.high] });
    }
    this.grades.push({ size: 1, columns: [times, times, values, values] });
  }

  /** The rows between two instants in buckets of eight, if they are decoded and that is enough. */
  private fine(from: number, to: number, width: number): Piece | null {
    const [times, , values] = this.grades[this.grades.length - 1]?.columns ?? [];
    const rows = times && this.store.peek(times);
    if (!times || !values || !rows || !this.store.peek(values)) return null;
    if (after(rows, to) - after(rows, from) < DENSE * width) return null;
    const [ends, bounds] = [this.store.buckets(times, FINE), this.store.buckets(values, FINE)];
    if (!ends || !bounds) return null;
    const { low: first, high: last } = ends;
    const begin = Math.max(0, after(last, from) - 1);
    const end = Math.min(first.length, after(first, to) + 1);
    return { size: FINE, first, last, ...bounds, from: begin, to: end };
  }

  /** The coarsest piece with two buckets for each of `width` pixels, or the finest that is
   * decoded; with one row more at each side, so that lines run to the edges. */
  piece(from: number, to: number, width: number): Piece | null {
    let best: Piece | null = null;
    for (const grade of this.grades) {
      const fine = grade.size === 1 && this.fine(from, to, width);
      if (fine) return fine;
      const got = grade.columns.map((column) => this.store.get(column));
      const [first, last, low, high] = got;
      if (!first || !last || !low || !high) break;
      const begin = Math.max(0, after(last, from) - 1);
      const end = Math.min(first.length, after(first, to) + 1);
      best = { size: grade.size, first, last, low, high, from: begin, to: end };
      if (end - begin >= 2 * width) break;
    }
    return best;
  }

  /** The value at `t`; `exact` asks for the samples where only buckets are decoded. */
  at(t: number, exact: boolean): Value | null {
    for (let i = this.grades.length - 1; i >= 0; i--) {
      const { columns } = this.grades[i]!;
      const ask = exact && i === this.grades.length - 1;
      const got = columns.map((column) => (ask ? this.store.get(column) : this.store.peek(column)));
      const [first, , low, high] = got;
      if (!first || !low || !high) continue;
      const row = after(first, t) - 1;
      return row < 0 ? null : { low: low[row]!, high: high[row]! };
    }
    return null;
  }

  /** All samples, once they are decoded. */
  full(): { times: Float64Array; values: Float64Array } | null {
    const grade = this.grades[this.grades.length - 1];
    if (!grade) return null;
    const times = this.store.get(grade.columns[0]);
    const values = this.store.get(grade.columns[2]);
    return times && values ? { times, values } : null;
  }

  /** The instants, if they are decoded. */
  times(): Float64Array | undefined {
    const grade = this.grades[this.grades.length - 1];
    return grade && this.store.get(grade.columns[0]);
  }
}

/** A table of computed samples with its pyramid, as the packer makes them. */
export function tableOf(store: Store, times: Float64Array, values: Float64Array): Table {
  const rows = times.length;
  const table: Table = {
    rows,
    columns: { time_s: store.put(times), value: store.put(values) },
    levels: [],
  };
  const put = ({ low, high }: Bounds) => ({ low: store.put(low), high: store.put(high) });
  for (const size of [16384, 1024, 64]) {
    if (rows < 4 * size) continue;
    const columns = { time_s: put(extremes(times, size)), value: put(extremes(values, size)) };
    table.levels!.push({ size, columns });
  }
  return table;
}
