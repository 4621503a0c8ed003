// What keys and buttons do: steps from event to event, the crosshair, the highlight.

import { after } from "../data/levels";
import type { ChainView } from "../events/chain";
import { linesOf } from "../panels/series";
import { say } from "../ui/dom";
import { instant, number } from "../ui/format";
import type { Picked } from "../view/state";
import type { Context } from "./context";

/** Data that is not decoded yet is asked for again after this. */
const AGAIN_MS = 30;
/** Values that are read aloud. */
const MOST_SAID = 6;

export class Acts {
  constructor(
    private readonly on: Context,
    private readonly live: HTMLElement,
    private readonly chain: () => ChainView,
    private readonly labels: HTMLElement,
  ) {}

  async pick(picked: Picked): Promise<void> {
    const { meta, state, events } = this.on;
    const table = meta.tables[meta.events[picked.list]?.table ?? ""];
    if (!table || picked.row >= table.rows) return;
    state.picked = picked;
    const chain = await events.chain(picked).catch(() => null);
    if (state.picked !== picked) return;
    const facts = events.facts(picked);
    if (!facts) {
      // The list is not decoded yet, as when a link opens the page: try again when it is.
      setTimeout(() => void (state.picked === picked && this.pick(picked)), AGAIN_MS);
      return;
    }
    state.chain = chain;
    this.labels.hidden = !chain;
    this.chain().show(chain);
    state.point(facts.t);
    const times = chain?.steps.map((step) => step.t) ?? [];
    if (times.length) state.window.reveal(Math.min(...times), Math.max(...times));
    else state.window.follow(facts.t);
    state.touch("event");
    say(this.live, chain?.text ?? `${facts.kind} at ${instant(facts.t, 0.02)} s`);
  }

  step(direction: 1 | -1): void {
    const { state, events } = this.on;
    const next = events.neighbor(direction, state.cursor ?? state.window.from);
    if (next) void this.pick(next);
  }

  close(): void {
    const { state } = this.on;
    state.picked = state.chain = null;
    this.labels.hidden = true;
    this.chain().show(null);
    state.touch("event");
  }

  /** The crosshair if it is in view, else the middle of the window. */
  middle(): number {
    const { window, cursor } = this.on.state;
    const inside = cursor !== null && cursor >= window.from && cursor <= window.to;
    return inside ? cursor : (window.from + window.to) / 2;
  }

  zoom(factor: number): void {
    this.on.state.window.zoom(this.middle(), factor);
  }

  /** Moves the crosshair by a sample of the panel in focus, else of the first. */
  sample(direction: 1 | -1): void {
    const { meta, store, state } = this.on;
    const focus = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("[data-panel]");
    const id = focus?.dataset["panel"];
    const panels = meta.panels.filter((panel) => panel.kind === "time");
    const panel = panels.find((each) => each.id === id) ?? panels[0];
    const shown = panel?.series.filter((each) => state.shows(each)) ?? [];
    const first = shown.find((each) => each.switch === state.highlight) ?? shown[0];
    if (!panel || !first) return;
    const lines = linesOf(meta, store, shown);
    const times = lines.find((line) => line.series === first)?.trace.times();
    if (!times) {
      setTimeout(() => this.sample(direction), AGAIN_MS);
      return;
    }
    const t = state.cursor ?? state.window.from;
    const row = direction > 0 ? after(times, t) : rowBefore(times, t);
    const found = times[Math.max(0, Math.min(times.length - 1, row))];
    if (found === undefined) return;
    state.point(found);
    state.window.follow(found);
    const values = lines.slice(0, MOST_SAID).map((line) => {
      const value = line.trace.at(found, true);
      const text = value ? number(value.low * line.series.scale) : "no value";
      return `${line.series.label} ${text} ${panel.unit}`;
    });
    say(this.live, `${instant(found, state.window.span)} s: ${values.join(", ")}`);
  }

  /** Highlights the next flow or group. */
  cycle(): void {
    const { meta, state } = this.on;
    const ids = meta.switches
      .filter((each) => (each.kind === "flow" || each.kind === "group") && state.on.has(each.id))
      .map((each) => each.id);
    const at = state.highlight ? ids.indexOf(state.highlight) : -1;
    state.mark(ids[at + 1] ?? null);
    const label = state.highlight && state.switches.get(state.highlight)?.label;
    say(this.live, label ? `${label} highlighted` : "no highlight");
  }

  escape(): void {
    const { state } = this.on;
    if (state.picked) this.close();
    else if (state.highlight) state.mark(null);
    else state.point(null);
  }

  /** Opens the event nearest to the crosshair. */
  enter(): void {
    const { state, events } = this.on;
    const { cursor, window } = state;
    const t = cursor ?? (window.from + window.to) / 2;
    const found = events.nearest(t, window.span, ({ times }, row) => Math.abs(times[row]! - t));
    if (found) void this.pick(found);
  }
}

function rowBefore(times: Float64Array, t: number): number {
  let row = after(times, t) - 1;
  while (row >= 0 && times[row]! >= t) row--;
  return row;
}
