// The time page: panels over one time axis, between switches and the chain of an event.

import { ChainView } from "../events/chain";
import { Markers } from "../events/markers";
import type { Panel } from "../meta";
import { differences, timeSequence } from "../panels/further";
import { Animation } from "../space/animation";
import { PacketView } from "../space/packets";
import { h, say } from "../ui/dom";
import { duration, instant } from "../ui/format";
import type { Key } from "../ui/keyboard";
import { Switches } from "../ui/switches";
import type { Part } from "../view/part";
import type { Change } from "../view/state";
import { Acts } from "./acts";
import { axis, chainLabels, strip } from "./bare";
import type { Context } from "./context";
import { head, toolbar } from "./head";
import { ofTime } from "./keys";
import type { Around } from "./panels";
import { build, hairlines } from "./panels";

export class TimePage {
  readonly acts: Acts;
  readonly parts: Part[] = [];
  readonly keys: Key[];
  readonly around: Around;
  private readonly switches: Switches;
  private readonly chain: ChainView;
  private readonly labels: Part;
  private readonly status = h("p", { class: "status", "aria-hidden": "true" });
  private readonly live = h("p", { class: "live", role: "status", "aria-live": "polite" });

  constructor(private readonly on: Context) {
    this.labels = chainLabels(on);
    this.acts = new Acts(on, this.live, () => this.chain, this.labels.root);
    this.chain = new ChainView(on.state, on.events, (d) => this.acts.step(d), () => this.acts.close());
    this.switches = new Switches(on.meta, on.state);
    this.keys = ofTime(on, this.acts, this.switches);
    this.around = {
      markers: new Markers(on.events, on.theme),
      pick: (picked) => void this.acts.pick(picked),
    };
  }

  /** Puts these panels, and what belongs to the runs, into `page`. */
  compose(page: HTMLElement, panels: Panel[], tools: HTMLElement): void {
    const { on } = this;
    const events = strip(on, this.around.pick);
    const times = panels.filter((panel) => panel.kind === "time");
    const timed = times.map((panel, i) => build(on, panel, this.around, i === 0));
    const others = panels.filter((panel) => panel.kind !== "time");
    const over = axis(on);
    const further = [...this.further(), ...others.map((panel) => build(on, panel, this.around, false))];
    this.parts.push(over, this.labels, ...(events ? [events] : []), ...timed, ...further);
    const { meta } = on;
    page.append(
      h(
        "div",
        { class: "view" },
        head(meta, tools),
        this.switches.root,
        meta.runs.length > 0 && toolbar(on, this.acts, this.status, over.root),
        this.labels.root,
        events?.root,
        ...timed.map((part) => part.root),
        ...further.map((part) => part.root),
        h("div", { class: "dock" }, this.chain.root),
        this.live,
      ),
    );
  }

  update(changes: ReadonlySet<Change>): void {
    if (changes.has("shown") || changes.has("event")) this.switches.update();
    const { window, cursor } = this.on.state;
    const span = `${instant(window.from, window.span)} to ${instant(window.to, window.span)} s`;
    const at = cursor === null ? "" : ` \u00b7 crosshair ${instant(cursor, window.span)} s`;
    say(this.status, `${span} (${duration(window.span)})${at}`);
  }

  /** Folded panels: time-sequence graphs, differences of runs, packets. */
  private further(): Part[] {
    const { on } = this;
    const { meta, store, state, theme } = on;
    const tools = {
      meta, store, state, theme,
      above: (f: Parameters<typeof hairlines>[1]) => hairlines(on, f, true),
    };
    const sequence = timeSequence(tools);
    const parts: Part[] = [...(sequence ? [sequence] : []), ...differences(tools)];
    for (const space of meta.space ?? []) {
      parts.push(new PacketView(meta, store, space, state, theme));
      parts.push(new Animation(meta, store, space, state, theme));
    }
    return parts;
  }
}
