// The state in the page's address, so that a view can be linked: #t=12.3-14.5&flows=a,b&event=0.17

import type { State } from "./state";

export interface Place {
  window: [number, number] | null;
  flows: string[] | null;
  mark: string | null;
  event: { list: number; row: number } | null;
  cursor: number | null;
  open: string[];
}

export function parse(hash: string): Place {
  const found = new Map<string, string>();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const cut = part.indexOf("=");
    if (cut > 0) found.set(part.slice(0, cut), part.slice(cut + 1));
  }
  const decoded = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  const list = (name: string): string[] | null => {
    const text = found.get(name);
    if (text === undefined) return null;
    return text === "" ? [] : text.split(",").map(decoded);
  };
  const span = /^([\d.]+)-([\d.]+)$/.exec(found.get("t") ?? "");
  const event = /^(\d+)\.(\d+)$/.exec(found.get("event") ?? "");
  const cursor = Number(found.get("at") ?? NaN);
  return {
    window: span ? [Number(span[1]), Number(span[2])] : null,
    flows: list("flows"),
    mark: list("mark")?.[0] ?? null,
    event: event ? { list: Number(event[1]), row: Number(event[2]) } : null,
    cursor: Number.isFinite(cursor) ? cursor : null,
    open: list("open") ?? [],
  };
}

export function format(state: State, open: string[]): string {
  const parts: string[] = [];
  const { window } = state;
  const places = Math.min(9, Math.max(3, Math.ceil(4 - Math.log10(window.span))));
  const short = (t: number) => String(Number(t.toFixed(places)));
  if (window.from !== window.first[0] || window.to !== window.first[1]) {
    parts.push(`t=${short(window.from)}-${short(window.to)}`);
  }
  const first = state.meta.switches.filter((each) => each.on).map((each) => each.id);
  const on = state.meta.switches.filter((each) => state.on.has(each.id)).map((each) => each.id);
  const list = (ids: string[]) => ids.map(encodeURIComponent).join(",");
  if (first.join("\n") !== on.join("\n")) parts.push(`flows=${list(on)}`);
  if (state.highlight) parts.push(`mark=${list([state.highlight])}`);
  if (state.picked) parts.push(`event=${state.picked.list}.${state.picked.row}`);
  if (state.cursor !== null) parts.push(`at=${short(state.cursor)}`);
  if (open.length) parts.push(`open=${list(open)}`);
  return parts.length ? `#${parts.join("&")}` : "";
}
