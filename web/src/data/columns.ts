// Columns out of inflated bytes. Bytes of a value lie in planes, lowest bytes first; integers are
// in zigzag form; a column of "delta" holds differences.

import type { Column } from "../meta";

/** The numbers of a column; NaN where it has no value. Of "words": their indices. */
export function decode(column: Column, bytes: Uint8Array): Float64Array {
  const out = new Float64Array(column.rows);
  if (column.coding === "even") {
    const start = column.start ?? 0;
    const step = column.step ?? 1;
    for (let i = 0; i < out.length; i++) out[i] = start + i * step;
  } else if (column.coding === "words") {
    unsigned(out, bytes, column.at, column.width ?? 1);
    const none = column.words?.length ?? 0;
    for (let i = 0; i < out.length; i++) if (out[i] === none) out[i] = NaN;
  } else {
    integers(out, bytes, column);
    scale(out, column.step ?? 1);
  }
  if (column.nulls !== undefined) {
    const at = column.nulls;
    for (let i = 0; i < out.length; i++) if ((bytes[at + (i >> 3)]! >> (i & 7)) & 1) out[i] = NaN;
  }
  return out;
}

function unsigned(out: Float64Array, bytes: Uint8Array, at: number, width: number): void {
  const rows = out.length;
  for (let plane = width - 1; plane >= 0; plane--) {
    const from = at + plane * rows;
    for (let i = 0; i < rows; i++) out[i] = out[i]! * 256 + bytes[from + i]!;
  }
}

function integers(out: Float64Array, bytes: Uint8Array, column: Column): void {
  const { at, rows } = column;
  const width = column.width ?? 1;
  const delta = column.coding === "delta";
  let last = delta ? (column.start ?? 0) : 0;
  if (width <= 3) {
    // Nearly all columns are this narrow: 32-bit arithmetic in one pass.
    const second = at + rows;
    const third = second + rows;
    for (let i = 0; i < rows; i++) {
      let u = bytes[at + i]!;
      if (width > 1) u |= bytes[second + i]! << 8;
      if (width > 2) u |= bytes[third + i]! << 16;
      const value = (u >>> 1) ^ -(u & 1);
      out[i] = delta ? (last += value) : value;
    }
    return;
  }
  unsigned(out, bytes, at, width);
  for (let i = 0; i < rows; i++) {
    const u = out[i]!;
    const value = u % 2 === 1 ? -(u + 1) / 2 : u / 2;
    out[i] = delta ? (last += value) : value;
  }
}

/** Times `step`. A negative power of ten is divided by, so that 0.3 is the double nearest 0.3. */
function scale(out: Float64Array, step: number): void {
  if (step === 1) return;
  const inverse = Math.round(1 / step);
  const divide = step < 1 && Math.abs(inverse * step - 1) < 1e-9;
  if (divide) for (let i = 0; i < out.length; i++) out[i] = out[i]! / inverse;
  else for (let i = 0; i < out.length; i++) out[i] = out[i]! * step;
}
