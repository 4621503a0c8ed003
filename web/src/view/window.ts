// An interval of time within a whole that zooms and pans.

/** Double precision tells instants of a long run apart down to this. */
const SHORTEST_S = 1e-7;

export class Window {
  from: number;
  to: number;

  constructor(
    public whole: readonly [number, number],
    private readonly changed: () => void,
    /** What is shown before anybody zooms. */
    readonly first: readonly [number, number] = whole,
  ) {
    [this.from, this.to] = first;
  }

  get span(): number {
    return this.to - this.from;
  }

  /** The whole ends at `to` now; what is shown stays. */
  extend(to: number): void {
    this.whole = [this.whole[0], Math.max(to, this.whole[0] + SHORTEST_S)];
  }

  set(from: number, to: number): void {
    const [first, last] = this.whole;
    const span = Math.min(last - first, Math.max(SHORTEST_S, to - from));
    const middle = (from + to) / 2;
    const start = Math.min(last - span, Math.max(first, middle - span / 2));
    if (start === this.from && start + span === this.to) return;
    this.from = start;
    this.to = start + span;
    this.changed();
  }

  /** `factor` below 1 zooms in; the instant `at` stays in place. */
  zoom(at: number, factor: number): void {
    const span = Math.max(SHORTEST_S, this.span * factor);
    const from = at - ((at - this.from) / this.span) * span;
    this.set(from, from + span);
  }

  pan(by: number): void {
    this.set(this.from + by, this.to + by);
  }

  reset(): void {
    this.set(...(this.whole as [number, number]));
  }

  /** Shows `from` to `to` with a margin, unless they are in view and wide enough to read. */
  reveal(from: number, to: number): void {
    const inside = from >= this.from && to <= this.to;
    if (inside && to - from > this.span / 5) return;
    const margin = Math.max((to - from) * 0.3, 1e-6);
    this.set(from - margin, to + margin);
  }

  /** Moves as little as needed for `t` to be in view. */
  follow(t: number): void {
    if (t >= this.from && t <= this.to) return;
    this.set(t - this.span / 2, t + this.span / 2);
  }
}
