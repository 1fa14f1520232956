/** The last answers, read-only, for when the daemon is away. On this device only, in few and small entries, oldest out first. */

import { save, type Store } from "./store";

type Area = "recall" | "health";

interface Kept<T> {
  /** When it was answered, in milliseconds since 1970. */
  at: number;
  data: T;
}

interface Entry {
  id: string;
  at: number;
  text: string;
}

const KEY = "ebbtide-snapshot";
const MOST_ENTRIES = 24;
const MOST_CHARS = 300_000;

export class Snapshot {
  readonly #store: Store;
  readonly #enabled: () => boolean;
  readonly #now: () => number;

  constructor(store: Store, enabled: () => boolean, now: () => number = Date.now) {
    this.#store = store;
    this.#enabled = enabled;
    this.#now = now;
  }

  /** Keep the answer of an area; `key` tells questions of the same area apart. */
  keep(area: Area, key: string, data: unknown): void {
    if (!this.#enabled()) return this.clear();
    const id = `${area}:${key}`;
    const entries = [{ id, at: this.#now(), text: JSON.stringify(data) }, ...this.#entries().filter((entry) => entry.id !== id)];
    let room = MOST_CHARS;
    const kept = entries.slice(0, MOST_ENTRIES).filter(({ text }) => {
      const fits = text.length <= room;
      if (fits) room -= text.length;
      return fits;
    });
    save(this.#store, KEY, kept);
  }

  /** What was last kept, with its age; null if there is none. */
  find<T>(area: Area, key: string): Kept<T> | null {
    const entry = this.#enabled() ? this.#entries().find((one) => one.id === `${area}:${key}`) : undefined;
    if (!entry) return null;
    try {
      return { at: entry.at, data: JSON.parse(entry.text) as T };
    } catch {
      return null;
    }
  }

  clear(): void {
    save(this.#store, KEY, null);
  }

  #entries(): Entry[] {
    const found: unknown = this.#store.loadLocalStorage(KEY);
    return Array.isArray(found) ? found.filter(isEntry) : [];
  }
}

function isEntry(value: unknown): value is Entry {
  const entry = value as Partial<Entry> | null;
  return typeof entry?.id === "string" && typeof entry.at === "number" && typeof entry.text === "string";
}
