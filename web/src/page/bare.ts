// Panels without a title: the strip of events, the labels of a chain, and the time axis.

import { LABELS_PX, paintLabels } from "../events/chain";
import { kindOf } from "../events/kinds";
import { LANE_PX, Strip } from "../events/markers";
import { AXIS_PX, Axis } from "../panels/axis";
import type { Reading } from "../panels/timepanel";
import { TimePanel } from "../panels/timepanel";
import { h, say, svg } from "../ui/dom";
import { number } from "../ui/format";
import { symbol } from "../ui/marks";
import type { Picked } from "../view/state";
import type { Context } from "./context";
import { hairlines } from "./panels";

/** The time axis that stays in view above all panels. */
export function axis({ store, state, theme }: Context): TimePanel {
  const panel = new TimePanel(
    {
      id: "axis", title: "Time", unit: "", height: AXIS_PX, reading: null, open: true,
      content: new Axis(state, theme),
    },
    store,
    state,
    theme,
  );
  panel.root.classList.add("bare");
  return panel;
}

/** The band above the panels with the steps of a chain. */
export function chainLabels({ store, state, theme }: Context): TimePanel {
  const panel = new TimePanel(
    {
      id: "labels", title: "", unit: "", height: LABELS_PX, reading: null, open: true,
      content: {
        extent: () => null,
        paint: (f) => {
          f.ctx.clearRect(f.left, 0, f.width, LABELS_PX);
          if (state.chain) paintLabels(f, state.chain, theme);
        },
      },
    },
    store,
    state,
    theme,
  );
  panel.root.classList.add("bare");
  panel.root.hidden = true;
  return panel;
}

/** A lane for each kind of event; null: the page has no events. */
export function strip(on: Context, pick: (picked: Picked) => void): TimePanel | null {
  const { events, store, state, theme } = on;
  const content = new Strip(events, state, theme);
  if (content.words.length === 0) return null;
  return new TimePanel(
    {
      id: "events",
      title: "Events",
      unit: "in view",
      height: content.words.length * LANE_PX,
      content,
      reading: counts(on, content.words),
      open: true,
      hit: (f, x, y) => content.hit(f, x, y),
      pick,
      above: (f) => hairlines(on, f, false),
    },
    store,
    state,
    theme,
  );
}

/** How many events of each kind are in view. */
function counts({ events, state }: Context, words: string[]): Reading {
  const cells = new Map(words.map((word) => [word, h("span", { class: "value" }, "0")]));
  const names = words.map((word) => {
    const kind = kindOf(word);
    const picture = svg(
      "svg",
      { class: "look", width: 14, height: 12, viewBox: "0 0 14 12", "aria-hidden": "true" },
      symbol(kind.marker, 7, 6, 4),
    );
    picture.style.setProperty("--c", kind.light);
    picture.style.setProperty("--d", kind.dark);
    const name = h("span", {}, kind.plural);
    return h("p", { "data-kind": word }, picture, h("b", {}, kind.letter), name, cells.get(word));
  });
  return {
    root: h("div", { class: "readout strip-names" }, ...names),
    update: (changes) => {
      if (!changes.has("window") && !changes.has("shown") && !changes.has("data")) return;
      const found = events.count(state.window.from, state.window.to);
      for (const [word, cell] of cells) say(cell, number(found.get(word) ?? 0));
    },
  };
}
