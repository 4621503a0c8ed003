// The data room: bytes to columns and traces.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { byTable } from "../src/data/base64";
import { decode } from "../src/data/columns";
import { inflate } from "../src/data/inflate";
import { unpack } from "../src/data/lzma";
import { Trace, after, tableOf } from "../src/data/levels";
import { Store } from "../src/data/store";
import type { Column } from "../src/meta";
import { Blob, table } from "./encode";
import type { Cell } from "./encode";

/** Reproducible numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function check(column: Column, bytes: Uint8Array, cells: Cell[], tolerance = 0): void {
  const got = decode(column, bytes);
  assert.equal(got.length, cells.length);
  cells.forEach((cell, i) => {
    if (cell === null) assert.ok(Number.isNaN(got[i]), `row ${i} has no value`);
    else assert.ok(Math.abs(got[i]! - cell) <= tolerance, `row ${i}: ${got[i]} for ${cell}`);
  });
}

test("base64 by table equals the built-in encoder's inverse", () => {
  for (let length = 0; length < 70; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 89 + length * 31) & 255);
    const text = Buffer.from(bytes).toString("base64");
    assert.deepEqual(byTable(text), bytes);
    assert.deepEqual(byTable(`\n${text.slice(0, 8)}\n ${text.slice(8)}\n`), bytes);
  }
});

test("numbers of every width come back, in both codings, with nulls", () => {
  const next = random(1);
  for (let bits = 1; bits <= 52; bits++) {
    for (const coding of ["delta", "plain"] as const) {
      const cells = Array.from({ length: 77 }, () =>
        next() < 0.1 ? null : Math.round((next() - 0.5) * 2 ** bits),
      );
      const blob = new Blob(0);
      blob.words(["x"], ["x", "y"]);
      const column = blob.numbers(cells, 1, coding, bits % 2 ? 0 : 3);
      check(column, blob.raw, cells);
    }
  }
});

test("a step of a power of ten gives the nearest double", () => {
  const cells = [0.1, 0.2, 0.3, 12.345678901, 1e-9, -7.7];
  const blob = new Blob(0);
  check(blob.numbers(cells, 1e-9, "delta"), blob.raw, cells);
  const large = [3000, 9000, -1000];
  const other = new Blob(0);
  check(other.numbers(large, 1000, "plain"), other.raw, large);
});

test("even columns need no bytes, words give indices", () => {
  const even: Column = { blob: 0, at: 0, rows: 4, coding: "even", start: 2, step: 0.5 };
  check(even, new Uint8Array(0), [2, 2.5, 3, 3.5]);
  const words = Array.from({ length: 300 }, (_, i) => `w${i}`);
  const blob = new Blob(0);
  const column = blob.words(["w299", null, "w0"], words);
  check(column, blob.raw, [299, null, 0]);
});

test("unpack is the inverse of raw LZMA, and a damaged stream is an error", () => {
  // What Python's lzma packed is these bytes: literals, and repetitions from near and far.
  const next = random(7);
  const raw: number[] = [];
  for (let i = 0; i < 1500; i++) {
    if (i % 7 || raw.length <= 40) raw.push(Math.floor(next() * next() * 256));
    else {
      const from = raw.length - 1 - Math.floor(next() * raw.length);
      const count = 3 + Math.floor(next() * 300);
      for (let k = 0; k < count; k++) raw.push(raw[from + k]!);
    }
  }
  const packed = byTable(readFileSync("test/lzma.txt", "utf8"));
  assert.ok(packed.length < raw.length / 4);
  assert.deepEqual(unpack(packed, raw.length), Uint8Array.from(raw));
  assert.throws(() => unpack(packed.slice(0, packed.length >> 1), raw.length));
});

test("inflate is the inverse of raw deflate, and a damaged blob is an error", async () => {
  const blob = new Blob(0);
  blob.numbers(Array.from({ length: 5000 }, (_, i) => i * i), 1, "delta");
  const packed = byTable(blob.base64);
  assert.deepEqual(await inflate(packed), blob.raw);
  await assert.rejects(inflate(packed.slice(0, packed.length >> 1)));
});

test("after finds the first later instant", () => {
  const times = Float64Array.of(1, 2, 2, 3);
  assert.deepEqual([0, 1, 2, 2.5, 3].map((t) => after(times, t)), [0, 1, 3, 3, 4]);
});

/** Waits until the store has nothing to decode. */
async function settle(store: Store): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, 1));
  while (store.busy);
}

test("a trace starts coarse, refines where needed, and gives exact values when asked", async () => {
  const rows = 20_000;
  const next = random(2);
  const times = Array.from({ length: rows }, (_, i) => i / 100);
  const values = times.map((_, i) => (i % 97 === 0 ? null : Math.round(next() * 1000)));
  const overview = new Blob(0);
  const blobs = [overview];
  const packed = table(blobs, overview, times, { v: [values, 1] });
  const opened: number[] = [];
  const store = new Store(
    (index) => {
      opened.push(index);
      return blobs[index]!.base64;
    },
    () => undefined,
    (error) => assert.fail(String(error)),
  );
  const trace = new Trace(store, packed, "v");
  assert.equal(trace.piece(0, 200, 5), null);
  await settle(store);
  assert.deepEqual(opened, [0], "the first view needs the overview alone");
  const coarse = trace.piece(0, 200, 5)!;
  assert.equal(coarse.size, 1024);
  for (let k = coarse.from; k < coarse.to; k++) {
    const bucket = values.slice(k * 1024, (k + 1) * 1024).filter((v) => v !== null);
    assert.equal(coarse.low[k], Math.min(...bucket));
    assert.equal(coarse.high[k], Math.max(...bucket));
  }
  const rough = trace.at(100.005, false)!;
  assert.ok(rough.low < rough.high);
  trace.at(100.005, true);
  await settle(store);
  assert.deepEqual(trace.at(100.005, true), { low: values[10_000], high: values[10_000] });
  trace.piece(100, 101, 1000);
  await settle(store);
  const fine = trace.piece(100, 101, 1000)!;
  assert.equal(fine.size, 1);
  assert.deepEqual([fine.from, fine.to], [10_000, 10_102]);
  assert.equal(trace.at(-1, true), null);
});

test("dense windows of rows are drawn from buckets of eight", async () => {
  const rows = 50_000;
  const store = new Store(() => "", () => undefined, () => undefined);
  const times = Float64Array.from({ length: rows }, (_, i) => i / 1000);
  const values = Float64Array.from(times, (_, i) => (i % 8 === 3 ? NaN : Math.sin(i)));
  const columns = { time_s: store.put(times), v: store.put(values) };
  const trace = new Trace(store, { rows, columns }, "v");
  const dense = trace.piece(10, 30, 1000)!;
  assert.equal(dense.size, 8);
  for (let k = dense.from; k < dense.to; k++) {
    const bucket = [...values.subarray(8 * k, 8 * k + 8)].filter((v) => !Number.isNaN(v));
    assert.deepEqual([dense.low[k], dense.high[k]], [Math.min(...bucket), Math.max(...bucket)]);
    assert.deepEqual([dense.first[k], dense.last[k]], [times[8 * k], times[8 * k + 7]]);
  }
  assert.equal(trace.piece(10, 12, 1000)!.size, 1);
});

test("a computed table has the pyramid that the encoder makes", async () => {
  const next = random(3);
  const times = Array.from({ length: 9000 }, (_, i) => i * 0.5);
  const cells = times.map((_, i) => (i >= 64 && i < 128) || next() < 0.1 ? null : next());
  const store = new Store(() => "", () => undefined, () => undefined);
  const computed = tableOf(
    store, Float64Array.from(times), Float64Array.from(cells, (v) => v ?? NaN),
  );
  const overview = new Blob(0);
  const packed = table([overview], overview, times, { value: [cells, 1e-9] });
  assert.deepEqual(computed.levels!.map((l) => l.size), packed.levels!.map((l) => l.size));
  computed.levels!.forEach((level, i) => {
    for (const name of ["time_s", "value"]) {
      for (const side of ["low", "high"] as const) {
        const mine = store.get(level.columns[name]![side])!;
        const theirs = decode(packed.levels![i]!.columns[name]![side], overview.raw);
        mine.forEach((v, k) => assert.ok(Object.is(v, theirs[k]) || Math.abs(v - theirs[k]!) < 1e-9));
      }
    }
  });
});
