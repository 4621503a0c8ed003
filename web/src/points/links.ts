// What a point leads to: a command to copy, or a place of this page.

import type { Panel } from "../meta";
import { h, on } from "../ui/dom";

export class Links {
  readonly root: HTMLElement;

  constructor(panel: Panel) {
    this.root = h("div", { class: "links", "aria-live": "polite" });
    const any = panel.series.some((series) => series.href !== undefined);
    if (any) this.show([]);
    else this.root.hidden = true;
  }

  /** Shows where these points lead; those without a target are left out. */
  show(all: { label: string; target: string }[]): void {
    const linked = all.filter(({ target }) => target !== "");
    if (linked.length === 1 && linked[0]!.target.startsWith("#")) {
      location.hash = linked[0]!.target;
      return;
    }
    this.root.replaceChildren(...linked.map(({ label, target }) => line(label, target)));
  }
}

function line(label: string, target: string): HTMLElement {
  if (target.startsWith("#")) return h("p", {}, h("a", { href: target }, label));
  const copy = h("button", { type: "button" }, "Copy");
  on(copy, "click", () => {
    navigator.clipboard?.writeText(target).then(
      () => (copy.textContent = "Copied"),
      () => undefined,
    );
  });
  return h("p", {}, `${label}: `, h("code", {}, target), " ", copy);
}
