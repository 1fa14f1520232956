// Proves that this folder builds alone: a copy of what is to be published, in a temporary place, with nothing above it.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const APART = new Set(["node_modules", "main.js", "styles.css", ".build", ".artefacts"]);
const NEEDED = ["manifest.json", "versions.json", "README.md", "LICENSE", "package.json", "package-lock.json"];
const copy = join(mkdtempSync(join(tmpdir(), "ebbtide-alone-")), "plugin");
try {
  cpSync(".", copy, { recursive: true, filter: (from) => !APART.has(from) });
  const missing = NEEDED.filter((name) => !existsSync(join(copy, name)));
  if (missing.length > 0) throw new Error(`missing at the root: ${missing.join(", ")}`);
  const npm = (...args) => execFileSync("npm", args, { cwd: copy, stdio: ["ignore", "ignore", "inherit"] });
  npm("ci", "--ignore-scripts");
  npm("run", "build");
  npm("test");
  for (const name of ["main.js", "styles.css"]) if (!existsSync(join(copy, name))) throw new Error(`${name} was not built`);
  console.log("the folder builds and tests alone");
} finally {
  rmSync(join(copy, ".."), { recursive: true, force: true });
}
