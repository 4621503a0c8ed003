// The legend of a panel of points: switches of its series, and their values at the crosshair.

import type { Meta, Panel, Series } from "../meta";
import { h, on, say } from "../ui/dom";
import { number } from "../ui/format";
import { swatch } from "../ui/marks";
import type { Points } from "./data";

interface Entry {
  row: HTMLElement;
  button: HTMLElement;
  value: HTMLElement;
}

export interface Choice {
  isOn(series: Series): boolean;
  turn(series: Series, on: boolean): void;
  /** The pointer rests on the entry of a series, or on none. */
  stress(series: Series | null): void;
}

export class Legend {
  readonly root: HTMLElement;
  private readonly entries: Entry[] = [];
  private readonly where = h("p", { class: "legend-x" });

  constructor(
    meta: Meta,
    private readonly panel: Panel,
    private readonly choice: Choice,
  ) {
    const rows = panel.series.map((series) => {
      const value = h("span", { class: "value" });
      const label = (meta.runs.length > 1 && meta.runs[series.run]?.label) || "";
      const run = !series.label.endsWith(`(${label})`) && label;
      const button = h(
        "button",
        { type: "button", class: "name", "aria-pressed": true, title: `Show or hide ${series.label}` },
        swatch(meta.look[series.look], 34),
        h("span", {}, series.label),
        run && h("small", {}, run),
      );
      const row = h("li", { "data-series": `${series.table}/${series.column}` }, button, value);
      on(button, "click", () => choice.turn(series, !choice.isOn(series)));
      on(button, "mouseenter", () => choice.stress(series));
      on(button, "mouseleave", () => choice.stress(null));
      this.entries.push({ row, button, value });
      return row;
    });
    this.root = h("div", { class: "legend" }, this.where, h("ul", {}, ...rows));
  }

  update(): void {
    this.panel.series.forEach((series, i) => {
      const entry = this.entries[i]!;
      const shown = this.choice.isOn(series);
      entry.row.classList.toggle("off", !shown);
      entry.button.setAttribute("aria-pressed", String(shown));
    });
  }

  /** Shows the values of these rows; `x` says where the crosshair is, empty: nowhere. */
  values(x: string, rows: { points: Points; row: number; other: string }[]): void {
    say(this.where, x);
    const found = new Map(rows.map((each) => [each.points.index, each]));
    this.entries.forEach(({ value }, i) => {
      const each = found.get(i);
      say(value, each ? `${each.other}${inWords(each.points, each.row, this.panel.unit)}` : "");
    });
  }
}

/** A value with its unit and its interval. */
export function inWords(points: Points, row: number, unit: string): string {
  const value = points.y[row]!;
  const text = unit ? `${number(value)} ${unit}` : number(value);
  const [low, high] = [points.low?.[row] ?? NaN, points.high?.[row] ?? NaN];
  if (Number.isNaN(low + high)) return text;
  return `${text} (${number(low)} to ${number(high)})`;
}
