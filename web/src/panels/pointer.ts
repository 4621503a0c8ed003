// The mouse and fingers on a chart: zoom, selection, panning, crosshair, clicks.

import type { Window } from "../view/window";

export interface Acts {
  window: Window;
  /** Where the plot is within the element. */
  plot(): { left: number; width: number } | null;
  point(t: number, y: number): void;
  select(range: [number, number] | null): void;
  click(x: number, y: number): void;
}

const CLICK_PX = 4;

export function attach(node: HTMLElement, acts: Acts): void {
  const { window } = acts;
  const held = new Map<number, number>();
  let start: { x: number; y: number; from: number; to: number; pans: boolean } | null = null;
  let pinch: { gap: number; at: number; from: number; to: number } | null = null;

  const place = (event: PointerEvent | WheelEvent | MouseEvent) => {
    const box = node.getBoundingClientRect();
    const plot = acts.plot() ?? { left: 0, width: box.width };
    const x = event.clientX - box.left;
    const share = Math.min(1, Math.max(0, (x - plot.left) / plot.width));
    return { x, y: event.clientY - box.top, share, width: plot.width };
  };
  const instant = (share: number) => window.from + share * window.span;

  node.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      const { share, width } = place(event);
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
      if (event.shiftKey || Math.abs(dx) > Math.abs(dy)) {
        window.pan(((dx || dy) / width) * window.span);
      } else {
        window.zoom(instant(share), Math.exp(Math.max(-300, Math.min(300, dy)) * 0.0022));
      }
    },
    { passive: false },
  );

  node.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    if (event.button === 1) event.preventDefault();
    node.setPointerCapture(event.pointerId);
    const { x, y } = place(event);
    held.set(event.pointerId, x);
    const pans = event.shiftKey || event.button === 1 || event.pointerType === "touch";
    start = { x, y, from: window.from, to: window.to, pans };
    if (held.size === 2) {
      const [a, b] = [...held.values()] as [number, number];
      const plot = acts.plot() ?? { left: 0, width: 1 };
      const at = instant(((a + b) / 2 - plot.left) / plot.width);
      pinch = { gap: Math.max(8, Math.abs(a - b)), at, from: window.from, to: window.to };
    }
  });

  node.addEventListener("pointermove", (event) => {
    const { x, y, share, width } = place(event);
    if (held.has(event.pointerId)) held.set(event.pointerId, x);
    if (pinch && held.size === 2) {
      const [a, b] = [...held.values()] as [number, number];
      const factor = pinch.gap / Math.max(8, Math.abs(a - b));
      const from = pinch.at - (pinch.at - pinch.from) * factor;
      window.set(from, from + (pinch.to - pinch.from) * factor);
      return;
    }
    acts.point(instant(share), y);
    if (!start || Math.abs(x - start.x) < CLICK_PX) return;
    if (start.pans) {
      const by = ((start.x - x) / width) * (start.to - start.from);
      window.set(start.from + by, start.to + by);
    } else {
      const plot = acts.plot();
      if (!plot) return;
      const other = Math.min(1, Math.max(0, (start.x - plot.left) / plot.width));
      const ends = [instant(other), instant(share)].sort((a, b) => a - b);
      acts.select(ends as [number, number]);
    }
  });

  const release = (event: PointerEvent): void => {
    held.delete(event.pointerId);
    if (pinch) {
      if (held.size < 2) pinch = null;
      start = null;
      return;
    }
    if (!start) return;
    const { x, y, share } = place(event);
    const from = start;
    start = null;
    acts.select(null);
    if (event.type === "pointercancel") return;
    if (Math.abs(x - from.x) < CLICK_PX) {
      if (event.button === 0) acts.click(x, y);
      return;
    }
    if (from.pans) return;
    const plot = acts.plot();
    if (!plot) return;
    const other = Math.min(1, Math.max(0, (from.x - plot.left) / plot.width));
    const ends = [instant(other), instant(share)].sort((a, b) => a - b) as [number, number];
    window.set(...ends);
  };
  node.addEventListener("pointerup", release);
  node.addEventListener("pointercancel", release);
  node.addEventListener("dblclick", () => window.reset());
}
