// The window at the end of the run, until the reader pans or zooms.

import type { State } from "../view/state";

export class Follow {
  private on = true;
  private end = 0;
  private set: [number, number] = [0, 0];

  /** `span` are the seconds that are shown; `changed` hears when it begins or ends. */
  constructor(
    private readonly state: State,
    private span: number,
    private readonly changed: () => void,
  ) {
    state.window.extend(0);
    this.set = [state.window.from, state.window.to];
    state.listen((changes) => {
      if (changes.has("window")) this.look();
    });
  }

  get following(): boolean {
    return this.on;
  }

  /** The run has come to `end`. */
  come(end: number): void {
    this.end = end;
    this.state.window.extend(end);
    if (this.on) this.show();
  }

  /** Follows again: with the seconds that are in view, if these are not all. */
  again(): void {
    const { window } = this.state;
    this.span = window.span < this.end ? window.span : Infinity;
    this.turn(true);
    this.show();
  }

  private show(): void {
    const { window } = this.state;
    window.set(Math.max(0, this.end - this.span), this.end);
    this.set = [window.from, window.to];
  }

  private look(): void {
    const { from, to, whole } = this.state.window;
    if (from === this.set[0] && to === this.set[1]) return;
    this.set = [from, to];
    const all = from === whole[0] && to === whole[1];
    if (all) this.span = Infinity;
    this.turn(all);
  }

  private turn(on: boolean): void {
    if (on === this.on) return;
    this.on = on;
    this.changed();
  }
}
