// The difference of two runs, role by role: the second minus the first at the first's instants.

import type { Store } from "../data/store";
import { Trace, after, tableOf } from "../data/levels";
import type { Meta, Panel, Series } from "../meta";
import type { Line } from "./series";

interface Pair {
  first: Line;
  second: Line;
  made: Line | null;
}

/** Lines that exist once both of their columns are decoded. */
export class Difference {
  private readonly pairs: Pair[] = [];

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    panel: Panel,
    lines: Line[],
    others: Line[],
  ) {
    for (const first of lines) {
      const { role, run } = first.series;
      if (run !== 0) continue;
      const second = others.find((each) => each.series.run === 1 && each.series.role === role);
      if (second) this.pairs.push({ first, second, made: null });
    }
    this.id = `${panel.id}-difference`;
  }

  readonly id: string;

  get empty(): boolean {
    return this.pairs.length === 0;
  }

  /** Computes what can be computed now. `shown` says which series are wanted. */
  lines(shown: (series: Series) => boolean): Line[] {
    const lines: Line[] = [];
    for (const pair of this.pairs) {
      if (!shown(pair.first.series)) continue;
      pair.made ??= this.make(pair);
      if (pair.made) lines.push(pair.made);
    }
    return lines;
  }

  private make({ first, second }: Pair): Line | null {
    const [a, b] = [first.trace.full(), second.trace.full()];
    if (!a || !b) return null;
    const values = new Float64Array(a.times.length);
    for (let i = 0; i < values.length; i++) {
      const row = after(b.times, a.times[i]!) - 1;
      const other = row < 0 ? NaN : b.values[row]!;
      values[i] = other * second.series.scale - a.values[i]! * first.series.scale;
    }
    const table = tableOf(this.store, a.times, values);
    const key = `${this.id}/${first.series.role}`;
    this.meta.tables[key] = table;
    return {
      series: { ...first.series, scale: 1, table: key, column: "value" },
      key,
      trace: new Trace(this.store, table, "value"),
      band: null,
    };
  }
}
