/** The real daemon on a copy of a vault, in folders of its own; nothing of the user's is read but the converted model in the cache. */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ROOT } from "./places.mjs";

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const START_LIMIT_MS = 60_000;
const INDEX_LIMIT_MS = 300_000;

/** EBBTIDE_DAEMON is a command in words (`ebbtide` when it is installed); else the environment of the source tree above the folder. */
export function daemonCommand() {
  if (process.env.EBBTIDE_DAEMON) return process.env.EBBTIDE_DAEMON.split(/\s+/).filter(Boolean);
  const python = path.resolve(ROOT, "../.venv/bin/python");
  if (existsSync(python)) return [python, "-m", "ebbtide"];
  throw new Error("No daemon: set EBBTIDE_DAEMON to its command, for example EBBTIDE_DAEMON=ebbtide");
}

export class Daemon {
  /** Copies `vault` and lets `change(folder)` alter the copy before the daemon sees it; `options` go to `ebbtide up`. */
  constructor(vault, change = () => {}, options = []) {
    // A busy machine must not change what is recalled: no step is left out for time.
    this.options = ["--set", "recall.deadline_ms=60000", ...options];
    this.place = realpathSync(mkdtempSync(path.join(tmpdir(), "ebbtide-harness-")));
    this.vault = path.join(this.place, path.basename(vault));
    cpSync(vault, this.vault, { recursive: true });
    change(this.vault);
    this.home = path.join(this.place, "home");
    for (const name of ["home", "state", "config"]) mkdirSync(path.join(this.place, name));
    /** What daemon and plugin both see, so that the plugin finds the run file by its own rule. */
    this.env = { XDG_STATE_HOME: path.join(this.place, "state"), XDG_CONFIG_HOME: path.join(this.place, "config") };
    this.log = path.join(this.place, "daemon.log");
    this.child = null;
    this.spawned = [];
  }

  async start() {
    const [program, ...args] = daemonCommand();
    const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("EBBTIDE_")));
    const out = openSync(this.log, "a");
    this.child = spawn(program, [...args, "up", this.vault, "--offline", ...this.options], {
      cwd: this.place,
      env: { ...inherited, ...this.env, EBBTIDE_CACHE: path.join(this.place, "cache") },
      stdio: ["ignore", out, out],
    });
    const { child } = this;
    this.ended = new Promise((done) => child.once("exit", done));
    process.once("exit", () => child.kill("SIGKILL")); // also when the harness itself falls
    const until = Date.now() + START_LIMIT_MS;
    while (!(await this.status().catch(() => null))) {
      if (this.child.exitCode !== null || Date.now() > until) throw new Error(`the daemon did not start:\n${this.tail()}`);
      await sleep(100);
    }
    return this;
  }

  /** Until every note is indexed; with `vectors` until each passage has its vector too. */
  async ready({ vectors = true } = {}) {
    const until = Date.now() + INDEX_LIMIT_MS;
    for (;;) {
      const status = await this.status();
      const indexed = status.keyword_ready && status.counts.pending === 0 && status.state !== "starting";
      if (indexed && (!vectors || (status.vectors_ready && status.progress.phase === "idle"))) return status;
      if (Date.now() > until) throw new Error(`the daemon did not become ready: ${status.message}\n${this.tail()}`);
      await sleep(300);
    }
  }

  get runFile() {
    const folder = path.join(this.env.XDG_STATE_HOME, "ebbtide/run");
    const name = existsSync(folder) && readdirSync(folder).find((one) => one.endsWith(".json"));
    if (!name) throw new Error("no run file");
    return path.join(folder, name);
  }
  get run() { return JSON.parse(readFileSync(this.runFile, "utf8")); }

  status() { return this.request("GET", "/v1/status"); }

  async request(method, route, body) {
    const { url, token } = this.run;
    const reply = await fetch(url + route, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const answer = await reply.json();
    if (!reply.ok) throw Object.assign(new Error(`${method} ${route}: ${reply.status} ${JSON.stringify(answer)}`), { status: reply.status });
    return answer;
  }

  tail() { return existsSync(this.log) ? readFileSync(this.log, "utf8").split("\n").slice(-15).join("\n") : ""; }

  /** As a crash would: the run file stays. */
  async kill() { await this.end("SIGKILL"); }
  async stop() { await this.end("SIGTERM"); }
  async end(signal) {
    for (const child of this.spawned.splice(0)) {
      try { process.kill(child.pid, signal); } catch { /* has ended */ }
      await child.ended;
    }
    if (!this.child || this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill(signal);
    await this.ended;
  }

  /** What the plugin starts, with the scenario's folders. */
  spawn(program, args, stdio) {
    const child = spawn(program, args, { cwd: this.home, env: { ...process.env, ...this.env, EBBTIDE_CACHE: path.join(this.place, "cache") }, stdio });
    const ended = new Promise((done) => { child.once("exit", done); child.once("error", () => done(null)); });
    process.once("exit", () => child.kill("SIGKILL"));
    return new Promise((done, failed) => {
      child.once("spawn", () => { this.spawned.push({ pid: child.pid, ended }); done(child.pid); });
      child.once("error", failed);
    });
  }

  async close() {
    await this.stop();
    if (!process.env.EBBTIDE_HARNESS_KEEP) rmSync(this.place, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** A daemon that somebody else runs, named by its run file: the plugin asks it, its vault is never written. */
export class Attached {
  constructor(file) {
    const real = realpathSync(file);
    this.vault = JSON.parse(readFileSync(real, "utf8")).vault_path;
    this.place = mkdtempSync(path.join(tmpdir(), "ebbtide-harness-"));
    this.home = this.place;
    this.env = { EBBTIDE_STATE: path.dirname(path.dirname(real)) };
    this.readOnly = true;
  }
  spawn() { throw new Error("a daemon that is only asked is not started"); }
  async close() { rmSync(this.place, { recursive: true, force: true }); }
}
