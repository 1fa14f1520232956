/** Leaves, views and splits: one root split of tabs, a left and a right sidebar, second windows. */
import type * as real from "../../../node_modules/obsidian/obsidian";
import { installDom, migrated } from "./dom";
import { Editor } from "./editor";
import { Component, Events } from "./events";
import { getIcon, getLanguage, parseLinktext, setIcon } from "./platform";
import type { App } from "./plugin";
import type { Menu } from "./ui";
import { TFile, type MetadataCache, type Vault } from "./vault";

export class WorkspaceSidedock {
  collapsed = true;
  readonly _leaves: WorkspaceLeaf[] = [];
  constructor(readonly _el: HTMLElement, readonly _changed: () => void) { this._show(); }
  _show(): void { this._el.toggleClass("is-collapsed", this.collapsed); }
  toggle(): void { if (this.collapsed) this.expand(); else this.collapse(); }
  collapse(): void { this.collapsed = true; this._show(); this._changed(); }
  expand(): void { this.collapsed = false; this._show(); this._changed(); }
}

export class WorkspaceRoot {
  readonly _leaves: WorkspaceLeaf[] = [];
  constructor(readonly _el: HTMLElement, readonly win: Window, readonly doc: Document) {}
}

export class WorkspaceWindow extends WorkspaceRoot {}

type Home = WorkspaceSidedock | WorkspaceRoot;

export class WorkspaceLeaf extends Events {
  view: View;
  hoverPopover: real.HoverPopover | null = null;
  _pinned = false;
  readonly _el: HTMLElement;

  constructor(readonly _workspace: Workspace, public _home: Home) {
    super();
    this._el = _home._el.createDiv("workspace-leaf");
    // A click or the focus inside makes a leaf the active one, sidebars included.
    for (const type of ["mousedown", "focusin"]) this._el.addEventListener(type, () => this._workspace.setActiveLeaf(this, { focus: false }));
    _home._leaves.push(this);
    this.view = new EmptyView(this);
    this._el.appendChild(this.view.containerEl);
    this._workspace._arrange(this);
  }
  get isDeferred(): boolean { return false; }
  async loadIfDeferred(): Promise<void> {}
  async open(view: View): Promise<View> {
    await this._leave();
    this.view = view;
    this._el.appendChild(view.containerEl);
    getIcon(view.getIcon()); // for the tab, which is not drawn
    await view._begin();
    this._workspace.trigger("layout-change");
    return view;
  }
  async _leave(): Promise<void> {
    const old = this.view;
    await old._end();
    old.containerEl.detach();
  }
  getViewState(): real.ViewState { return { type: this.view.getViewType(), state: this.view.getState(), pinned: this._pinned }; }
  async setViewState(viewState: real.ViewState, eState?: any): Promise<void> {
    if (this.view.getViewType() !== viewState.type) {
      const make = this._workspace._views.get(viewState.type);
      await this.open(make ? make(this) : new EmptyView(this));
    }
    await this.view.setState(viewState.state ?? {}, { history: false });
    if (eState) this.view.setEphemeralState(eState);
    if (viewState.active) this._workspace.setActiveLeaf(this, { focus: true });
    this._workspace._arrange(this);
  }
  async openFile(file: TFile, openState?: real.OpenViewState): Promise<void> {
    await this.setViewState({ type: "markdown", state: { ...openState?.state, file: file.path } }, openState?.eState);
    if (openState?.active !== false) this._workspace.setActiveLeaf(this, { focus: true });
  }
  getEphemeralState(): any { return this.view.getEphemeralState(); }
  setEphemeralState(state: any): void { this.view.setEphemeralState(state); }
  setPinned(pinned: boolean): void { this._pinned = pinned; this.trigger("pinned-change", pinned); }
  getRoot(): Home { return this._home; }
  getContainer(): Home { return this._home; }
  getIcon(): string { return this.view.getIcon(); }
  getDisplayText(): string { return this.view.getDisplayText(); }
  detach(): void {
    void this._leave().then(() => this._workspace.trigger("layout-change"));
    this._el.detach();
    (this._home._leaves as WorkspaceLeaf[]).remove(this);
    this._workspace._gone(this);
  }
}

export abstract class View extends Component {
  app: App;
  icon = "file";
  navigation = false;
  containerEl: HTMLElement;
  scope: real.Scope | null = null;
  constructor(public leaf: WorkspaceLeaf) {
    super();
    this.app = leaf._workspace._app;
    this.containerEl = leaf._el.doc.createElement("div");
    this.containerEl.addClass("workspace-leaf-content");
  }
  protected async onOpen(): Promise<void> {}
  protected async onClose(): Promise<void> {}
  async _begin(): Promise<void> { this.load(); await this.onOpen(); }
  async _end(): Promise<void> { await this.onClose(); this.unload(); }
  abstract getViewType(): string;
  abstract getDisplayText(): string;
  getState(): Record<string, unknown> { return {}; }
  async setState(_state: any, _result: real.ViewStateResult): Promise<void> {}
  getEphemeralState(): Record<string, unknown> { return {}; }
  setEphemeralState(_state: any): void {}
  getIcon(): string { return this.icon; }
  onResize(): void {}
  onPaneMenu(_menu: Menu, _source: string): void {}
}

export abstract class ItemView extends View {
  contentEl: HTMLElement;
  readonly _header: HTMLElement;
  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    this._header = this.containerEl.createDiv("view-header");
    this._header.createDiv("view-actions");
    this.contentEl = this.containerEl.createDiv("view-content");
  }
  override load(): void {
    this.containerEl.setAttr("data-type", this.getViewType());
    super.load();
  }
  addAction(icon: string, title: string, callback: (evt: MouseEvent) => any): HTMLElement {
    const button = this._header.find(".view-actions").createEl("button", { cls: "clickable-icon view-action", attr: { "aria-label": title } });
    setIcon(button, icon);
    button.addEventListener("click", callback);
    return button;
  }
}

class EmptyView extends ItemView {
  getViewType(): string { return "empty"; }
  getDisplayText(): string { return ""; }
}

export abstract class FileView extends ItemView {
  allowNoFile = false;
  file: TFile | null = null;
  override navigation = true;
  getDisplayText(): string { return this.file?.basename ?? ""; }
  override getState(): Record<string, unknown> { return { file: this.file?.path ?? null }; }
  override async setState(state: any, _result: real.ViewStateResult): Promise<void> {
    const file = this.app.vault.getFileByPath(String(state.file));
    if (!file || file === this.file) return;
    if (this.file) await this.onUnloadFile(this.file);
    this.file = file;
    await this.onLoadFile(file);
    this.app.workspace._opened(this.leaf);
  }
  async onLoadFile(_file: TFile): Promise<void> {}
  async onUnloadFile(_file: TFile): Promise<void> {}
  async onRename(_file: TFile): Promise<void> {}
  canAcceptExtension(extension: string): boolean { return extension === "md"; }
}

export class MarkdownView extends FileView {
  editor: Editor;
  hoverPopover: real.HoverPopover | null = null;
  _timer: number | null = null;
  _last: Record<string, unknown> = {};
  constructor(leaf: WorkspaceLeaf) {
    super(leaf);
    const area = this.contentEl.createEl("textarea", { cls: "stand-in-editor", attr: { "aria-label": "Note", spellcheck: "false" } });
    this.editor = new Editor(area, () => this._changed());
    area.addEventListener("input", () => this._changed());
  }
  getViewType(): string { return "markdown"; }
  getMode(): real.MarkdownViewModeType { return "source"; }
  getViewData(): string { return this.editor.getValue(); }
  setViewData(data: string, _clear: boolean): void { this.editor._area!.value = data; }
  clear(): void { this.editor._area!.value = ""; }
  override async onLoadFile(file: TFile): Promise<void> {
    this.setViewData(await this.app.vault.read(file), true);
    this.editor._area!.setSelectionRange(0, 0);
    this._last = {};
  }
  override async onUnloadFile(): Promise<void> { if (this._timer !== null) await this._save(); }
  override getEphemeralState(): Record<string, unknown> { return { ...this._last, cursor: { from: this.editor.getCursor("from"), to: this.editor.getCursor("to") } }; }
  override setEphemeralState(state: any): void {
    this._last = state;
    if (state.cursor) this.editor.setSelection(state.cursor.from, state.cursor.to);
    if (typeof state.line === "number") {
      this.editor.setCursor(state.line, 0);
      this.editor.scrollIntoView({ from: { line: state.line, ch: 0 }, to: { line: state.line, ch: 0 } });
    }
    if (state.focus) this.editor.focus();
  }
  _changed(): void {
    this.app.workspace.trigger("editor-change", this.editor, this);
    if (this._timer !== null) window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => void this._save(), 200);
  }
  async _save(): Promise<void> {
    if (this._timer !== null) window.clearTimeout(this._timer);
    this._timer = null;
    if (this.file) await this.app.vault.modify(this.file, this.getViewData());
  }
}

export class Workspace extends Events {
  containerEl: HTMLElement;
  layoutReady = false;
  leftSplit: WorkspaceSidedock;
  rightSplit: WorkspaceSidedock;
  rootSplit: WorkspaceRoot;
  activeLeaf: WorkspaceLeaf | null = null;
  requestSaveLayout: real.Debouncer<[], Promise<void>>;
  readonly _views = new Map<string, (leaf: WorkspaceLeaf) => View>([["markdown", (leaf) => new MarkdownView(leaf)]]);
  readonly _windows: WorkspaceWindow[] = [];
  readonly _ready: (() => unknown)[] = [];
  _recent: WorkspaceLeaf[] = [];
  _announced: TFile | null = null;
  _saves = 0;

  constructor(readonly _app: App, readonly _vault: Vault, readonly _cache: MetadataCache, shell: HTMLElement) {
    super();
    this.containerEl = shell;
    const changed = (): void => this.trigger("layout-change");
    this.leftSplit = new WorkspaceSidedock(shell.createDiv("workspace-split mod-left-split mod-sidedock"), changed);
    this.rootSplit = new WorkspaceRoot(shell.createDiv("workspace-split mod-root"), window, document);
    this.rightSplit = new WorkspaceSidedock(shell.createDiv("workspace-split mod-right-split mod-sidedock"), changed);
    const saved = (): unknown => { this._saves += 1; return saved; };
    this.requestSaveLayout = Object.assign(saved, { cancel: saved, run: saved }) as unknown as real.Debouncer<[], Promise<void>>;
    _vault.on("delete", (file: TFile) => { for (const leaf of this._leaves()) if (leaf.view instanceof FileView && leaf.view.file === file) leaf.detach(); });
  }
  _homes(): Home[] { return [this.rootSplit, this.leftSplit, this.rightSplit, ...this._windows]; }
  _leaves(): WorkspaceLeaf[] { return this._homes().flatMap((home) => home._leaves); }
  _layoutDone(): void {
    this.layoutReady = true;
    for (const callback of this._ready.splice(0)) callback();
  }
  /** One leaf of a tab group is shown: the newest or the one revealed. */
  _arrange(shown: WorkspaceLeaf): void {
    for (const leaf of shown._home._leaves) leaf._el.toggleClass("is-hidden", leaf !== shown);
  }
  _gone(leaf: WorkspaceLeaf): void {
    this._recent.remove(leaf);
    if (leaf._home._leaves.length) this._arrange(leaf._home._leaves[leaf._home._leaves.length - 1]!);
    if (this.activeLeaf === leaf) { this.activeLeaf = null; const next = this._recent[0]; if (next) this.setActiveLeaf(next); }
  }
  _opened(leaf: WorkspaceLeaf): void {
    if (this.activeLeaf === leaf) this._announce();
  }
  _announce(): void {
    const file = this.getActiveFile();
    if (file !== this._announced) this.trigger("file-open", (this._announced = file));
  }
  onLayoutReady(callback: () => any): void { if (this.layoutReady) callback(); else this._ready.push(callback); }
  get activeEditor(): MarkdownView | null {
    const view = this.activeLeaf?.view;
    return view instanceof MarkdownView ? view : null;
  }
  getLeaf(newLeaf?: real.PaneType | boolean, _direction?: real.SplitDirection): WorkspaceLeaf {
    if (newLeaf === "window") return this.openPopoutLeaf();
    const reuse = newLeaf ? undefined : this._recent.find((leaf) => leaf._home instanceof WorkspaceRoot && !leaf._pinned);
    return reuse ?? new WorkspaceLeaf(this, this.rootSplit);
  }
  getLeftLeaf(_split: boolean): WorkspaceLeaf | null { return new WorkspaceLeaf(this, this.leftSplit); }
  getRightLeaf(_split: boolean): WorkspaceLeaf | null { return new WorkspaceLeaf(this, this.rightSplit); }
  async ensureSideLeaf(type: string, side: real.Side, options: { active?: boolean; split?: boolean; reveal?: boolean; state?: any } = {}): Promise<WorkspaceLeaf> {
    const dock = side === "left" ? this.leftSplit : this.rightSplit;
    const leaf = this.getLeavesOfType(type)[0] ?? new WorkspaceLeaf(this, dock);
    await leaf.setViewState({ type, state: options.state ?? leaf.view.getState() });
    if (options.reveal !== false) await this.revealLeaf(leaf);
    if (options.active !== false) this.setActiveLeaf(leaf, { focus: true });
    return leaf;
  }
  getLeavesOfType(viewType: string): WorkspaceLeaf[] { return this._leaves().filter((leaf) => leaf.view.getViewType() === viewType); }
  detachLeavesOfType(viewType: string): void { for (const leaf of this.getLeavesOfType(viewType)) leaf.detach(); }
  iterateAllLeaves(callback: (leaf: WorkspaceLeaf) => any): void { this._leaves().forEach((leaf) => void callback(leaf)); }
  iterateRootLeaves(callback: (leaf: WorkspaceLeaf) => any): void { this.rootSplit._leaves.forEach((leaf) => void callback(leaf)); }
  async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
    if (leaf._home instanceof WorkspaceSidedock && leaf._home.collapsed) leaf._home.expand();
    this._arrange(leaf);
    leaf.view.onResize();
  }
  getMostRecentLeaf(root?: unknown): WorkspaceLeaf | null {
    return this._recent.find((leaf) => (root ? leaf._home === root : leaf._home instanceof WorkspaceRoot)) ?? null;
  }
  setActiveLeaf(leaf: WorkspaceLeaf, params?: { focus?: boolean }): void;
  setActiveLeaf(leaf: WorkspaceLeaf, pushHistory: boolean, focus: boolean): void;
  setActiveLeaf(leaf: WorkspaceLeaf, params?: { focus?: boolean } | boolean): void {
    if (leaf !== this.activeLeaf) {
      for (const one of this._leaves()) one._el.toggleClass("mod-active", one === leaf);
      this.activeLeaf = leaf;
      this._recent = [leaf, ...this._recent.filter((one) => one !== leaf)];
      this.trigger("active-leaf-change", leaf);
      this._announce();
    }
    if (typeof params === "object" && params.focus && leaf.view instanceof MarkdownView) leaf.view.editor.focus();
  }
  getActiveViewOfType<T extends View>(type: real.Constructor<T>): T | null {
    const view = this.activeLeaf?.view;
    return view instanceof (type as unknown as { new (): T }) ? view : null;
  }
  getActiveFile(): TFile | null {
    for (const leaf of this._recent) if (leaf.view instanceof FileView && leaf.view.file) return leaf.view.file;
    return null;
  }
  getLastOpenFiles(): string[] { return this._recent.flatMap((leaf) => (leaf.view instanceof FileView && leaf.view.file ? [leaf.view.file.path] : [])); }
  async openLinkText(linktext: string, sourcePath: string, newLeaf?: real.PaneType | boolean, openViewState?: real.OpenViewState): Promise<void> {
    const { path, subpath } = parseLinktext(linktext);
    const file = this._cache.getFirstLinkpathDest(path, sourcePath) ?? await this._vault.create(path.endsWith(".md") ? path : `${path}.md`, "");
    const heading = subpath ? this._cache.getFileCache(file)?.headings?.find((one) => one.heading === subpath.slice(1)) : undefined;
    await this.getLeaf(newLeaf).openFile(file, { ...openViewState, eState: { ...(heading ? { line: heading.position.start.line } : {}), ...openViewState?.eState } });
  }
  openPopoutLeaf(_data?: real.WorkspaceWindowInitData): WorkspaceLeaf { return new WorkspaceLeaf(this, this._openWindow()); }
  moveLeafToPopout(leaf: WorkspaceLeaf, _data?: real.WorkspaceWindowInitData): WorkspaceWindow {
    const to = this._openWindow();
    leaf._home._leaves.remove(leaf);
    to._leaves.push(leaf);
    leaf._home = to;
    to._el.appendChild(to.doc.adoptNode(leaf._el));
    this._arrange(leaf);
    migrated(leaf._el, to.win);
    leaf.view.onResize();
    this.trigger("layout-change");
    return to;
  }
  _openWindow(): WorkspaceWindow {
    const win = window.open("about:blank", "_blank", "width=500,height=800");
    if (!win) throw new Error("the second window was refused");
    const scope = win as Window & typeof globalThis;
    installDom(scope);
    const doc = win.document;
    doc.title = "Second window";
    doc.documentElement.lang = getLanguage();
    doc.body.className = document.body.className;
    for (const sheet of Array.from(document.styleSheets)) doc.head.createEl("style", { text: Array.from(sheet.cssRules).map((rule) => rule.cssText).join("\n") });
    const split = doc.body.createDiv("app-container").createDiv("workspace").createDiv("workspace-split mod-root");
    const made = new WorkspaceWindow(split, win, doc);
    this._windows.push(made);
    for (const type of ["focusin", "mousedown"]) win.addEventListener(type, () => Object.assign(window, { activeWindow: win, activeDocument: doc }));
    for (const type of ["focusin", "mousedown"]) window.addEventListener(type, () => Object.assign(window, { activeWindow: window, activeDocument: document }));
    this.trigger("window-open", made, win);
    return made;
  }
  _closeWindow(made: WorkspaceWindow): void {
    for (const leaf of [...made._leaves]) leaf.detach();
    this._windows.remove(made);
    this.trigger("window-close", made, made.win);
    made.win.close();
    Object.assign(window, { activeWindow: window, activeDocument: document });
  }
}
