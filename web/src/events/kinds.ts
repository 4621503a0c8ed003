// How each kind of event looks: a letter, a shape and a color, so that color is not needed.

import type { Marker } from "../meta";

export interface Kind {
  name: string;
  plural: string;
  letter: string;
  marker: Marker;
  light: string;
  dark: string;
}

const KINDS: Kind[] = [
  { name: "drop", plural: "drops", letter: "D", marker: "cross", light: "#c04a00", dark: "#ff8c52" },
  { name: "mark", plural: "marks", letter: "M", marker: "plus", light: "#8f6a00", dark: "#e6b84c" },
  {
    name: "reaction", plural: "reactions", letter: "W", marker: "down",
    light: "#0060a0", dark: "#6db6f2",
  },
  {
    name: "retransmission", plural: "retransmissions", letter: "R", marker: "square",
    light: "#a8487c", dark: "#ee94c3",
  },
  {
    name: "timeout", plural: "timeouts", letter: "T", marker: "diamond",
    light: "#000000", dark: "#ffffff",
  },
];

export function kindOf(word: string): Kind {
  const known = KINDS.find((kind) => kind.name === word);
  if (known) return known;
  return {
    name: word, plural: word, letter: word.slice(0, 1).toUpperCase(), marker: "circle",
    light: "#555555", dark: "#bbbbbb",
  };
}

export function order(word: string): number {
  const at = KINDS.findIndex((kind) => kind.name === word);
  return at < 0 ? KINDS.length : at;
}
