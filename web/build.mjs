// Builds the page's script and style sheet into the Python package; `--tests` bundles the tests,
// `--sample` the generator of sample pages, both into build/; `--out DIR` writes elsewhere.
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { tests: { type: "boolean" }, sample: { type: "boolean" }, out: { type: "string" } },
});
const target = ["chrome111", "firefox113", "safari16.4"];

if (values.tests || values.sample) {
  const names = readdirSync(join(here, "test")).filter((name) =>
    values.tests ? name.endsWith(".test.ts") : name === "sample.ts",
  );
  await build({
    entryPoints: names.map((name) => join(here, "test", name)),
    outdir: join(here, "build"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    sourcemap: "inline",
  });
} else {
  await build({
    entryPoints: ["page.ts", "live.ts", "lab.ts", "page.css", "lab.css"].map((name) => join(here, "src", name)),
    outdir: values.out ?? join(here, "..", "python", "dumbbell", "view"),
    bundle: true,
    minify: true,
    format: "iife",
    charset: "utf8",
    target,
    legalComments: "none",
  });
}
