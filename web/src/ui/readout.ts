// The values at the crosshair: a table of fixed size beside each panel.

import type { Meta } from "../meta";
import type { Line } from "../panels/series";
import type { State } from "../view/state";
import { h, on, say } from "./dom";
import { number } from "./format";
import { swatch } from "./marks";

/** More rows than this are not shown; the highlighted one comes first. */
const ROWS = 40;

export interface Reading {
  line: Line;
  low: number;
  high: number;
}

export class Readout {
  readonly root = h("div", { class: "readout" });
  private readonly body = h("tbody");
  private readonly more = h("p", { class: "more", hidden: true });
  private cells = new Map<string, HTMLElement>();
  private shown: Line[] = [];

  constructor(
    private readonly meta: Meta,
    unit: string,
    private readonly state: State,
    label: string,
    private readonly named = meta.runs.length > 1,
  ) {
    this.root.append(h("table", { "aria-label": `${[label, unit].filter(Boolean).join(", ")}, at the crosshair` }, this.body), this.more);
  }

  /** Rows for these lines; their values follow. */
  rows(lines: Line[]): void {
    const { highlight } = this.state;
    const first = lines.filter((line) => line.series.switch === highlight);
    const sorted = first.concat(lines.filter((line) => line.series.switch !== highlight));
    const cut = sorted.slice(0, ROWS);
    this.more.hidden = sorted.length <= ROWS;
    say(this.more, this.more.hidden ? "" : `and ${sorted.length - ROWS} more`);
    const same = cut.length === this.shown.length && cut.every((each, i) => each === this.shown[i]);
    if (!same) {
      this.shown = cut;
      this.cells = new Map();
      this.body.replaceChildren(...cut.map((line) => this.row(line)));
    }
    [...this.body.rows].forEach((row, i) => {
      const id = cut[i]!.series.switch;
      row.classList.toggle("faint", this.state.faint(id));
      row.classList.toggle("chosen", id === highlight);
    });
  }

  values(at: (line: Line) => { low: number; high: number } | null): void {
    for (const line of this.shown) {
      const cell = this.cells.get(line.key);
      if (!cell) continue;
      const value = at(line);
      if (!value) say(cell, "\u2013");
      else if (value.low === value.high || Number.isNaN(value.low)) say(cell, number(value.low));
      else say(cell, `${number(value.low)}\u2026${number(value.high)}`);
    }
  }

  private row(line: Line): HTMLTableRowElement {
    const { series } = line;
    const run = (this.named && this.meta.runs[series.run]?.label) || "";
    const runs = !series.label.endsWith(`(${run})`) && run;
    const value = h("span", { class: "value" }, "\u2013");
    this.cells.set(line.key, value);
    const name = h(
      "button",
      { type: "button", class: "name", title: `Highlight ${series.label} (f)` },
      swatch(this.meta.look[series.look], 22),
      h("span", {}, series.label),
      runs && h("small", {}, runs),
    );
    on(name, "click", () =>
      this.state.mark(this.state.highlight === series.switch ? null : series.switch),
    );
    return h(
      "tr",
      { "data-series": line.key },
      h("th", { scope: "row" }, name),
      h("td", {}, value),
    );
  }
}
