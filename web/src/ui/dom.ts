// Elements without markup in strings: all data goes in as text.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined>;

const SVG = "http://www.w3.org/2000/svg";

function fill(node: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) node.append(child);
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS(SVG, tag) as SVGElement;
  fill(node, attributes, children);
  return node;
}

export function on<K extends keyof HTMLElementEventMap>(
  node: HTMLElement,
  name: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): void {
  node.addEventListener(name, listener);
}

/** Sets the text only where it differs, so that nothing is laid out again. */
export function say(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}
