import type { App } from "obsidian";

/** What Obsidian keeps on this device only. */
export type Store = Pick<App, "loadLocalStorage" | "saveLocalStorage">;

/** Keep a value, null: none. Where there is no room, what was kept before stays, and nobody is stopped by it. */
export function save(store: Store, key: string, value: unknown): void {
  try {
    store.saveLocalStorage(key, value);
  } catch {
    // It is full: the next start has to do without.
  }
}
