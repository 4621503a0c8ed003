// What the user has chosen: window, crosshair, switches, highlight, event. Listeners hear of
// changes once a frame.

import type { Chain, Meta, Series, Switch } from "../meta";
import { Window } from "./window";

export type Change = "window" | "cursor" | "shown" | "event" | "data" | "theme";

/** A row of an event list. */
export interface Picked {
  list: number;
  row: number;
}

/** Details are shown of up to this many flows. */
const FEW = 3;

const FAMILY = { flow: "ends", group: "ends", queue: "queue", run: "run" } as const;

export class State {
  readonly window: Window;
  readonly switches: Map<string, Switch>;
  readonly on: Set<string>;
  cursor: number | null = null;
  /** Whether the crosshair rests, so that exact values are wanted. */
  rests = false;
  highlight: string | null = null;
  picked: Picked | null = null;
  chain: Chain | null = null;
  /** Where a drag selects. */
  selection: [number, number] | null = null;

  private readonly runs: string[];
  private readonly listeners: ((changes: ReadonlySet<Change>) => void)[] = [];
  private changes = new Set<Change>();
  /** Whether few flows are on; null: to be counted. */
  private few: boolean | null = null;

  constructor(readonly meta: Meta) {
    const end = Math.max(...meta.runs.map((run) => run.duration_s), 1e-6);
    this.window = new Window([0, end], () => this.touch("window"), meta.window);
    this.switches = new Map(meta.switches.map((each) => [each.id, each]));
    this.on = new Set(meta.switches.filter((each) => each.on).map((each) => each.id));
    this.runs = meta.switches.filter((each) => each.kind === "run").map((each) => each.id);
  }

  listen(listener: (changes: ReadonlySet<Change>) => void): void {
    this.listeners.push(listener);
  }

  touch(change: Change): void {
    if (this.changes.size === 0) requestAnimationFrame(() => this.flush());
    if (change === "shown") this.few = null;
    this.changes.add(change);
  }

  flush(): void {
    const changes = this.changes;
    this.changes = new Set();
    for (const listener of this.listeners) listener(changes);
  }

  /** Switches of runs stand in the order of the runs. */
  runOn(run: number): boolean {
    const id = this.runs[run];
    return id === undefined || this.on.has(id);
  }

  isOn(id: string): boolean {
    return !this.switches.has(id) || this.on.has(id);
  }

  shows(series: Series): boolean {
    return this.isOn(series.switch) && this.runOn(series.run) && this.details(series);
  }

  /** Whether a series may be shown as far as it is a detail. */
  details(series: Series): boolean {
    if (!series.detail || series.switch === this.highlight) return true;
    if (this.few === null) {
      const flows = this.meta.switches.filter((each) => each.kind === "flow" && this.on.has(each.id));
      this.few = flows.length <= FEW;
    }
    return this.few;
  }

  /** Another of its family is highlighted. */
  faint(id: string): boolean {
    if (!this.highlight || id === this.highlight) return false;
    const [a, b] = [this.switches.get(id), this.switches.get(this.highlight)];
    return a !== undefined && b !== undefined && FAMILY[a.kind] === FAMILY[b.kind];
  }

  turn(id: string, on: boolean): void {
    this.turnAll([id], on);
  }

  turnAll(ids: string[], on: boolean): void {
    for (const id of ids) {
      if (on) this.on.add(id);
      else this.on.delete(id);
      if (!on && this.highlight === id) this.highlight = null;
    }
    this.touch("shown");
  }

  /** Only this one of its kind; again, all that were on at first. */
  solo(id: string): void {
    const chosen = this.switches.get(id);
    if (!chosen) return;
    const kin = this.meta.switches.filter((each) => FAMILY[each.kind] === FAMILY[chosen.kind]);
    const alone = this.on.has(id) && kin.every((each) => each.id === id || !this.on.has(each.id));
    for (const each of kin) {
      if (alone ? each.on || each.id === id : each.id === id) this.on.add(each.id);
      else this.on.delete(each.id);
    }
    this.touch("shown");
  }

  /** Highlights this one and turns it on; null highlights none. */
  mark(id: string | null): void {
    this.highlight = id;
    if (id) this.on.add(id);
    this.touch("shown");
  }

  point(t: number | null): void {
    if (this.cursor === t) return;
    const [first, last] = this.window.whole;
    this.cursor = t === null ? null : Math.min(last, Math.max(first, t));
    this.rests = false;
    this.touch("cursor");
  }
}
