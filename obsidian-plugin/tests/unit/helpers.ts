/** What unit tests share: a daemon's answer as far as the plugin reads it, a clock that is wound by hand, a transport that is a function. */

import type { Endpoint, Status } from "../../src/daemon/client";
import type { Clock } from "../../src/daemon/state";
import type { HttpReply, HttpRequest, Transport } from "../../src/daemon/transport";

// Node has no window, and its timers are the same.
(globalThis as { window?: unknown }).window ??= globalThis;

export const ENDPOINT: Endpoint = { url: "http://127.0.0.1:27631", token: "secret", vaultId: "v_1", command: ["/bin/ebbtide", "up", "/notes"] };
export const HOME = { name: "Notes", path: "/notes", pluginVersion: "0.1.0" };

export function status(change: Partial<Status> = {}): Status {
  return {
    app: "ebbtide", version: "0.1.0", api: 1, api_min: 1, plugin_min: "0.1.0", vault: { id: "v_1", name: "Notes", path: "/notes" },
    state: "ready", message: "Everything is read.", message_zh: "都读过了。", change: 1,
    counts: { notes: 5, indexed: 5, pending: 0, skipped: 0, failed: 0, passages: 9, facts: 7, links: 3, unresolved: 0, ambiguous: 0, vectors: 16, vectors_wanted: 16 },
    progress: { phase: "idle", done: 0, total: 0, eta_seconds: null },
    model: { name: "m", fingerprint: null, state: "ready", message: "" },
    keyword_ready: true, vectors_ready: true, problems: [], problem_count: 0, watch: { mode: "events", message: "" },
    paused_until: null, uptime_seconds: 1, pid: 1, port: 27631, ...change,
  };
}

export class HandClock implements Clock {
  private time = 1_000_000;
  private waiting: { at: number; then: () => void }[] = [];
  random = () => 0;
  now = () => this.time;
  after = (ms: number, then: () => void): (() => void) => {
    const entry = { at: this.time + ms, then };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((one) => one !== entry);
    };
  };

  get pending(): number {
    return this.waiting.length;
  }

  /** Let time pass, and all that becomes due happen in order, with what follows from it. */
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      const next = this.waiting.filter((one) => one.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.waiting = this.waiting.filter((one) => one !== next);
      this.time = Math.max(this.time, next.at);
      next.then();
      await settle();
    }
    this.time = end;
  }
}

/** Let promises that wait for nothing but each other come to their end. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

export class Wire {
  requests: HttpRequest[] = [];
  answer: (request: HttpRequest) => HttpReply | Promise<HttpReply> = () => ok(status());
  transport: Transport = async (request) => {
    this.requests.push(request);
    return this.answer(request);
  };
}

export function ok(body: unknown): HttpReply {
  return { status: 200, text: JSON.stringify(body) };
}

export function refusal(code: number, error: Record<string, unknown>): HttpReply {
  return { status: code, text: JSON.stringify({ error: { code: "x", reason: "Because.", remedy: "Do that.", ...error } }) };
}
