// The packets of a space-time diagram, one row for each packet and hop.

import { after } from "../data/levels";
import type { Store } from "../data/store";
import type { Look, Meta, Space } from "../meta";

export interface Hops {
  rows: number;
  flow: Float64Array;
  packet: Float64Array;
  ack: Float64Array;
  from: Float64Array;
  to: Float64Array;
  arrived: Float64Array;
  departed: Float64Array;
  far: Float64Array;
  size: Float64Array;
  flows: string[];
  /** Index of the word "ack". */
  isAck: number;
  /** Where a waiting packet stands among those that wait at its node: 0 is free first. */
  slot: Uint16Array;
  /** The longest time from arrival to the far end: rows before a window by more are past. */
  longest: number;
}

const made = new WeakMap<Space, Hops>();

/** The hops once all columns are decoded. */
export function hopsOf(meta: Meta, store: Store, space: Space): Hops | null {
  const known = made.get(space);
  if (known) return known;
  const table = meta.tables[space.table];
  if (!table) return null;
  const names = [
    "flow", "packet", "ack", "from", "to", "arrived_s", "departed_s", "far_s", "size",
  ];
  const columns = names.map((name) => {
    const column = table.columns[name];
    return column && store.get(column);
  });
  if (columns.some((column) => !column)) return null;
  const [flow, packet, ack, from, to, arrived, departed, far, size] = columns as Float64Array[];
  const hops: Hops = {
    rows: table.rows,
    flow: flow!, packet: packet!, ack: ack!, from: from!, to: to!,
    arrived: arrived!, departed: departed!, far: far!, size: size!,
    flows: table.columns["flow"]?.words ?? [],
    isAck: table.columns["ack"]?.words?.indexOf("ack") ?? 1,
    slot: new Uint16Array(table.rows),
    longest: 0,
  };
  const free = new Map<number, number[]>();
  for (let i = 0; i < hops.rows; i++) {
    const end = ending(hops, i);
    hops.longest = Math.max(hops.longest, end - hops.arrived[i]!);
    if (!(hops.departed[i]! > hops.arrived[i]!)) continue;
    const key = hops.from[i]! * 2 + Number(hops.ack[i] === hops.isAck);
    let slots = free.get(key);
    if (!slots) free.set(key, (slots = []));
    let slot = slots.findIndex((until) => until <= hops.arrived[i]!);
    if (slot < 0) slot = slots.length;
    slots[slot] = hops.departed[i]!;
    hops.slot[i] = slot;
  }
  made.set(space, hops);
  return hops;
}

/** When a hop is over: at the far end, or where the packet was dropped. */
export function ending(hops: Hops, row: number): number {
  const far = hops.far[row]!;
  if (!Number.isNaN(far)) return far;
  const departed = hops.departed[row]!;
  return Number.isNaN(departed) ? hops.arrived[row]! : departed;
}

/** The rows that may lie between two instants. */
export function between(hops: Hops, from: number, to: number): [number, number] {
  return [
    Math.max(0, after(hops.arrived, from - hops.longest) - 1),
    after(hops.arrived, to),
  ];
}

/** The looks of flows by the index of their word. */
export function looksOf(meta: Meta, hops: Hops): { look: Look | undefined; id: string | null }[] {
  return hops.flows.map((flow) => {
    const found = meta.switches.find(
      (each) => each.kind === "flow" && (each.id === flow || each.label === flow),
    );
    return { look: found && meta.look[found.look], id: found?.id ?? null };
  });
}
