// A panel of points: series over any axis, with intervals, values at a crosshair, and a legend.

import type { Store } from "../data/store";
import type { Meta, Panel, Series } from "../meta";
import type { Frame } from "../panels/draw";
import { px } from "../panels/draw";
import { h, on, say } from "../ui/dom";
import { number } from "../ui/format";
import type { Theme } from "../ui/theme";
import type { Part } from "../view/part";
import type { Change, State } from "../view/state";
import { axisName, layout, paintAxes } from "./axes";
import type { Points } from "./data";
import { Data, nearestRow, stops } from "./data";
import { Legend, inWords } from "./legend";
import { Links } from "./links";
import type { Drawn } from "./paint";
import { Painter, arrange } from "./paint";
import type { Spot } from "./pointer";
import { attach } from "./pointer";
import { paintCrosshair, paintThresholds } from "./over";
import { View } from "./view";

const HEIGHT_PX = 300;
const NARROW_PX = 480;
/** How far from a point a click may fall. */
const REACH_PX = 14;

export class PointsPanel implements Part {
  readonly root: HTMLElement;
  readonly id: string;
  private readonly plot: HTMLDivElement;
  private readonly base = h("canvas", { class: "base", "aria-hidden": "true" });
  private readonly above = h("canvas", { class: "above", "aria-hidden": "true" });
  private readonly live = h("p", { class: "live", role: "status", "aria-live": "polite" });
  private readonly data: Data;
  private readonly view: View;
  private readonly painter: Painter;
  private readonly legend: Legend;
  private readonly links: Links;
  private readonly off = new Set<string>();
  private stressed: Series | null = null;
  private cursor: { x: number; at: number } | null = null;
  private selection: [Spot, Spot] | null = null;
  private frame: Frame | null = null;
  private drawn: Drawn[] = [];

  constructor(
    private readonly meta: Meta,
    private readonly panel: Panel,
    store: Store,
    private readonly state: State,
    private readonly theme: Theme,
  ) {
    this.id = panel.id;
    this.data = new Data(meta, store, panel);
    this.view = new View(panel);
    this.painter = new Painter(panel, theme);
    this.links = new Links(panel);
    this.legend = new Legend(meta, panel, {
      isOn: (series) => this.isOn(series),
      turn: (series, shown) => this.turn(series, shown),
      stress: (series) => {
        this.stressed = series;
        this.draw();
      },
    });
    const label = [panel.title, panel.unit].filter(Boolean).join(", ");
    this.plot = h("div", {
      class: "plot points-plot", tabindex: 0, role: "group", "aria-roledescription": "chart",
      "aria-label": `${label}, over ${axisName(panel)}. Arrow keys move the crosshair.`,
    }, this.base, this.above);
    this.root = h(
      "section",
      { class: "panel points", "data-panel": panel.id, "aria-label": label },
      h(
        "p",
        { class: "points-title" },
        h("span", { class: "panel-title" }, panel.title),
        panel.unit && h("span", { class: "panel-unit" }, panel.unit),
      ),
      this.plot,
      this.legend.root,
      this.links.root,
      this.live,
    );
    on(this.plot, "keydown", (event) => this.key(event));
    attach(this.plot, {
      point: (at) => this.point(at),
      select: (a, b, done) => this.select(a, b, done),
      pan: (dx, dy) => this.pan(dx, dy),
      zoom: (at, factor) => this.zoom(at, factor),
      click: (at) => this.click(at),
      reset: () => this.reset(),
    });
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  update(changes: ReadonlySet<Change>, ratio?: number): void {
    if (changes.has("shown")) this.legend.update();
    if (changes.has("shown") || changes.has("data") || changes.has("theme")) this.draw(ratio);
  }

  private isOn(series: Series): boolean {
    if (this.state.switches.has(series.switch)) return this.state.shows(series);
    return this.state.runOn(series.run) && !this.off.has(this.group(series));
  }

  /** Series with the same switch share it, known to the page or not. */
  private group(series: Series): string {
    return series.switch || `#${this.panel.series.indexOf(series)}`;
  }

  private turn(series: Series, shown: boolean): void {
    if (this.state.switches.has(series.switch)) this.state.turn(series.switch, shown);
    else if (shown) this.off.delete(this.group(series));
    else this.off.add(this.group(series));
    this.legend.update();
    this.draw();
  }

  private shown(): Points[] {
    return this.data.all().filter((points) => this.isOn(points.series));
  }

  private draw(ratio = Math.min(3, devicePixelRatio || 1)): void {
    const wide = this.plot.clientWidth;
    if (wide === 0) return;
    const high = wide < NARROW_PX ? HEIGHT_PX - 40 : HEIGHT_PX;
    this.plot.style.height = `${high}px`;
    for (const canvas of [this.base, this.above]) {
      const [w, tall] = [Math.round(wide * ratio), Math.round(high * ratio)];
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== tall) canvas.height = tall;
    }
    const ctx = this.base.getContext("2d")!;
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, wide, high);
    const shown = this.shown();
    const placed = layout(ctx, this.panel, wide, high, this.view.ends(shown));
    this.frame = placed.frame;
    this.drawn = arrange(shown, this.panel, this.meta);
    paintAxes(placed, this.panel, this.theme.colors, high);
    paintThresholds(placed.frame, this.panel, this.meta, this.theme);
    this.painter.paint(placed.frame, this.drawn, (points) => this.faint(points));
    this.plot.dataset["drawn"] = String(shown.length);
    this.drawAbove();
  }

  private faint({ series }: Points): boolean {
    if (this.stressed) return this.group(series) !== this.group(this.stressed);
    return this.state.faint(series.switch);
  }

  private drawAbove(): void {
    if (!this.frame) return;
    const ctx = this.above.getContext("2d")!;
    const ratio = this.above.width / Math.max(1, this.plot.clientWidth);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, this.above.width, this.above.height);
    const f = { ...this.frame, ctx };
    const rows = this.rows();
    const rings = rows.map(({ drawn, row }) => this.painter.at(f, drawn, row));
    paintCrosshair(f, this.cursor?.at ?? null, rings, this.selection, this.theme.colors);
    this.legend.values(
      this.cursor ? this.said(this.cursor.x) : "",
      rows.map(({ drawn, row }) => ({ points: drawn.points, row, other: this.other(drawn, row) })),
    );
  }

  /** The row of each series that is nearest to the crosshair. */
  private rows(): { drawn: Drawn; row: number }[] {
    const { cursor } = this;
    if (!cursor) return [];
    return this.drawn
      .map((drawn) => ({ drawn, row: nearestRow(drawn.points, cursor.at) }))
      .filter(({ row, drawn }) => {
        if (row < 0) return false;
        return this.panel.x?.scale !== "names" || drawn.points.x[row] === cursor.x;
      });
  }

  /** A value of x with its unit, or its name. */
  private said(x: number): string {
    const { scale, names, label = "", unit = "" } = this.panel.x ?? {};
    if (scale === "names") return names?.[x] ?? "";
    return `${label} ${number(x)} ${unit}`.trim();
  }

  /** Says the x of a point that is not at the crosshair. */
  private other({ points }: Drawn, row: number): string {
    const x = points.x[row]!;
    if (!this.cursor || x === this.cursor.x) return "";
    return `at ${number(x)}${this.panel.x?.unit ? ` ${this.panel.x.unit}` : ""}: `;
  }

  private point(at: Spot | null): void {
    const found = at && this.nearest(at, this.scattered ? 1 : 0);
    this.cursor = found && { x: found.drawn.points.x[found.row]!, at: found.drawn.points.px[found.row]! };
    const linked = at && this.nearest(at, 1, REACH_PX);
    this.plot.style.cursor = linked && linked.drawn.points.href(linked.row) ? "pointer" : "";
    this.drawAbove();
  }

  /** Marks alone have no common values of x: the nearest one counts. */
  private get scattered(): boolean {
    return this.drawn.length > 0 && this.drawn.every(({ points }) => points.series.shape === "marks");
  }

  private nearest(at: Spot, vertical: number, reach = Infinity): { drawn: Drawn; row: number } | null {
    const f = this.frame;
    if (!f) return null;
    let best: { drawn: Drawn; row: number } | null = null;
    let least = reach;
    for (const drawn of this.drawn) {
      for (let row = 0; row < drawn.points.px.length; row++) {
        const [x, y] = this.painter.at(f, drawn, row);
        if (Number.isNaN(x + y) || x < f.left - 1 || x > f.left + f.width + 1) continue;
        const gap = Math.hypot(x - at.x, vertical * (y - at.y));
        if (gap < least) [least, best] = [gap, { drawn, row }];
      }
    }
    return best;
  }

  private click(at: Spot): void {
    const found = this.nearest(at, 1, REACH_PX);
    if (!found) return;
    const { points } = found.drawn;
    this.links.show([this.link(points, found.row)]);
    say(this.live, `${points.series.label}: ${inWords(points, found.row, this.panel.unit)}`);
  }

  private link(points: Points, row: number): { label: string; target: string } {
    return {
      label: `${points.series.label}, ${this.said(points.x[row]!)}`,
      target: points.href(row),
    };
  }

  private select(a: Spot, b: Spot, done: boolean): void {
    const f = this.frame;
    if (!f) return;
    const [dx, dy] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
    const foot = f.top + f.height;
    // A drag along one axis zooms that axis alone.
    const names = this.panel.x?.scale === "names";
    const flat = dy < 18 && !names;
    const steep = dx < 18 || names;
    const corners: [Spot, Spot] = [
      { x: steep ? f.left : a.x, y: flat ? f.top : a.y },
      { x: steep ? f.left + f.width : b.x, y: flat ? foot : b.y },
    ];
    this.selection = done ? null : corners;
    if (done) {
      const x = corners.map((s) => f.from + ((s.x - f.left) / f.width) * (f.to - f.from));
      const y = corners.map((s) => f.low + ((foot - s.y) / f.height) * (f.high - f.low));
      x.sort((p, q) => p - q);
      y.sort((p, q) => p - q);
      this.view.set(
        steep ? null : (x as [number, number]), flat ? null : (y as [number, number]), this.shown(),
      );
      this.draw();
    } else this.drawAbove();
  }

  private pan(dx: number, dy: number): void {
    const f = this.frame;
    if (!f || !this.view.zoomed) return;
    const x = (-dx / f.width) * (f.to - f.from);
    const y = (dy / f.height) * (f.high - f.low);
    this.view.set([f.from + x, f.to + x], [f.low + y, f.high + y], this.shown());
    this.draw();
  }

  /** Zooms both axes at a place; left of the plot the vertical one, beneath it the other. */
  private zoom(at: Spot, factor: number): void {
    const f = this.frame;
    if (!f) return;
    const left = at.x < f.left;
    const under = at.y > f.top + f.height;
    const x = f.from + ((at.x - f.left) / f.width) * (f.to - f.from);
    const y = f.low + ((f.top + f.height - at.y) / f.height) * (f.high - f.low);
    const around = (low: number, high: number, here: number): [number, number] => [
      here - (here - low) * factor, here + (high - here) * factor,
    ];
    this.view.set(
      left ? null : around(f.from, f.to, x), under ? null : around(f.low, f.high, y), this.shown(),
    );
    this.draw();
  }

  private reset(): void {
    this.view.reset();
    this.draw();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = (): Spot => {
      const f = this.frame!;
      return { x: this.cursor ? px(f, this.cursor.at) : f.left + f.width / 2, y: f.top + f.height / 2 };
    };
    const acts: Record<string, () => void> = {
      ArrowLeft: () => this.move(-1),
      ArrowRight: () => this.move(1),
      Home: () => this.move(-Infinity),
      End: () => this.move(Infinity),
      Enter: () => this.links.show(this.rows().map(({ drawn, row }) => this.link(drawn.points, row))),
      "+": () => this.zoom(middle(), 1 / 1.5),
      "=": () => this.zoom(middle(), 1 / 1.5),
      "-": () => this.zoom(middle(), 1.5),
      "0": () => this.reset(),
      Escape: () => {
        this.cursor = null;
        this.links.show([]);
        this.drawAbove();
      },
    };
    const act = acts[event.key];
    if (!act || !this.frame) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** Moves the crosshair by values of x, and says what is there. */
  private move(by: number): void {
    const { from, to } = this.frame!;
    const all = stops(this.shown()).filter(({ at }) => at >= from - 1e-9 && at <= to + 1e-9);
    if (all.length === 0) return;
    const here = this.cursor ? all.findIndex(({ at }) => at >= this.cursor!.at - 1e-12) : by > 0 ? -1 : all.length;
    this.cursor = all[Math.max(0, Math.min(all.length - 1, here + by))]!;
    this.drawAbove();
    const values = this.rows().map(({ drawn, row }) =>
      `${drawn.points.series.label} ${this.other(drawn, row)}${inWords(drawn.points, row, this.panel.unit)}`,
    );
    say(this.live, `${this.said(this.cursor.x)}: ${values.join(", ")}`);
  }
}
