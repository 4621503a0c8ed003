// The interface between the packer (crates/dumbbell-lab/src/view), the page's writer
// (python/dumbbell/view/shapes.py) and this page. All that is shown comes through it.

export interface Column {
  blob: number;
  at: number;
  rows: number;
  coding: "delta" | "plain" | "even" | "words";
  width?: number;
  step?: number;
  start?: number;
  nulls?: number;
  words?: string[];
}

export interface Range {
  low: Column;
  high: Column;
}

export interface Level {
  size: number;
  columns: Record<string, Range>;
}

export interface Table {
  rows: number;
  columns: Record<string, Column>;
  levels?: Level[];
}

export type Marker =
  "circle" | "square" | "triangle" | "diamond" | "down" | "plus" | "cross" | "star";

export interface Look {
  color: string;
  dark: string;
  dash: number[];
  width?: number;
  marker?: Marker;
}

export interface Series {
  label: string;
  table: string;
  column: string;
  scale: number;
  look: string;
  /** Time panels draw lines and steps; "marks" and "bars" are for panels of points. */
  shape: "line" | "step" | "marks" | "bars";
  switch: string;
  run: number;
  role: string;
  /** Columns of a lower and an upper bound. */
  band?: { low: string; high: string };
  /** How a panel of points draws `band`: bars with caps (the default) or a filled band. */
  interval?: "bar" | "band";
  time?: string;
  x?: { table: string; column: string; scale: number; label: string; unit: string };
  /** A column of words: what a click on a point shows, a command or `#ANCHOR`. */
  href?: string;
  /** Only shown of few flows, or of the highlighted one. */
  detail?: boolean;
}

/** An axis of a panel of points. With "names" the column holds indices into `names`. */
export interface PointAxis {
  label: string;
  unit: string;
  scale: "linear" | "log" | "names";
  names?: string[];
}

export interface Panel {
  id: string;
  title: string;
  unit: string;
  kind: "time" | "phase" | "points";
  /** The horizontal axis of a panel of points. */
  x?: PointAxis;
  /** Whether the vertical axis of a panel of points is logarithmic. */
  log?: boolean;
  range?: { from?: number; robust?: boolean };
  series: Series[];
  lines?: { value: number; label: string; look: string }[];
  pair?: [string, string];
}

export type SwitchKind = "flow" | "group" | "queue" | "run";

export interface Switch {
  id: string;
  label: string;
  kind: SwitchKind;
  on: boolean;
  look: string;
  detail?: string;
}

export interface EventList {
  run: number;
  flow?: string;
  queue?: string;
  switch: string;
  table: string;
  panels: Record<string, string>;
  chains?: { blob: number; at: number; bytes: number };
  /** The chains of a page that made them itself. */
  told?: (Chain | null)[];
  command?: string;
}

export type Role = "packet" | "decision" | "feedback" | "reaction" | "repair" | "arrival";

export interface Step {
  t: number;
  role: Role;
  label: string;
  flow?: string;
  queue?: string;
}

export interface Chain {
  text: string;
  steps: Step[];
}

export interface TimeSeq {
  run: number;
  flow: string;
  sent: string;
  acks: string;
  unit: "bytes";
}

export interface Space {
  run: number;
  from_s: number;
  to_s: number;
  nodes: { id: string; label: string }[];
  table: string;
}

export interface Run {
  label: string;
  name: string;
  seed?: number;
  fingerprint?: string;
  duration_s: number;
  warmup_s: number;
  on?: "simulation" | "kernel";
}

export interface Meta {
  format: 1;
  title: string;
  runs: Run[];
  look: Record<string, Look>;
  tables: Record<string, Table>;
  panels: Panel[];
  switches: Switch[];
  events: EventList[];
  space?: Space[];
  timeseq?: TimeSeq[];
  static?: string;
  /** The part of the runs, in seconds, that is shown first. */
  window?: [number, number];
}
