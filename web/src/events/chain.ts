// The chain of an event: its words and steps beneath the panels, its hairlines through them.

import type { Chain, Role } from "../meta";
import type { Frame } from "../panels/draw";
import { px } from "../panels/draw";
import { h, on, say } from "../ui/dom";
import { duration, instant } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { State } from "../view/state";
import type { Events } from "./lists";

const ROLES: Record<Role, string> = {
  packet: "sent",
  decision: "decision",
  feedback: "feedback",
  reaction: "reaction",
  repair: "repair",
  arrival: "arrival",
};
const LABEL_PX = 13;
/** Rows of labels above the panels. */
const ROWS = 3;
export const LABELS_PX = ROWS * LABEL_PX + 6;

export class ChainView {
  readonly root = h("section", { class: "chain", hidden: true, "aria-label": "Chain of an event" });
  private readonly heading = h("h2", { class: "chain-title" });
  private readonly text = h("p", { class: "chain-text" });
  private readonly steps = h("ol", { class: "chain-steps" });
  private readonly command = h("code", {});
  private readonly under = h("p", { class: "chain-command" }, this.command);

  constructor(
    private readonly state: State,
    private readonly events: Events,
    next: (direction: 1 | -1) => void,
    private readonly close: () => void,
  ) {
    const button = (label: string, key: string, act: () => void) => {
      const node = h("button", { type: "button", title: `${label} (${key})` }, label);
      on(node, "click", act);
      return node;
    };
    this.root.append(
      h(
        "header",
        {},
        this.heading,
        h(
          "div",
          { class: "buttons" },
          button("Previous", "p", () => next(-1)),
          button("Next", "n", () => next(1)),
          button("Close", "Esc", () => this.close()),
        ),
      ),
      h("div", { class: "chain-body" }, h("div", {}, this.text, this.under), this.steps),
    );
  }

  show(chain: Chain | null): void {
    const { picked } = this.state;
    const facts = picked && this.events.facts(picked);
    this.root.hidden = !facts;
    if (!facts) return;
    const whose = facts.list.flow ?? facts.list.queue ?? "";
    const why = facts.reason ? ` (${facts.reason})` : "";
    const run = this.state.meta.runs.length > 1 ? this.state.meta.runs[facts.list.run]?.label : "";
    const where = [whose, run].filter(Boolean).join(", ");
    say(this.heading, `${facts.kind}${why} \u00b7 ${where} \u00b7 ${instant(facts.t, 0.02)} s`);
    const without = "This page has no chain for this event. The command shows it:";
    this.text.replaceChildren(...coded(chain?.text ?? without));
    const command = facts.list.command?.replace("{time}", facts.t.toFixed(6));
    this.under.hidden = !command;
    say(this.command, command ?? "");
    this.steps.replaceChildren();
    let before: number | null = null;
    for (const step of chain?.steps ?? []) {
      const gap = before === null ? "" : `+${duration(step.t - before)}`;
      const whom = step.queue ?? step.flow ?? "";
      const row = h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "step", title: "Put the crosshair here" },
          h("span", { class: "step-role" }, ROLES[step.role]),
          h("span", { class: "step-label" }, step.label, whom && h("small", {}, ` ${whom}`)),
          h("span", { class: "step-time" }, `${instant(step.t, 0.02)} s`),
          h("span", { class: "step-gap" }, gap),
        ),
      );
      on(row, "click", () => {
        this.state.point(step.t);
        this.state.window.follow(step.t);
      });
      this.steps.append(row);
      before = step.t;
    }
  }
}

/** A text in which what stands between backticks is code. */
function coded(text: string): (string | Node)[] {
  return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

/** The numbers of a chain's steps and their labels, in a band above the panels. */
export function paintLabels(f: Frame, chain: Chain, theme: Theme): void {
  const { ctx } = f;
  const ends = new Array<number>(ROWS).fill(-Infinity);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  chain.steps.forEach((step, index) => {
    const x = px(f, step.t);
    if (x < f.left - 1 || x > f.left + f.width + 1) return;
    const text = `${index + 1} ${ROLES[step.role]}`;
    const wide = ctx.measureText(text).width + 10;
    const room = f.left + f.width - x >= wide;
    const start = room ? x : x - wide;
    let row = ends.findIndex((end) => end <= start);
    if (row < 0) row = index % ROWS;
    ends[row] = start + wide + 3;
    const y = 3 + row * LABEL_PX;
    ctx.strokeStyle = ctx.fillStyle = theme.colors.accent;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(Math.round(x) + 0.5, y);
    ctx.lineTo(Math.round(x) + 0.5, LABELS_PX);
    ctx.stroke();
    ctx.fillRect(start, y, wide, LABEL_PX - 1);
    ctx.fillStyle = theme.colors.paper;
    ctx.fillText(text, start + 5, y + LABEL_PX / 2);
  });
}

/** The hairlines of a chain in one panel, with their numbers at its foot. */
export function paintHairlines(f: Frame, chain: Chain, theme: Theme, numbers: boolean): void {
  const { ctx } = f;
  ctx.strokeStyle = ctx.fillStyle = theme.colors.accent;
  ctx.lineWidth = 1;
  ctx.setLineDash([4, 3]);
  ctx.beginPath();
  for (const { t } of chain.steps) {
    const x = Math.round(px(f, t)) + 0.5;
    ctx.moveTo(x, 0);
    ctx.lineTo(x, f.top + f.height + 8);
  }
  ctx.stroke();
  ctx.setLineDash([]);
  if (!numbers) return;
  ctx.textBaseline = "bottom";
  ctx.textAlign = "left";
  let end = -Infinity;
  chain.steps.forEach(({ t }, index) => {
    const x = px(f, t) + 3;
    if (x < end) return;
    const text = String(index + 1);
    ctx.lineWidth = 3;
    ctx.strokeStyle = theme.colors.paper;
    ctx.strokeText(text, x, f.top + f.height - 1);
    ctx.fillText(text, x, f.top + f.height - 1);
    end = x + ctx.measureText(text).width + 2;
  });
}
