// Bundles tests/unit/*.test.ts, with the stand-in in the place of `obsidian`, and runs them by node --test.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import esbuild from "esbuild";

const OUT = ".build/unit";
const wanted = process.argv.slice(2); // part of a file's name
const names = readdirSync("tests/unit").filter((name) => name.endsWith(".test.ts") && (wanted.length === 0 || wanted.some((part) => name.includes(part))));

rmSync(OUT, { recursive: true, force: true });
await esbuild.build({
  entryPoints: names.map((name) => `tests/unit/${name}`),
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  outdir: OUT,
  outExtension: { ".js": ".mjs" },
  alias: { obsidian: "./tests/harness/stand-in/obsidian.ts" },
  // Bundled packages may be CommonJS and then ask for `require`.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  logLevel: "warning",
});
const files = names.map((name) => `${OUT}/${name.replace(/\.ts$/, ".mjs")}`);
process.exit(spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1);
