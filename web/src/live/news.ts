// What is new of a command that still runs: asked for again and again, from the server of this
// page.

import type { Column } from "../meta";

/** Rows for tables of the page, packed as its other tables are. */
export interface Piece {
  tables?: Record<string, { rows: number; columns: Record<string, Column> }>;
  blobs?: string[];
}

/** A table of text, whose first columns are words and the others numbers. */
export interface Grid {
  columns: string[];
  rows: string[][];
  text_columns: number;
  notes: string[];
}

export interface News {
  next: number;
  version: number;
  pieces: Piece[];
  table: Grid | null;
  progress: [finished: number, runs: number, fraction: number];
  state: "running" | "ended" | "failed";
  message: string;
}

/** What a live page is: of one run, with the seconds that its window shows (null: all), or of the
 * points of a study. */
export interface Live {
  kind: "series" | "points";
  span_s?: number | null;
}

export function liveOfPage(): Live | null {
  const found = document.getElementById("dumbbell-live");
  return found ? (JSON.parse(found.textContent ?? "") as Live) : null;
}

/** Asks until the command has ended; the server waits until it has something to tell. An error:
 * the server is gone. */
export async function listen(heard: (news: News) => Promise<void>): Promise<News> {
  let [next, version] = [0, 0];
  for (;;) {
    const answer = await fetch(`news?from=${next}&version=${version}`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const news = (await answer.json()) as News;
    ({ next, version } = news);
    await heard(news);
    if (news.state !== "running") return news;
  }
}

/** The page of the result. */
export async function pageOfEnd(): Promise<string> {
  const answer = await fetch("page");
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.text();
}
