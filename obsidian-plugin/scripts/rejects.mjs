// Bad examples that the gate must refuse, so that the gate cannot rot: files under tests/fixtures/rejects against ESLint (the first
// line names the path they pretend to have and the rules that must speak), and mutations of our own files against tsc.
import { readFileSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { ESLint } from "eslint";
import ts from "typescript";

const FOLDER = "tests/fixtures/rejects";
const MUTATIONS = [
  { name: "a field of the API renamed", file: "src/api-types.ts", from: /\bplugin_min: string/g, to: "plugin_minimum: string" },
  { name: "a field of the recall answer renamed", file: "src/api-types.ts", from: /\binject: string/g, to: "injected: string" },
  { name: "a route of the API renamed", file: "src/api-types.ts", from: /"\/v1\/related"/g, to: '"/v1/relatives"' },
  { name: "a Chinese word missing", file: "src/locales/zh-base.ts", from: /^ {4}tryAgain: .*\n/m, to: "" },
  { name: "the stand-in invents an export", project: "tests/tsconfig.check.json", file: "tests/harness/stand-in/obsidian.ts", from: /$/, to: "\nexport const invented = 1;\n" },
  { name: "the stand-in lacks what is used", project: "tests/tsconfig.stand-in.json", file: "tests/harness/stand-in/obsidian.ts", from: /\bConfirmationModal, /, to: "" },
];

let failures = 0;
function report(name, refused) {
  if (!refused) failures++;
  console.log(`${refused ? "refused" : "NOT REFUSED"}  ${name}`);
}

const eslint = new ESLint();
for (const file of readdirSync(FOLDER).sort()) {
  const [head, ...rest] = readFileSync(`${FOLDER}/${file}`, "utf8").split("\n");
  const [, filePath, rules] = /^\/\/ as (\S+): (.+)$/.exec(head);
  const [result] = await eslint.lintText(rest.join("\n"), { filePath });
  const spoke = new Set(result.messages.map((message) => message.ruleId));
  for (const rule of rules.split(", ")) report(`${file}: ${rule}`, spoke.has(rule));
}

const sources = new Map(); // parsed once, for all programs
const before = new Map(); // what tsc says of a project as it is

function complaints(project, changed = null) {
  const { options, fileNames } = ts.getParsedCommandLineOfConfigFile(project, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: console.error });
  const host = ts.createCompilerHost(options);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, version) => {
    if (changed && resolve(name) === changed.path) return ts.createSourceFile(name, changed.text, version, true);
    if (!sources.has(name)) sources.set(name, parse(name, version));
    return sources.get(name);
  };
  const found = ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options, host));
  return new Set(found.map((one) => `${one.file?.fileName}: ${ts.flattenDiagnosticMessageText(one.messageText, " ")}`));
}

for (const { name, file, from, to, project = "tsconfig.json" } of MUTATIONS) {
  if (!before.has(project)) before.set(project, complaints(project));
  const text = readFileSync(file, "utf8");
  const changed = { path: resolve(file), text: text.replace(from, to) };
  if (changed.text === text) throw new Error(`${name}: nothing in ${file} to change`);
  report(`tsc: ${name}`, [...complaints(project, changed)].some((said) => !before.get(project).has(said)));
}

console.log(failures === 0 ? "every bad example was refused" : `${failures} bad examples were not refused`);
process.exit(failures === 0 ? 0 : 1);
