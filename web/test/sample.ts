// A page from made-up numbers, to look at and to measure before any result is there:
//   node build.mjs --sample && node build/sample.mjs OUT.html [--flows N] [--rows N] [--runs N]

import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Chain, EventList, Look, Meta, Panel, Space, Switch, TimeSeq } from "../src/meta";
import { Blob, table } from "./encode";
import type { Cell } from "./encode";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    flows: { type: "string", default: "3" },
    rows: { type: "string", default: "3000" },
    runs: { type: "string", default: "1" },
  },
});
const [FLOWS, ROWS, RUNS] = [options.flows, options.rows, options.runs].map(Number) as [
  number, number, number,
];
const DURATION = 60;
const COLORS = [
  ["#0060a0", "#6db6f2"], ["#c04a00", "#ff8c52"], ["#00795a", "#5fd0a5"], ["#a8487c", "#ee94c3"],
  ["#b26a00", "#e6b455"], ["#3a8fc4", "#8fd0f5"], ["#8f8500", "#d8cf50"], ["#000000", "#ffffff"],
];
const MARKERS = ["circle", "square", "triangle", "diamond", "down", "plus", "cross", "star"] as const;
const DASHES = [[], [5, 2], [2, 2], [6, 2, 1, 2], [3, 1.5], [8, 2, 1, 2, 1, 2]];

let state = 7;
const random = (): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
};

const spaces: Hop[] = [];
const overview = new Blob(0);
const blobs = [overview];
const look: Record<string, Look> = {
  queue: { color: "#555555", dark: "#bbbbbb", dash: [], width: 1.1 },
  average: { color: "#c04a00", dark: "#ff8c52", dash: [], width: 1.8 },
  threshold: { color: "#777777", dark: "#999999", dash: [4, 3], width: 1 },
};
const meta: Meta = {
  format: 1,
  title: "first: three flows over one RED queue",
  runs: [],
  look,
  tables: {},
  panels: [],
  switches: [],
  events: [],
};
const panel = (id: string, title: string, unit: string, rest: Partial<Panel> = {}): Panel => {
  const made: Panel = { id, title, unit, kind: "time", series: [], ...rest };
  meta.panels.push(made);
  return made;
};
const queue = panel("queue", "Queue", "packets", {
  range: { from: 0 },
  lines: [
    { value: 10, label: "min_th 10", look: "threshold" },
    { value: 30, label: "max_th 30", look: "threshold" },
  ],
});
const probability = panel("p", "Drop probability", "", { range: { from: 0 } });
const cwnd = panel("cwnd", "Congestion window", "packets", { range: { from: 0, robust: true } });
const rtt = panel("rtt", "Smoothed RTT", "ms", { range: { from: 0, robust: true } });
const goodput = panel("goodput", "Goodput", "Mbit/s", { range: { from: 0 } });
const phase = panel("phase", "Queue and window", "packets", { kind: "phase" });

const times = Array.from({ length: ROWS }, (_, i) => (i * DURATION) / ROWS);
const wave = (t: number, k: number): number => Math.sin(t * (0.6 + 0.13 * k) + k * 1.7);

for (let run = 0; run < RUNS; run++) {
  meta.runs.push({
    label: RUNS > 1 ? ["red", "codel"][run] ?? `run ${run}` : "first",
    name: "first", seed: 1, duration_s: DURATION, warmup_s: 5, on: "simulation",
  });
  if (RUNS > 1) {
    const label = meta.runs[run]!.label;
    meta.switches.push({ id: `run/${run}`, label, kind: "run", on: true, look: "queue" });
  }
  let average = 0;
  const length: Cell[] = [];
  const smoothed: Cell[] = [];
  const chance: Cell[] = [];
  for (const t of times) {
    const v = Math.max(0, Math.round(14 + 8 * wave(t, run) + 7 * wave(t * 5, 2) + 4 * random()));
    average += (v - average) * Math.min(1, 60 / ROWS);
    length.push(v);
    smoothed.push(average);
    chance.push(average < 10 ? 0 : ((average - 10) / 20) * 0.1);
  }
  const id = `${run}/queues/bottleneck`;
  meta.tables[id] = table(blobs, overview, times, {
    queue_packets: [length, 1], average_packets: [smoothed, 1e-5], p_b: [chance, 1e-7],
  });
  const of = (
    column: string, label: string, key: string, role: string, shape: "line" | "step" = "step",
  ) => ({
    label, table: id, column, scale: 1, look: key, shape, switch: "bottleneck", run, role,
  });
  queue.series.push(
    of("queue_packets", "queue", "queue", "queue"),
    of("average_packets", "average", "average", "average", "line"),
  );
  probability.series.push(of("p_b", "p_b", "average", "p_b", "line"));
}
const switches: Switch[] = [
  { id: "bottleneck", label: "bottleneck", kind: "queue", on: true, look: "queue", detail: "red" },
];
const crowd = FLOWS > 12;
if (crowd) {
  switches.push({
    id: "bulk", label: "bulk", kind: "group", on: true, look: "flow0",
    detail: `${FLOWS} flows, median and 10th to 90th percentile`,
  });
}
for (let flow = 0; flow < FLOWS; flow++) {
  const name = flow === 2 && !crowd ? "far" : `${crowd ? "bulk" : "near"}.${flow + 1}`;
  const [color, dark] = COLORS[flow % COLORS.length] as [string, string];
  look[`flow${flow}`] = {
    color, dark, marker: MARKERS[flow % 8]!, dash: DASHES[flow % DASHES.length]!,
  };
  switches.push({
    id: name, label: name, kind: "flow", on: !crowd, look: `flow${flow}`,
    detail: "sack, goodput 3.815 Mbit/s",
  });
  for (let run = 0; run < RUNS; run++) flowOf(run, flow, name);
}
meta.switches.push(...switches);

function flowOf(run: number, flow: number, name: string): void {
  const window: Cell[] = [];
  const threshold: Cell[] = [];
  const delay: Cell[] = [];
  const rate: Cell[] = [];
  const drops: { t: number; w: number }[] = [];
  let w = 2;
  let ssthresh = 60;
  const dt = DURATION / ROWS;
  times.forEach((t, i) => {
    if (random() < (dt * w) / 60 && t > 1) {
      drops.push({ t: t + dt * random(), w });
      ssthresh = Math.max(2, w / 2);
      w = ssthresh;
    } else {
      w += w < ssthresh ? w * dt * 4 : dt * (2 + (flow % 5));
    }
    const none = i % 500 > 480;
    window.push(Math.round(w * 1000) / 1000);
    threshold.push(Math.round(ssthresh * 1448));
    delay.push(none ? null : 20000 + 5 * w * 100 + 400 * random());
    rate.push((w * 1448 * 8) / 0.05 / 1e6);
  });
  const id = `${run}/flows/${name}`;
  meta.tables[id] = table(blobs, overview, times, {
    cwnd_packets: [window, 1e-3], ssthresh_bytes: [threshold, 1],
    srtt_us: [delay, 1], goodput: [rate, 1e-4],
  });
  const key = `flow${flow}`;
  const of = (column: string, scale: number, label = name, rest = {}) => ({
    label, table: id, column, scale, look: key, shape: "step" as const, switch: name, run,
    role: `${name}/${column}`, ...rest,
  });
  cwnd.series.push(of("cwnd_packets", 1));
  rtt.series.push(of("srtt_us", 1e-3));
  goodput.series.push(of("goodput", 1, name, { shape: "line" }));
  const x = {
    table: `${run}/queues/bottleneck`, column: "queue_packets", scale: 1, label: "queue",
    unit: "packets",
  };
  phase.series.push(of("cwnd_packets", 1, name, { x }));
  if (crowd && flow === 0) bands(run, window);
  if (!crowd || flow < 20) events(run, name, drops);
  if (!crowd && run === 0) packets(run, flow, name);
}

function bands(run: number, median: Cell[]): void {
  const id = `${run}/bands/bulk`;
  meta.tables[id] = table(blobs, overview, times, {
    cwnd_packets_p10: [median.map((v) => v! * 0.6), 1e-3],
    cwnd_packets_p50: [median, 1e-3],
    cwnd_packets_p90: [median.map((v) => v! * 1.5 + 4), 1e-3],
  });
  cwnd.series.push({
    label: "bulk, median", table: id, column: "cwnd_packets_p50", scale: 1, look: "flow0",
    shape: "line", switch: "bulk", run, role: "bulk/cwnd",
    band: { low: "cwnd_packets_p10", high: "cwnd_packets_p90" },
  });
}

function events(run: number, name: string, drops: { t: number; w: number }[]): void {
  const rows: { t: number; kind: string; reason: string; w: number; chain: Chain | null }[] = [];
  for (const { t, w } of drops) {
    const steps: Chain["steps"] = [
      { t: t - 0.015, role: "packet", label: "packet 583 leaves the sender", flow: name },
      { t, role: "decision", label: "dropped: random draw 0.8362 below p_a", queue: "bottleneck" },
      { t: t + 0.071, role: "feedback", label: "third duplicate acknowledgment", flow: name },
      { t: t + 0.0711, role: "reaction", label: `cwnd ${w.toFixed(1)} to ${(w / 2).toFixed(1)}` },
      { t: t + 0.0712, role: "repair", label: "packet 583 leaves again", flow: name },
      { t: t + 0.114, role: "arrival", label: "packet 583 arrives", flow: name },
    ];
    const chain: Chain = {
      text:
        `At ${t.toFixed(4)} s the queue of bottleneck (red) dropped packet 583 with bytes 571001 to ` +
        "572000 early: the average queue was 6.258 packets, between min_th 5 and max_th 15, so " +
        `p_b = 0.01258. After 3 duplicate acknowledgments, 71 ms later, the sender halved cwnd ` +
        `from ${w.toFixed(1)} to ${(w / 2).toFixed(1)} packets.`,
      steps,
    };
    rows.push({ t, kind: "drop", reason: "early", w, chain });
    rows.push({ t: t + 0.0711, kind: "reaction", reason: "fast retransmit", w: w / 2, chain });
    rows.push({ t: t + 0.0712, kind: "retransmission", reason: "", w: w / 2, chain });
    if (random() < 0.1) rows.push({ t: t + 0.4, kind: "timeout", reason: "rto", w: 1, chain: null });
  }
  rows.sort((a, b) => a.t - b.t);
  const blob = new Blob(blobs.length);
  blobs.push(blob);
  const id = `${run}/events/${name}`;
  meta.tables[id] = {
    rows: rows.length,
    columns: {
      time_s: blob.numbers(rows.map((row) => row.t), 1e-9, "delta"),
      kind: blob.words(rows.map((row) => row.kind), ["drop", "reaction", "retransmission", "timeout"]),
      reason: blob.words(rows.map((row) => row.reason), ["early", "fast retransmit", "rto", ""]),
      cwnd: blob.numbers(rows.map((row) => row.w), 1e-3, "plain"),
    },
  };
  const list: EventList = {
    run, flow: name, switch: name, table: id, panels: { queue: "", cwnd: "cwnd" },
    chains: blob.text(JSON.stringify(rows.map((row) => row.chain))),
    command: `dumbbell why first --flow ${name} --time {time}s`,
  };
  meta.events.push(list);
}

function packets(run: number, flow: number, name: string): void {
  const blob = new Blob(blobs.length);
  blobs.push(blob);
  const sent: { t: number; seq: number; kind: string }[] = [];
  const acks: { t: number; ack: number }[] = [];
  const hops: {
    p: number; ack: string; from: number; to: number; a: number; d: number; f: number | null;
  }[] = [];
  let [seq, high] = [0, 0];
  for (let t = 5 + flow * 0.01; t < 15; t += 0.004 + 0.003 * random()) {
    const lost = random() < 0.02;
    const packet = sent.length;
    sent.push({ t, seq, kind: lost ? "lost" : "data" });
    if (lost) sent.push({ t: t + 0.08, seq, kind: "again" });
    seq += 1448;
    if (t < 7) {
      const wait = 0.004 + 0.004 * (1 + wave(t * 5, flow)) * random();
      const arrived = t + 0.005;
      hops.push({ p: packet, ack: "data", from: 0, to: 1, a: t, d: t, f: arrived });
      const left = arrived + wait;
      hops.push({
        p: packet, ack: "data", from: 1, to: 2, a: arrived, d: left, f: lost ? null : left + 0.01,
      });
      if (!lost) {
        hops.push({
          p: packet, ack: "data", from: 2, to: 3, a: left + 0.01, d: left + 0.01, f: left + 0.015,
        });
        hops.push({
          p: packet, ack: "ack", from: 3, to: 0, a: left + 0.015, d: left + 0.015, f: left + 0.035,
        });
      }
    }
    if (!lost) {
      high = seq;
      acks.push({ t: t + 0.045, ack: high });
    }
  }
  sent.sort((a, b) => a.t - b.t);
  const of = (cells: Cell[], step = 1) => blob.numbers(cells, step, "delta");
  meta.tables[`${run}/sent/${name}`] = {
    rows: sent.length,
    columns: {
      time_s: of(sent.map((s) => s.t), 1e-9),
      seq: of(sent.map((s) => s.seq)),
      end: of(sent.map((s) => s.seq + 1448)),
      kind: blob.words(sent.map((s) => s.kind), ["data", "again", "lost", "probe"]),
    },
  };
  meta.tables[`${run}/acks/${name}`] = {
    rows: acks.length,
    columns: { time_s: of(acks.map((a) => a.t), 1e-9), ack: of(acks.map((a) => a.ack)) },
  };
  const series: TimeSeq = {
    run, flow: name, sent: `${run}/sent/${name}`, acks: `${run}/acks/${name}`, unit: "bytes",
  };
  (meta.timeseq ??= []).push(series);
  spaces.push(...hops.map((hop) => ({ ...hop, flow: name })));
}

interface Hop {
  flow: string; p: number; ack: string; from: number; to: number; a: number; d: number;
  f: number | null;
}

if (spaces.length) {
  const blob = new Blob(blobs.length);
  blobs.push(blob);
  const rows = spaces.sort((a, b) => a.a - b.a);
  const names = [...new Set(rows.map((hop) => hop.flow))];
  meta.tables["0/space"] = {
    rows: rows.length,
    columns: {
      flow: blob.words(rows.map((hop) => hop.flow), names),
      packet: blob.numbers(rows.map((hop) => hop.p), 1, "plain"),
      ack: blob.words(rows.map((hop) => hop.ack), ["data", "ack"]),
      from: blob.numbers(rows.map((hop) => hop.from), 1, "plain"),
      to: blob.numbers(rows.map((hop) => hop.to), 1, "plain"),
      arrived_s: blob.numbers(rows.map((hop) => hop.a), 1e-9, "delta"),
      departed_s: blob.numbers(rows.map((hop) => hop.d), 1e-9, "delta"),
      far_s: blob.numbers(rows.map((hop) => hop.f), 1e-9, "delta"),
      size: blob.numbers(rows.map((hop) => (hop.ack === "ack" ? 40 : 1500)), 1, "plain"),
    },
  };
  const space: Space = {
    run: 0, from_s: 5, to_s: 7, table: "0/space",
    nodes: ["sender", "left", "right", "receiver"].map((id) => ({ id, label: id })),
  };
  meta.space = [space];
}

const built = join(
  dirname(fileURLToPath(import.meta.url)), "..", "..", "python", "dumbbell",
);
const read = (name: string): string => readFileSync(join(built, name), "utf8");
const data = blobs.map(
  (blob, i) =>
    `<script type="application/octet-stream" class="dumbbell-blob" id="blob-${i}">` +
    `${blob.base64}</script>`,
);
const html = [
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>sample</title>',
  '<meta name="viewport" content="width=device-width, initial-scale=1">',
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; script-src',
  " 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'\">",
  `<style>${read("present/pages/page.css")}${read("view/page.css")}</style></head><body><section id="time-page"></section>`,
  '<script type="application/json" id="dumbbell-view">',
  JSON.stringify(meta).replaceAll("<", "\\u003c"),
  "</script>",
  ...data,
  `<script>${read("view/page.js")}</script></body></html>`,
];
writeFileSync(positionals[0] ?? "sample.html", html.join("\n"));
