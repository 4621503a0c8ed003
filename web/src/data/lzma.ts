// LZMA to bytes: a raw stream without a header, with three bits of context for literals and none of
// positions. The browser's own inflater knows only deflate, which packs a module a third worse. By
// the LZMA specification (Igor Pavlov, 2015).

const LITERAL_CONTEXT = 3;
const STATES = 12;
const LITERAL = 0x300;
const LENGTH = 2 + 8 + 8 + 256;
const SHORTEST = 2;
const END = 0xffffffff;

// Where the probabilities of each decision begin.
const IS_MATCH = 0;
const IS_REP = IS_MATCH + STATES;
const IS_REP0 = IS_REP + STATES;
const IS_REP1 = IS_REP0 + STATES;
const IS_REP2 = IS_REP1 + STATES;
const IS_LONG = IS_REP2 + STATES;
const SLOTS = IS_LONG + STATES;
const DISTANCES = SLOTS + 4 * 64;
const ALIGN = DISTANCES + 115;
const LENGTHS = ALIGN + 16;
const REP_LENGTHS = LENGTHS + LENGTH;
const LITERALS = REP_LENGTHS + LENGTH;

/** The `size` bytes of a stream. */
export function unpack(packed: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(size);
  const chances = new Uint16Array(LITERALS + (LITERAL << LITERAL_CONTEXT)).fill(1024);
  let range = END;
  let code = 0;
  let next = 1;
  while (next < 5) code = ((code << 8) | packed[next++]!) >>> 0;

  const normalize = () => {
    if (range >= 0x1000000) return;
    if (next > packed.length) throw new Error("the packed module ends too early");
    range = (range << 8) >>> 0;
    code = ((code << 8) | packed[next++]!) >>> 0;
  };
  const bit = (at: number): 0 | 1 => {
    const chance = chances[at]!;
    const bound = (range >>> 11) * chance;
    let found: 0 | 1 = 0;
    if (code < bound) {
      range = bound;
      chances[at] = chance + ((2048 - chance) >> 5);
    } else {
      range -= bound;
      code -= bound;
      chances[at] = chance - (chance >> 5);
      found = 1;
    }
    normalize();
    return found;
  };
  const tree = (at: number, bits: number): number => {
    let node = 1;
    for (let i = 0; i < bits; i++) node = (node << 1) | bit(at + node);
    return node - (1 << bits);
  };
  const reversed = (at: number, bits: number): number => {
    let node = 1;
    let found = 0;
    for (let i = 0; i < bits; i++) {
      const one = bit(at + node);
      node = (node << 1) | one;
      found |= one << i;
    }
    return found;
  };
  const direct = (bits: number): number => {
    let found = 0;
    for (let i = 0; i < bits; i++) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      normalize();
      found = found * 2 + one;
    }
    return found;
  };
  // The trees begin one before their first node, which has the number 1.
  const length = (at: number): number => {
    if (!bit(at)) return tree(at + 2, 3);
    return bit(at + 1) ? 16 + tree(at + 18, 8) : 8 + tree(at + 10, 3);
  };
  const distance = (long: number): number => {
    const slot = tree(SLOTS + 64 * Math.min(long, 3), 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + reversed(DISTANCES + base - slot, bits);
    return base + direct(bits - 4) * 16 + reversed(ALIGN, 4);
  };

  let state = 0;
  let reps: [number, number, number, number] = [0, 0, 0, 0];
  let at = 0;
  const literal = () => {
    const before = at ? out[at - 1]! : 0;
    const tables = LITERALS + LITERAL * (before >> (8 - LITERAL_CONTEXT));
    let symbol = 1;
    if (state >= 7) {
      let match = out[at - reps[0] - 1]!;
      while (symbol < 0x100) {
        const wanted = match >> 7;
        match = (match << 1) & 0xff;
        const one = bit(tables + ((1 + wanted) << 8) + symbol);
        symbol = (symbol << 1) | one;
        if (one !== wanted) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(tables + symbol);
    out[at++] = symbol & 0xff;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  };
  /** How many bytes are repeated. */
  const match = (): number => {
    if (!bit(IS_REP + state)) {
      const long = length(LENGTHS);
      reps = [distance(long), reps[0], reps[1], reps[2]];
      state = state < 7 ? 7 : 10;
      return long + SHORTEST;
    }
    if (!bit(IS_REP0 + state)) {
      if (!bit(IS_LONG + state)) {
        state = state < 7 ? 9 : 11;
        return 1;
      }
    } else if (!bit(IS_REP1 + state)) reps = [reps[1], reps[0], reps[2], reps[3]];
    else if (!bit(IS_REP2 + state)) reps = [reps[2], reps[0], reps[1], reps[3]];
    else reps = [reps[3], reps[0], reps[1], reps[2]];
    const long = length(REP_LENGTHS);
    state = state < 7 ? 8 : 11;
    return long + SHORTEST;
  };
  while (at < size) {
    if (!bit(IS_MATCH + state)) literal();
    else {
      const end = at + match();
      const back = reps[0] + 1;
      if (back > at || end > size) throw new Error("the packed module is damaged");
      for (; at < end; at++) out[at] = out[at - back]!;
    }
  }
  return out;
}
