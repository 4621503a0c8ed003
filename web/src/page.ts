// The page starts by itself.

import { start } from "./main";

if (document.readyState === "loading") {
  document.addEventListener("DOMContentLoaded", () => start());
} else {
  start();
}
