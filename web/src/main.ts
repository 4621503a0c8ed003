// A document with panels: in the places of its text, and on its time page if it has one.

import type { Store } from "./data/store";
import { metaOfPage, ofPage } from "./data/store";
import { Events } from "./events/lists";
import type { Meta } from "./meta";
import type { Context } from "./page/context";
import { buttons } from "./page/head";
import { MOUSE_ON_TIME, ON_CHARTS, ofDocument } from "./page/keys";
import { Link } from "./page/link";
import { build } from "./page/panels";
import { mount } from "./page/places";
import { TimePage } from "./page/timepage";
import { h } from "./ui/dom";
import type { Key } from "./ui/keyboard";
import { help, listen } from "./ui/keyboard";
import { Theme } from "./ui/theme";
import type { Part } from "./view/part";
import type { Change } from "./view/state";
import { State } from "./view/state";

/** The crosshair rests after this; then exact values are decoded. */
const REST_MS = 120;
/** Parts outside the screen are drawn when nothing has changed for this long. */
const SETTLE_MS = 150;
const PRINT_RATIO = 2;
const ALL: ReadonlySet<Change> = new Set<Change>(["window", "cursor", "shown", "event", "theme"]);

export interface Options {
  /** Puts numbers into the store that are not in the page's blobs. */
  fill?: (store: Store) => void;
  /** False: the address is not the state's. */
  linked?: boolean;
  /** Ends what listens, when the document is drawn anew. */
  signal?: AbortSignal;
}

/** Draws the document; null: it has no panels. `further`: keys of one that is live. */
export function start(
  meta = metaOfPage(), further: Key[] = [], options: Options = {},
): Context | null {
  return meta && new Document(meta, further, options).on;
}

class Document {
  readonly on: Context;
  private readonly time: TimePage;
  private readonly parts: Part[];
  private readonly link: Link | null;
  private readonly page = document.getElementById("time-page");
  /** All that is on the screen was drawn once, with all of its data. */
  private drawn = false;
  private rest = 0;
  private settling = 0;
  /** When parts outside the screen may be drawn. */
  private rested = 0;

  constructor(
    meta: Meta,
    private readonly further: Key[],
    private readonly options: Options,
  ) {
    const { fill, linked = true, signal } = options;
    const state = new State(meta);
    const store = ofPage(
      () => state.touch("data"),
      (error) => this.fail(error),
    );
    fill?.(store);
    const ends = signal ? { signal } : {};
    const theme = new Theme(() => state.touch("theme"), ends);
    this.on = { meta, store, state, theme, events: new Events(meta, store, state) };
    this.time = new TimePage(this.on);
    const { parts, rest } = mount(meta, (panel) => build(this.on, panel, this.time.around, true));
    const tools = this.keys(this.page !== null, meta.panels.some((each) => each.kind === "points"));
    if (this.page) this.time.compose(this.page, rest, tools);
    else if (parts.length) bar().append(tools);
    this.parts = [...parts, ...this.time.parts];
    const shown = document.getElementById(meta.static ?? "");
    if (shown && this.page) shown.hidden = true;
    document.documentElement.classList.add("scripted");
    this.link = linked ? new Link(this.on, this.time.acts, this.parts) : null;
    this.link?.restore();
    state.listen((changes) => this.update(changes));
    const size = new ResizeObserver(() => state.touch("window"));
    size.observe(this.page ?? document.body);
    signal?.addEventListener("abort", () => size.disconnect());
    addEventListener("beforeprint", () => this.print(true), ends);
    addEventListener("afterprint", () => this.print(false), ends);
    state.touch("window");
    state.touch("shown");
  }

  /** Makes the keys work, and the buttons for the theme and for the list of keys. */
  private keys(time: boolean, charts: boolean): HTMLElement {
    const general = ofDocument(this.on, () => dialog.showModal());
    const keys = [...this.further, ...(time ? this.time.keys : []), ...general];
    const dialog = help(keys, [
      ...(time ? [{ title: "Mouse", rows: MOUSE_ON_TIME }] : []),
      ...(charts ? [{ title: "Charts", rows: ON_CHARTS }] : []),
    ]);
    document.body.append(dialog);
    const { signal } = this.options;
    signal?.addEventListener("abort", () => dialog.remove());
    listen(keys, signal ? { signal } : {});
    return buttons(() => dialog.showModal(), () => this.on.theme.toggle());
  }

  private update(changes: ReadonlySet<Change>): void {
    const { state, store } = this.on;
    for (const part of this.parts) part.update(changes);
    if (this.page) this.time.update(changes);
    const pending = this.parts.some((part) => part.pending);
    document.documentElement.dataset["busy"] = String(store.busy || pending);
    if (!this.drawn && !this.parts.some((part) => part.lacking)) {
      this.drawn = true;
      performance.mark("drawn");
    }
    // News of data alone is no reason to wait again.
    const news = changes.size === 1 && changes.has("data");
    if (!news) this.rested = performance.now() + SETTLE_MS;
    clearTimeout(this.settling);
    const wait = Math.max(0, this.rested - performance.now());
    if (pending && !store.busy) this.settling = window.setTimeout(() => this.settle(), wait);
    if (changes.has("cursor") && !state.rests) {
      clearTimeout(this.rest);
      this.rest = window.setTimeout(() => {
        state.rests = true;
        state.touch("data");
      }, REST_MS);
    }
    if (this.page) this.link?.follow();
  }

  /** Draws a part that is not on the screen, and then the next: print and pictures of the whole
   * page show them. */
  private settle(): void {
    this.parts.find((part) => part.pending)?.settle?.();
    if (this.parts.some((part) => part.pending)) {
      this.settling = window.setTimeout(() => this.settle());
    } else if (!this.on.store.busy) this.on.state.touch("data");
  }

  private print(printing: boolean): void {
    this.on.theme.print(printing);
    for (const part of this.parts) part.update(ALL, printing ? PRINT_RATIO : undefined);
  }

  private fail(error: unknown): void {
    const text = `The page's data are damaged: ${String(error)}`;
    (this.page ?? document.body).prepend(h("p", { class: "altered", role: "alert" }, text));
  }
}

/** Where the buttons are in a document without a time page: at the end of its header. */
function bar(): HTMLElement {
  const node = h("div", { class: "page-bar" });
  const header = document.querySelector("body > header");
  if (header) header.prepend(node);
  else document.body.prepend(node);
  return node;
}
