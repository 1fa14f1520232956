import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint } from "../../src/daemon/client";
import { Connection, isOlder, judge, retryDelay, type DaemonState, type Locator } from "../../src/daemon/state";
import { ENDPOINT, HOME, HandClock, Wire, ok, refusal, settle, status } from "./helpers";

class Lost implements Locator {
  endpoint: Endpoint | null = ENDPOINT;
  looks = 0;
  started: (readonly string[])[] = [];
  locate(): Promise<Endpoint | null> {
    this.looks++;
    return Promise.resolve(this.endpoint);
  }
  end: (words: string) => void = () => {};
  start(command: readonly string[], onEnd: (words: string) => void): Promise<void> {
    this.started.push(command);
    this.end = onEnd;
    return Promise.resolve();
  }
}

async function connect(set: (wire: Wire, locator: Lost) => void = () => {}) {
  const [wire, locator, clock] = [new Wire(), new Lost(), new HandClock()];
  const remembered: string[][] = [];
  const kinds: DaemonState["kind"][] = [];
  set(wire, locator);
  const connection = new Connection(wire.transport, "en", HOME, clock, (command) => remembered.push(command));
  connection.load();
  connection.onChange(() => kinds.push(connection.state.kind));
  const release = connection.need();
  await connection.connect(locator);
  return { wire, locator, clock, connection, kinds, remembered, release };
}
const kindOf = (connection: Connection): string => connection.state.kind;
const dead = () => Promise.reject(new Error("ECONNREFUSED"));

test("waiting grows to a minute and never marches in step", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 99].map((n) => retryDelay(n, 0)), [1000, 2000, 5000, 15_000, 60_000, 60_000]);
  assert.equal(retryDelay(4, 1), 48_000);
});

test("versions are compared by number", () => {
  for (const [a, b, older] of [["0.1.0", "0.1.0", false], ["0.9.0", "0.10.0", true], ["1.0.0", "0.9.9", false], ["0.1", "0.1.1", true]] as const) {
    assert.equal(isOlder(a, b), older, `${a} ${b}`);
  }
});

test("what a handshake means", () => {
  const kind = (change: object, endpoint = ENDPOINT, home: typeof HOME | { name: string; path: null; pluginVersion: string } = HOME) => {
    const state = judge(status(change), endpoint, home);
    return state.kind === "version-mismatch" ? `${state.kind} ${state.update}` : state.kind;
  };
  assert.equal(kind({}), "ready");
  assert.equal(kind({ state: "paused" }), "ready");
  assert.equal(kind({ state: "degraded" }), "ready");
  assert.equal(kind({ state: "indexing" }), "indexing");
  assert.equal(kind({ state: "starting" }), "starting");
  assert.equal(kind({ app: "other" }), "other-vault");
  assert.equal(kind({ vault: { id: "v_2", name: "Work", path: "/notes" } }), "other-vault");
  assert.equal(kind({ api: 2, api_min: 2 }), "version-mismatch plugin");
  assert.equal(kind({ api: 2, api_min: 1 }), "ready");
  assert.equal(kind({ api: 0, api_min: 0 }), "version-mismatch daemon");
  assert.equal(kind({ plugin_min: "0.2.0" }), "version-mismatch plugin");
  const typed = { ...ENDPOINT, vaultId: null };
  assert.equal(kind({ vault: { id: "v_9", name: "x", path: "/notes/" } }, typed), "ready");
  assert.equal(kind({ vault: { id: "v_9", name: "Notes", path: "/other" } }, typed), "other-vault");
  assert.equal(kind({ vault: { id: "v_9", name: "Notes", path: "/other" } }, typed, { ...HOME, path: null }), "ready");
  const linked = { ...HOME, path: "/home/ann/link", real: "/notes" };
  assert.equal(kind({ vault: { id: "v_9", name: "Notes", path: "/notes" } }, typed, linked), "ready", "through a link");
});

test("found, ready, its command remembered", async () => {
  const { connection, remembered } = await connect();
  assert.equal(kindOf(connection), "ready");
  assert.deepEqual(remembered, [ENDPOINT.command]);
});

test("never seen is not found; seen and gone is away", async () => {
  const { connection, locator, clock } = await connect((_, l) => (l.endpoint = null));
  assert.equal(kindOf(connection), "not-found");
  locator.endpoint = ENDPOINT;
  await clock.pass(2_500);
  assert.equal(kindOf(connection), "ready");
  locator.endpoint = null;
  await clock.pass(15_000);
  assert.equal(kindOf(connection), "away");
});

test("killed and started again with another port and token: back without a click", async () => {
  const { connection, wire, locator, clock, kinds } = await connect();
  wire.answer = dead;
  await connection.client.recall({ query: "x" }).catch(() => {});
  await settle();
  assert.equal(kindOf(connection), "away");
  await clock.pass(120_000);
  const since = connection.state;
  assert.equal(since.kind === "away" && since.since, 1_000_000, "away since it went, not since the last try");
  wire.answer = (request) => (request.url.startsWith("http://127.0.0.1:5/") ? ok(status()) : Promise.reject(new Error()));
  locator.endpoint = { ...ENDPOINT, url: "http://127.0.0.1:5", token: "new" };
  await clock.pass(2_000);
  assert.equal(kindOf(connection), "ready");
  assert.deepEqual(kinds, ["ready", "away", "ready"]);
});

test("token rotated: the new one is read, the old state passes", async () => {
  const { connection, wire, locator, clock } = await connect();
  wire.answer = (request) => (request.headers.Authorization === "Bearer new" ? ok(status()) : refusal(401, { code: "token" }));
  await connection.refresh();
  assert.equal(kindOf(connection), "token-refused");
  locator.endpoint = { ...ENDPOINT, token: "new" };
  await clock.pass(2_500);
  assert.equal(kindOf(connection), "ready");
});

test("a port that now is somebody else's", async () => {
  const { connection } = await connect((wire) => (wire.answer = () => ({ status: 200, text: "<html>" })));
  assert.deepEqual(connection.state, { kind: "other-vault", found: null });
  await assert.rejects(connection.client.recall({ query: "private" }));
});

test("while another daemon is judged nothing else is asked of it", async () => {
  const { connection, wire, locator } = await connect();
  locator.endpoint = { ...ENDPOINT, url: "http://127.0.0.1:5" };
  let judged: () => void = () => {};
  wire.answer = (request) => (request.url.endsWith("/v1/status") ? new Promise((resolve) => (judged = () => resolve(ok(status({ vault: { id: "v_2", name: "Work", path: "/work" } }))))) : ok({}));
  const before = wire.requests.length;
  const looking = connection.refresh();
  await settle();
  await assert.rejects(connection.client.recall({ query: "private" }));
  judged();
  await looking;
  assert.equal(kindOf(connection), "other-vault");
  await assert.rejects(connection.client.recall({ query: "private" }));
  assert.deepEqual(wire.requests.slice(before).map((one) => one.url.slice(18)).filter((url) => !url.endsWith("/v1/status")), []);
});

test("a request while it is away is refused, and has it looked for at once", async () => {
  const { connection, wire } = await connect();
  wire.answer = dead;
  await connection.refresh();
  assert.equal(kindOf(connection), "away");
  wire.answer = () => ok(status());
  await assert.rejects(connection.client.recall({ query: "x" }));
  await settle();
  assert.equal(kindOf(connection), "ready");
});

test("one that is busy under another address is not taken for the one that was ready", async () => {
  const { connection, wire, locator } = await connect();
  locator.endpoint = { ...ENDPOINT, url: "http://127.0.0.1:5" };
  wire.answer = () => refusal(503, { code: "busy" });
  await connection.refresh();
  assert.equal(kindOf(connection), "starting");
});

test("nothing is told twice", async () => {
  const { kinds, clock, wire } = await connect();
  let up = 1;
  wire.answer = () => ok(status({ uptime_seconds: up++ }));
  await clock.pass(60_000);
  assert.ok(up > 4);
  assert.deepEqual(kinds, ["ready"]);
  wire.answer = () => ok(status({ change: 2 }));
  await clock.pass(15_000);
  assert.deepEqual(kinds, ["ready", "ready"]);
});

test("asked only while something shows it", async () => {
  const { wire, clock, release, connection } = await connect();
  release();
  release();
  const before = wire.requests.length;
  await clock.pass(600_000);
  assert.equal(wire.requests.length, before);
  connection.need();
  await settle();
  assert.equal(wire.requests.length, before + 1);
});

test("while reading notes it is asked more often", async () => {
  const { wire, clock } = await connect((w) => (w.answer = () => ok(status({ state: "indexing" }))));
  const before = wire.requests.length;
  await clock.pass(10_000);
  assert.equal(wire.requests.length, before + 5);
});

test("started from here: starting, until it answers", async () => {
  const { connection, wire, locator, clock } = await connect((_, l) => (l.endpoint = null));
  const started = connection.start(["/bin/ebbtide", "up"]);
  await settle();
  assert.deepEqual(locator.started, [["/bin/ebbtide", "up"]]);
  assert.equal(kindOf(connection), "starting");
  await clock.pass(5_000);
  assert.equal(kindOf(connection), "starting");
  locator.endpoint = ENDPOINT;
  wire.answer = dead;
  await clock.pass(1_000);
  assert.equal(kindOf(connection), "starting");
  wire.answer = () => ok(status());
  await clock.pass(1_000);
  await started;
  assert.equal(kindOf(connection), "ready");
  locator.end("killed hours later");
  await settle();
  assert.equal(kindOf(connection), "ready");
});

test("started from here, but it never comes", async () => {
  const { connection, clock } = await connect((_, l) => (l.endpoint = null));
  const started = assert.rejects(connection.start(["/bin/ebbtide", "up"]), { message: "" });
  await clock.pass(25_000);
  await started;
  assert.equal(kindOf(connection), "not-found");
});

test("started from here, but it ends: its last words are told at once", async () => {
  const { connection, clock, locator } = await connect((_, l) => (l.endpoint = null));
  const started = assert.rejects(connection.start(["/bin/ebbtide", "up"]), { message: "The vault is open already." });
  await clock.pass(3_000);
  locator.end("The vault is open already.");
  await started;
  await settle();
  assert.equal(kindOf(connection), "not-found");
});

test("started twice: one program, one end; a program that ends later ends nothing", async () => {
  const { connection, clock, locator } = await connect((_, l) => (l.endpoint = null));
  const [first, second] = [connection.start(["/bin/ebbtide", "up"]), connection.start(["/bin/ebbtide", "up"])];
  const ends = Promise.all([assert.rejects(first), assert.rejects(second)]);
  await clock.pass(25_000);
  await ends;
  assert.equal(locator.started.length, 1);
  const late = locator.end;
  const third = assert.rejects(connection.start(["/bin/ebbtide", "up"]), { message: "The vault is open already." });
  await settle();
  late("the first one ends");
  locator.end("The vault is open already.");
  await third;
  assert.equal(locator.started.length, 2);
});

test("busy while ready stays ready", async () => {
  const { connection, wire } = await connect();
  wire.answer = () => refusal(503, { code: "busy" });
  await connection.refresh();
  assert.equal(kindOf(connection), "ready");
});

test("unloaded before it was connected, it never looks", async () => {
  const [wire, locator, clock] = [new Wire(), new Lost(), new HandClock()];
  const connection = new Connection(wire.transport, "en", HOME, clock, () => {});
  connection.load();
  connection.need();
  connection.unload();
  await connection.connect(locator);
  await connection.refresh();
  await clock.pass(60_000);
  await assert.rejects(connection.client.recall({ query: "x" }));
  assert.deepEqual([clock.pending, locator.looks, wire.requests.length], [0, 0, 0]);
});

test("unloaded, it is silent for good", async () => {
  const { connection, clock, wire, kinds } = await connect();
  wire.answer = dead;
  const late = connection.refresh();
  connection.unload();
  await late;
  assert.equal(clock.pending, 0);
  assert.deepEqual(kinds, ["ready"]);
  await clock.pass(600_000);
  assert.equal(clock.pending, 0);
});
