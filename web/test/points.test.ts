// Panels of points: scales, places side by side, what a view shows.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Meta, Panel, Series } from "../src/meta";
import type { Points } from "../src/points/data";
import { nearestRow, stops } from "../src/points/data";
import { arrange } from "../src/points/paint";
import { place, span, ticksOf, value } from "../src/points/scale";
import { View } from "../src/points/view";

const texts = (...given: Parameters<typeof ticksOf>) => ticksOf(...given).map((tick) => tick.text);

test("a logarithmic axis has powers of ten, fewer of them where they are many", () => {
  assert.deepEqual(texts("log", 0, 3, 3), ["1", "10", "100", "1000"]);
  assert.deepEqual(texts("log", 0, 2, 8), ["1", "2", "5", "10", "20", "50", "100"]);
  assert.deepEqual(texts("log", -5, 0, 3), ["0.0001", "0.01", "1"]);
  assert.deepEqual(texts("log", -6, -5, 1), ["1e\u22126", "1e\u22125"]);
  assert.deepEqual(texts("log", Math.log10(20), Math.log10(40), 3), ["20", "30", "40"]);
});

test("positions and values are inverse; zero has no place on a logarithmic axis", () => {
  for (const kind of ["linear", "log"] as const) {
    for (const v of [1e-7, 0.3, 1, 4200]) {
      assert.ok(Math.abs(value(kind, place(kind, v)) - v) <= 1e-12 * v);
    }
  }
  assert.ok(Number.isNaN(place("log", 0)) && Number.isNaN(place("log", -1)));
});

test("an axis begins at zero unless its values are close together", () => {
  assert.equal(span("linear", 3, 10)[0], 0);
  assert.ok(span("linear", 9, 10)[0] > 8.9);
  assert.equal(span("linear", 9, 10, 0)[0], 0);
  const [low, high] = span("linear", 5, 5);
  assert.ok(low < 5 && high > 5);
});

const SERIES: Series = {
  label: "s", table: "t", column: "y", scale: 1, look: "l", shape: "marks", switch: "s", run: 0,
  role: "s",
};
const META: Meta = {
  format: 1, title: "", runs: [], look: {}, tables: {}, panels: [], switches: [], events: [],
};

function points(x: number[], y: number[], log = false, rest: Partial<Series> = {}): Points {
  const numbers = Float64Array.from(x);
  return {
    series: { ...SERIES, ...rest }, index: 0, x: numbers, y: Float64Array.from(y),
    px: log ? numbers.map(Math.log10) : numbers, py: Float64Array.from(y), low: null, high: null,
    href: () => "",
  };
}

const panel = (scale: "linear" | "log" | "names", names?: string[]): Panel => ({
  id: "p", title: "", unit: "", kind: "points", series: [],
  x: { label: "", unit: "", scale, ...(names ? { names } : {}) },
});

test("series of a name stand side by side without touching", () => {
  const all = [0, 1, 2].map(() => points([0, 1], [1, 2], false, { shape: "bars" }));
  const drawn = arrange(all, panel("names", ["a", "b"]), META);
  assert.deepEqual(drawn.map(({ shift }) => Math.sign(shift)), [-1, 0, 1]);
  for (const [i, one] of drawn.entries()) {
    const next = drawn[i + 1];
    const end = one.shift + one.half;
    if (next) assert.ok(end < next.shift - next.half);
    assert.ok(Math.abs(end) < 0.5, "the room of a name");
  }
});

test("lines on a linear axis stay at their values", () => {
  const all = [points([1, 2], [1, 2], false, { shape: "line" }), points([1, 2], [3, 4])];
  assert.deepEqual(arrange(all, panel("linear"), META).map(({ shift }) => shift), [0, 0]);
});

test("a view zooms within its data and fits the other axis to what is seen", () => {
  const all = [points([0, 1, 2, 3], [1, 100, 2, 3])];
  const view = new View(panel("linear"));
  const whole = view.ends(all);
  assert.ok(whole.from <= 0 && whole.to >= 3 && whole.high > 100);
  view.set([1.5, 9], null, all);
  const part = view.ends(all);
  assert.equal(part.from, 1.5);
  assert.equal(part.to, whole.to);
  assert.ok(part.high < 4);
  view.reset();
  assert.deepEqual(view.ends(all), whole);
});

test("the crosshair stops at every value of x once; a gap is no row", () => {
  const all = [points([1, 10, 100], [1, NaN, 3], true), points([10, 100], [4, 5], true)];
  assert.deepEqual(stops(all).map(({ x }) => x), [1, 10, 100]);
  assert.equal(nearestRow(all[0]!, 0.9), 0);
  assert.equal(nearestRow(all[1]!, 0.9), 0);
  assert.equal(nearestRow(points([1], [NaN]), 1), -1);
});
