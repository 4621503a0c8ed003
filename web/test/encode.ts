// An encoder written from the description of the format, for tests and sample pages.

import { deflateRawSync } from "node:zlib";
import type { Column, Level, Table } from "../src/meta";

export type Cell = number | null;

/** Collects columns in one blob. */
export class Blob {
  private readonly bytes: number[] = [];

  constructor(readonly index: number) {}

  get raw(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(this.bytes);
  }

  get base64(): string {
    return deflateRawSync(this.raw).toString("base64");
  }

  text(text: string): { blob: number; at: number; bytes: number } {
    const encoded = new TextEncoder().encode(text);
    const at = this.bytes.length;
    for (const byte of encoded) this.bytes.push(byte);
    return { blob: this.index, at, bytes: encoded.length };
  }

  private planes(values: bigint[]): { at: number; width: number } {
    let width = 1;
    for (const value of values) while (value >> BigInt(8 * width)) width++;
    const at = this.bytes.length;
    for (let plane = 0; plane < width; plane++) {
      for (const value of values) this.bytes.push(Number((value >> BigInt(8 * plane)) & 255n));
    }
    return { at, width };
  }

  private bitmap(values: Cell[]): { nulls?: number } {
    if (!values.includes(null)) return {};
    const nulls = this.bytes.length;
    for (let from = 0; from < values.length; from += 8) {
      let byte = 0;
      for (let k = 0; k < 8; k++) if (values[from + k] === null) byte |= 1 << k;
      this.bytes.push(byte);
    }
    return { nulls };
  }

  numbers(values: Cell[], step: number, coding: "delta" | "plain", start = 0): Column {
    let held = BigInt(start);
    let last = BigInt(start);
    const coded = values.map((value) => {
      if (value !== null) held = BigInt(Math.round(value / step));
      const d = coding === "delta" ? held - last : held;
      last = held;
      return d < 0n ? -2n * d - 1n : 2n * d;
    });
    const { at, width } = this.planes(coded);
    const column: Column = {
      blob: this.index, at, rows: values.length, coding, width, step, ...this.bitmap(values),
    };
    return start ? { ...column, start } : column;
  }

  words(values: (string | null)[], words: string[]): Column {
    const index = (value: string | null) => (value === null ? words.length : words.indexOf(value));
    const { at, width } = this.planes(values.map((value) => BigInt(index(value))));
    return { blob: this.index, at, rows: values.length, coding: "words", width, words };
  }
}

/** A table of numbers with its pyramid in `overview`. */
export function table(
  blobs: Blob[], overview: Blob, times: number[], columns: Record<string, [Cell[], number]>,
): Table {
  const rows = times.length;
  const made: Table = { rows, columns: {}, levels: [] };
  const put = (cells: Cell[], step: number, coding: "delta" | "plain" = "delta"): Column => {
    const blob = new Blob(blobs.length);
    blobs.push(blob);
    return blob.numbers(cells, step, coding);
  };
  const all: Record<string, [Cell[], number]> = { time_s: [times, 1e-9], ...columns };
  for (const [name, [cells, step]] of Object.entries(all)) made.columns[name] = put(cells, step);
  for (const size of [16384, 1024, 64]) {
    if (rows < 4 * size) continue;
    const level: Level = { size, columns: {} };
    const n = Math.ceil(rows / size);
    for (const [name, [cells, step]] of Object.entries(all)) {
      const low: Cell[] = [];
      const high: Cell[] = [];
      for (let k = 0; k < n; k++) {
        let [a, b] = [Infinity, -Infinity];
        for (let i = k * size; i < Math.min(rows, (k + 1) * size); i++) {
          const v = cells[i];
          if (v === null || v === undefined) continue;
          if (v < a) a = v;
          if (v > b) b = v;
        }
        low.push(a <= b ? a : null);
        high.push(a <= b ? b : null);
      }
      level.columns[name] = {
        low: overview.numbers(low, step, "delta"),
        high: overview.numbers(high, step, "delta"),
      };
    }
    made.levels!.push(level);
  }
  return made;
}
