// The vectors of the packer (crates/dumbbell-lab/tests/pack_vectors.json): what it wrote is what
// the page reads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { byTable } from "../src/data/base64";
import { decode } from "../src/data/columns";
import { inflate } from "../src/data/inflate";
import type { Column, Table } from "../src/meta";

type Cell = number | string | null;

interface Decoded {
  columns: Record<string, Cell[]>;
  levels?: { size: number; columns: Record<string, { low: Cell[]; high: Cell[] }> }[];
}

interface Vectors {
  answer: { tables: Record<string, Table>; blobs: string[]; texts: { blob: number; at: number; bytes: number }[] };
  decoded: Record<string, Decoded>;
  request: { texts: string[] };
}

const FILE = process.env["DUMBBELL_VECTORS"] ?? "../crates/dumbbell-lab/tests/pack_vectors.json";
const { answer, decoded, request } = JSON.parse(readFileSync(FILE, "utf8")) as Vectors;

function cells(column: Column, blobs: Uint8Array[]): Cell[] {
  const numbers = [...decode(column, blobs[column.blob] ?? new Uint8Array(0))];
  if (column.coding === "words") return numbers.map((n) => column.words?.[n] ?? null);
  return numbers.map((n) => (Number.isNaN(n) ? null : n));
}

/** Equal, but for the last bit: the packer's own decoder multiplies where the page divides. */
function equal(got: Cell[], expected: Cell[] | undefined, what: string): void {
  assert.equal(got.length, expected?.length, what);
  got.forEach((cell, i) => {
    const other = expected![i]!;
    if (typeof cell !== "number" || typeof other !== "number") assert.equal(cell, other, what);
    else assert.ok(Math.abs(cell - other) <= 2 ** -52 * Math.abs(other), `${what}: ${cell}, ${other}`);
  });
}

test("columns, levels and texts of the packer's vectors come back", async () => {
  const blobs = await Promise.all(answer.blobs.map((text) => inflate(byTable(text))));
  assert.deepEqual(Object.keys(answer.tables).sort(), Object.keys(decoded).sort());
  let compared = 0;
  for (const [id, expected] of Object.entries(decoded)) {
    const table = answer.tables[id]!;
    for (const [name, column] of Object.entries(table.columns)) {
      equal(cells(column, blobs), expected.columns[name], `${id}/${name}`);
      compared++;
    }
    (table.levels ?? []).forEach((level, k) => {
      assert.equal(level.size, expected.levels?.[k]?.size);
      for (const [name, { low, high }] of Object.entries(level.columns)) {
        const of = expected.levels![k]!.columns[name]!;
        equal(cells(low, blobs), of.low, `${id}/${name}, low`);
        equal(cells(high, blobs), of.high, `${id}/${name}, high`);
        compared++;
      }
    });
  }
  assert.ok(compared > 12);
  const texts = answer.texts.map(({ blob, at, bytes }) =>
    new TextDecoder().decode(blobs[blob]!.subarray(at, at + bytes)),
  );
  assert.deepEqual(texts, request.texts);
});
