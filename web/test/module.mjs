// Asks the module in Node: a list of requests in JSON on the input, each of one run; the answers on
// the output. `node module.mjs FILE < requests.json`
import { readFileSync } from "node:fs";
import { answers } from "./answers.mjs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const { exports } = new WebAssembly.Instance(module, {});
const requests = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(answers(exports, requests)));
