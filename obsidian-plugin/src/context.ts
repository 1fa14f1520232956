import type { App } from "obsidian";
import type { Connection } from "./daemon/state";
import type { Jobs } from "./jobs";
import type { Strings } from "./locales";
import type { Device, Settings } from "./settings-data";
import type { Snapshot } from "./snapshot";

/** What views and commands get, instead of the plugin. */
export interface Ebbtide {
  app: App;
  connection: Connection;
  /** The long works that were asked for by hand, and how far they are. */
  jobs: Jobs;
  /** Synced with the vault's settings. */
  settings: Settings;
  saveSettings(): Promise<void>;
  /** Hear of changed settings. Returns what ends it. */
  onSettings(listener: () => void): () => void;
  /** Of this device only, never synced. */
  device: Device;
  language: "en" | "zh";
  t: Strings;
  snapshot: Snapshot;
}
