// Steps from event to event.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../src/data/store";
import { Events } from "../src/events/lists";
import type { Meta, Table } from "../src/meta";
import type { Picked, State } from "../src/view/state";

/** Two lists with several events at one instant, within a list and across lists. */
const TIMES = [[1, 2, 2, 2, 5], [0.5, 2, 2, 5, 5]];

function listed(): { events: Events; state: { picked: Picked | null } } {
  const store = new Store(() => "", () => undefined, () => undefined);
  const tables: Record<string, Table> = {};
  TIMES.forEach((times, list) => {
    const kind = { ...store.put(new Float64Array(times.length)), words: ["drop"] };
    const columns = { time_s: store.put(Float64Array.from(times)), kind };
    (store as unknown as { ready: Map<unknown, Float64Array> }).ready.set(
      kind, new Float64Array(times.length),
    );
    tables[`t${list}`] = { rows: times.length, columns };
  });
  const meta: Meta = {
    format: 1, title: "", runs: [], look: {}, tables, panels: [], switches: [],
    events: TIMES.map((_, list) => ({ run: 0, switch: "", table: `t${list}`, panels: {} })),
  };
  const state = { picked: null as Picked | null, highlight: null, isOn: () => true, runOn: () => true };
  return { events: new Events(meta, store, state as unknown as State), state };
}

const ALL = TIMES.flatMap((times, list) => times.map((t, row) => ({ t, list, row })))
  .sort((a, b) => a.t - b.t || a.list - b.list || a.row - b.row)
  .map(({ list, row }) => ({ list, row }));

function walk(direction: 1 | -1, from: number): Picked[] {
  const { events, state } = listed();
  const met: Picked[] = [];
  for (;;) {
    const next = events.neighbor(direction, from);
    if (!next || met.length > ALL.length) return met;
    met.push(next);
    state.picked = next;
  }
}

test("steps meet every event once, in order, in both directions", () => {
  assert.deepEqual(walk(1, 0), ALL);
  assert.deepEqual(walk(-1, 9), [...ALL].reverse());
});

test("without a picked event, steps begin with those at the crosshair or beside it", () => {
  const at = (t: number, k: number) => walk(k as 1 | -1, t)[0];
  assert.deepEqual(at(2, 1), { list: 0, row: 1 });
  assert.deepEqual(at(2, -1), { list: 1, row: 2 });
  assert.deepEqual(at(3, 1), { list: 0, row: 4 });
  assert.deepEqual(at(3, -1), { list: 1, row: 2 });
});
