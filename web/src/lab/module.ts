// The simulator: a WebAssembly module without imports. A request goes in as JSON; JSON and blobs
// come out.

interface Exports {
  memory: WebAssembly.Memory;
  room(bytes: number): number;
  call(): number;
  at(): number;
  size(): number;
}

export interface Problem {
  code: number;
  rendered: string;
}

export interface Answer<T> {
  json: T;
  blobs: Uint8Array[];
}

export class Wrong extends Error {}

export class Simulator {
  private exports: Exports | null = null;

  constructor(private readonly module: WebAssembly.Module) {}

  /** Asks; throws `Wrong` with the message of a problem, or of a panic. */
  ask<T>(request: object): Answer<T> {
    this.exports ??= new WebAssembly.Instance(this.module, {}).exports as unknown as Exports;
    const { exports } = this;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = exports.room(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    let length: number;
    try {
      length = exports.call();
    } catch (error) {
      // After a trap the instance is of no further use.
      this.exports = null;
      const said = new Uint8Array(exports.memory.buffer, exports.at(), exports.size());
      const words = new TextDecoder().decode(said) || String(error);
      throw new Wrong(`the simulator failed: ${words}`);
    }
    const parts = split(new Uint8Array(exports.memory.buffer, exports.at(), length));
    const json = JSON.parse(new TextDecoder().decode(parts[0])) as T & { problem?: Problem };
    if (json?.problem) throw new Wrong(json.problem.rendered);
    return { json, blobs: parts.slice(1) };
  }
}

/** Copies of the parts, each after its length. */
function split(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true);
    parts.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}
