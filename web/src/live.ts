// The script of a live page: that of every page, and what is new. Only this one makes requests.

import { metaOfPage } from "./data/store";
import { withLevels } from "./live/growing";
import { LivePage } from "./live/live";
import { liveOfPage } from "./live/news";
import { start } from "./main";

function begin(): void {
  const [meta, live] = [metaOfPage(), liveOfPage()];
  if (!live) return;
  if (meta) withLevels(meta);
  const page = new LivePage(live);
  void page.begin(start(meta, page.keys));
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin);
else begin();
