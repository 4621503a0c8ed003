// What the page's builder, the module and the page agree on.

import type { Chain, Column, Look, Meta } from "../meta";

/** A line of a panel; see `python/dumbbell/view/lines.py`. */
export interface Line {
  panel: string;
  column: string;
  scale: number;
  label: string;
  per: "" | "packet_bytes" | "rate";
  part: string;
  shape: "line" | "step";
  dash: number[];
  width: number;
  detail: boolean;
}

export interface Measured {
  key: string;
  head: string;
  unit: string;
  doc: string;
  rare: boolean;
}

export interface Named {
  name: string;
  title: string;
  idea: string;
}

/** Words, units and looks, from the Python package. */
export interface Template {
  panels: Record<string, { title: string; unit: string }>;
  lines: {
    flow: Line[];
    goodput: Line;
    length: Line;
    average: Line;
    chance: Line;
    wait: Line;
  };
  thresholds: string[];
  probability: string;
  looks: {
    flows: Look[];
    queues: Look[];
    parts: Partial<Look>[];
    average: Look;
    threshold: Look;
    event: Look;
  };
  most: number;
  quantiles: number[];
  instants: number;
  columns: { flow: Measured[]; queue: Measured[] };
  /** For each unit: from which value on, the factor and the name. */
  units: Record<string, [least: number, factor: number, name: string][]>;
  queues: Named[];
  controls: Named[];
}

export type Value = string | number;

export interface Slider {
  id: string;
  label: string;
  unit: string;
  min: number;
  max: number;
  value: number;
  /** Steps are equal in the logarithm. */
  log?: boolean;
  step?: number;
  /** The scenario has the value times this, such as 0.01 for a percentage. */
  factor?: number;
  /** What is left out of the scenario while the value is 0. */
  without?: "line" | "paragraph";
}

/** A value that is not a name of the catalogue; the scenario has its text, else the value. */
export interface Option {
  value: string;
  label: string;
  text?: string;
}

export interface Choice {
  id: string;
  label: string;
  /** Either names of the catalogue, or options. */
  of?: "queues" | "controls";
  options?: Option[];
  /** Only these; all of the catalogue unless it is given. */
  only?: string[];
  value: string;
}

/** A scenario with `{NAME}`, or `{3*NAME}`, where a slider or a choice stands. */
export interface Form {
  scenario: string;
  sliders: Slider[];
  choices: Choice[];
}

export interface Given {
  /** Of the module. */
  bytes: number;
  template: Template;
  form: Form;
}

/** A plan as the module tells it. */
export interface Facts {
  name: string;
  seed: number;
  duration_s: number;
  warmup_s: number;
  every_s: number;
  points: number;
  runs: number;
  notes: string[];
  warnings: { code: string; message: string }[];
  flows: { name: string; cc: string | null; packet_bytes: number | null }[];
  queues: {
    name: string;
    kind: string;
    rate_bps: number | null;
    gauges: Record<string, number | null>;
  }[];
}

export interface Signal {
  time_s: number;
  queue: string;
  flow: string;
  data: boolean;
  reason: string;
  marked: boolean;
  retransmit: boolean;
  ip_len_bytes: number;
  queue_packets: number;
  gauges: Record<string, number>;
}

type Row = Record<string, unknown> & { name: string };

export interface Numbers {
  fingerprint: string;
  valid: boolean;
  jain: number | null;
  flows: Row[];
  queues: Row[];
  packet_hops: number;
  error?: { message: string };
}

export interface Ask {
  id: number;
  text: string;
}

/** What the worker answers. */
export type Told =
  | { kind: "ready" }
  | { kind: "progress"; id: number; fraction: number }
  | { kind: "problem"; id: number; rendered: string }
  | {
      kind: "run";
      id: number;
      facts: Facts;
      run: Numbers;
      meta: Meta;
      columns: [Column, Float64Array][];
      chains: (Chain | null)[][];
      signals: number;
      ms: number;
    };
