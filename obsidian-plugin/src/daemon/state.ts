/** The one connection to the daemon: finds it, asks how it is, and says so in states with distinct words. */

import { Component } from "obsidian";
import { Signal } from "../signal";
import { API_LEVEL, DaemonClient, type Endpoint, type Status } from "./client";
import { DaemonError } from "./errors";
import { differ } from "./json";
import type { Transport } from "./transport";

export type DaemonState =
  | { kind: "not-found" }
  | { kind: "starting" }
  | { kind: "indexing"; status: Status }
  | { kind: "ready"; status: Status }
  | { kind: "token-refused" }
  | { kind: "other-vault"; found: string | null }
  | { kind: "version-mismatch"; update: "plugin" | "daemon" }
  | { kind: "away"; since: number };

/** Where a daemon of this vault may be. Loaded late, since it is the part that knows the machine. */
export interface Locator {
  /** A hint, to be verified by a handshake; null when nothing tells of one. */
  locate(): Promise<Endpoint | null>;
  /** Start the command, detached. Rejects if it cannot be run; `onEnd` hears its last words should it end. */
  start(command: readonly string[], onEnd: (words: string) => void): Promise<void>;
}

/** The vault as Obsidian has it, to tell our daemon from another's. `path` is null where Obsidian will not say; `real`: without links. */
export interface Home {
  name: string;
  path: string | null;
  real?: string;
  pluginVersion: string;
}

/** Time and chance, so that tests need neither. `after` returns what calls it off. */
export interface Clock {
  now(): number;
  after(ms: number, then: () => void): () => void;
  random(): number;
}

export const POLL_MS = 15_000;
const INDEXING_MS = 2_000;
const RETRY_S = [1, 2, 5, 15];
const LOOK_MS = 2_000;
const START_MS = 20_000;

/** How long to wait before attempt `n` (from 0): 1, 2, 5, 15, then 60 s, up to a fifth shorter so that nobody marches in step. */
export function retryDelay(n: number, random: number): number {
  return Math.round((RETRY_S[n] ?? 60) * 1000 * (1 - 0.2 * random));
}

/** What an answer to the handshake means. */
export function judge(status: Status, endpoint: Endpoint, home: Home): DaemonState {
  if (status.app !== "ebbtide") return { kind: "other-vault", found: null };
  const ours = endpoint.vaultId === null ? isHome(status, home) : status.vault.id === endpoint.vaultId;
  if (!ours) return { kind: "other-vault", found: status.vault.name };
  if (status.api < API_LEVEL) return { kind: "version-mismatch", update: "daemon" };
  if (status.api_min > API_LEVEL || isOlder(home.pluginVersion, status.plugin_min)) return { kind: "version-mismatch", update: "plugin" };
  if (status.state === "starting") return { kind: "starting" };
  return { kind: status.state === "indexing" ? "indexing" : "ready", status };
}

/** An address that was typed in has no vault id to hold the answer against; the path has to do. */
function isHome(status: Status, home: Home): boolean {
  const path = home.real ?? home.path;
  return path === null ? status.vault.name === home.name : plain(status.vault.path) === plain(path);
}

function plain(path: string): string {
  return path.normalize("NFC").replace(/\\/g, "/").replace(/\/+$/, "");
}

/** Whether one `x.y.z` is older than another. */
export function isOlder(one: string, other: string): boolean {
  return one.localeCompare(other, "en", { numeric: true }) < 0;
}

/** Whether questions can be asked. */
export function isUsable(state: DaemonState): state is DaemonState & { status: Status } {
  return state.kind === "ready" || state.kind === "indexing";
}

export class Connection extends Component {
  state: DaemonState = { kind: "starting" };
  readonly client: DaemonClient;
  readonly home: Home;
  readonly #clock: Clock;
  readonly #remember: (command: string[]) => void;
  readonly #changed = new Signal();
  /** Hear of every change of `state`, a new change counter included. Returns what ends it. */
  readonly onChange = this.#changed.on;
  /** Of a daemon that a handshake showed to be ours, while it can be asked; else null, so that no request goes astray. */
  #endpoint: Endpoint | null = null;
  /** What was last found, ours or not. */
  #candidate: Endpoint | null = null;
  #locator: Locator | null = null;
  #needed = 0;
  #failures = 0;
  /** When to ask again. */
  #due = 0;
  #startingUntil = 0;
  #pending: Promise<void> | null = null;
  #cancel: () => void = () => {};
  #starting: Promise<void> | null = null;
  #stopWaiting: () => void = () => {};
  #open = false;
  #closed = false;
  #met = false;

  /** `remember` is told the command that a verified run file names, so that the daemon can be started when it is away. */
  constructor(transport: Transport, language: "en" | "zh", home: Home, clock: Clock, remember: (command: string[]) => void) {
    super();
    this.home = home;
    this.#clock = clock;
    this.#remember = remember;
    this.client = new DaemonClient(transport, () => (this.#open ? this.#endpoint : null), language, () => void this.#ask());
  }

  /** Begin to look for the daemon; before this nothing is asked. */
  connect(locator: Locator): Promise<void> {
    this.#locator = locator;
    this.#open = !this.#closed;
    return this.refresh();
  }

  override onunload(): void {
    this.#closed = true;
    this.#open = false;
    this.#cancel();
    this.#stopWaiting();
  }

  /** Keep polling while something visible shows the state. Returns what ends it. */
  need(): () => void {
    let held = true;
    if (this.#needed++ === 0 && this.#open) void this.refresh();
    return () => {
      if (held) this.#needed--;
      held = false;
    };
  }

  /** Ask now; at once again after failures too. Two calls at a time are one. */
  refresh(): Promise<void> {
    this.#failures = 0;
    return this.#ask();
  }

  /** The window has the focus again: somebody is looking. */
  wake(): void {
    if (this.#needed > 0) void this.refresh();
  }

  /** Start the daemon, or join the start under way, and wait for its handshake. Rejects with its last words if it ends, or says nothing for 20 s. */
  start(command: readonly string[]): Promise<void> {
    return (this.#starting ??= new Promise((resolve, reject) => {
      const waits = [this.onChange(() => isUsable(this.state) && end()), this.#clock.after(START_MS, () => end(new Error()))];
      const stop = (this.#stopWaiting = () => waits.forEach((one) => one()));
      const end = (error?: Error): void => {
        if (!this.#starting || this.#stopWaiting !== stop) return; // a program that ends later
        stop();
        this.#starting = null;
        this.#startingUntil = 0;
        if (!error) return resolve();
        reject(error);
        void this.refresh();
      };
      this.#startingUntil = this.#clock.now() + START_MS;
      this.#become({ kind: "starting" });
      this.#locator?.start(command, (words) => end(new Error(words))).then(() => this.refresh(), end);
    }));
  }

  /** Also when a request of a view failed. One that is under way is joined. */
  async #ask(): Promise<void> {
    if (!this.#open) return;
    this.#pending ??= this.#handshake().finally(() => {
      this.#pending = null;
      if (this.#open) this.#plan();
    });
    return this.#pending;
  }

  async #handshake(): Promise<void> {
    let next: DaemonState | null = null;
    try {
      const found = (this.#candidate = (await this.#locator?.locate()) ?? null);
      if (differ(found, this.#endpoint)) this.#endpoint = null;
      if (found && this.#open) {
        next = judge(await this.client.status(found), found, this.home);
        if (isUsable(next)) {
          this.#endpoint = found;
          this.#startingUntil = 0;
          this.#met = true;
          if (found.command.length > 0) this.#remember(found.command);
        }
      }
    } catch (error) {
      if (!(error instanceof DaemonError)) throw error;
      next = error.means;
      if (next?.kind === "starting" && this.#endpoint) next = this.state; // it is busy
      if (next?.kind === "other-vault") next = this.#waiting() ?? next;
    }
    if (!this.#open) return;
    next ??= this.#waiting() ?? this.#gone();
    if (!isUsable(next)) this.#endpoint = null;
    this.#become(next);
  }

  /** It was there and left, or was never seen. */
  #gone(): DaemonState {
    if (this.state.kind === "away") return this.state;
    return this.#met ? { kind: "away", since: this.#clock.now() } : { kind: "not-found" };
  }

  #waiting(): DaemonState | null {
    return this.#clock.now() < this.#startingUntil ? { kind: "starting" } : null;
  }

  #become(next: DaemonState): void {
    const before = this.state;
    this.state = next;
    if (differ(telling(next), telling(before))) this.#changed.tell();
  }

  #plan(): void {
    let wait: number;
    if (isUsable(this.state)) {
      this.#failures = 0;
      wait = this.state.kind === "indexing" ? INDEXING_MS : POLL_MS;
    } else wait = this.#waiting() ? 500 : retryDelay(this.#failures++, this.#clock.random());
    this.#due = this.#clock.now() + wait;
    this.#sleep();
  }

  /** Until it is time to ask; while it is away, shorter, since to look for another run file costs nothing. */
  #sleep(): void {
    const left = this.#due - this.#clock.now();
    this.#cancel();
    this.#cancel = this.#clock.after(isUsable(this.state) ? left : Math.min(left, LOOK_MS), () => void this.#tick());
  }

  async #tick(): Promise<void> {
    const found = isUsable(this.state) ? null : await this.#locator?.locate().catch(() => null);
    if (!this.#open || this.#pending) return;
    const isOther = found && differ(found, this.#candidate);
    const isTime = this.#clock.now() >= this.#due;
    if (isOther) return this.refresh();
    if (isTime && this.#needed > 0) return this.#ask();
    if (isTime) this.#due += POLL_MS;
    this.#sleep();
  }
}

/** What of a state is worth telling: not the seconds it has been up. */
function telling(state: DaemonState): unknown {
  if (!isUsable(state)) return state;
  const { uptime_seconds: _, ...status } = state.status;
  return { kind: state.kind, status };
}
