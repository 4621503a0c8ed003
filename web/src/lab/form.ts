// The scenario that sliders and choices make, and the address that has it.

import type { Form, Slider, Value } from "./shapes";

export type Values = Record<string, Value>;

export function first(form: Form): Values {
  const all = [...form.sliders, ...form.choices];
  return Object.fromEntries(all.map(({ id, value }) => [id, value]));
}

/** The scenario with these values. */
export function filled(form: Form, values: Values): string {
  const absent = form.sliders.filter(({ id, without }) => without && Number(values[id]) === 0);
  const names = (text: string, kind: Slider["without"]) =>
    absent.some(({ id, without }) => without === kind && text.includes(`${id}}`));
  const paragraphs = form.scenario
    .trim()
    .split(/\n\n+/)
    .filter((paragraph) => !names(paragraph, "paragraph"))
    .map((paragraph) => paragraph.split("\n").filter((line) => !names(line, "line")).join("\n"))
    .join("\n\n");
  // The text of a choice may have values in it.
  return `${[1, 2].reduce((text) => placed(text, written(form, values)), paragraphs)}\n`;
}

/** What the scenario has for each value. */
function written(form: Form, values: Values): Values {
  const all = { ...values };
  for (const { id, factor } of form.sliders) {
    if (factor) all[id] = Number((Number(values[id]) * factor).toPrecision(12));
  }
  for (const { id, options } of form.choices) {
    const text = options?.find(({ value }) => value === values[id])?.text;
    if (text !== undefined) all[id] = text;
  }
  return all;
}

function placed(text: string, values: Values): string {
  return text.replace(/\{(?:(\d+)\*)?(\w+)\}/g, (whole, factor: string | undefined, id: string) => {
    const value = values[id] ?? whole;
    return String(factor && typeof value === "number" ? Number(factor) * value : value);
  });
}

/** A position of a slider, 0 to 1000, as its value, and back. */
export function valueAt({ min, max, log, step = 1 }: Slider, position: number): number {
  const part = position / 1000;
  const exact = log ? min * (max / min) ** part : min + (max - min) * part;
  if (log) return Number(exact.toPrecision(2));
  return Number((Math.round(exact / step) * step).toFixed(6));
}

export function positionOf({ min, max, log }: Slider, value: number): number {
  const part = log ? Math.log(value / min) / Math.log(max / min) : (value - min) / (max - min);
  return Math.round(1000 * Math.min(1, Math.max(0, part)));
}

/** `#toml=TEXT` of a text that was edited, else the values that differ from the first ones. */
export function address(form: Form, values: Values, edited: string | null): string {
  if (edited !== null) return `#toml=${encodeURIComponent(edited)}`;
  const start = first(form);
  const changed = Object.entries(values).filter(([id, value]) => value !== start[id]);
  const said = changed.map(([id, value]) => `${id}=${encodeURIComponent(String(value))}`);
  return said.length ? `#${said.join("&")}` : "";
}

/** The values and the text of an address; what it does not know is ignored. */
export function parsed(form: Form, hash: string): { values: Values; edited: string | null } {
  const values = first(form);
  let edited: string | null = null;
  for (const part of hash.replace(/^#/, "").split("&")) {
    const [id, coded] = [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)];
    let text: string;
    try {
      text = decodeURIComponent(coded);
    } catch {
      continue;
    }
    if (id === "toml") edited = text;
    const slider = form.sliders.find((each) => each.id === id);
    const number = Number(text);
    if (slider && Number.isFinite(number)) {
      values[id] = Math.min(slider.max, Math.max(slider.min, number));
    } else if (form.choices.some((each) => each.id === id)) values[id] = text;
  }
  return { values, edited };
}
