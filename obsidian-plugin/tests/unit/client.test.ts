import assert from "node:assert/strict";
import { test } from "node:test";
import { DaemonClient, type Endpoint } from "../../src/daemon/client";
import { DaemonError, Refused } from "../../src/daemon/errors";
import { ENDPOINT, Wire, ok, refusal } from "./helpers";

function make(endpoint: Endpoint | null = ENDPOINT) {
  const wire = new Wire();
  const trouble: DaemonError[] = [];
  const client = new DaemonClient(wire.transport, () => endpoint, "zh", (error) => trouble.push(error));
  return { wire, trouble, client };
}

test("a request bears token and level, and goes to the address of now", async () => {
  const wire = new Wire();
  let endpoint = ENDPOINT;
  const client = new DaemonClient(wire.transport, () => endpoint, "en");
  await client.status();
  endpoint = { ...ENDPOINT, url: "http://127.0.0.1:9", token: "other" };
  await client.status();
  const [first, second] = wire.requests;
  assert.deepEqual(first, { method: "GET", url: "http://127.0.0.1:27631/v1/status", headers: { Authorization: "Bearer secret", "X-Ebbtide-Api": "1" }, body: undefined });
  assert.equal(second?.url, "http://127.0.0.1:9/v1/status");
  assert.equal(second?.headers.Authorization, "Bearer other");
});

test("what stands in a path cannot leave it", async () => {
  const { wire, client } = make();
  wire.answer = () => ok({});
  await client.act("f_1/../x", "archive");
  assert.equal(wire.requests[0]?.url, "http://127.0.0.1:27631/v1/records/f_1%2F..%2Fx/archive");
});

test("of what the daemon says in both languages, the user's is taken", async () => {
  const { wire, client } = make();
  wire.answer = () => ok({ message: "Ready.", message_zh: "就绪。", counts: { why_zh: null, why: null }, problems: [{ text_zh: "新", text: "new" }, { text: "old", text_zh: "" }] });
  const told = (await client.status()) as unknown as { message: string; counts: { why: null }; problems: { text: string }[] };
  assert.deepEqual([told.message, told.counts.why, ...told.problems.map(({ text }) => text)], ["就绪。", null, "新", "old"]);
  const english = await new DaemonClient(wire.transport, () => ENDPOINT, "en").status();
  assert.equal(english.message, "Ready.");
});

test("a query leaves out what is not given, and repeats a list", async () => {
  const { wire, client } = make();
  wire.answer = () => ok({});
  await client.related({ note: "A&B.md", limit: 5, type: null, include: ["stale", "frozen"] });
  const url = new URL(wire.requests[0]?.url ?? "");
  assert.deepEqual([...url.searchParams], [["lang", "zh"], ["note", "A&B.md"], ["limit", "5"], ["include", "stale"], ["include", "frozen"]]);
});

test("reasons are asked for in the user's language", async () => {
  const { wire, client } = make();
  wire.answer = () => ok({});
  await client.recall({ query: "x" });
  assert.deepEqual(JSON.parse(wire.requests[0]?.body ?? ""), { lang: "zh", query: "x" });
  assert.equal(wire.requests[0]?.headers["Content-Type"], "application/json");
});

test("each kind of failure is told apart", async () => {
  const { wire, trouble, client } = make();
  const failing = async (answer: Wire["answer"]): Promise<DaemonError> => {
    wire.answer = answer;
    const error: unknown = await client.status().then(() => assert.fail("should fail"), (one: unknown) => one);
    assert.ok(error instanceof DaemonError);
    return error;
  };
  assert.equal((await failing(() => Promise.reject(new Error("ECONNREFUSED")))).means, null);
  assert.deepEqual((await failing(() => refusal(401, { code: "token" }))).means, { kind: "token-refused" });
  assert.deepEqual((await failing(() => refusal(503, { code: "busy" }))).means, { kind: "starting" });
  for (const [api, update] of [[2, "plugin"], [0, "daemon"]] as const) {
    assert.deepEqual((await failing(() => refusal(409, { code: "api-level", api, api_min: api }))).means, { kind: "version-mismatch", update });
  }
  for (const text of ["<html>", "", "[]", '"x"', "{"]) {
    for (const status of [200, 404]) assert.deepEqual((await failing(() => ({ status, text }))).means, { kind: "other-vault", found: null }, text);
  }
  const before = trouble.length;
  const refused = await failing(() => refusal(404, { code: "not-found" }));
  assert.ok(refused instanceof Refused);
  assert.deepEqual([refused.message, refused.remedy], ["Because.", "Do that."]);
  assert.equal(trouble.length, before, "a no to one request says nothing about the daemon");
  assert.equal(before, 15);
});

test("without an address nothing is sent", async () => {
  const { wire, client } = make(null);
  await assert.rejects(client.status(), DaemonError);
  assert.equal(wire.requests.length, 0);
});
