// Places in the text of a document that panels are mounted in. What a place had stands for the
// panel where scripts are off, and is hidden where they are on.

import type { Meta, Panel } from "../meta";
import { h } from "../ui/dom";
import type { Part } from "../view/part";

/** Mounts panels in their places: the parts, and the panels that have no place. */
export function mount(
  meta: Meta, build: (panel: Panel) => Part,
): { parts: Part[]; rest: Panel[] } {
  const parts: Part[] = [];
  const placed = new Set<Panel>();
  for (const place of document.querySelectorAll<HTMLElement>("[data-panel-place]")) {
    const panel = meta.panels.find((each) => each.id === place.dataset["panelPlace"]);
    if (!panel || panel.series.length === 0) continue;
    const part = build(panel);
    const fallback = h("div", { class: "fallback", hidden: true });
    fallback.append(...place.childNodes);
    place.append(part.root, fallback);
    place.classList.add("mounted");
    placed.add(panel);
    parts.push(part);
  }
  return { parts, rest: meta.panels.filter((panel) => !placed.has(panel)) };
}
