// The laboratory in the browser. The same script is the page's and the worker's.

import { Lab } from "./lab/page";
import type { Given } from "./lab/shapes";
import { work } from "./lab/worker";

function text(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function begin(script: string): void {
  const [root, figure] = [document.getElementById("lab"), document.getElementById("time-page")];
  if (!root || !figure) return;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  new Lab(root, figure, JSON.parse(text("lab-data")) as Given, worker, text("lab-module"));
}

if (typeof document === "undefined") work(globalThis as unknown as Parameters<typeof work>[0]);
else begin(document.currentScript?.textContent ?? "");
