// The head of a time page: what its runs are, the buttons, the window.

import type { Meta } from "../meta";
import { h, on } from "../ui/dom";
import { number } from "../ui/format";
import type { Acts } from "./acts";
import type { Context } from "./context";

/** The buttons that every document has. */
export function buttons(showHelp: () => void, toggle: () => void): HTMLElement {
  const theme = h("button", { type: "button", title: "Light or dark (t)" }, "\u25d0 Theme");
  on(theme, "click", toggle);
  const keys = h("button", { type: "button", title: "Keys (?)" }, "Keys");
  on(keys, "click", showHelp);
  return h("div", { class: "buttons" }, keys, theme);
}

export function head(meta: Meta, tools: HTMLElement): HTMLElement {
  const facts = meta.runs.map((run) =>
    h(
      "li",
      {},
      meta.runs.length > 1 && h("strong", {}, run.label),
      [
        run.name !== run.label || meta.runs.length < 2 ? run.name : "",
        `${number(run.duration_s)} s`,
        run.seed === undefined ? "" : `seed ${run.seed}`,
        run.on ?? "",
      ]
        .filter(Boolean)
        .join(" \u00b7 "),
    ),
  );
  return h("header", { class: "top" }, h("ul", { class: "runs" }, ...facts), tools);
}

export function toolbar(
  { state, events }: Context, acts: Acts, status: HTMLElement, axis: HTMLElement,
): HTMLElement {
  const button = (text: string, title: string, act: () => void) => {
    const node = h("button", { type: "button", title, "aria-label": title }, text);
    on(node, "click", act);
    return node;
  };
  const { window } = state;
  const any = events.words.length > 0;
  return h(
    "div",
    { class: "toolbar", role: "toolbar", "aria-label": "Window" },
    h(
      "div",
      { class: "buttons" },
      button("\u2190", "Pan left (\u2190)", () => window.pan(-window.span / 4)),
      button("\u2192", "Pan right (\u2192)", () => window.pan(window.span / 4)),
      button("+", "Zoom in (+)", () => acts.zoom(0.5)),
      button("\u2212", "Zoom out (-)", () => acts.zoom(2)),
      button("Whole run", "Whole run (0)", () => window.reset()),
      any && button("\u25c2 Event", "Previous event (p)", () => acts.step(-1)),
      any && button("Event \u25b8", "Next event (n)", () => acts.step(1)),
    ),
    status,
    axis,
  );
}
