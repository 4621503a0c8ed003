// The event lists of the shown flows: rows in a window, neighbors of an event, chains.

import { after } from "../data/levels";
import type { Store } from "../data/store";
import type { Chain, EventList, Meta, Table } from "../meta";
import type { Picked, State } from "../view/state";

/** An event list whose instants and kinds are decoded. */
export interface Loaded {
  index: number;
  list: EventList;
  table: Table;
  times: Float64Array;
  kinds: Float64Array;
  words: string[];
}

export interface Facts {
  t: number;
  kind: string;
  reason: string;
  list: EventList;
}

export class Events {
  readonly words: string[];
  private readonly chains = new Map<number, Promise<(Chain | null)[]>>();

  constructor(
    private readonly meta: Meta,
    private readonly store: Store,
    private readonly state: State,
  ) {
    const found = new Set<string>();
    for (const list of meta.events) {
      for (const word of meta.tables[list.table]?.columns["kind"]?.words ?? []) found.add(word);
    }
    this.words = [...found];
  }

  /** A shown list, once it is decoded; with a flow highlighted only that flow's. */
  shown(): Loaded[] {
    const { highlight } = this.state;
    const only = highlight !== null && this.meta.events.some((each) => each.switch === highlight);
    const loaded: Loaded[] = [];
    this.meta.events.forEach((list, index) => {
      if (!this.state.isOn(list.switch) || !this.state.runOn(list.run)) return;
      if (only && list.switch !== highlight) return;
      const table = this.meta.tables[list.table];
      const [time, kind] = [table?.columns["time_s"], table?.columns["kind"]];
      if (!table || !time || !kind || table.rows === 0) return;
      const times = this.store.get(time);
      const kinds = this.store.get(kind);
      if (times && kinds) {
        loaded.push({ index, list, table, times, kinds, words: kind.words ?? [] });
      }
    });
    return loaded;
  }

  count(from: number, to: number): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { times, kinds, words } of this.shown()) {
      const end = after(times, to);
      const tally = new Uint32Array(words.length + 1);
      for (let i = Math.max(0, after(times, from) - 1); i < end; i++) {
        if (times[i]! >= from) tally[kinds[i]!]!++;
      }
      words.forEach((word, k) => counts.set(word, (counts.get(word) ?? 0) + tally[k]!));
    }
    return counts;
  }

  /** A column of an event list by name, once it is decoded. */
  column(loaded: Loaded, name: string): Float64Array | undefined {
    const column = loaded.table.columns[name];
    return column && this.store.get(column);
  }

  /** What an event is; null until its columns are decoded. */
  facts(picked: Picked): Facts | null {
    const list = this.meta.events[picked.list];
    const table = list && this.meta.tables[list.table];
    if (!list || !table) return null;
    const get = (name: string) => {
      const column = table.columns[name];
      return column && this.store.get(column)?.[picked.row];
    };
    const word = (name: string) => table.columns[name]?.words?.[get(name) ?? -1] ?? "";
    const [t, kind, reason] = ["time_s", "kind", "reason"].map(get);
    const whole = kind !== undefined && (reason !== undefined || !table.columns["reason"]);
    return t === undefined || !whole ? null : { t, kind: word("kind"), reason: word("reason"), list };
  }

  /** The next (1) or previous (-1) event in the order of instant, list and row: from the picked
   * one, else from `t`, events at `t` included. */
  neighbor(direction: 1 | -1, t: number): Picked | null {
    const { picked } = this.state;
    const here = picked && this.facts(picked);
    const open = -direction * Infinity;
    const key = here && picked ? [here.t, picked.list, picked.row] : [t, open, open];
    const later = (a: number[], b: number[]): number =>
      a[0]! - b[0]! || a[1]! - b[1]! || a[2]! - b[2]!;
    let best: number[] | null = null;
    for (const { index, times } of this.shown()) {
      const start = after(times, key[0]!);
      // Equal instants lie around `start`: walk over them in the direction.
      for (
        let row = direction > 0 ? firstAt(times, start, key[0]!) : start - 1;
        row >= 0 && row < times.length;
        row += direction
      ) {
        const candidate = [times[row]!, index, row];
        if (later(candidate, key) * direction <= 0) continue;
        if (!best || later(candidate, best) * direction < 0) best = candidate;
        break;
      }
    }
    return best && { list: best[1]!, row: best[2]! };
  }

  /** The event nearest to `t` within `reach` seconds that `accepts` allows. */
  nearest(
    t: number,
    reach: number,
    distance: (loaded: Loaded, row: number) => number,
  ): Picked | null {
    let best: Picked | null = null;
    let least = Infinity;
    for (const loaded of this.shown()) {
      const end = after(loaded.times, t + reach);
      for (let row = Math.max(0, after(loaded.times, t - reach) - 1); row < end; row++) {
        const gap = distance(loaded, row);
        if (gap < least) [least, best] = [gap, { list: loaded.index, row }];
      }
    }
    return best;
  }

  /** The chain of an event, if the page has it. */
  async chain(picked: Picked): Promise<Chain | null> {
    const list = this.meta.events[picked.list];
    if (list?.told) return list.told[picked.row] ?? null;
    if (!list?.chains) return null;
    let all = this.chains.get(picked.list);
    if (!all) {
      const { blob, at, bytes } = list.chains;
      all = this.store.bytes(blob).then((whole) => {
        const text = new TextDecoder().decode(whole.subarray(at, at + bytes));
        return JSON.parse(text) as (Chain | null)[];
      });
      this.chains.set(picked.list, all);
    }
    return (await all)[picked.row] ?? null;
  }
}

function firstAt(times: Float64Array, start: number, t: number): number {
  let row = start;
  while (row > 0 && times[row - 1] === t) row--;
  return row;
}
