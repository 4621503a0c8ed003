// The state in the document's address: read when it changes, written when the state rests.

import type { Part } from "../view/part";
import { format, parse } from "../view/address";
import type { Acts } from "./acts";
import type { Context } from "./context";

const RESTS_MS = 250;

export class Link {
  private timer = 0;

  constructor(
    private readonly on: Context,
    private readonly acts: Acts,
    private readonly parts: Part[],
  ) {
    addEventListener("hashchange", () => this.restore());
  }

  restore(): void {
    // Without a value it is the address of a place in the text.
    if (location.hash && !location.hash.includes("=")) return;
    const place = parse(location.hash);
    const { state } = this.on;
    if (place.flows) {
      state.on.clear();
      for (const id of place.flows) if (state.switches.has(id)) state.on.add(id);
    }
    state.mark(place.mark && state.switches.has(place.mark) ? place.mark : null);
    if (place.cursor !== null) state.point(place.cursor);
    for (const { root, id } of this.parts) {
      if (root instanceof HTMLDetailsElement && place.open.includes(id)) root.open = true;
    }
    if (place.window) state.window.set(...place.window);
    state.touch("shown");
    if (!place.event) return;
    const { picked } = state;
    if (picked?.list === place.event.list && picked.row === place.event.row) return;
    void this.acts.pick(place.event).then(() => {
      // A link names its window: the chain does not change it.
      if (place.window) state.window.set(...place.window);
    });
  }

  /** Writes the address soon. */
  follow(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.write(), RESTS_MS);
  }

  private write(): void {
    const open = this.parts
      .filter(({ root }) => root.dataset["folds"] !== undefined)
      .filter(({ root }) => root instanceof HTMLDetailsElement && root.open)
      .map((part) => part.id);
    const hash = format(this.on.state, open);
    const plain = location.hash !== "" && !location.hash.includes("=");
    if (hash === location.hash || (plain && hash === "")) return;
    try {
      history.replaceState(null, "", hash || location.pathname + location.search);
    } catch {
      // Browsers limit how often the address may change; the next change writes it.
    }
  }
}
