// Holds the bundle to the size that the design asks for: the code without its words (locales) and without the export command.
// `--parts` lists what each module takes.
import { readFileSync, statSync } from "node:fs";
import esbuild from "esbuild";

const LIMIT = 60_000;
const APART = /^src\/(locales\/|export\.ts$)/;

const { metafile } = await esbuild.build({
  entryPoints: ["src/main.ts"], bundle: true, minify: true, write: false, metafile: true, format: "cjs", target: "es2022",
  charset: "utf8", legalComments: "none", external: ["obsidian", "electron", "node:*"], outfile: "main.js", logLevel: "error",
});
const parts = Object.entries(Object.values(metafile.outputs)[0].inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput]);
const total = statSync("main.js").size;
const apart = parts.filter(([name]) => APART.test(name)).reduce((sum, [, bytes]) => sum + bytes, 0);
if (process.argv.includes("--parts")) for (const [name, bytes] of parts.sort((a, b) => b[1] - a[1])) console.log(String(bytes).padStart(7), name);
const lines = Object.keys(metafile.inputs).filter((name) => name.startsWith("src/") && !APART.test(name)).reduce((sum, name) => sum + readFileSync(name, "utf8").split("\n").length, 0);
console.log(`${lines} lines of source (without words, types and export)`);
console.log(`main.js: ${total} bytes, of them ${apart} words and export, ${total - apart} code (limit ${LIMIT})`);
if (total - apart >= LIMIT) process.exit(1);
