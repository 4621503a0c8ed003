// Who is drawn: up to eight flows one by one, more as groups, as in `python/dumbbell/figures`.

import type { Facts } from "./shapes";

export interface Member {
  label: string;
  names: string[];
  place: number;
  grouped: boolean;
}

type Flow = Facts["flows"][number];

export function members(flows: Flow[], most: number): Member[] {
  if (flows.length <= most) {
    return flows.map(({ name }, place) => ({ label: name, names: [name], place, grouped: false }));
  }
  return [...groups(flows, most)].map(([label, names], place) => {
    return { label: `${label}, ${names.length} flows`, names, place, grouped: true };
  });
}

function groups(flows: Flow[], most: number): Map<string, string[]> {
  const templates = by(flows, ({ name }) => /^(.+)\.\d+$/.exec(name)?.[1] ?? "");
  const several = [...templates.values()].every((names) => names.length > 1);
  const named = [...templates.keys()].every((label) => label !== "" && !/^flow\d+$/.test(label));
  if (templates.size <= most && several && named) return templates;
  const controls = by(flows, ({ cc }) => cc ?? "others");
  return controls.size <= most ? controls : by(flows, () => "all");
}

function by(flows: Flow[], key: (flow: Flow) => string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const flow of flows) {
    const names = found.get(key(flow)) ?? [];
    names.push(flow.name);
    found.set(key(flow), names);
  }
  return found;
}
