// The panels of a run, from the template and the plan; and the tables that they need of the module.

import type { Look, Meta, Panel, Series, Switch } from "../meta";
import type { Member } from "./members";
import { members } from "./members";
import type { Facts, Line, Template } from "./shapes";

/** Panels whose peaks may leave them: those of slow start would hide what comes later. */
const ROBUST = ["probability", "cwnd", "goodput"];
const FLOWS = "flows.parquet";
const QUEUES = "queues.parquet";

/** A table of the module; see `TableRequest` of dumbbell-results. */
export interface Request {
  id: string;
  file: string;
  columns: string[];
  of?: Record<string, string>;
  members?: string[];
  key?: string;
  quantiles?: number[];
}

export interface Drawing {
  meta: Meta;
  requests: Request[];
  members: Member[];
}

interface Subject {
  name: string;
  id: string;
  table: string;
  per?: Partial<Record<Line["per"], number>>;
}

export function drawing(facts: Facts, template: Template): Drawing {
  const sheet = new Sheet(facts, template);
  facts.queues.slice(0, template.most).forEach((queue, place) => sheet.queue(queue, place));
  const found = members(facts.flows, template.most);
  for (const member of found) sheet.member(member);
  return { meta: sheet.meta, requests: sheet.requests, members: found };
}

class Sheet {
  readonly requests: Request[] = [];
  readonly meta: Meta;

  constructor(
    private readonly facts: Facts,
    private readonly template: Template,
  ) {
    const { name, duration_s, warmup_s, seed } = facts;
    const { threshold, event } = template.looks;
    this.meta = {
      format: 1, title: name, runs: [{ label: name, name, duration_s, warmup_s, seed }],
      look: { threshold, event }, tables: {}, panels: [], switches: [], events: [],
    };
  }

  queue(queue: Facts["queues"][number], place: number): void {
    const { lines, looks, thresholds, probability } = this.template;
    const id = `0/queue/${queue.name}`;
    const gauges = Object.keys(queue.gauges);
    const own = looks.queues[place % looks.queues.length]!;
    this.add({ id, label: queue.name, kind: "queue", on: true, look: id, detail: queue.kind }, own);
    const columns = ["time_s", "queue_packets", "queue_bytes", ...gauges];
    this.requests.push({ id, file: QUEUES, columns, of: { queue: queue.name } });
    const per = queue.rate_bps === null ? {} : { rate: queue.rate_bps };
    const subject = { name: queue.name, id, table: id, per };
    this.line(lines.length, subject);
    if (gauges.includes(lines.average.column)) {
      this.line(lines.average, subject, this.facts.queues.length === 1 ? looks.average : own);
    }
    for (const name of thresholds) {
      const value = queue.gauges[name];
      if (typeof value !== "number") continue;
      const label = `${name} ${Number(value.toPrecision(4))}`;
      this.panel("queue").lines!.push({ value, label, look: "threshold" });
    }
    const chances = gauges.filter((name) => new RegExp(`^(${probability})$`).test(name));
    chances.forEach((name, i) => {
      const part = { ...own, ...looks.parts[i % looks.parts.length] };
      this.line({ ...lines.chance, column: name, part: name }, subject, part);
    });
    if (queue.rate_bps !== null) this.line(lines.wait, subject);
  }

  member(member: Member): void {
    const { lines, looks } = this.template;
    const { label, names, grouped } = member;
    const id = `0/flow/${label}`;
    const kind = grouped ? "group" : "flow";
    const flow = this.facts.flows.find((each) => each.name === names[0])!;
    const look = looks.flows[member.place % looks.flows.length]!;
    this.add({ id, label, kind, on: true, look: id, detail: grouped ? "" : (flow.cc ?? "") }, look);
    const goodput = { name: label, id, table: `0/goodput/${label}` };
    this.panel("goodput");
    if (!grouped) {
      const of = { flow: label };
      const own = lines.flow.map((line) => line.column);
      this.requests.push({ id, file: FLOWS, columns: ["time_s", ...own], of });
      const columns = ["time_s", lines.goodput.column];
      this.requests.push({ id: goodput.table, file: FLOWS, columns, of });
      const { packet_bytes } = flow;
      if (packet_bytes !== null) {
        const own = { name: label, id, table: id, per: { packet_bytes } };
        for (const line of lines.flow) this.line(line, own);
      }
      this.line(lines.goodput, goodput);
      return;
    }
    const band = { members: names, key: "flow", quantiles: this.template.quantiles };
    const whole = lines.flow.filter((line) => !line.detail);
    this.requests.push({ id, file: FLOWS, columns: whole.map((line) => line.column), ...band });
    const columns = [lines.goodput.column];
    this.requests.push({ id: goodput.table, file: FLOWS, columns, ...band });
    for (const line of whole) this.line(line, { name: label, id, table: id }, undefined, true);
    this.line(lines.goodput, goodput, undefined, true);
  }

  private add(chosen: Switch, look: Look): void {
    this.meta.switches.push(chosen);
    this.meta.look[chosen.look] = look;
  }

  private panel(id: string): Panel {
    const known = this.meta.panels.find((panel) => panel.id === id);
    if (known) return known;
    const { title, unit } = this.template.panels[id]!;
    const made: Panel = {
      id, unit, kind: "time", series: [], lines: [],
      title: title.replace("{period}", String(Number(this.facts.every_s.toPrecision(3)))),
    };
    if (ROBUST.includes(id)) made.range = { robust: true };
    this.meta.panels.push(made);
    const order = Object.keys(this.template.panels);
    this.meta.panels.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
    return made;
  }

  private line(line: Line, { name, id, table, per }: Subject, own?: Look, band = false): void {
    let look = id;
    if (line.part) {
      look = `${id}/${line.part}`;
      this.meta.look[look] = own ?? { ...this.meta.look[id]!, dash: line.dash, width: line.width };
    }
    const label = line.label.replace("{name}", name).replace("{part}", line.part);
    const [low, middle, high] = this.template.quantiles.map((q) => `${line.column}_p${q * 100}`);
    const scale = line.scale / (line.per ? (per?.[line.per] ?? 1) : 1);
    const series: Series = {
      label, table, scale, look, shape: line.shape, switch: id, run: 0, role: label,
      column: band ? middle! : line.column,
    };
    if (line.detail) series.detail = true;
    if (band) series.band = { low: low!, high: high! };
    this.panel(line.panel).series.push(series);
  }
}
