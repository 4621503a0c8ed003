// The folded panels on the time axis: time-sequence graphs and differences of two runs.

import type { Store } from "../data/store";
import type { Meta, Panel } from "../meta";
import { h, on, say } from "../ui/dom";
import { Readout } from "../ui/readout";
import type { Theme } from "../ui/theme";
import type { State } from "../view/state";
import type { Frame } from "./draw";
import { Difference } from "./difference";
import { SeriesContent, linesOf } from "./series";
import { TimeSequence } from "./timeseq";
import { TimePanel } from "./timepanel";

export interface Tools {
  meta: Meta;
  store: Store;
  state: State;
  theme: Theme;
  above(f: Frame): void;
}

export function timeSequence({ meta, store, state, theme, above }: Tools): TimePanel | null {
  const all = meta.timeseq ?? [];
  if (all.length === 0) return null;
  const content = new TimeSequence(meta, store, theme, all);
  const select = h(
    "select",
    { "aria-label": "Flow" },
    ...all.map((each, index) => {
      const run = meta.runs.length > 1 ? `, ${meta.runs[each.run]?.label}` : "";
      return h("option", { value: index }, `${each.flow}${run}`);
    }),
  );
  on(select, "change", () => {
    content.chosen = all[Number(select.value)] ?? content.chosen;
    state.touch("shown");
  });
  const note = h("p", { class: "note" });
  const panel = new TimePanel(
    {
      id: "timeseq",
      title: "Time-sequence graph",
      unit: all[0]!.unit,
      height: 316,
      labelled: true,
      content,
      reading: {
        root: h(
          "div",
          { class: "readout wraps" },
          h("p", { class: "note" }, "Strokes: segments. R: sent again. Cross: lost. Line: acknowledged."),
          note,
        ),
        update: () => say(note, state.cursor === null ? "" : content.at(state.cursor)),
      },
      open: false,
      controls: h("div", { class: "tools" }, select),
      above,
    },
    store,
    state,
    theme,
  );
  return panel;
}

/** A difference panel for each panel of two runs that has common roles. */
export function differences(tools: Tools): TimePanel[] {
  const { meta, store, state, theme, above } = tools;
  if (meta.runs.length < 2) return [];
  const panels: TimePanel[] = [];
  const done = new Set<string>();
  for (const panel of meta.panels) {
    if (panel.kind !== "time") continue;
    const [a, b] = panel.pair ?? [panel.id, panel.id];
    const first = meta.panels.find((each) => each.id === a);
    const second = meta.panels.find((each) => each.id === b);
    if (!first || !second || done.has(`${a} ${b}`)) continue;
    done.add(`${a} ${b}`);
    const difference = new Difference(
      meta, store, first, linesOf(meta, store, first.series), linesOf(meta, store, second.series),
    );
    if (difference.empty) continue;
    const shown: Panel = {
      id: difference.id, title: `${first.title}: difference`, unit: first.unit, kind: "time",
      series: [],
    };
    const content = new Subtracted(meta, shown, difference, state, theme);
    const readout = new Readout(meta, shown.unit, state, shown.title, false);
    const label = `${meta.runs[1]?.label} \u2212 ${meta.runs[0]?.label}`;
    panels.push(new TimePanel(
      {
        id: shown.id,
        title: shown.title,
        unit: [shown.unit, label].filter(Boolean).join(", "),
        height: 158,
        labelled: true,
        content,
        reading: {
          root: readout.root,
          update: () => {
            readout.rows(content.shown());
            readout.values((line) =>
              state.cursor === null ? null : line.trace.at(state.cursor, true),
            );
          },
        },
        open: false,
        above,
      },
      store,
      state,
      theme,
    ));
  }
  return panels;
}

class Subtracted extends SeriesContent {
  constructor(
    meta: Meta,
    panel: Panel,
    private readonly difference: Difference,
    private readonly chosen: State,
    theme: Theme,
  ) {
    super(meta, panel, [], chosen, theme, () => undefined);
  }

  override shown() {
    return this.difference.lines((series) => this.chosen.isOn(series.switch) && this.chosen.details(series));
  }
}
