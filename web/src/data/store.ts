// The page's blobs and columns, inflated and decoded when first asked for.

import type { Column, Meta } from "../meta";
import { fromBase64 } from "./base64";
import { decode } from "./columns";
import type { Bounds } from "./extremes";
import { extremes } from "./extremes";
import { inflate } from "./inflate";

const NOTHING = new Uint8Array(0);
/** Decoding yields to input after this many milliseconds. */
const SLICE_MS = 12;

export class Store {
  private readonly blobs = new Map<number, Promise<Uint8Array>>();
  private readonly ready = new Map<Column, Float64Array>();
  private readonly bounds = new Map<Column, Bounds>();
  private readonly waiting = new Set<Column>();
  private working = false;
  /** Whether `get` had to promise a column since this was reset. */
  private missed = false;

  /** `text` gives a blob's Base64; `arrived` hears of new columns, `failed` of a damaged blob. */
  constructor(
    private readonly text: (blob: number) => string,
    private readonly arrived: () => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The column's numbers if they are decoded; else it is decoded soon. */
  get(column: Column): Float64Array | undefined {
    const found = this.ready.get(column);
    if (found) return found;
    if (column.coding === "even") {
      const numbers = decode(column, NOTHING);
      this.ready.set(column, numbers);
      return numbers;
    }
    this.waiting.add(column);
    this.missed = true;
    if (!this.working) void this.work();
    return undefined;
  }

  /** The column's numbers only if they are decoded already. */
  peek(column: Column): Float64Array | undefined {
    return this.ready.get(column);
  }

  /** Other numbers of a column, as when it has grown. */
  renew(column: Column, numbers: Float64Array): void {
    this.ready.set(column, numbers);
    this.bounds.delete(column);
  }

  /** Calls `use`; whether all columns that it asked for were decoded. */
  complete(use: () => void): boolean {
    this.missed = false;
    use();
    return !this.missed;
  }

  /** The bounds of each `size` rows of a column that is decoded. */
  buckets(column: Column, size: number): Bounds | undefined {
    let found = this.bounds.get(column);
    const rows = this.ready.get(column);
    if (!found && rows) {
      found = extremes(rows, size);
      this.bounds.set(column, found);
    }
    return found;
  }

  /** Numbers that the page computed, under a column made for them. */
  put(numbers: Float64Array): Column {
    const column: Column = { blob: -1, at: 0, rows: numbers.length, coding: "plain" };
    this.ready.set(column, numbers);
    return column;
  }

  get busy(): boolean {
    return this.working;
  }

  bytes(blob: number): Promise<Uint8Array> {
    let found = this.blobs.get(blob);
    if (!found) {
      found = inflate(fromBase64(this.text(blob)));
      this.blobs.set(blob, found);
    }
    return found;
  }

  private async work(): Promise<void> {
    this.working = true;
    let since = performance.now();
    try {
      for (const column of this.waiting) {
        const bytes = await this.bytes(column.blob);
        this.ready.set(column, decode(column, bytes));
        this.waiting.delete(column);
        if (performance.now() - since > SLICE_MS) {
          this.arrived();
          await new Promise((resolve) => setTimeout(resolve));
          since = performance.now();
        }
      }
    } catch (error) {
      this.failed(error);
      return;
    }
    this.working = false;
    this.arrived();
  }
}

/** The store over the blobs of this page. */
export function ofPage(arrived: () => void, failed: (error: unknown) => void): Store {
  const text = (blob: number) => document.getElementById(`blob-${blob}`)?.textContent ?? "";
  return new Store(text, arrived, failed);
}

export function metaOfPage(): Meta | null {
  const found = document.getElementById("dumbbell-view");
  return found ? (JSON.parse(found.textContent ?? "") as Meta) : null;
}
