// The end: the page of the result replaces the live one.

import { h, on } from "../ui/dom";

/** Replaces this document with `html`. That has a stricter policy: from here on the page makes
 * no request. Its script finds the state in the address; `whole`: with the whole run in view. */
export function replace(html: string, whole: boolean): void {
  const place = scrollY;
  if (whole) forgetWindow();
  document.open();
  document.write(html);
  document.close();
  const bar = h(
    "div",
    { class: "live-bar", id: "live" },
    h("p", { role: "status" }, "Run ended. The page is complete, and needs the command no more."),
    saving(html),
  );
  document.querySelector("body > header")?.append(bar);
  scrollTo({ top: place, behavior: "instant" });
}

function forgetWindow(): void {
  const parts = location.hash.replace(/^#/, "").split("&");
  const kept = parts.filter((part) => part !== "" && !part.startsWith("t=")).join("&");
  history.replaceState(null, "", kept ? `#${kept}` : location.pathname);
}

/** A button that saves the page: the address ends with the command. */
function saving(html: string): HTMLElement {
  const button = h("button", { type: "button", id: "live-save" }, "Save page");
  on(button, "click", () => {
    const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
    const name = document.title.replace(/[^\w.-]+/g, "-").replace(/^-+|-+$/g, "") || "run";
    h("a", { href: address, download: `${name}.html` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  });
  return button;
}
