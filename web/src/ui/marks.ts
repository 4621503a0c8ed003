// Looks of series as small pictures beside their names, and markers on canvases.

import type { Look, Marker } from "../meta";
import { svg } from "./dom";

type Path = Pick<CanvasRenderingContext2D, "moveTo" | "lineTo" | "arc" | "closePath" | "rect">;

/** Adds a marker's outline of half-width `r`; true: it is filled, false: it is stroked. */
export function outline(path: Path, marker: Marker, x: number, y: number, r: number): boolean {
  const corners = (...points: number[]): void => {
    for (let i = 0; i < points.length; i += 2) {
      if (i === 0) path.moveTo(x + points[i]! * r, y + points[i + 1]! * r);
      else path.lineTo(x + points[i]! * r, y + points[i + 1]! * r);
    }
    path.closePath();
  };
  switch (marker) {
    case "circle":
      path.moveTo(x + r, y);
      path.arc(x, y, r, 0, 2 * Math.PI);
      return true;
    case "square":
      path.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
      return true;
    case "triangle":
      corners(0, -1.1, 1.05, 0.8, -1.05, 0.8);
      return true;
    case "down":
      corners(0, 1.1, 1.05, -0.8, -1.05, -0.8);
      return true;
    case "diamond":
      corners(0, -1.25, 1.1, 0, 0, 1.25, -1.1, 0);
      return true;
    case "star": {
      const points: number[] = [];
      for (let k = 0; k < 10; k++) {
        const radius = k % 2 ? 0.5 : 1.25;
        const angle = (k * Math.PI) / 5 - Math.PI / 2;
        points.push(radius * Math.cos(angle), radius * Math.sin(angle));
      }
      corners(...points);
      return true;
    }
    case "plus":
      path.moveTo(x - 1.1 * r, y);
      path.lineTo(x + 1.1 * r, y);
      path.moveTo(x, y - 1.1 * r);
      path.lineTo(x, y + 1.1 * r);
      return false;
    case "cross":
      path.moveTo(x - r, y - r);
      path.lineTo(x + r, y + r);
      path.moveTo(x - r, y + r);
      path.lineTo(x + r, y - r);
      return false;
  }
}

class Commands implements Path {
  text = "";
  moveTo(x: number, y: number): void {
    this.text += `M${x.toFixed(2)} ${y.toFixed(2)}`;
  }
  lineTo(x: number, y: number): void {
    this.text += `L${x.toFixed(2)} ${y.toFixed(2)}`;
  }
  arc(x: number, y: number, r: number): void {
    this.text += `A${r} ${r} 0 1 1 ${(x - r).toFixed(2)} ${y}A${r} ${r} 0 1 1 ${x + r} ${y}`;
  }
  rect(x: number, y: number, width: number, height: number): void {
    this.text += `M${x} ${y}h${width}v${height}h${-width}z`;
  }
  closePath(): void {
    this.text += "Z";
  }
}

/** A line with its dash and its marker, in both colors: the style sheet picks one. */
export function swatch(look: Look | undefined, width = 30): SVGElement {
  const picture = svg("svg", {
    class: "look",
    width,
    height: 12,
    viewBox: `0 0 ${width} 12`,
    "aria-hidden": "true",
  });
  if (!look) return picture;
  picture.style.setProperty("--c", look.color);
  picture.style.setProperty("--d", look.dark);
  picture.append(
    svg("path", {
      d: `M0 6H${width}`,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": look.width ?? 1.6,
      "stroke-dasharray": look.dash.length ? look.dash.join(" ") : undefined,
    }),
  );
  if (look.marker) picture.append(symbol(look.marker, width / 2, 6, 3.6));
  return picture;
}

export function symbol(marker: Marker, x: number, y: number, r: number): SVGElement {
  const commands = new Commands();
  const filled = outline(commands, marker, x, y, r);
  return svg("path", {
    d: commands.text,
    fill: filled ? "currentColor" : "none",
    stroke: filled ? "none" : "currentColor",
    "stroke-width": filled ? undefined : 1.8,
  });
}
