/** The page: Obsidian's shell, the plugin as shipped in it, and `window.harness`, by which the scenarios steer. */
import { counts, watchPage } from "./counts";
import { installDom } from "./dom";
import { makeRequire } from "./node";
import { getLanguage, missingIcons, setHost, type Host } from "./platform";
import { App, type Plugin } from "./plugin";
import { Notice, SettingsDialog } from "./ui";
import { MarkdownView, type WorkspaceLeaf, type WorkspaceWindow } from "./workspace";
import type { PluginManifest } from "./obsidian";

interface Setup {
  basePath: string; configDir: string; home: string; env: Record<string, string>; uid: number;
  entries: Host["entries"]; icons: Host["icons"]; manifest: PluginManifest; main: string; styles: string;
}
declare global {
  interface Window {
    harness: Harness;
    harnessRequest: Host["request"];
    harnessCall(module: string, name: string, args: unknown[]): Promise<{ value?: unknown; error?: { message: string; code?: string } }>;
  }
}

/** At once, from the test process; Obsidian has these in memory. */
function ask(what: string, body?: unknown): unknown {
  const request = new XMLHttpRequest();
  request.open("POST", what, false);
  request.send(JSON.stringify(body ?? null));
  const { value, error } = JSON.parse(request.responseText) as { value?: unknown; error?: string };
  if (error !== undefined) throw new Error(error);
  return value;
}

class Harness {
  readonly app: App;
  plugin: Plugin | null = null;
  requests: { url: string; method: string; at: number; ms: number | null }[] = [];
  calls: { module: string; name: string; at: number }[] = [];
  onload = { ms: 0, requests: 0, calls: 0 };
  settings: SettingsDialog | null = null;

  constructor(readonly setup: Setup) {
    setHost({
      basePath: setup.basePath, configDir: setup.configDir, entries: setup.entries, icons: setup.icons,
      request: (request) => {
        const one: Harness["requests"][number] = { url: request.url, method: request.method, at: performance.now(), ms: null };
        this.requests.push(one);
        return window.harnessRequest(request).finally(() => { one.ms = performance.now() - one.at; });
      },
      text: (path) => ask("vault/text", { path }) as string,
      texts: () => ask("vault/texts") as Record<string, string>,
      write: (path, text) => void ask("vault/write", { path, text }),
      remove: (path) => void ask("vault/remove", { path }),
      rename: (path, to) => void ask("vault/rename", { path, to }),
    });
    const rtl = ["ar", "fa", "he", "ur"].includes(getLanguage());
    document.documentElement.lang = getLanguage();
    document.documentElement.dir = rtl ? "rtl" : "ltr";
    const shell = document.body.createDiv("app-container");
    const main = shell.createDiv("horizontal-main-container");
    const ribbon = main.createDiv({ cls: "workspace-ribbon mod-left", attr: { role: "toolbar", "aria-label": "Ribbon" } });
    this.app = new App({ ribbon, workspace: main.createDiv("workspace"), status: shell.createDiv("status-bar") });
    this.styles(setup.styles);
    const lasting = new Map<EventTarget, string>([[window, "window"], [document, "document"], [document.body, "body"], [document.documentElement, "html"], [this.app.workspace.containerEl, "workspace"], [ribbon, "ribbon"]]);
    watchPage(window, (target) => lasting.get(target) ?? (target instanceof Node ? null : target.constructor.name));
    Object.assign(window, { process: { platform: "linux", env: setup.env, versions: { node: "20.0.0", electron: "39.0.0" }, geteuid: () => setup.uid, getuid: () => setup.uid, kill: (pid: number, signal: number) => this.kill(pid, signal) } });
  }

  /** As Node does, for the question whether a process is there. */
  private kill(pid: number, signal: number): true {
    if (signal !== 0) throw new Error("nothing is ended from here");
    this.calls.push({ module: "process", name: "kill", at: performance.now() });
    const code = ask("process/kill", { pid });
    if (code) throw Object.assign(new Error(`kill ${String(code)}`), { code });
    return true;
  }

  private styles(text: string): void {
    document.head.createEl("style", { text, attr: { "data-plugin": "ebbtide" } });
  }

  /** Evaluates the shipped file as Obsidian does, loads the plugin, and then says that the layout stands. */
  async load(enable = false): Promise<void> {
    const call = async (module: string, name: string, args: unknown[]): Promise<unknown> => {
      this.calls.push({ module, name, at: performance.now() });
      const reply = await window.harnessCall(module, name, args);
      if (reply.error) throw Object.assign(new Error(reply.error.message), { code: reply.error.code });
      return reply.value;
    };
    const made = { exports: {} as { default?: new (app: App, manifest: PluginManifest) => Plugin } };
    const evaluate = new Function("require", "module", "exports", `${this.setup.main}\n//# sourceURL=plugin-main.js`) as (...args: unknown[]) => void;
    evaluate(makeRequire(call, this.setup.home), made, made.exports);
    if (!made.exports.default) throw new Error("main.js has no default export");
    const before = [this.requests.length, this.calls.length] as const;
    this.plugin = new made.exports.default(this.app, { ...this.setup.manifest });
    const begin = performance.now();
    this.plugin.load();
    await this.plugin._loading;
    this.onload = { ms: performance.now() - begin, requests: this.requests.length - before[0], calls: this.calls.length - before[1] };
    if (enable) this.plugin.onUserEnable();
    if (!this.app.workspace.layoutReady) this.app.workspace._layoutDone();
  }

  unload(): void {
    this.settings?.close();
    this.plugin?.unload();
    this.plugin = null;
  }

  /** The ways of the command palette: what is not available is not run. */
  commands(): { id: string; name: string; available: boolean }[] {
    return [...this.app._commands.values()].map((one) => ({ id: one.id, name: one.name, available: this.attempt(one.id, true) }));
  }
  command(id: string): boolean { return this.attempt(id, false); }
  private attempt(id: string, checking: boolean): boolean {
    const command = this.app._commands.get(id);
    if (!command) throw new Error(`no command ${id}`);
    const view = this.app.workspace.activeEditor;
    if (command.editorCheckCallback || command.editorCallback) {
      if (!view) return false;
      const [editor, context] = [view.editor as never, view as never];
      if (command.editorCheckCallback) return command.editorCheckCallback(true, editor, context) !== false && (checking || (command.editorCheckCallback(false, editor, context), true));
      if (!checking) command.editorCallback!(editor, context);
      return true;
    }
    if (command.checkCallback) return Boolean(command.checkCallback(true)) && (checking || (command.checkCallback(false), true));
    if (!checking) command.callback?.();
    return true;
  }

  async open(path: string): Promise<void> {
    const file = this.app.vault.getFileByPath(path);
    if (!file) throw new Error(`no note ${path}`);
    const leaf = this.app.workspace._leaves().find((one) => one.view instanceof MarkdownView && one._home === this.app.workspace.rootSplit) ?? this.app.workspace.getLeaf(true);
    await leaf.openFile(file);
  }
  /** The note in front and where its cursor is. */
  editor(): { path: string | null; line: number; ch: number; text: string; selection: string } | null {
    const leaf = this.app.workspace._recent.find((one) => one.view instanceof MarkdownView);
    if (!leaf) return null;
    const { editor, file } = leaf.view as MarkdownView;
    return { path: file?.path ?? null, ...editor.getCursor(), text: editor.getValue(), selection: editor.getSelection() };
  }
  select(line: number, from: number, to = from): void {
    const leaf = this.app.workspace._recent.find((one) => one.view instanceof MarkdownView);
    if (!leaf) throw new Error("no note is open");
    this.app.workspace.setActiveLeaf(leaf, { focus: true });
    (leaf.view as MarkdownView).editor.setSelection({ line, ch: from }, { line, ch: to });
  }
  closeNotes(): void { for (const leaf of this.app.workspace.getLeavesOfType("markdown")) leaf.detach(); }

  openSettings(): void {
    const tab = this.app._tabs[0];
    if (!tab) throw new Error("the plugin has no settings");
    this.settings = new SettingsDialog(this.app, tab);
    this.settings.open();
  }
  closeSettings(): void { this.settings?.close(); this.settings = null; }

  theme(name: "light" | "dark"): void {
    for (const win of [window, ...this.app.workspace._windows.map((one) => one.win)]) {
      win.document.body.classList.toggle("theme-dark", name === "dark");
      win.document.body.classList.toggle("theme-light", name !== "dark");
    }
    this.app.workspace.trigger("css-change");
  }
  width(px: number): void {
    document.body.setCssProps({ "--stand-in-sidebar": `${px}px` });
    this.app.workspace.trigger("resize");
    for (const leaf of this.app.workspace._leaves()) leaf.view.onResize();
  }
  direction(dir: "ltr" | "rtl"): void {
    document.documentElement.dir = dir;
    document.body.toggleClass("mod-rtl", dir === "rtl");
  }
  leaf(type: string): WorkspaceLeaf {
    const leaf = this.app.workspace.getLeavesOfType(type)[0];
    if (!leaf) throw new Error(`no view ${type}`);
    return leaf;
  }
  /** The state of a view as Obsidian would save it, and the view made anew from it. */
  async reopen(type: string): Promise<unknown> {
    const leaf = this.leaf(type);
    const saved = JSON.parse(JSON.stringify(leaf.getViewState())) as { type: string };
    await leaf.setViewState({ type: "empty" });
    await leaf.setViewState(saved);
    return saved;
  }
  popout(type: string): void { this.second = this.app.workspace.moveLeafToPopout(this.leaf(type)); }
  second: WorkspaceWindow | null = null;
  closePopout(): void { if (this.second) this.app.workspace._closeWindow(this.second); this.second = null; }
  notices(): string[] { return Notice._all.map((one) => one.text); }
  missingIcons(): string[] { return [...missingIcons]; }
  counts(): ReturnType<typeof counts> & { commands: number; views: string[]; refs: number; status: number; ribbon: number; tabs: number } {
    const { app } = this;
    const refs = [app.workspace, app.vault, app.metadataCache].reduce((sum, one) => sum + one._refs.length, 0);
    return { ...counts(), commands: app._commands.size, views: [...app.workspace._views.keys()], refs, status: app._shell.status.childElementCount, ribbon: app._shell.ribbon.childElementCount, tabs: app._tabs.length };
  }
}

installDom(window);
window.harness = new Harness(ask("setup") as Setup);
