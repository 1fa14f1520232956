import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test, type TestContext } from "node:test";
import "./helpers";
import { MachineLocator, chooseRunFile, parseRunFile, stateFolder } from "../../src/daemon/discovery";

interface Laid {
  vault?: string;
  text?: string;
  mode?: string;
  set?: Record<string, unknown>;
  folder?: boolean;
  link?: string;
}
interface Table {
  folders: { name: string; platform: string; home: string; environment: Record<string, string>; expect: string }[];
  choices: { name: string; vault?: string; through?: "link"; files: Record<string, Laid>; expect: string | null }[];
}
const table = JSON.parse(readFileSync("tests/fixtures/run-file-cases.json", "utf8")) as Table;

/** A folder of its own for a test, with the state folder in it. */
function place(t: TestContext): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ebbtide-")));
  const before = process.env.EBBTIDE_STATE;
  process.env.EBBTIDE_STATE = join(root, "state");
  t.after(() => {
    rmSync(root, { recursive: true });
    if (before === undefined) delete process.env.EBBTIDE_STATE;
    else process.env.EBBTIDE_STATE = before;
  });
  return root;
}

for (const one of table.folders) {
  test(`state folder: ${one.name}`, () => {
    assert.equal(stateFolder(one.platform, one.environment, one.home), one.expect);
  });
}

for (const one of table.choices) {
  test(`run file: ${one.name}`, async (t) => {
    const root = place(t);
    const vault = join(root, one.vault ?? "Notes");
    mkdirSync(vault);
    mkdirSync(join(root, "state/run"), { recursive: true });
    Object.entries(one.files).forEach(([name, file], index) => lay(root, join(root, "state/run", name), file, index));
    if (one.through) symlinkSync(vault, join(root, "link"));
    const found = await new MachineLocator(one.through ? join(root, "link") : vault).locate();
    const index = Object.keys(one.files).indexOf(one.expect ?? "");
    assert.equal(found?.url ?? null, one.expect === null ? null : `http://127.0.0.1:${27631 + index}`);
  });
}

function lay(root: string, path: string, file: Laid, index: number): void {
  if (file.folder) return void mkdirSync(path);
  if (file.link) return symlinkSync(join(dirname(path), file.link), path);
  const run = {
    app: "ebbtide", schema: 1, url: `http://127.0.0.1:${27631 + index}`, port: 27631 + index, pid: process.pid,
    token: "t".repeat(43), token_file: join(root, "state/token"), vault_id: "v_1", vault_path: join(root, file.vault ?? ""),
    api: 1, version: "0.1.0", started: "2026-11-30T08:00:00+0000", command: ["/usr/bin/ebbtide", "up"],
  };
  writeFileSync(path, file.text ?? JSON.stringify({ ...run, ...file.set }));
  chmodSync(path, Number.parseInt(file.mode ?? "600", 8));
}

const run = { app: "ebbtide", schema: 1, url: "http://127.0.0.1:1", token: "t", vault_id: "v_1", vault_path: "/v", started: "2026-01-01", pid: 1 };

test("a run file that leads off this machine, or of a later kind, is none", () => {
  assert.ok(parseRunFile(JSON.stringify(run)));
  for (const url of ["http://example.com:80", "https://127.0.0.1:1", "http://127.0.0.1:1@example.com", "http://127.0.0.1:1/x", "file:///etc"]) {
    assert.equal(parseRunFile(JSON.stringify({ ...run, url })), null, url);
  }
  assert.equal(parseRunFile(JSON.stringify({ ...run, schema: 2 })), null);
  assert.equal(parseRunFile("null"), null);
});

test("of two that a kill left behind the younger counts", () => {
  const file = (started: string) => ({ url: started, token: "", vaultId: "v_1", vaultPath: "/v", started, pid: 1, command: [] });
  const [old, young] = [file("2026-01-01T00:00:00+0000"), file("2026-01-02T00:00:00+0000")];
  assert.equal(chooseRunFile([old, young], "/v", "linux"), young);
  assert.equal(chooseRunFile([young, old], "/v", "linux"), young);
  assert.equal(chooseRunFile([{ ...old, vaultPath: "C:\\Notes" }], "c:/notes", "win32")?.url, old.url);
});

test("the vault's folder as the daemon knows it", async (t) => {
  const root = place(t);
  mkdirSync(join(root, "Notes"));
  symlinkSync(join(root, "Notes"), join(root, "link"));
  assert.equal(await new MachineLocator(join(root, "link")).real(), join(root, "Notes"));
  assert.equal(await new MachineLocator(join(root, "gone")).real(), join(root, "gone"));
});

async function start(t: TestContext, make: (root: string) => string[]): Promise<string> {
  const root = place(t);
  const awake = setInterval(() => {}, 1000); // the program is let go of, so nothing else would keep the test up
  t.after(() => clearInterval(awake));
  return new Promise((resolve, reject) => {
    new MachineLocator(root).start(make(root), resolve).catch(reject);
  });
}

test("a program is started without a shell, its arguments apart", async (t) => {
  const program = (root: string): string => {
    writeFileSync(join(root, "program"), "#!/bin/sh\nprintf '%s|' \"$@\"\n", { mode: 0o755 });
    return join(root, "program");
  };
  assert.equal(await start(t, (root) => [program(root), "up", "$(touch x) ; 笔记 & 'q'"]), "up|$(touch x) ; 笔记 & 'q'|");
});

test("a program that ends without a word is told by its code", async (t) => {
  assert.equal(await start(t, () => ["/bin/sh", "-c", "exit 3"]), "exit code 3");
});

test("a program that is not there, or not absolute, is not started", async (t) => {
  await assert.rejects(start(t, () => ["/no/such/program"]), /ENOENT/);
  await assert.rejects(start(t, () => ["ebbtide", "up"]));
  await assert.rejects(start(t, () => []));
});
