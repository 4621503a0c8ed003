// Tables that grow: rows are appended to their columns, and their coarse levels are extended.

import { fromBase64 } from "../data/base64";
import { decode } from "../data/columns";
import { extremes } from "../data/extremes";
import { inflate } from "../data/inflate";
import type { Store } from "../data/store";
import type { Column, Meta, Table } from "../meta";
import type { Piece } from "./news";

/** Rows of a bucket of each level, as the packer has them. */
const SIZES = [16384, 1024, 64];
const TIME = "time_s";

function empty(): Column {
  return { blob: 0, at: 0, rows: 0, coding: "even", start: 0, step: 1 };
}

/** Gives all tables their levels, which are empty yet: before anything reads the tables. */
export function withLevels(meta: Meta): void {
  for (const table of Object.values(meta.tables)) {
    table.levels = SIZES.map((size) => ({
      size,
      columns: Object.fromEntries(
        Object.keys(table.columns).map((name) => [name, { low: empty(), high: empty() }]),
      ),
    }));
  }
}

/** Numbers at the end of which there is room. */
class Numbers {
  private all = new Float64Array(256);
  length = 0;

  get values(): Float64Array {
    return this.all.subarray(0, this.length);
  }

  resize(length: number): void {
    if (length > this.all.length) {
      const larger = new Float64Array(Math.max(length, 2 * this.all.length));
      larger.set(this.values);
      this.all = larger;
    }
    this.length = length;
  }

  append(more: Float64Array): void {
    const from = this.length;
    this.resize(from + more.length);
    this.all.set(more, from);
  }
}

interface Level {
  size: number;
  low: Numbers;
  high: Numbers;
  columns: { low: Column; high: Column };
}

/** One column with its levels. */
class Growing {
  private readonly rows = new Numbers();
  private readonly levels: Level[];

  constructor(
    private readonly store: Store,
    private readonly column: Column,
    table: Table,
    name: string,
  ) {
    this.levels = (table.levels ?? []).flatMap(({ size, columns }) => {
      const found = columns[name];
      return found ? [{ size, low: new Numbers(), high: new Numbers(), columns: found }] : [];
    });
  }

  append(more: Float64Array): void {
    const before = this.rows.length;
    this.rows.append(more);
    const { values } = this.rows;
    this.column.rows = values.length;
    this.store.renew(this.column, values);
    for (const { size, low, high, columns } of this.levels) {
      // The last bucket may have been begun.
      const whole = Math.floor(before / size);
      const found = extremes(values.subarray(whole * size), size);
      low.resize(whole);
      high.resize(whole);
      low.append(found.low);
      high.append(found.high);
      this.store.renew(columns.low, low.values);
      this.store.renew(columns.high, high.values);
    }
  }
}

/** The tables of a page. */
export class Tables {
  /** The last instant of any of them. */
  end = 0;
  private readonly columns = new Map<string, Map<string, Growing>>();

  constructor(
    private readonly meta: Meta,
    store: Store,
  ) {
    for (const [id, table] of Object.entries(meta.tables)) {
      const columns = Object.entries(table.columns).map(
        ([name, column]) => [name, new Growing(store, column, table, name)] as const,
      );
      this.columns.set(id, new Map(columns));
    }
  }

  /** Appends the rows of a piece. */
  async append(piece: Piece): Promise<void> {
    const blobs = await Promise.all((piece.blobs ?? []).map((text) => inflate(fromBase64(text))));
    for (const [id, { rows, columns }] of Object.entries(piece.tables ?? {})) {
      const growing = this.columns.get(id);
      const table = this.meta.tables[id];
      if (!growing || !table) continue;
      table.rows += rows;
      for (const [name, column] of Object.entries(columns)) {
        const bytes = blobs[column.blob] ?? new Uint8Array(0);
        const numbers = decode(column, bytes);
        growing.get(name)?.append(numbers);
        if (name === TIME) this.end = Math.max(this.end, numbers[numbers.length - 1] ?? 0);
      }
    }
  }
}
