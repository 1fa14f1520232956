import assert from "node:assert/strict";
import { test } from "node:test";
import { Pairing } from "../../src/daemon/pairing";
import { Connection, type DaemonState } from "../../src/daemon/state";
import { statedAlias } from "../../src/export";
import { Jobs, isUnderWay } from "../../src/jobs";
import { pickLanguage, strings } from "../../src/locales";
import { isCommand } from "../../src/settings";
import { DEFAULTS, Device, loopback, readSettings } from "../../src/settings-data";
import { Snapshot } from "../../src/snapshot";
import { statusLabel } from "../../src/status-bar";
import { ago, headline, quoted } from "../../src/views/parts";
import { ENDPOINT, HOME, HandClock, Wire, ok, refusal, settle, status } from "./helpers";

class Storage {
  data = new Map<string, string>();
  full = false;
  writes = 0;
  loadLocalStorage(key: string): unknown {
    const text = this.data.get(key);
    return text === undefined ? null : (JSON.parse(text) as unknown);
  }
  saveLocalStorage(key: string, value: unknown): void {
    this.writes++;
    if (this.full) throw new DOMException("The quota has been exceeded.", "QuotaExceededError");
    if (value === null) this.data.delete(key);
    else this.data.set(key, JSON.stringify(value));
  }
}

type Say = (...given: unknown[]) => unknown;

/** What a function of the tables says of numbers, or where it wants a list, of a list. */
function spoken(say: Say): unknown {
  try {
    return say(3, 4, 5, 6, 7, 8, 9);
  } catch {
    return say(["x"], ["x"], ["x"]);
  }
}

const STATES: DaemonState[] = [
  { kind: "not-found" }, { kind: "starting" }, { kind: "indexing", status: status({ state: "indexing" }) }, { kind: "ready", status: status() },
  { kind: "token-refused" }, { kind: "other-vault", found: "Work" }, { kind: "other-vault", found: null },
  { kind: "version-mismatch", update: "plugin" }, { kind: "version-mismatch", update: "daemon" }, { kind: "away", since: Date.now() },
];

for (const language of ["en", "zh"] as const) {
  test(`${language}: every state has words of its own`, () => {
    const t = strings(language);
    assert.equal(new Set(STATES.map((state) => headline(state, t))).size, STATES.length);
    const kinds = new Map(STATES.map((state) => [state.kind, statusLabel(state, undefined, t).text]));
    assert.equal(new Set(kinds.values()).size, kinds.size);
  });

  test(`${language}: every entry says something, whatever it is given`, () => {
    const walk = (value: unknown, path: string): void => {
      if (typeof value === "object" && value !== null) return Object.entries(value).forEach(([key, inner]) => walk(inner, `${path}.${key}`));
      const said = typeof value === "function" ? spoken(value as Say) : value;
      if (typeof said === "object") return;
      assert.ok(String(said).trim() !== "" && !/undefined|\[object|NaN/.test(String(said)), `${path}: ${said}`);
    };
    walk(strings(language), language);
  });
}

test("the language that Obsidian speaks", () => {
  for (const [code, expected] of [["en", "en"], ["zh", "zh"], ["zh-TW", "zh"], ["de", "en"], ["", "en"], ["zhx", "en"]] as const) {
    assert.equal(pickLanguage(code), expected, code);
  }
});

test("the status bar says how far things are", () => {
  const t = strings("en");
  const indexing: DaemonState = { kind: "indexing", status: status({ counts: { ...status().counts, indexed: 2, pending: 3 } }) };
  assert.equal(statusLabel(indexing, undefined, t).text, "Reading notes 2/5");
  const ready: DaemonState = { kind: "ready", status: status() };
  const job = { id: "j", what: "sleep", state: "running" as const, progress: { phase: "judge", done: 3, total: 9, eta_seconds: null }, message: "", started: null, finished: null, result: null };
  assert.equal(statusLabel(ready, job, t).text, "consolidating 3/9");
  assert.equal(statusLabel(ready, { ...job, state: "done" }, t).text, "Ready");
  assert.equal(statusLabel({ kind: "away", since: 0 }, job, t).text, "Away");
  assert.equal(statusLabel({ kind: "ready", status: status({ state: "degraded", problem_count: 2 }) }, undefined, t).text, "2 problems");
});

test("ages in words", () => {
  const t = strings("en");
  const now = Date.parse("2026-11-30T12:00:00Z");
  assert.deepEqual(
    ["2026-11-30T11:59:50Z", "2026-11-30T11:50:00Z", "2026-11-30T09:00:00Z", "2026-11-29T11:00:00Z", "2026-11-20T12:00:00Z", "2026-12-24T00:00:00Z", "nonsense"].map((when) => ago(t, when, now)),
    ["just now", "10 min ago", "3 h ago", "yesterday", "10 days ago", "just now", ""],
  );
});

test("settings that somebody else wrote are read as far as they are right", () => {
  assert.deepEqual(readSettings(null), DEFAULTS);
  assert.deepEqual(readSettings({ excerptLines: 3, rows: 0, hideLinked: "yes", token: "x" }), DEFAULTS);
  assert.deepEqual(readSettings({ excerptLines: "3", rows: 30, hideLinked: false, statusBar: false, keepSnapshot: false }), { excerptLines: "3", rows: 30, hideLinked: false, statusBar: false, keepSnapshot: false });
  assert.equal("token" in readSettings({ token: "x" }), false);
});

test("only this computer's address", () => {
  assert.equal(loopback("http://127.0.0.1:27631"), "http://127.0.0.1:27631");
  assert.equal(loopback(" http://localhost:8/ "), "http://127.0.0.1:8");
  for (const bad of ["", "127.0.0.1:1", "https://127.0.0.1:1", "http://example.com", "http://127.0.0.1.example.com:1", "http://u@127.0.0.1:1", "http://127.0.0.1:1/x", "http://0.0.0.0:1", "javascript:1"]) {
    assert.equal(loopback(bad), null, bad);
  }
});

test("what may be started has an absolute path", () => {
  for (const good of ["", "  \n", "/usr/bin/ebbtide\nup\n/notes", "C:\\bin\\ebbtide.exe\nup"]) assert.ok(isCommand(good), good);
  for (const bad of ["ebbtide\nup", "./ebbtide", "sh -c x"]) assert.ok(!isCommand(bad), bad);
});

test("a path as one word of a shell", () => {
  assert.equal(quoted("/home/ann/Notes"), "/home/ann/Notes");
  assert.equal(quoted("/My $Notes/it's"), "'/My $Notes/it'\\''s'");
  assert.equal(quoted("/笔记"), "'/笔记'");
});

test("what belongs to this device", () => {
  const storage = new Storage();
  const device = new Device(storage);
  assert.deepEqual([device.command, device.address, device.tokenSecret], [[], "", ""]);
  device.set({ command: ["/bin/ebbtide", "up"] });
  device.set({ address: "http://127.0.0.1:5" });
  assert.deepEqual([device.command, device.address], [["/bin/ebbtide", "up"], "http://127.0.0.1:5"]);
  const again = new Device(storage);
  assert.deepEqual([again.command, again.address, again.tokenSecret], [["/bin/ebbtide", "up"], "http://127.0.0.1:5", ""]);
  for (const odd of [{ command: "rm -rf /", address: 5, tokenSecret: [] }, ["x"], "x", null]) {
    storage.saveLocalStorage("ebbtide-device", odd);
    const device = new Device(storage);
    assert.deepEqual([device.command, device.address, device.tokenSecret], [[], "", ""]);
  }
});

test("a command that is known is not written again", () => {
  const storage = new Storage();
  const device = new Device(storage);
  for (let i = 0; i < 3; i++) device.set({ command: ["/bin/ebbtide", "up"] });
  assert.equal(storage.writes, 1);
  new Device(storage).set({ command: ["/bin/ebbtide", "up"] });
  assert.equal(storage.writes, 1);
});

test("a full storage stops nobody", async () => {
  const storage = new Storage();
  const device = new Device(storage);
  const snapshot = new Snapshot(storage, () => true);
  snapshot.keep("recall", "A.md", { items: [1] });
  storage.full = true;
  const wire = new Wire();
  const connection = new Connection(wire.transport, "en", HOME, new HandClock(), (command) => device.set({ command }));
  connection.load();
  await connection.connect({ locate: () => Promise.resolve(ENDPOINT), start: () => Promise.resolve() });
  assert.equal(connection.state.kind, "ready");
  assert.deepEqual(device.command, ENDPOINT.command);
  snapshot.keep("recall", "A.md", { items: [2] });
  assert.deepEqual(snapshot.find<{ items: number[] }>("recall", "A.md")?.data, { items: [1] }, "what was kept before stays");
  snapshot.clear();
  storage.full = false;
  device.set({ command: [...ENDPOINT.command] });
  assert.deepEqual(new Device(storage).command, ENDPOINT.command, "and is written once there is room");
});

test("a typed address goes first, then the run file, then a token alone", async () => {
  const machine = { locate: () => Promise.resolve(found), start: () => Promise.resolve() };
  let found: typeof ENDPOINT | null = ENDPOINT;
  const pairing = (address: string, tokenSecret: string) => new Pairing({ address, tokenSecret }, (id) => (id === "mine" ? " pasted\n" : null), machine).locate();
  assert.deepEqual(await pairing("http://127.0.0.1:5", "mine"), { url: "http://127.0.0.1:5", token: "pasted", vaultId: null, command: [] });
  assert.equal(await pairing("", "mine"), ENDPOINT);
  found = null;
  assert.equal((await pairing("", "mine"))?.url, "http://127.0.0.1:27631");
  assert.equal(await pairing("", ""), null);
  assert.equal(await pairing("", "gone"), null);
});

test("the last answers are kept with their age, few and small", () => {
  const storage = new Storage();
  let [now, enabled] = [1000, true];
  const snapshot = new Snapshot(storage, () => enabled, () => now);
  snapshot.keep("recall", "A.md", { items: [1] });
  now = 2000;
  snapshot.keep("recall", "B.md", { items: [2] });
  assert.deepEqual(snapshot.find("recall", "A.md"), { at: 1000, data: { items: [1] } });
  assert.equal(snapshot.find("health", "A.md"), null);
  snapshot.keep("recall", "A.md", { items: [3] });
  assert.deepEqual(snapshot.find("recall", "A.md"), { at: 2000, data: { items: [3] } });
  for (let i = 0; i < 100; i++) snapshot.keep("recall", `${i}.md`, { text: "x".repeat(20_000) });
  const size = [...storage.data.values()].join("").length;
  assert.ok(size < 330_000, String(size));
  assert.ok(snapshot.find("recall", "99.md"));
  assert.equal(snapshot.find("recall", "0.md"), null);
  snapshot.keep("health", "", "x".repeat(400_000));
  assert.ok(snapshot.find("recall", "99.md"), "one that is too large pushes nothing out");
  enabled = false;
  assert.equal(snapshot.find("recall", "99.md"), null);
  snapshot.keep("recall", "C.md", {});
  assert.equal(storage.data.size, 0);
  storage.saveLocalStorage("ebbtide-snapshot", [{ id: "recall:x", at: 1, text: "{" }, null, 7]);
  enabled = true;
  assert.equal(snapshot.find("recall", "x"), null);
});

const MACHINE = { locate: () => Promise.resolve(ENDPOINT), start: () => Promise.resolve() };

async function follow(wire: Wire, clock: HandClock): Promise<{ connection: Connection; jobs: Jobs }> {
  const connection = new Connection(wire.transport, "en", HOME, clock, () => {});
  connection.load();
  await connection.connect(MACHINE);
  const jobs = new Jobs(connection, clock);
  jobs.load();
  return { connection, jobs };
}

test("a night is followed to its end, and asked for once", async () => {
  const [wire, clock] = [new Wire(), new HandClock()];
  const job = (state: string, done: number) => ok({ id: "job1", what: "sleep", state, progress: { phase: "judge", done, total: 3, eta_seconds: null }, message: "", started: null, finished: null, result: null });
  let asked = 0;
  let done = 0;
  wire.answer = (request) => {
    if (request.url.endsWith("/v1/sleep")) return asked++, job("queued", 0);
    if (request.url.endsWith("/v1/jobs/job1")) return job(done < 3 ? "running" : "done", Math.min(3, ++done));
    return ok(status());
  };
  const { jobs } = await follow(wire, clock);
  const seen: unknown[] = [];
  jobs.onChange((work) => seen.push(work, jobs.of(work)?.progress.done));
  await jobs.start("sleep");
  await jobs.start("sleep");
  assert.equal(asked, 1);
  assert.ok(isUnderWay(jobs.of("sleep")));
  assert.equal(jobs.of("exam"), undefined);
  await clock.pass(10_000);
  await settle();
  assert.equal(jobs.of("sleep")?.state, "done");
  assert.deepEqual(seen, [0, 1, 2, 3, 3].flatMap((n) => ["sleep", n]));
  done = 0;
  await jobs.start("sleep");
  jobs.unload();
  seen.length = 0;
  await clock.pass(10_000);
  assert.deepEqual(seen, [], "unloaded, it is silent");
});

test("a night outlives answers that do not come, and ends when the daemon does not know it", async () => {
  const [wire, clock] = [new Wire(), new HandClock()];
  const running = ok({ id: "job1", what: "sleep", state: "running", progress: { phase: "judge", done: 1, total: 3, eta_seconds: null }, message: "", started: null, finished: null, result: null });
  let [looks, job, how] = [0, () => running as Awaited<ReturnType<Wire["transport"]>> | Promise<never>, () => ok(status()) as typeof running | Promise<never>];
  const dead = (): Promise<never> => Promise.reject(new Error("no answer in time"));
  wire.answer = (request) => (request.url.endsWith("/v1/status") ? how() : request.url.includes("/v1/jobs/") ? (looks++, job()) : running);
  const { connection, jobs } = await follow(wire, clock);
  connection.need();
  await jobs.start("sleep");
  job = dead;
  await clock.pass(3_000);
  assert.ok(isUnderWay(jobs.of("sleep")), "one slow answer while the daemon is ready");
  job = () => refusal(500, { code: "internal" });
  await clock.pass(3_000);
  assert.ok(isUnderWay(jobs.of("sleep")), "a failure of the daemon's own");
  job = how = dead;
  await clock.pass(2_000);
  assert.equal(connection.state.kind, "away");
  looks = 0;
  await clock.pass(30_000);
  assert.equal(looks, 0, "not asked while the connection knows that it is away");
  assert.ok(isUnderWay(jobs.of("sleep")));
  how = () => ok(status());
  job = () => running;
  await clock.pass(90_000);
  assert.ok(looks > 0 && isUnderWay(jobs.of("sleep")), "followed again once it is back");
  job = () => refusal(404, { code: "not-found" });
  await clock.pass(2_000);
  assert.equal(jobs.of("sleep"), undefined);
});

test("a night that is answered after unloading is not followed", async () => {
  const [wire, clock] = [new Wire(), new HandClock()];
  const { connection, jobs } = await follow(wire, clock);
  wire.answer = () => ok({ id: "job1", state: "running" });
  const asked = jobs.start("sleep");
  jobs.unload();
  connection.unload();
  await asked;
  assert.equal(clock.pending, 0);
});

test("the alias that a link states", () => {
  for (const [raw, alias] of [["[[A]]", null], ["[[A|b]]", "b"], ["[[A#x|b|c]]", "b|c"], ["![[A.png|100]]", "100"], ["[t](A.md)", "t"], ["![t](A.png)", "t"], ["[](A.md)", null]] as const) {
    assert.equal(statedAlias(raw), alias, raw);
  }
});
