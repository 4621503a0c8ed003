// Numbers as text.

const MINUS = "\u2212";
const GAP = "\u202f";

/** A value with four significant digits; whole numbers above in full. */
export function number(value: number): string {
  if (Number.isNaN(value)) return "\u2013";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const sign = value < 0 ? MINUS : "";
  if (size >= 1e12 || size < 1e-4) return sign + size.toExponential(2).replace("-", MINUS);
  if (size >= 1000) return sign + grouped(Math.round(size).toString());
  const text = size.toPrecision(4);
  return sign + (Number.isInteger(size) ? size.toString() : text);
}

function grouped(digits: string): string {
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, GAP);
}

/** An instant, fine enough to tell pixels of a window of `span` seconds apart. */
export function instant(t: number, span: number): string {
  const places = Math.min(9, Math.max(3, Math.ceil(-Math.log10(span / 2000))));
  return `${t < 0 ? MINUS : ""}${Math.abs(t).toFixed(places)}`;
}

/** A duration in the unit that suits it. */
export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  const sign = seconds < 0 ? MINUS : "";
  if (size >= 1) return `${sign}${size.toPrecision(4)} s`;
  if (size >= 1e-3) return `${sign}${(size * 1e3).toPrecision(4)} ms`;
  if (size >= 1e-6) return `${sign}${(size * 1e6).toPrecision(4)} µs`;
  return size === 0 ? "0 s" : `${sign}${(size * 1e9).toPrecision(3)} ns`;
}

/** A tick: as many places as its step needs. */
export function tick(value: number, step: number): string {
  const places = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7) {
    const power = Math.floor(Math.log10(size) + 1e-9);
    const head = size / 10 ** power;
    const digits = Math.max(0, Math.min(6, power - Math.floor(Math.log10(step) + 1e-9)));
    return `${value < 0 ? MINUS : ""}${head.toFixed(digits)}e${power}`;
  }
  const [whole, part] = size.toFixed(places).split(".");
  return `${value < 0 ? MINUS : ""}${grouped(whole!)}${part ? `.${part}` : ""}`;
}

/** Round instants or values in a range, about `count` of them. */
export function ticks(low: number, high: number, count: number): { step: number; at: number[] } {
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const head = raw / power;
  const step = (head <= 1 ? 1 : head <= 2 ? 2 : head <= 5 ? 5 : 10) * power;
  const at: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let k = first; k * step <= high + step * 1e-9; k++) at.push(k * step);
  return { step, at };
}
