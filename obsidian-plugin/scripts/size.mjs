// Holds the bundle to the size that the design asks for: the code without its words (locales) and without the export command.
// `--parts` lists what each module takes. Needs `npm run build`, which leaves .build/meta.json.
import { readFileSync, statSync } from "node:fs";

const LIMIT = 60_000;
const APART = /^src\/(locales\/|export\.ts$)/;

const { inputs, outputs } = JSON.parse(readFileSync(".build/meta.json", "utf8"));
const parts = Object.entries(outputs["main.js"].inputs).map(([name, { bytesInOutput }]) => [name, bytesInOutput]);
const total = statSync("main.js").size;
const apart = parts.filter(([name]) => APART.test(name)).reduce((sum, [, bytes]) => sum + bytes, 0);
if (process.argv.includes("--parts")) for (const [name, bytes] of parts.sort((a, b) => b[1] - a[1])) console.log(String(bytes).padStart(7), name);
const lines = Object.keys(inputs).filter((name) => name.startsWith("src/") && !APART.test(name)).reduce((sum, name) => sum + readFileSync(name, "utf8").split("\n").length, 0);
console.log(`${lines} lines of source (without words, types and export)`);
console.log(`main.js: ${total} bytes, of them ${apart} words and export, ${total - apart} code (limit ${LIMIT})`);
if (total - apart >= LIMIT) process.exit(1);
