// The table of the points of a study, a row for each that has a finished run.

import { h } from "../ui/dom";
import type { Grid } from "./news";

export function show(grid: Grid): void {
  const table = document.getElementById("live-table");
  if (!table) return;
  const kind = (i: number) => ({ class: i < grid.text_columns ? undefined : "num" });
  const head = h("tr", {}, ...grid.columns.map((name, i) => h("th", { scope: "col", ...kind(i) }, name)));
  const rows = grid.rows.map((cells) => {
    const short = cells.length < grid.columns.length;
    return h(
      "tr",
      {},
      ...cells.map((cell, i) => {
        if (short && i === cells.length - 1) {
          return h("td", { class: "bad", colspan: grid.columns.length - i }, cell);
        }
        return i < grid.text_columns
          ? h("th", { scope: "row" }, cell)
          : h("td", { class: "num" }, cell);
      }),
    );
  });
  table.replaceChildren(h("thead", {}, head), h("tbody", {}, ...rows));
  const notes = grid.notes.map((note) => h("p", { class: "soft" }, note));
  document.getElementById("live-notes")?.replaceChildren(...notes);
}
