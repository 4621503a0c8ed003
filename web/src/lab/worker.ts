// The worker: makes a run in slices, so that a newer scenario drops it, and says what to draw.

import { fromBase64 } from "../data/base64";
import { decode } from "../data/columns";
import { unpack } from "../data/lzma";
import type { Chain, Column, Table } from "../meta";
import type { Drawing } from "./drawing";
import { drawing } from "./drawing";
import { Simulator, Wrong } from "./module";
import type { Ask, Facts, Numbers, Signal, Template, Told } from "./shapes";

/** Events between two looks at what came: some milliseconds. */
const SLICE = 100_000;
/** Drops and marks that are shown. */
const MOST_SIGNALS = 5000;
const NAME = "lab.toml";

interface Finished {
  run: Numbers;
  tables: Record<string, Table>;
  signals: { count: number; rows: Signal[] };
}

/** Of the worker's own scope. */
interface Scope {
  onmessage: ((event: MessageEvent<Begin | Ask>) => void) | null;
  postMessage(told: Told, transfer?: Transferable[]): void;
}

export interface Begin {
  /** LZMA in Base64, of so many bytes. */
  module: string;
  bytes: number;
  template: Template;
}

/** A turn of the event loop, so that messages come in. */
const turn = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });

export function work(scope: Scope): void {
  let latest = 0;
  let begun: Promise<{ simulator: Simulator; template: Template }>;
  const run = async ({ id, text }: Ask): Promise<void> => {
    const { simulator, template } = await begun;
    if (id !== latest) return;
    const since = performance.now();
    try {
      const scenario = { text, name: NAME, instants: template.instants };
      const facts = simulator.ask<Facts>({ verb: "plan", ...scenario }).json;
      const drawn = drawing(facts, template);
      const tables = drawn.requests;
      simulator.ask({ verb: "begin", scenario, tables, signals: MOST_SIGNALS });
      for (;;) {
        const go = { verb: "go", events: SLICE };
        const { json } = simulator.ask<{ done: boolean; fraction: number }>(go);
        if (json.done) break;
        await turn();
        if (id !== latest) return;
        scope.postMessage({ kind: "progress", id, fraction: json.fraction });
      }
      const { json, blobs } = simulator.ask<Finished>({ verb: "finish" });
      const told = gathered(id, facts, drawn, json, blobs, template);
      told.ms = performance.now() - since;
      scope.postMessage(told, told.columns.map(([, numbers]) => numbers.buffer as ArrayBuffer));
    } catch (error) {
      const rendered = error instanceof Wrong ? error.message : `the page failed: ${String(error)}`;
      scope.postMessage({ kind: "problem", id, rendered });
    }
  };
  scope.onmessage = ({ data }) => {
    if ("module" in data) {
      begun = (async () => {
        const bytes = unpack(fromBase64(data.module), data.bytes);
        const simulator = new Simulator(await WebAssembly.compile(bytes));
        scope.postMessage({ kind: "ready" });
        return { simulator, template: data.template };
      })();
      return;
    }
    latest = data.id;
    void run(data);
  };
}

type Run = Extract<Told, { kind: "run" }>;

function gathered(
  id: number, facts: Facts, { meta, members }: Drawing, finished: Finished, blobs: Uint8Array[],
  template: Template,
): Run {
  const { run, tables, signals } = finished;
  const columns: Run["columns"] = [];
  const chains: Run["chains"] = [];
  for (const [name, table] of Object.entries(tables)) {
    meta.tables[name] = table;
    for (const column of Object.values(table.columns)) {
      columns.push([column, decode(column, blobs[column.blob] ?? new Uint8Array(0))]);
    }
  }
  // A table without rows is none; nothing may refer to it.
  for (const panel of meta.panels) {
    panel.series = panel.series.filter(({ table }) => meta.tables[table]);
  }
  meta.panels = meta.panels.filter((panel) => panel.series.length > 0);
  const ideas = new Map(template.queues.map(({ name, idea }) => [name, idea]));
  for (const { label, names } of members) {
    const rows = signals.rows.filter((each) => each.data && names.includes(each.flow));
    if (rows.length === 0) continue;
    const table = `0/events/${label}`;
    const words = (list: string[]): [Column, Float64Array] => {
      const known = [...new Set(list)];
      const column: Column = { blob: 0, at: 0, rows: rows.length, coding: "words", words: known };
      return [column, Float64Array.from(list, (word) => known.indexOf(word))];
    };
    const numbers = (list: number[]): [Column, Float64Array] => {
      return [{ blob: 0, at: 0, rows: rows.length, coding: "plain" }, Float64Array.from(list)];
    };
    const made: Record<string, [Column, Float64Array]> = {
      time_s: numbers(rows.map((each) => each.time_s)),
      kind: words(rows.map((each) => (each.marked ? "mark" : "drop"))),
      reason: words(rows.map((each) => each.reason)),
      queue_packets: numbers(rows.map((each) => each.queue_packets)),
    };
    columns.push(...Object.values(made));
    const entries = Object.entries(made).map(([name, [column]]) => [name, column] as const);
    meta.tables[table] = { rows: rows.length, columns: Object.fromEntries(entries) };
    meta.events.push({
      run: 0, switch: `0/flow/${label}`, table, panels: { queue: "queue_packets" },
      ...(names.length === 1 ? { flow: names[0]! } : {}),
      command: `dumbbell why result --flow ${names[0]} --time {time}s`,
    });
    chains.push(rows.map((each) => chain(each, facts, ideas)));
  }
  meta.runs[0]!.fingerprint = run.fingerprint;
  return {
    kind: "run", id, facts, run, meta, columns, chains, signals: signals.count, ms: 0,
  };
}

/** What the queue decided, and what it saw. */
function chain(signal: Signal, facts: Facts, ideas: Map<string, string>): Chain {
  const { time_s, queue, flow, reason, marked, queue_packets, gauges } = signal;
  const did = marked ? "marked" : "dropped";
  const kind = facts.queues.find((each) => each.name === queue)?.kind ?? "";
  const seen = Object.entries(gauges)
    .filter(([, value]) => typeof value === "number")
    .map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`);
  const again = signal.retransmit ? ", which was sent again," : "";
  const text = [
    `At ${time_s.toFixed(6)} s ${queue} ${did} a packet of ${flow}${again} (${reason}).`,
    `${queue_packets} packets were in the queue.`,
    seen.length ? `The decision saw ${seen.join(", ")}.` : "",
    reason !== "overflow" && ideas.has(kind) ? `${kind}: ${ideas.get(kind)}` : "",
  ];
  const steps: Chain["steps"] = [
    { t: time_s, role: "decision", label: `${queue}: ${did} (${reason})` },
  ];
  return { text: text.filter(Boolean).join(" "), steps };
}
