// Asks the module in Node: requests as a list of lists in JSON on the input, each list of one run
// of requests; the answers on the output. `node module.mjs FILE < requests.json`
import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, {});

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

const requests = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(requests.map(run)));
