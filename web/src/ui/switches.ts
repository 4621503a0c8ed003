// Switches of flows, groups, queues and runs, each with its look.

import type { Meta, Switch, SwitchKind } from "../meta";
import type { State } from "../view/state";
import { h, on, say } from "./dom";
import { swatch } from "./marks";

const TITLES: [SwitchKind, string][] = [
  ["run", "Runs"],
  ["queue", "Queues"],
  ["group", "Groups"],
  ["flow", "Flows"],
];
/** From this many on there is a search field. */
const MANY = 12;
/** Not more than this many are shown at once. */
const MOST = 60;

export class Switches {
  readonly root = h("div", { class: "switches" });
  private readonly boxes = new Map<string, { row: HTMLElement; box: HTMLInputElement }>();
  private query = "";
  private readonly field = h("input", {
    type: "search",
    class: "search",
    placeholder: "Search flows",
    "aria-label": "Search flows",
  });
  private readonly lists = new Map<SwitchKind, HTMLElement>();
  private readonly rest = h("p", { class: "more" });

  constructor(
    private readonly meta: Meta,
    private readonly state: State,
  ) {
    for (const [kind, title] of TITLES) {
      const here = meta.switches.filter((each) => each.kind === kind);
      if (here.length === 0 || (kind === "run" && here.length < 2)) continue;
      const list = h("div", { class: "switch-list" });
      this.lists.set(kind, list);
      const searched = kind === "flow" && here.length > MANY;
      this.root.append(
        h(
          "fieldset",
          { "data-kind": kind },
          h("legend", {}, title),
          searched && h("div", { class: "search-line" }, this.field, this.turner(true), this.turner(false)),
          list,
          searched && this.rest,
        ),
      );
    }
    on(this.field, "input", () => {
      this.query = this.field.value.trim().toLowerCase();
      this.fill();
    });
    this.fill();
  }

  /** A button that turns all found flows on or off. */
  private turner(shown: boolean): HTMLElement {
    const what = shown ? "Show" : "Hide";
    const title = `${what} all flows, or those that the search finds`;
    const node = h("button", { type: "button", title }, what);
    on(node, "click", () => {
      this.state.turnAll(this.found("flow").map((each) => each.id), shown);
    });
    return node;
  }

  private found(kind: SwitchKind): Switch[] {
    const fits = (each: Switch) =>
      kind !== "flow" ||
      !this.query ||
      `${each.label} ${each.detail ?? ""}`.toLowerCase().includes(this.query);
    return this.meta.switches.filter((each) => each.kind === kind).filter(fits);
  }

  focusSearch(): void {
    if (this.field.isConnected) this.field.focus();
  }

  /** Follows the state. */
  update(): void {
    const { highlight } = this.state;
    if (highlight && !this.boxes.has(highlight)) this.fill();
    for (const [id, { row, box }] of this.boxes) {
      box.checked = this.state.isOn(id);
      row.classList.toggle("chosen", id === highlight);
      row.classList.toggle("off", !box.checked);
      row.querySelector(".mark-button")?.setAttribute("aria-pressed", String(id === highlight));
    }
  }

  private fill(): void {
    this.boxes.clear();
    for (const [kind, list] of this.lists) {
      const found = this.found(kind);
      const marked = (each: Switch) => Number(each.id === this.state.highlight || each.on);
      const cut =
        found.length > MOST
          ? [...found].sort((a, b) => marked(b) - marked(a)).slice(0, MOST)
          : found;
      list.replaceChildren(...cut.map((each) => this.row(each)));
      if (kind === "flow") {
        const left = found.length - cut.length;
        say(this.rest, left > 0 ? `and ${left} more: search` : found.length ? "" : "none found");
      }
    }
    this.update();
  }

  private row(each: Switch): HTMLElement {
    const box = h("input", { type: "checkbox" });
    const label = h(
      "label",
      { title: each.detail ?? "" },
      box,
      swatch(this.meta.look[each.look], 26),
      h("span", { class: "switch-name" }, each.label),
    );
    const mark = h(
      "button",
      {
        type: "button",
        class: "mark-button",
        title: `Highlight ${each.label}`,
        "aria-label": `Highlight ${each.label}`,
        "aria-pressed": "false",
      },
      "\u25ce",
    );
    const row = h("div", { class: "switch", "data-switch": each.id }, label, each.kind !== "run" && mark);
    on(label, "click", (event) => {
      if (!event.altKey) return;
      event.preventDefault();
      this.state.solo(each.id);
    });
    on(box, "change", () => this.state.turn(each.id, box.checked));
    on(box, "keydown", (event) => {
      if (event.key === "s" || (event.altKey && event.key === "Enter")) {
        event.preventDefault();
        event.stopPropagation();
        this.state.solo(each.id);
      } else if (event.key === "Enter") {
        event.preventDefault();
        this.state.turn(each.id, !box.checked);
      }
    });
    on(mark, "click", () => this.state.mark(this.state.highlight === each.id ? null : each.id));
    this.boxes.set(each.id, { row, box });
    return row;
  }
}
