// A live page: what is new goes into its tables, its window follows, and at the end the page of the
// result replaces it.

import type { Context } from "../page/context";
import { h, on, say } from "../ui/dom";
import { number } from "../ui/format";
import type { Key } from "../ui/keyboard";
import { replace } from "./end";
import { Follow } from "./follow";
import { Tables } from "./growing";
import type { Live, News } from "./news";
import { listen, pageOfEnd } from "./news";
import { show } from "./table";

/** The parts of a page of one run. */
interface Shown {
  context: Context;
  tables: Tables;
  follow: Follow;
}

export class LivePage {
  readonly keys: Key[] = [
    { keys: ["l"], shown: "l", does: "follow the end of the run", act: () => this.again() },
  ];
  private readonly bar = document.getElementById("live") ?? h("div");
  private readonly status = this.bar.querySelector("p") ?? h("p");
  private readonly button = h(
    "button", { type: "button", title: "Follow the end of the run (l)", hidden: true }, "Follow",
  );
  private shown: Shown | null = null;

  constructor(private readonly live: Live) {
    on(this.button, "click", () => this.again());
    this.bar.append(this.button);
  }

  /** Begins. `context`: the document of a run; null where there is none. */
  async begin(context: Context | null): Promise<void> {
    if (context) {
      const follow = new Follow(context.state, this.live.span_s ?? Infinity, () => {
        this.button.hidden = follow.following;
      });
      this.shown = { context, tables: new Tables(context.meta, context.store), follow };
    }
    try {
      const last = await listen((news) => this.heard(news));
      if (last.state === "failed") {
        this.stop(`The command failed: ${last.message}.`);
        return;
      }
      replace(await pageOfEnd(), this.shown?.follow.following ?? true);
    } catch {
      this.stop("The command is gone. The page shows what had arrived by then.");
    }
  }

  private async heard(news: News): Promise<void> {
    const { shown } = this;
    if (shown && news.pieces.length > 0) {
      for (const piece of news.pieces) await shown.tables.append(piece);
      shown.follow.come(shown.tables.end);
      shown.context.state.touch("data");
    }
    if (news.table) show(news.table);
    say(this.status, this.said(news));
  }

  private said({ progress: [finished, runs, fraction], message }: News): string {
    const { tables } = this.shown ?? {};
    const at = tables && tables.end > 0 ? ` ${number(tables.end)} s of the run.` : "";
    const part = runs > 1 ? `${finished} of ${runs} runs` : `${Math.floor(100 * fraction)} %`;
    return message ? `${message[0]!.toUpperCase()}${message.slice(1)}.` : `Running: ${part}.${at}`;
  }

  private stop(text: string): void {
    say(this.status, text);
    this.bar.classList.add("altered");
    this.button.hidden = true;
  }

  private again(): void {
    this.shown?.follow.again();
  }
}
