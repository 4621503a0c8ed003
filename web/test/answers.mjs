// Answers of the simulator's module to requests, each of one run; the same in Node and in a browser.

/** exports: of an instance of the module. */
export function answers(exports, requests) {
  function ask(request) {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = exports.room(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    exports.call();
    const view = new DataView(exports.memory.buffer, exports.at());
    const json = new Uint8Array(exports.memory.buffer, exports.at() + 4, view.getUint32(0, true));
    return JSON.parse(new TextDecoder().decode(json));
  }

  function run(begin) {
    const since = performance.now();
    const begun = ask(begin);
    if (begun?.problem) return begun;
    for (;;) {
      const went = ask({ verb: "go", events: 100_000 });
      if (went.problem) return went;
      if (went.done) break;
    }
    const finished = ask({ verb: "finish" });
    return { ...finished, ms: performance.now() - since };
  }

  return requests.map(run);
}
