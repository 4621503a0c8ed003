// A part of the page: it draws itself when the state changes.

import type { Change } from "./state";

export interface Part {
  readonly root: HTMLElement;
  /** For the address; parts that start folded are listed there when they are open. */
  readonly id: string;
  /** Draws what changed; `ratio` overrides the screen's pixels, for print. */
  update(changes: ReadonlySet<Change>, ratio?: number): void;
  /** Whether it has yet to be drawn because it is not on the screen. */
  readonly pending?: boolean;
  /** Whether what is on the screen lacks data that are not decoded yet. */
  readonly lacking?: boolean;
  /** Draws what is pending. */
  settle?(): void;
}
