// Base64 to bytes. Browsers of 2025 have a decoder; the table is for those before.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUE = new Uint8Array(128).fill(255);
for (let i = 0; i < 64; i++) VALUE[DIGITS.charCodeAt(i)] = i;

type Builtin = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const builtin = (Uint8Array as unknown as Builtin).fromBase64;
  return builtin ? builtin.call(Uint8Array, text) : byTable(text);
}

/** The bytes of `text`; white space and padding are skipped. */
export function byTable(text: string): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array((text.length * 3) >> 2);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const value = VALUE[text.charCodeAt(i)] as number | undefined;
    if (value === undefined || value === 255) continue;
    held = (held << 6) | value;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out[at++] = held >> bits;
      held &= (1 << bits) - 1;
    }
  }
  return out.slice(0, at);
}
