// The keys of the page, and the list of them that `?` opens.

import { h, on } from "./dom";

export interface Key {
  keys: string[];
  shown: string;
  does: string;
  act: (key: string) => void;
}

export function listen(keys: Key[], ends: AddEventListenerOptions = {}): void {
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const typing = target.matches("input[type=search], input[type=text], select, textarea");
    const sliding = target.matches("input[type=range]") && event.key.startsWith("Arrow");
    if ((typing && event.key !== "Escape") || sliding) return;
    // Enter and Space belong to the button that has the focus.
    if (event.key === "Enter" && target.matches("button, summary, a, input")) return;
    const found = keys.find((each) => each.keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found.act(event.key);
  };
  document.addEventListener("keydown", pressed, ends);
}

type Row = [what: string, does: string];

export function help(keys: Key[], sections: { title: string; rows: Row[] }[]): HTMLDialogElement {
  const close = h("button", { type: "button" }, "Close");
  const table = (rows: HTMLElement[]) => h("table", {}, h("tbody", {}, ...rows));
  const row = (head: string | Node, does: string) =>
    h("tr", {}, h("th", { scope: "row" }, head), h("td", {}, does));
  const dialog = h(
    "dialog",
    { class: "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    table(keys.map((each) => row(h("kbd", {}, each.shown), each.does))),
  );
  for (const { title, rows } of sections) {
    dialog.append(h("h2", {}, title), table(rows.map(([what, does]) => row(what, does))));
  }
  dialog.append(close);
  on(close, "click", () => dialog.close());
  return dialog;
}
