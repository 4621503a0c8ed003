// The page: each change goes to the worker, and what comes back is drawn.

import { start } from "../main";
import type { Context } from "../page/context";
import { h, on, say } from "../ui/dom";
import { number } from "../ui/format";
import { controls } from "./controls";
import type { Values } from "./form";
import { address, filled, first, parsed } from "./form";
import type { Ask, Given, Told } from "./shapes";
import { tables } from "./tables";
import type { Begin } from "./worker";

/** A text that is being written is read when it rests for this long. */
const TYPING_MS = 250;
const ADDRESS_MS = 300;

type Run = Extract<Told, { kind: "run" }>;

export class Lab {
  private values: Values;
  /** The text that the reader wrote; null: the sliders rule. */
  private edited: string | null;
  private id = 0;
  private drawn: { context: Context; stop: AbortController } | null = null;
  private timer = 0;
  private addressed = 0;
  private readonly text = h("textarea", {
    id: "lab-text", spellcheck: "false", rows: 20, autocapitalize: "off",
  });
  private readonly wrong = h("pre", { class: "lab-wrong", role: "alert", hidden: true });
  private readonly state = h(
    "p", { class: "lab-state soft", role: "status" }, "The simulator loads.",
  );
  private readonly remarks = h("div", {});
  private readonly numbers = h("div", { id: "lab-numbers" });
  private readonly print = h("code", { id: "lab-fingerprint" });
  private readonly form: ReturnType<typeof controls>;
  private readonly buttons: [HTMLElement, Values][] = [];
  /** What the address said at the beginning. */
  private readonly begun: { values: Values; edited: string | null };
  /** In a frame of another page the words are that page's. */
  private readonly framed = window !== window.top;
  private readonly back = h("button", { type: "button", hidden: true }, "Back to the sliders");

  constructor(
    private readonly root: HTMLElement,
    private readonly figure: HTMLElement,
    private readonly given: Given,
    private readonly worker: Worker,
    module: string,
  ) {
    const { template, form, bytes } = given;
    this.begun = parsed(form, location.hash);
    // A text begins with its first experiment.
    const begin = document.querySelector<HTMLElement>("[data-set]")?.dataset["set"];
    if (begin && location.hash.length <= 1) Object.assign(this.begun.values, JSON.parse(begin));
    ({ values: this.values, edited: this.edited } = this.begun);
    document.body.classList.toggle("lab-framed", this.framed);
    document.body.classList.toggle("lab-by-text", this.framed && this.edited !== null);
    this.form = controls(form, template, (id, value) => this.set({ [id]: value }));
    this.compose();
    worker.onmessage = ({ data }: MessageEvent<Told>) => this.told(data);
    worker.onerror = ({ message }) => this.fail(`The worker failed: ${message}`);
    worker.postMessage({ module, bytes, template } satisfies Begin);
    addEventListener("hashchange", () => {
      ({ values: this.values, edited: this.edited } = parsed(form, location.hash));
      this.ask();
    });
    this.ask();
  }

  /** Other values; the sliders rule again. */
  set(values: Values): void {
    this.values = { ...this.values, ...values };
    this.edited = null;
    this.ask();
  }

  /** To the beginning of the page; in a frame to what its address said. */
  private reset(): void {
    if (!this.framed && !document.querySelector("[data-set]")) {
      return this.set(first(this.given.form));
    }
    ({ values: this.values, edited: this.edited } = this.begun);
    this.ask();
  }

  private compose(): void {
    on(this.text, "input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        this.edited = this.text.value;
        this.ask();
      }, TYPING_MS);
    });
    on(this.back, "click", () => this.set({}));
    const reset = h("button", { type: "button" }, "Reset");
    on(reset, "click", () => this.reset());
    const save = h("button", { type: "button" }, "Download TOML");
    const told = document.querySelector("[data-set]") !== null;
    on(save, "click", () => this.save());
    this.root.append(
      this.form.root,
      h("div", { class: "buttons" }, reset, this.back),
      h(
        "details",
        { class: "lab-scenario", open: (!this.framed && !told) || this.edited !== null },
        h("summary", {}, "Scenario"),
        h("label", { for: "lab-text", class: "soft" },
          this.framed && this.edited !== null
            ? "Edit it, and the figures follow."
            : "The sliders write it; edit it, and it rules."),
        this.text,
        this.wrong,
        h("div", { class: "buttons" }, save),
        command("On real kernels", "dumbbell run lab.toml --on kernel"),
        command("On Linux in virtual time", "dumbbell run lab.toml --on linux"),
        command(
          "In Python",
          "import dumbbell\n\nresult = dumbbell.run(\"lab.toml\")\nprint(result)",
        ),
      ),
    );
    this.figure.before(this.state);
    this.figure.after(
      this.remarks,
      this.numbers,
      h("p", { class: "soft" }, "Fingerprint ", this.print, ": the command line gives the same."),
    );
    let pressed: HTMLElement | null = null;
    if (told) {
      const back = h("button", { type: "button", class: "lab-return" }, "Back to the text");
      const words = document.querySelector(".lab-words [data-set]");
      on(back, "click", () => {
        (pressed ?? words)!.scrollIntoView({ behavior: "smooth", block: "center" });
      });
      this.figure.parentElement!.append(back);
    }
    for (const button of document.querySelectorAll<HTMLElement>("[data-set]")) {
      // A button's experiment is the same one whatever was tried before.
      const start = first(this.given.form);
      const values = { ...start, ...(JSON.parse(button.dataset["set"]!) as Values) };
      on(button, "click", () => {
        this.set(values);
        // Where the figures are not beside the words, they come into view.
        const beside = this.figure.getBoundingClientRect().top < innerHeight;
        if (!beside) this.state.scrollIntoView({ behavior: "smooth", block: "start" });
        pressed = button;
      });
      this.buttons.push([button, values]);
    }
  }

  /** Shows the scenario, and asks for its run. */
  private ask(): void {
    const text = this.edited ?? filled(this.given.form, this.values);
    if (this.text.value !== text) this.text.value = text;
    this.form.show(this.values);
    this.form.root.classList.toggle("lab-idle", this.edited !== null);
    this.back.hidden = this.edited === null;
    for (const [button, values] of this.buttons) {
      const shown = this.edited === null && same(values, this.values);
      button.setAttribute("aria-pressed", String(shown));
    }
    this.root.dataset["state"] = "running";
    clearTimeout(this.addressed);
    this.addressed = window.setTimeout(() => this.write(), ADDRESS_MS);
    this.worker.postMessage({ id: ++this.id, text } satisfies Ask);
  }

  private write(): void {
    const hash = address(this.given.form, this.values, this.edited);
    try {
      history.replaceState(null, "", hash || location.pathname + location.search);
    } catch {
      // Browsers limit how often the address may change; the next change writes it.
    }
  }

  private save(): void {
    const link = h("a", { download: "lab.toml" });
    link.href = URL.createObjectURL(new Blob([this.text.value], { type: "application/toml" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  private told(told: Told): void {
    if (told.kind === "ready" || told.id !== this.id) return;
    if (told.kind === "progress") {
      say(this.state, `${Math.round(100 * told.fraction)} % simulated`);
    } else if (told.kind === "problem") this.fail(told.rendered);
    else this.draw(told);
  }

  private fail(rendered: string): void {
    this.wrong.textContent = rendered;
    this.wrong.hidden = false;
    this.root.dataset["state"] = "wrong";
    const before = this.drawn ? "; the figures are of the one before" : "";
    say(this.state, `This scenario is wrong${before}.`);
  }

  private draw(told: Run): void {
    const { facts, run, meta, columns, chains, ms } = told;
    this.wrong.hidden = true;
    const before = this.drawn?.context.state;
    this.drawn?.stop.abort();
    const stop = new AbortController();
    // The place keeps its height while its panels are replaced.
    this.figure.style.minHeight = `${this.figure.offsetHeight}px`;
    this.figure.replaceChildren();
    meta.events.forEach((list, i) => (list.told = chains[i]!));
    const context = start(meta, [], {
      linked: false,
      signal: stop.signal,
      fill: (store) => columns.forEach(([column, numbers]) => store.renew(column, numbers)),
    })!;
    const { state } = context;
    if (before && meta.switches.every(({ id }) => before.switches.has(id))) {
      for (const { id } of meta.switches) if (!before.on.has(id)) state.on.delete(id);
      state.highlight = before.highlight;
      state.cursor = before.cursor;
      const { from, to, whole } = before.window;
      if (to - from < whole[1] - whole[0] && to <= facts.duration_s) state.window.set(from, to);
    }
    state.flush();
    this.figure.style.minHeight = "";
    this.drawn = { context, stop };
    this.numbers.replaceChildren(...tables(run, this.given.template));
    this.print.textContent = run.fingerprint;
    this.remarks.replaceChildren(...remarks(told));
    this.root.dataset["fingerprint"] = run.fingerprint;
    this.root.dataset["state"] = "done";
    this.root.dataset["ms"] = ms.toFixed(1);
    const fair = run.jain !== null && run.flows.length > 1;
    const jain = fair ? `, Jain's index ${number(run.jain!)} (1: equal shares)` : "";
    say(this.state, `${number(facts.duration_s)} s simulated in ${number(ms)} ms${jain}`);
  }
}

function same(one: Values, other: Values): boolean {
  return Object.keys(one).every((id) => one[id] === other[id]);
}

/** What is to be said beside the figures. */
function remarks({ facts, run, meta, signals }: Run): HTMLElement[] {
  const shown = meta.events.reduce((n, list) => n + (meta.tables[list.table]?.rows ?? 0), 0);
  const said = [
    run.valid ? "" : `Not valid: ${run.error?.message ?? "its packets do not add up"}`,
    facts.runs > 1 ? `This is the first of ${facts.runs} runs of the scenario.` : "",
    signals > shown && shown > 0 ? `Events: the first ${shown} of ${signals} drops and marks.` : "",
    ...facts.warnings.map(({ code, message }) => `Warning ${code}: ${message}`),
    ...facts.notes,
  ];
  return said.filter(Boolean).map((text) => h("p", { class: "soft" }, text));
}

function command(title: string, words: string): HTMLElement {
  return h("details", {}, h("summary", {}, title), h("pre", {}, words));
}
