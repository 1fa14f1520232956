import type * as real from "../../../node_modules/obsidian/obsidian";
import { Component } from "./events";
import { SecretStorage, setIcon, setTooltip, theHost } from "./platform";
import { SettingTab } from "./ui";
import { FileManager, MetadataCache, Vault } from "./vault";
import { Workspace, type View, type WorkspaceLeaf } from "./workspace";

export class App {
  workspace: Workspace;
  vault = new Vault();
  metadataCache = new MetadataCache(this.vault);
  fileManager = new FileManager(this.vault, this.metadataCache);
  secretStorage = new SecretStorage();
  lastEvent: real.UserEvent | null = null;
  readonly _commands = new Map<string, real.Command>();
  readonly _tabs: SettingTab[] = [];
  readonly _hoverSources = new Map<string, unknown>();
  readonly _protocol = new Map<string, real.ObsidianProtocolHandler>();

  constructor(readonly _shell: { workspace: HTMLElement; ribbon: HTMLElement; status: HTMLElement }) {
    this.workspace = new Workspace(this, this.vault, this.metadataCache, _shell.workspace);
  }
  isDarkMode(): boolean { return document.body.hasClass("theme-dark"); }
  loadLocalStorage(key: string): any { return JSON.parse(window.localStorage.getItem(`vault:${key}`) ?? "null"); }
  saveLocalStorage(key: string, data: unknown): void {
    if (data === null || data === undefined) window.localStorage.removeItem(`vault:${key}`);
    else window.localStorage.setItem(`vault:${key}`, JSON.stringify(data));
  }
}

export abstract class Plugin extends Component {
  settings?: unknown;
  constructor(public app: App, public manifest: real.PluginManifest) { super(); }
  addRibbonIcon(icon: string, title: string, callback: (evt: MouseEvent) => any): HTMLElement {
    const button = this.app._shell.ribbon.createEl("button", { cls: "side-dock-ribbon-action clickable-icon" });
    setIcon(button, icon);
    setTooltip(button, title);
    button.addEventListener("click", callback);
    this.register(() => button.detach());
    return button;
  }
  addStatusBarItem(): HTMLElement {
    const item = this.app._shell.status.createDiv(`status-bar-item plugin-${this.manifest.id}`);
    this.register(() => item.detach());
    return item;
  }
  addCommand(command: real.Command): real.Command {
    command.id = `${this.manifest.id}:${command.id}`;
    command.name = `${this.manifest.name}: ${command.name}`;
    this.app._commands.set(command.id, command);
    this.register(() => this.app._commands.delete(command.id));
    return command;
  }
  removeCommand(commandId: string): void { this.app._commands.delete(`${this.manifest.id}:${commandId}`); }
  addSettingTab(settingTab: PluginSettingTab): void {
    this.app._tabs.push(settingTab);
    settingTab.update();
    this.register(() => this.app._tabs.remove(settingTab));
  }
  registerView(type: string, viewCreator: (leaf: WorkspaceLeaf) => View): void {
    const views = this.app.workspace._views;
    if (views.has(type)) throw new Error(`Attempting to register an existing view type "${type}"`);
    views.set(type, viewCreator);
    // Open leaves of an unloaded plugin turn into empty ones; the plugin itself is not to detach them.
    this.register(() => {
      views.delete(type);
      for (const leaf of this.app.workspace.getLeavesOfType(type)) void leaf.setViewState({ type: "empty" });
    });
  }
  registerHoverLinkSource(id: string, info: real.HoverLinkSource): void {
    this.app._hoverSources.set(id, info);
    this.register(() => this.app._hoverSources.delete(id));
  }
  registerObsidianProtocolHandler(action: string, handler: real.ObsidianProtocolHandler): void {
    this.app._protocol.set(action, handler);
    this.register(() => this.app._protocol.delete(action));
  }
  _dataPath(): string { return `${this.app.vault.configDir}/plugins/${this.manifest.id}/data.json`; }
  async loadData(): Promise<any> {
    try { return JSON.parse(theHost().text(this._dataPath())) as unknown; } catch { return null; }
  }
  async saveData(data: any): Promise<void> { theHost().write(this._dataPath(), JSON.stringify(data, null, 2)); }
  onUserEnable(): void {}
  onExternalSettingsChange?(): any;
}

export abstract class PluginSettingTab extends SettingTab {
  constructor(app: App, readonly _plugin: Plugin) { super(app); }
  override getControlValue(key: string): unknown { return (this._plugin.settings as Record<string, unknown> | undefined)?.[key]; }
  override async setControlValue(key: string, value: unknown): Promise<void> {
    const settings = (this._plugin.settings ??= {}) as Record<string, unknown>;
    settings[key] = value;
    await this._plugin.saveData(settings);
  }
}
