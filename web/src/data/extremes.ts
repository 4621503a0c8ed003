// Minima and maxima of buckets of rows.

export interface Bounds {
  low: Float64Array;
  high: Float64Array;
}

/** The bounds of each `size` values; NaN where a bucket has none. */
export function extremes(values: Float64Array, size: number): Bounds {
  const n = Math.ceil(values.length / size);
  const low = new Float64Array(n);
  const high = new Float64Array(n);
  for (let k = 0; k < n; k++) {
    const end = Math.min(values.length, (k + 1) * size);
    let [least, most] = [Infinity, -Infinity];
    for (let i = k * size; i < end; i++) {
      const v = values[i]!;
      if (v < least) least = v;
      if (v > most) most = v;
    }
    low[k] = least <= most ? least : NaN;
    high[k] = least <= most ? most : NaN;
  }
  return { low, high };
}
