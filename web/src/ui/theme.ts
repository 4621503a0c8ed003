// Light and dark: the system's choice, or the user's; and the colors that canvases take from it.

import type { Look } from "../meta";

export interface Colors {
  dark: boolean;
  ink: string;
  soft: string;
  line: string;
  grid: string;
  paper: string;
  card: string;
  accent: string;
}

const KEY = "dumbbell-theme";

export class Theme {
  colors: Colors;
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private chosen: "light" | "dark" | null = null;
  private printing = false;

  constructor(private readonly changed: () => void, ends: AddEventListenerOptions = {}) {
    try {
      const kept = localStorage.getItem(KEY);
      if (kept === "light" || kept === "dark") this.chosen = kept;
    } catch {
      // Pages from file:// may have no storage; the system's choice holds then.
    }
    this.system.addEventListener("change", () => this.apply(), ends);
    this.colors = this.apply();
  }

  get dark(): boolean {
    return !this.printing && (this.chosen ? this.chosen === "dark" : this.system.matches);
  }

  toggle(): void {
    this.chosen = this.dark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.chosen);
    } catch {
      // As above.
    }
    this.apply();
  }

  /** Paper is white whatever the screen is. */
  print(printing: boolean): void {
    this.printing = printing;
    this.apply();
  }

  look(look: Look | undefined): string {
    if (!look) return this.colors.soft;
    return this.colors.dark ? look.dark : look.color;
  }

  private apply(): Colors {
    const root = document.documentElement;
    root.dataset["theme"] = this.dark ? "dark" : "light";
    const style = getComputedStyle(root);
    const get = (name: string) => style.getPropertyValue(`--${name}`).trim();
    this.colors = {
      dark: this.dark,
      ink: get("ink"),
      soft: get("soft"),
      line: get("line"),
      grid: get("grid"),
      paper: get("paper"),
      card: get("card"),
      accent: get("accent"),
    };
    this.changed();
    return this.colors;
  }
}
