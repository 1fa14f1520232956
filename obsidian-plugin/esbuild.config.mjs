// Bundles src/main.ts into main.js and the parts of src/styles into styles.css. `node esbuild.config.mjs production` minifies.
import { readFileSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import esbuild from "esbuild";

const production = process.argv[2] === "production";
const STYLES = ["base", "recall", "health"];

writeFileSync("styles.css", STYLES.map((name) => readFileSync(`src/styles/${name}.css`, "utf8").trimEnd() + "\n").join("\n"));

const context = await esbuild.context({
  entryPoints: ["src/main.ts"],
  bundle: true,
  external: ["obsidian", "electron", ...builtinModules, ...builtinModules.map((name) => `node:${name}`)],
  format: "cjs",
  target: "es2022",
  logLevel: "info",
  sourcemap: production ? false : "inline",
  treeShaking: true,
  minify: production,
  legalComments: "none",
  charset: "utf8",
  outfile: "main.js",
});
if (production) {
  await context.rebuild();
  await context.dispose();
} else {
  await context.watch();
}
