// Live tables: rows in pieces make the table and the levels that all rows at once would make.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Trace, tableOf } from "../src/data/levels";
import { Store } from "../src/data/store";
import { Tables, withLevels } from "../src/live/growing";
import type { Meta } from "../src/meta";
import { State } from "../src/view/state";
import { Follow } from "../src/live/follow";
import type { Cell } from "./encode";
import { Blob } from "./encode";

function meta(): Meta {
  const empty = () => ({ blob: 0, at: 0, rows: 0, coding: "even" as const, start: 0, step: 1 });
  return {
    format: 1, title: "", runs: [{ label: "", name: "", duration_s: 100, warmup_s: 0 }], look: {},
    tables: { a: { rows: 0, columns: { time_s: empty(), value: empty() } } },
    panels: [], switches: [], events: [],
  } as unknown as Meta;
}

function piece(times: number[], values: Cell[]) {
  const blob = new Blob(0);
  const columns = {
    time_s: blob.numbers(times, 1e-3, "delta"),
    value: blob.numbers(values, 1, "plain"),
  };
  return { tables: { a: { rows: times.length, columns } }, blobs: [blob.base64] };
}

const store = () => new Store(() => "", () => undefined, (error) => assert.fail(String(error)));

test("rows in pieces equal all rows at once, at every level", async () => {
  const rows = 70_000;
  const times = Array.from({ length: rows }, (_, i) => i / 1000);
  const values = times.map((_, i): Cell => (i % 97 === 0 ? null : (i * 7919) % 1000));
  const shown = meta();
  withLevels(shown);
  const live = store();
  const tables = new Tables(shown, live);
  for (let from = 0, size = 1; from < rows; from += size, size = (size * 3) % 4999 || 1) {
    size = Math.min(size, rows - from);
    await tables.append(piece(times.slice(from, from + size), values.slice(from, from + size)));
  }
  assert.equal(shown.tables["a"]!.rows, rows);
  assert.equal(tables.end, times[rows - 1]);
  const whole = store();
  const numbers = Float64Array.from(values, (value) => value ?? NaN);
  const once = tableOf(whole, Float64Array.from(times), numbers);
  const [a, b] = [new Trace(live, shown.tables["a"]!, "value"), new Trace(whole, once, "value")];
  for (const [from, to] of [[0, 70], [0, 0.5], [12.3, 40], [69.9, 70]] as const) {
    for (const width of [2, 60, 1000]) {
      const [one, other] = [a.piece(from, to, width)!, b.piece(from, to, width)!];
      assert.equal(one.size, other.size);
      assert.deepEqual([one.from, one.to], [other.from, other.to]);
      for (const key of ["first", "last", "low", "high"] as const) {
        assert.deepEqual(one[key].slice(one.from, one.to), other[key].slice(other.from, other.to));
      }
    }
  }
});

test("what is shown of a table without rows is nothing", () => {
  const shown = meta();
  withLevels(shown);
  const live = store();
  new Tables(shown, live);
  const trace = new Trace(live, shown.tables["a"]!, "value");
  assert.equal(trace.at(1, true), null);
  const found = trace.piece(0, 10, 100)!;
  assert.equal(found.to - found.from, 0);
});

test("the window follows the end until it is moved, and again when told", () => {
  globalThis.requestAnimationFrame ??= () => 0;
  const state = new State(meta());
  const heard: boolean[] = [];
  const follow = new Follow(state, 10, () => heard.push(follow.following));
  const come = (end: number) => {
    follow.come(end);
    state.flush();
  };
  come(4);
  assert.deepEqual([state.window.from, state.window.to], [0, 4]);
  come(30);
  assert.deepEqual([state.window.from, state.window.to], [20, 30]);
  state.window.set(22, 24);
  state.flush();
  come(40);
  assert.deepEqual([state.window.from, state.window.to], [22, 24]);
  follow.again();
  state.flush();
  assert.deepEqual([state.window.from, state.window.to], [38, 40]);
  come(50);
  assert.deepEqual([state.window.from, state.window.to], [48, 50]);
  state.window.reset();
  state.flush();
  come(60);
  assert.deepEqual([state.window.from, state.window.to], [0, 60]);
  assert.deepEqual(heard, [false, true]);
});
