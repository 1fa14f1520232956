// Bundles src/main.ts into main.js and the parts of src/styles into styles.css. `node esbuild.config.mjs production` minifies, and
// leaves in .build/meta.json what each module takes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
  metafile: production,
  outfile: "main.js",
});
if (production) {
  const { metafile } = await context.rebuild();
  mkdirSync(".build", { recursive: true });
  writeFileSync(".build/meta.json", JSON.stringify(metafile));
  await context.dispose();
} else {
  await context.watch();
}
