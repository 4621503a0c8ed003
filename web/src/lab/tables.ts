// The tables of a run, as `dumbbell run` prints them.

import { h } from "../ui/dom";
import { number } from "../ui/format";
import type { Measured, Numbers, Template } from "./shapes";

type Row = Numbers["flows"][number];

interface Cells {
  head: string;
  cells: string[];
  doc?: string;
  text?: boolean;
}

export function tables(run: Numbers, template: Template): HTMLElement[] {
  const of = (rows: Row[], wanted: Measured[]) =>
    wanted.flatMap((one) => column(rows, one, template));
  const words = (head: string, cells: string[]): Cells => ({ head, cells, text: true });
  const { flows, queues } = run;
  const measured = [of(flows, template.columns.flow), of(queues, template.columns.queue)] as const;
  return [
    table("Flows", [
      words("flow", flows.map((row) => row.name)),
      words("cc", flows.map((row) => String(row["cc"] ?? "-"))),
      ...measured[0],
    ]),
    table("Queues", [
      words("queue", queues.map((row) => row.name)),
      words("kind", queues.map((row) => String(row["kind"]))),
      ...measured[1],
      words("drops", queues.map(drops)),
    ]),
    meanings(measured.flat()),
  ];
}

/** What the columns mean, for who does not know their names. */
function meanings(columns: Cells[]): HTMLElement {
  return h(
    "details",
    { class: "lab-meanings" },
    h("summary", {}, "What the columns mean"),
    h(
      "dl",
      {},
      ...columns.flatMap(({ head, doc }) => [h("dt", {}, head), h("dd", {}, doc ?? "")]),
      h("dt", {}, "cc"),
      h("dd", {}, "The congestion control of the flow."),
      h("dt", {}, "drops"),
      h("dd", {}, "Packets that were dropped after the warm-up, by their reasons."),
    ),
  );
}

/** A measurement in the unit that suits its largest value; none if no row has it. */
function column(rows: Row[], { key, head, unit, doc, rare }: Measured, template: Template): Cells[] {
  const values = rows.map((row) => row[key]);
  const known = values.filter((value): value is number => typeof value === "number");
  const largest = Math.max(...known.map(Math.abs));
  if (known.length === 0 || (rare && largest === 0)) return [];
  const steps = template.units[unit] ?? [];
  const fitting = steps.filter(([least]) => largest >= least).pop();
  const [, factor, name] = fitting ?? steps[0] ?? [0, 1, unit];
  const cells = values.map((value) => (typeof value === "number" ? number(value * factor) : "-"));
  return [{ head: name ? `${head} [${name}]` : head, cells, doc }];
}

function drops(row: Row): string {
  const found = Object.entries((row["drops"] ?? {}) as Record<string, number>);
  return found.filter(([, n]) => n > 0).map(([why, n]) => `${why} ${n}`).join(", ") || "none";
}

function table(title: string, columns: Cells[]): HTMLElement {
  const kind = ({ text }: Cells) => (text ? {} : { class: "num" });
  const head = columns.map((each) => h("th", { scope: "col", ...kind(each) }, each.head));
  const rows = (columns[0]?.cells ?? []).map((_, i) =>
    h("tr", {}, ...columns.map((each) => h("td", kind(each), each.cells[i]))),
  );
  return h(
    "div",
    { class: "wide" },
    h(
      "table",
      { class: "dense" },
      h("caption", {}, title),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...rows),
    ),
  );
}
