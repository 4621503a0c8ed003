// Sliders, choices and the text of the scenario.

import { h, on } from "../ui/dom";
import { number } from "../ui/format";
import type { Values } from "./form";
import { positionOf, valueAt } from "./form";
import type { Choice, Form, Slider, Template } from "./shapes";

/** One control: its element, and what shows another value in it. */
interface Control {
  root: HTMLElement;
  show(values: Values): void;
}

export function controls(
  form: Form, template: Template, change: (id: string, value: string | number) => void,
): Control {
  const all = [
    ...form.choices.map((one) => choice(one, template, change)),
    ...form.sliders.map((one) => slider(one, change)),
  ];
  return {
    root: h("div", { class: "lab-controls" }, ...all.map(({ root }) => root)),
    show: (values) => all.forEach((one) => one.show(values)),
  };
}

function slider(one: Slider, change: (id: string, value: number) => void): Control {
  const id = `lab-${one.id}`;
  const input = h("input", { type: "range", id, min: 0, max: 1000, step: 1 });
  const shown = h("output", { for: id });
  const told = (value: number) => {
    shown.textContent = `${number(value)}${one.unit ? ` ${one.unit}` : ""}`;
    input.setAttribute("aria-valuetext", shown.textContent);
  };
  on(input, "input", () => {
    const value = valueAt(one, Number(input.value));
    told(value);
    change(one.id, value);
  });
  return {
    root: h("div", { class: "lab-slider" }, h("label", { for: id }, one.label), shown, input),
    show: (values) => {
      const value = Number(values[one.id]);
      // While it is dragged, the reader's hand rules.
      if (valueAt(one, Number(input.value)) !== value) input.value = String(positionOf(one, value));
      told(value);
    },
  };
}

function choice(
  one: Choice, template: Template, change: (id: string, value: string) => void,
): Control {
  const id = `lab-${one.id}`;
  const known = one.of ? template[one.of] : [];
  const named = known.filter(({ name }) => !one.only || one.only.includes(name));
  const own = one.options ?? [];
  const select = h(
    "select",
    { id },
    ...named.map(({ name, title }) =>
      h("option", { value: name }, 
        title.toLowerCase() === name ? title : `${name} \u2013 ${title}`),
    ),
    ...own.map(({ value, label }) => h("option", { value }, label)),
  );
  const idea = h("p", { class: "soft lab-idea" });
  const told = () => {
    idea.textContent = named.find(({ name }) => name === select.value)?.idea ?? "";
  };
  on(select, "change", () => {
    told();
    change(one.id, select.value);
  });
  return {
    root: h("div", { class: "lab-choice" }, h("label", { for: id }, one.label), select, idea),
    show: (values) => {
      select.value = String(values[one.id]);
      told();
    },
  };
}
