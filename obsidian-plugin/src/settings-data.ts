import { differ } from "./daemon/json";
import { save, type Store } from "./store";

export interface Settings {
  excerptLines: "0" | "1" | "3";
  hideLinked: boolean;
  rows: number;
  statusBar: boolean;
  keepSnapshot: boolean;
}

/** More than this the daemon does not put together for one question. */
export const MOST_ROWS = 30;

export const DEFAULTS: Settings = { excerptLines: "1", hideLinked: true, rows: 10, statusBar: true, keepSnapshot: true };

const isFlag = (value: unknown): boolean => typeof value === "boolean";
const RIGHT: Record<keyof Settings, (value: unknown) => boolean> = {
  excerptLines: (value) => value === "0" || value === "1" || value === "3",
  hideLinked: isFlag,
  rows: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_ROWS,
  statusBar: isFlag,
  keepSnapshot: isFlag,
};

/** Stored settings as they can be used: unknown keys dropped, wrong values replaced by the defaults. */
export function readSettings(stored: unknown): Settings {
  const right = fieldsOf(stored).filter(([key, value]) => Object.hasOwn(RIGHT, key) && RIGHT[key as keyof Settings](value));
  return { ...DEFAULTS, ...Object.fromEntries(right) };
}

const KEY = "ebbtide-device";

/** What belongs to this device and must not be synced: a synced command line would be code run on another machine. */
export class Device {
  /** The command that starts the daemon, its arguments apart; empty if none is known. */
  command: readonly string[] = [];
  /** An address typed in, for when the run file cannot be found; empty means: use the run file. */
  address = "";
  /** The name under which the pasted token lies in Obsidian's secret storage; the token itself is nowhere else. */
  tokenSecret = "";
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    const { command, address, tokenSecret } = Object.fromEntries(fieldsOf(store.loadLocalStorage(KEY)));
    if (Array.isArray(command) && command.every((part) => typeof part === "string")) this.command = command;
    if (typeof address === "string") this.address = address;
    if (typeof tokenSecret === "string") this.tokenSecret = tokenSecret;
  }

  /** Written only if it is not what is kept already: every handshake tells its command. */
  set(change: Partial<Pick<Device, "command" | "address" | "tokenSecret">>): void {
    const { command, address, tokenSecret } = Object.assign(this, change);
    const next = { command, address, tokenSecret };
    if (differ(this.#store.loadLocalStorage(KEY), next)) save(this.#store, KEY, next);
  }
}

function fieldsOf(stored: unknown): [string, unknown][] {
  return typeof stored === "object" && stored !== null ? Object.entries(stored) : [];
}

/** The address in the form we use, or null if it is not plain HTTP on this machine's loopback. */
export function loopback(text: string): string | null {
  const found = /^http:\/\/(?:127\.0\.0\.1|localhost)(?::(\d{1,5}))?\/?$/i.exec(text.trim());
  return found && `http://127.0.0.1:${found[1] ?? "80"}`;
}
