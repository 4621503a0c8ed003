// The keys of a document: those of a time page only where there is one.

import type { Key } from "../ui/keyboard";
import type { Switches } from "../ui/switches";
import type { Acts } from "./acts";
import type { Context } from "./context";

export function ofTime({ state }: Context, acts: Acts, switches: Switches): Key[] {
  const { window } = state;
  return [
    { keys: ["n"], shown: "n", does: "next event of the shown flows", act: () => acts.step(1) },
    { keys: ["p"], shown: "p", does: "previous event", act: () => acts.step(-1) },
    {
      keys: ["Enter"], shown: "Enter", does: "open the event nearest to the crosshair",
      act: () => acts.enter(),
    },
    {
      keys: ["Escape"], shown: "Esc", does: "close the chain, end the highlight, hide the crosshair",
      act: () => acts.escape(),
    },
    {
      keys: ["ArrowLeft", "ArrowRight"], shown: "\u2190 \u2192", does: "pan",
      act: (key) => window.pan(((key === "ArrowLeft" ? -1 : 1) * window.span) / 8),
    },
    { keys: ["+", "="], shown: "+", does: "zoom in", act: () => acts.zoom(1 / 1.5) },
    { keys: ["-"], shown: "\u2212", does: "zoom out", act: () => acts.zoom(1.5) },
    { keys: ["0"], shown: "0", does: "the whole run", act: () => window.reset() },
    {
      keys: ["[", "]"], shown: "[ ]", does: "crosshair to the previous or next sample",
      act: (key) => acts.sample(key === "[" ? -1 : 1),
    },
    { keys: ["f"], shown: "f", does: "highlight the next flow or group", act: () => acts.cycle() },
    {
      keys: ["s"], shown: "s", does: "the highlighted one alone; again: all",
      act: () => state.highlight && state.solo(state.highlight),
    },
    { keys: ["/"], shown: "/", does: "search flows", act: () => switches.focusSearch() },
  ];
}

export function ofDocument({ theme }: Context, help: () => void): Key[] {
  return [
    { keys: ["t"], shown: "t", does: "light or dark", act: () => theme.toggle() },
    { keys: ["?"], shown: "?", does: "these keys", act: help },
  ];
}

type Row = [what: string, does: string];

export const MOUSE_ON_TIME: Row[] = [
  ["wheel", "zoom at the pointer"],
  ["drag", "zoom to the interval"],
  ["Shift+drag, middle drag", "pan"],
  ["Shift+wheel", "pan"],
  ["double click", "the whole run"],
  ["click on an event", "open its chain"],
  ["Alt+click on a switch", "this one alone; again: all"],
];

export const ON_CHARTS: Row[] = [
  ["\u2190 \u2192, Home, End", "crosshair from value to value"],
  ["Enter, click on a point", "where the point leads: a command or a place of this page"],
  ["drag", "zoom to the rectangle; along one axis: this axis alone"],
  ["wheel after a click, Ctrl+wheel", "zoom at the pointer"],
  ["+ \u2212 0", "zoom in, zoom out, everything"],
  ["Shift+drag", "pan"],
  ["double click", "everything"],
];
