// The mouse and fingers on a panel of points: crosshair, zoom by dragging, panning, clicks.

export interface Spot {
  x: number;
  y: number;
}

export interface Acts {
  point(at: Spot | null): void;
  select(a: Spot, b: Spot, done: boolean): void;
  pan(dx: number, dy: number): void;
  zoom(at: Spot, factor: number): void;
  click(at: Spot): void;
  reset(): void;
}

const CLICK_PX = 5;

export function attach(node: HTMLElement, acts: Acts): void {
  let start: (Spot & { pans: boolean; last: Spot }) | null = null;
  const spot = (event: MouseEvent): Spot => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const far = (a: Spot, b: Spot) => Math.hypot(a.x - b.x, a.y - b.y) >= CLICK_PX;

  // A page of charts scrolls under the wheel: only the chart that has the focus zooms.
  node.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && document.activeElement !== node) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      const turned = Math.max(-300, Math.min(300, event.deltaY * unit));
      acts.zoom(spot(event), Math.exp(turned * 0.0022));
    },
    { passive: false },
  );
  node.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    const at = spot(event);
    const pans = event.shiftKey || event.button === 1;
    if (event.pointerType !== "touch") node.setPointerCapture(event.pointerId);
    start = { ...at, pans, last: at };
  });
  node.addEventListener("pointermove", (event) => {
    const at = spot(event);
    acts.point(at);
    if (!start || event.pointerType === "touch" || !far(at, start)) return;
    if (start.pans) acts.pan(at.x - start.last.x, at.y - start.last.y);
    else acts.select(start, at, false);
    start.last = at;
  });
  node.addEventListener("pointerup", (event) => {
    const from = start;
    start = null;
    if (!from) return;
    const at = spot(event);
    if (!far(at, from)) {
      acts.point(at);
      if (event.button === 0) acts.click(at);
    } else if (!from.pans && event.pointerType !== "touch") acts.select(from, at, true);
  });
  node.addEventListener("pointercancel", () => (start = null));
  // A finger that is lifted leaves the crosshair where it was.
  node.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") acts.point(null);
  });
  node.addEventListener("dblclick", () => acts.reset());
}
