import { FileSystemAdapter, Platform, Plugin, getLanguage } from "obsidian";
import { openHealth, registerCommands } from "./commands";
import type { Ebbtide } from "./context";
import { obsidianTransport } from "./daemon/obsidian-transport";
import { Pairing } from "./daemon/pairing";
import { Connection, type Clock } from "./daemon/state";
import { Jobs } from "./jobs";
import { pickLanguage, strings } from "./locales";
import { EbbtideSettingTab } from "./settings";
import { Device, readSettings, type Settings } from "./settings-data";
import { Signal } from "./signal";
import { Snapshot } from "./snapshot";
import { fillStatusBar } from "./status-bar";
import { ANSWER_VIEW, AnswerView } from "./views/answer";
import { HEALTH_VIEW, HealthView } from "./views/health";
import { RECALL_VIEW, RecallView } from "./views/recall";

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, then) => {
    const timer = window.setTimeout(then, ms);
    return () => window.clearTimeout(timer);
  },
  random: () => Math.random(),
};

export default class EbbtidePlugin extends Plugin {
  /** One object for good: who holds it sees every change. */
  override readonly settings: Settings = readSettings(null);
  readonly #changed = new Signal();

  /** Registers, and nothing else: no file, no network until the layout stands. */
  override onload(): void {
    const language = pickLanguage(getLanguage());
    const device = new Device(this.app);
    const adapter = this.app.vault.adapter;
    const home = {
      name: this.app.vault.getName(),
      path: adapter instanceof FileSystemAdapter ? adapter.getBasePath() : null,
      pluginVersion: this.manifest.version,
    };
    const connection = this.addChild(new Connection(obsidianTransport, language, home, clock, (command) => device.set({ command })));
    const ebbtide: Ebbtide = {
      app: this.app,
      connection,
      jobs: this.addChild(new Jobs(connection, clock)),
      settings: this.settings,
      saveSettings: () => this.saveSettings(),
      onSettings: this.#changed.on,
      device,
      language,
      t: strings(language),
      snapshot: new Snapshot(this.app, () => this.settings.keepSnapshot),
    };
    const views = [[RECALL_VIEW, RecallView], [HEALTH_VIEW, HealthView], [ANSWER_VIEW, AnswerView]] as const;
    for (const [type, View] of views) this.registerView(type, (leaf) => new View(leaf, ebbtide));
    this.registerHoverLinkSource(RECALL_VIEW, { display: ebbtide.t.recall.title, defaultMod: true });
    registerCommands(this, ebbtide);
    this.addSettingTab(new EbbtideSettingTab(this.app, this, ebbtide));
    fillStatusBar(this.addStatusBarItem(), this, ebbtide, () => void openHealth(ebbtide));
    this.registerDomEvent(window, "focus", () => connection.wake());
    this.app.workspace.onLayoutReady(() => void this.#begin(ebbtide));
  }

  override onUserEnable(): void {
    void this.app.workspace.ensureSideLeaf(RECALL_VIEW, "right", { active: false, reveal: true });
  }

  override async onExternalSettingsChange(): Promise<void> {
    Object.assign(this.settings, readSettings(await this.loadData()));
    this.#changed.tell();
  }

  async saveSettings(): Promise<void> {
    await this.saveData(this.settings);
    this.#changed.tell();
  }

  async #begin({ connection, device }: Ebbtide): Promise<void> {
    await this.onExternalSettingsChange();
    const { home } = connection;
    const machine = Platform.isDesktopApp && home.path !== null ? new (await import("./daemon/discovery")).MachineLocator(home.path) : null;
    home.real = await machine?.real();
    await connection.connect(new Pairing(device, (id) => this.app.secretStorage.getSecret(id), machine));
  }
}
