/** Notices, dialogs, menus, settings and their parts, with the roles and names by which a person finds them. */
import type * as real from "../../../node_modules/obsidian/obsidian";
import { getLanguage, setIcon, setTooltip } from "./platform";
import type { App } from "./plugin";

let unique = 0;

export class Notice {
  /** Every notice since the page began; the harness reads it. */
  static readonly _all: { text: string; at: number }[] = [];
  noticeEl: HTMLElement;
  containerEl: HTMLElement;
  messageEl: HTMLElement;
  constructor(message: string | DocumentFragment, duration?: number) {
    const list = document.body.find(".notice-container") ?? document.body.createDiv({ cls: "notice-container", attr: { role: "status" } });
    this.noticeEl = this.containerEl = list.createDiv("notice");
    this.messageEl = this.noticeEl.createDiv("notice-message");
    this.setMessage(message);
    Notice._all.push({ text: this.messageEl.textContent, at: performance.now() });
    this.noticeEl.addEventListener("click", () => this.hide());
    if (duration !== 0) globalTimers.setTimeout(() => this.hide(), duration ?? 5000);
  }
  setMessage(message: string | DocumentFragment): this { this.messageEl.setText(message); return this; }
  hide(): void { this.noticeEl.detach(); }
}

/** Timers that are Obsidian's own: taken before the harness begins to count the plugin's. */
const globalTimers = { setTimeout: typeof window === "undefined" ? globalThis.setTimeout : window.setTimeout.bind(window) };

export class Modal {
  scope = null as unknown as real.Scope;
  containerEl: HTMLElement;
  modalEl: HTMLElement;
  titleEl: HTMLElement;
  contentEl: HTMLElement;
  shouldRestoreSelection = true;
  _closed: (() => unknown) | null = null;
  _before: Element | null = null;
  constructor(public app: App) {
    this.containerEl = createDiv("modal-container");
    this.containerEl.createDiv("modal-bg").addEventListener("click", () => this.close());
    this.modalEl = this.containerEl.createDiv({ cls: "modal", attr: { role: "dialog", "aria-modal": "true", tabindex: -1 } });
    const close = this.modalEl.createEl("button", { cls: "modal-close-button clickable-icon", attr: { "aria-label": "Close" } });
    close.addEventListener("click", () => this.close());
    setIcon(close, "x");
    this.titleEl = this.modalEl.createDiv({ cls: "modal-title", attr: { id: `modal-title-${(unique += 1)}` } });
    this.modalEl.setAttr("aria-labelledby", this.titleEl.id);
    this.contentEl = this.modalEl.createDiv("modal-content");
    this.containerEl.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); this.close(); } });
  }
  open(): void {
    const doc = window.activeDocument ?? document;
    this._before = doc.activeElement;
    doc.body.appendChild(this.containerEl);
    this.modalEl.focus();
    void this.onOpen();
  }
  close(): void {
    if (!this.containerEl.isConnected) return;
    this.containerEl.detach();
    this.onClose();
    this._closed?.();
    if (this._before instanceof HTMLElement) this._before.focus();
  }
  onOpen(): Promise<void> | void {}
  onClose(): void {}
  setTitle(title: string): this { this.titleEl.setText(title); return this; }
  setContent(content: string | DocumentFragment): this { this.contentEl.setText(content); return this; }
  setCloseCallback(callback: () => any): this { this._closed = callback; return this; }
}

export abstract class BaseComponent {
  disabled = false;
  then(cb: (component: this) => any): this { cb(this); return this; }
  setDisabled(disabled: boolean): this { this.disabled = disabled; return this; }
}

export class ButtonComponent extends BaseComponent {
  buttonEl: HTMLButtonElement;
  constructor(containerEl: HTMLElement) { super(); this.buttonEl = containerEl.createEl("button"); }
  override setDisabled(disabled: boolean): this { this.buttonEl.disabled = disabled; return super.setDisabled(disabled); }
  setCta(): this { this.buttonEl.addClass("mod-cta"); return this; }
  removeCta(): this { this.buttonEl.removeClass("mod-cta"); return this; }
  setWarning(): this { return this.setDestructive(); }
  setDestructive(): this { this.buttonEl.addClass("mod-warning"); return this; }
  removeDestructive(): this { this.buttonEl.removeClass("mod-warning"); return this; }
  setTooltip(tooltip: string, options?: real.TooltipOptions): this { setTooltip(this.buttonEl, tooltip, options); return this; }
  setButtonText(name: string): this { this.buttonEl.setText(name); return this; }
  setIcon(icon: string): this { setIcon(this.buttonEl, icon); return this; }
  setClass(cls: string): this { this.buttonEl.addClass(cls); return this; }
  onClick(callback: (evt: MouseEvent) => unknown | Promise<unknown>): this { this.buttonEl.onclick = (event) => void callback(event); return this; }
}

export class ExtraButtonComponent extends BaseComponent {
  extraSettingsEl: HTMLElement;
  constructor(containerEl: HTMLElement) {
    super();
    this.extraSettingsEl = containerEl.createEl("button", { cls: "clickable-icon extra-setting-button" });
    this.setIcon("settings");
  }
  override setDisabled(disabled: boolean): this { this.extraSettingsEl.toggleClass("is-disabled", disabled); return super.setDisabled(disabled); }
  setTooltip(tooltip: string, options?: real.TooltipOptions): this { setTooltip(this.extraSettingsEl, tooltip, options); return this; }
  setIcon(icon: string): this { setIcon(this.extraSettingsEl, icon); return this; }
  onClick(callback: () => any): this { this.extraSettingsEl.onclick = () => void callback(); return this; }
}

export abstract class ValueComponent<T> extends BaseComponent {
  _heard?: (value: T) => unknown;
  abstract getValue(): T;
  abstract setValue(value: T): this;
}

export class AbstractTextComponent<T extends HTMLInputElement | HTMLTextAreaElement> extends ValueComponent<string> {
  constructor(public inputEl: T) { super(); inputEl.addEventListener("input", () => this.onChanged()); }
  override setDisabled(disabled: boolean): this { this.inputEl.disabled = disabled; return super.setDisabled(disabled); }
  getValue(): string { return this.inputEl.value; }
  setValue(value: string): this { this.inputEl.value = value; return this; }
  setPlaceholder(placeholder: string): this { this.inputEl.placeholder = placeholder; return this; }
  onChanged(): void { this._heard?.(this.getValue()); }
  onChange(callback: (value: string) => any): this { this._heard = callback; return this; }
}
export class TextComponent extends AbstractTextComponent<HTMLInputElement> {
  constructor(containerEl: HTMLElement) { super(containerEl.createEl("input", { type: "text", attr: { spellcheck: "false" } })); }
}
export class SearchComponent extends AbstractTextComponent<HTMLInputElement> {
  constructor(containerEl: HTMLElement) { super(containerEl.createEl("input", { type: "search", attr: { spellcheck: "false" } })); }
}
export class TextAreaComponent extends AbstractTextComponent<HTMLTextAreaElement> {
  constructor(containerEl: HTMLElement) { super(containerEl.createEl("textarea", { attr: { spellcheck: "false" } })); }
}
export class ToggleComponent extends ValueComponent<boolean> {
  toggleEl: HTMLElement;
  readonly _box?: HTMLInputElement;
  constructor(containerEl: HTMLElement) {
    super();
    this.toggleEl = containerEl.createDiv("checkbox-container");
    const box = this._box = this.toggleEl.createEl("input", { type: "checkbox" });
    box.addEventListener("change", () => this.setValue(box.checked)._heard?.(box.checked));
  }
  override setDisabled(disabled: boolean): this { this._box!.disabled = disabled; return super.setDisabled(disabled); }
  getValue(): boolean { return this._box!.checked; }
  setValue(on: boolean): this { this._box!.checked = on; this.toggleEl.toggleClass("is-enabled", on); return this; }
  setTooltip(tooltip: string, options?: real.TooltipOptions): this { setTooltip(this.toggleEl, tooltip, options); return this; }
  onClick(): void { this._box!.click(); }
  onChange(callback: (value: boolean) => any): this { this._heard = callback; return this; }
}
export class DropdownComponent extends ValueComponent<string> {
  selectEl: HTMLSelectElement;
  constructor(containerEl: HTMLElement) {
    super();
    this.selectEl = containerEl.createEl("select", "dropdown");
    this.selectEl.addEventListener("change", () => this._heard?.(this.getValue()));
  }
  override setDisabled(disabled: boolean): this { this.selectEl.disabled = disabled; return super.setDisabled(disabled); }
  addOption(value: string, display: string): this { this.selectEl.createEl("option", { value, text: display }); return this; }
  addOptions(options: Record<string, string>): this { for (const [value, display] of Object.entries(options)) this.addOption(value, display); return this; }
  getValue(): string { return this.selectEl.value; }
  setValue(value: string): this { this.selectEl.value = value; return this; }
  onChange(callback: (value: string) => any): this { this._heard = callback; return this; }
}
export class SliderComponent extends ValueComponent<number> {
  sliderEl: HTMLInputElement;
  constructor(containerEl: HTMLElement) {
    super();
    this.sliderEl = containerEl.createEl("input", { type: "range", cls: "slider" });
    this.sliderEl.addEventListener("change", () => this._heard?.(this.getValue()));
  }
  override setDisabled(disabled: boolean): this { this.sliderEl.disabled = disabled; return super.setDisabled(disabled); }
  setLimits(min: number | null, max: number | null, step: number | "any"): this {
    if (min !== null) this.sliderEl.min = String(min);
    if (max !== null) this.sliderEl.max = String(max);
    this.sliderEl.step = String(step);
    return this;
  }
  getValue(): number { return Number(this.sliderEl.value); }
  setValue(value: number): this { this.sliderEl.value = String(value); return this; }
  setDynamicTooltip(): this { return this; }
  onChange(callback: (value: number) => any): this { this._heard = callback; return this; }
}
/** A choice among the secrets of this vault and device. */
export class SecretComponent extends BaseComponent {
  readonly _select: DropdownComponent;
  constructor(app: App, containerEl: HTMLElement) {
    super();
    this._select = new DropdownComponent(containerEl).addOption("", "");
    for (const id of app.secretStorage.listSecrets()) this._select.addOption(id, id);
  }
  setValue(value: string): this { this._select.setValue(value); return this; }
  onChange(cb: (value: string) => unknown): this { this._select.onChange(cb); return this; }
}

class DialogButton extends ButtonComponent {
  constructor(containerEl: HTMLElement, readonly _modal: Modal) {
    super(containerEl);
    this.onClick(() => undefined);
  }
  override onClick(handler: (evt: MouseEvent) => unknown | Promise<unknown>): this {
    return super.onClick(async (event) => { await handler(event); this._modal.close(); });
  }
  setInitialFocus(): this { this.buttonEl.addClass("stand-in-first-focus"); return this; }
  setSecondary(): this { return this; }
  setCancel(): this { this.buttonEl.addClass("mod-cancel"); if (!this.buttonEl.textContent) this.setButtonText("Cancel"); return this; }
}
export { DialogButton as ConfirmationButton };

export class ConfirmationModal extends Modal {
  buttonContainerEl: HTMLElement;
  constructor(app: App) {
    super(app);
    this.containerEl.addClass("mod-confirmation");
    this.buttonContainerEl = this.modalEl.createDiv("modal-button-container");
  }
  override open(): void {
    super.open();
    this.buttonContainerEl.querySelector<HTMLElement>(".stand-in-first-focus")?.focus();
  }
  addClass(cls: string): this { this.modalEl.addClass(cls); return this; }
  addCheckbox(label: string, cb: (value: boolean) => any | Promise<any>): this {
    const row = this.buttonContainerEl.createEl("label", { cls: "mod-checkbox", text: label });
    const box = row.createEl("input", { type: "checkbox" });
    box.addEventListener("change", () => void cb(box.checked));
    return this;
  }
  addCancelButton(text = "Cancel"): this { return this.addButton((button) => button.setButtonText(text).setCancel()); }
  addButton(cb: (btn: DialogButton) => any): this { cb(new DialogButton(this.buttonContainerEl, this)); return this; }
}

export abstract class SuggestModal<T> extends Modal {
  limit = 100;
  emptyStateText = "No results found.";
  inputEl: HTMLInputElement;
  resultContainerEl: HTMLElement;
  _shown: T[] = [];
  _at = 0;
  constructor(app: App) {
    super(app);
    this.modalEl.addClass("prompt");
    this.inputEl = this.contentEl.createEl("input", { cls: "prompt-input", type: "text", attr: { "aria-label": "Filter" } });
    this.resultContainerEl = this.contentEl.createDiv({ cls: "prompt-results", attr: { role: "listbox", "aria-label": "Suggestions" } });
    this.inputEl.addEventListener("input", () => void this._suggest());
    this.inputEl.addEventListener("keydown", (event) => {
      if (event.key === "Enter") { event.preventDefault(); this.selectActiveSuggestion(event); }
      if (event.key === "ArrowDown" || event.key === "ArrowUp") { this._at += event.key === "ArrowDown" ? 1 : -1; this._mark(); }
    });
  }
  override open(): void {
    super.open();
    this.inputEl.focus();
    void this._suggest();
  }
  async _suggest(): Promise<void> {
    this._shown = (await this.getSuggestions(this.inputEl.value)).slice(0, this.limit);
    this._at = 0;
    this.resultContainerEl.empty();
    for (const value of this._shown) {
      const row = this.resultContainerEl.createDiv({ cls: "suggestion-item", attr: { role: "option" } });
      this.renderSuggestion(value, row);
      row.addEventListener("click", (event) => this.selectSuggestion(value, event));
    }
    if (!this._shown.length) this.onNoSuggestion();
    this._mark();
  }
  _mark(): void {
    this._at = Math.min(Math.max(0, this._at), Math.max(0, this._shown.length - 1));
    this.resultContainerEl.findAll(".suggestion-item").forEach((row, at) => { row.toggleClass("is-selected", at === this._at); row.setAttr("aria-selected", at === this._at); });
  }
  setPlaceholder(placeholder: string): void { this.inputEl.placeholder = placeholder; }
  setInstructions(instructions: real.Instruction[]): void {
    const list = this.modalEl.createDiv("prompt-instructions");
    for (const one of instructions) list.createSpan({ text: `${one.command} ${one.purpose}` });
  }
  onNoSuggestion(): void { if (this.emptyStateText) this.resultContainerEl.createDiv({ cls: "suggestion-empty", text: this.emptyStateText }); }
  selectSuggestion(value: T, evt: MouseEvent | KeyboardEvent): void { this.close(); this.onChooseSuggestion(value, evt); }
  selectActiveSuggestion(evt: MouseEvent | KeyboardEvent): void { if (this._at in this._shown) this.selectSuggestion(this._shown[this._at]!, evt); }
  abstract getSuggestions(query: string): T[] | Promise<T[]>;
  abstract renderSuggestion(value: T, el: HTMLElement): void;
  abstract onChooseSuggestion(item: T, evt: MouseEvent | KeyboardEvent): void;
}

export abstract class FuzzySuggestModal<T> extends SuggestModal<real.FuzzyMatch<T>> {
  getSuggestions(query: string): real.FuzzyMatch<T>[] {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    return this.getItems()
      .filter((item) => words.every((word) => this.getItemText(item).toLowerCase().includes(word)))
      .map((item) => ({ item, match: { score: 0, matches: [] } }));
  }
  renderSuggestion(item: real.FuzzyMatch<T>, el: HTMLElement): void { el.setText(this.getItemText(item.item)); }
  onChooseSuggestion(item: real.FuzzyMatch<T>, evt: MouseEvent | KeyboardEvent): void { this.onChooseItem(item.item, evt); }
  abstract getItems(): T[];
  abstract getItemText(item: T): string;
  abstract onChooseItem(item: T, evt: MouseEvent | KeyboardEvent): void;
}

export class MenuItem {
  readonly _el: HTMLElement;
  readonly _title: HTMLElement;
  readonly _icon: HTMLElement;
  _section = "";
  constructor(readonly _menu: Menu) {
    this._el = createDiv({ cls: "menu-item", attr: { role: "menuitem", tabindex: 0 } });
    this._icon = this._el.createDiv("menu-item-icon");
    this._title = this._el.createDiv("menu-item-title");
  }
  setTitle(title: string | DocumentFragment): this { this._title.setText(title); return this; }
  setIcon(icon: string | null): this { if (icon) setIcon(this._icon, icon); return this; }
  setChecked(checked: boolean | null): this {
    if (checked !== null) this._el.setAttrs({ role: "menuitemcheckbox", "aria-checked": checked });
    return this;
  }
  setDisabled(disabled: boolean): this { this._el.setAttr("aria-disabled", disabled); this._el.toggleClass("is-disabled", disabled); return this; }
  setWarning(isWarning: boolean): this { this._el.toggleClass("is-warning", isWarning); return this; }
  setIsLabel(isLabel: boolean): this { this._el.toggleClass("is-label", isLabel); return this; }
  setSection(section: string): this { this._section = section; return this; }
  onClick(callback: (evt: MouseEvent | KeyboardEvent) => any): this {
    const run = (event: MouseEvent | KeyboardEvent): void => {
      if (this._el.hasClass("is-disabled")) return;
      this._menu.hide();
      void callback(event);
    };
    this._el.addEventListener("click", run);
    this._el.addEventListener("keydown", (event) => { if (event.key === "Enter") run(event); });
    return this;
  }
}

export class Menu {
  readonly _el = createDiv({ cls: "menu", attr: { role: "menu" } });
  _hidden: (() => unknown) | null = null;
  _away: (() => void) | null = null;
  setNoIcon(): this { return this; }
  setUseNativeMenu(_useNativeMenu: boolean): this { return this; }
  addItem(cb: (item: MenuItem) => any): this {
    const item = new MenuItem(this);
    this._el.appendChild(item._el);
    cb(item);
    return this;
  }
  addSeparator(): this { this._el.createDiv({ cls: "menu-separator", attr: { role: "separator" } }); return this; }
  setParentElement(_el: HTMLElement): this { return this; }
  showAtMouseEvent(evt: MouseEvent): this { return this.showAtPosition({ x: evt.clientX, y: evt.clientY }, (evt.target as Node | null)?.ownerDocument ?? document); }
  showAtPosition(position: real.MenuPositionDef, doc: Document = document): this {
    doc.body.appendChild(this._el);
    const room = doc.defaultView!;
    this._el.setCssStyles({
      left: `${Math.max(0, Math.min(position.x, room.innerWidth - this._el.offsetWidth - 4))}px`,
      top: `${Math.max(0, Math.min(position.y, room.innerHeight - this._el.offsetHeight - 4))}px`,
    });
    const away = (event: Event): void => { if (!this._el.contains(event.target as Node) || (event as KeyboardEvent).key === "Escape") this.hide(); };
    for (const type of ["mousedown", "keydown"]) doc.addEventListener(type, away, true);
    this._away = () => { for (const type of ["mousedown", "keydown"]) doc.removeEventListener(type, away, true); };
    this._el.querySelector<HTMLElement>(".menu-item")?.focus();
    return this;
  }
  hide(): this {
    if (!this._el.isConnected) return this;
    this._el.detach();
    this._away?.();
    this._hidden?.();
    return this;
  }
  close(): void { this.hide(); }
  onHide(callback: () => any): void { this._hidden = callback; }
  static forEvent(evt: PointerEvent | MouseEvent): Menu { evt.preventDefault(); const menu = new Menu(); queueMicrotask(() => menu.showAtMouseEvent(evt)); return menu; }
}

export class Setting {
  settingEl: HTMLElement;
  infoEl: HTMLElement;
  nameEl: HTMLElement;
  descEl: HTMLElement;
  controlEl: HTMLElement;
  components: BaseComponent[] = [];
  errorEl: HTMLElement | null = null;
  constructor(containerEl: HTMLElement) {
    this.settingEl = containerEl.createDiv("setting-item");
    this.infoEl = this.settingEl.createDiv("setting-item-info");
    this.nameEl = this.infoEl.createDiv({ cls: "setting-item-name", attr: { id: `setting-${(unique += 1)}` } });
    this.descEl = this.infoEl.createDiv("setting-item-description");
    this.controlEl = this.settingEl.createDiv("setting-item-control");
  }
  /** In Obsidian the name is the control's label for the eye only; here for assistive technology too. */
  _label?(): void {
    for (const el of this.controlEl.findAll("input, select, textarea")) if (!el.hasAttribute("aria-label")) el.setAttr("aria-labelledby", this.nameEl.id);
  }
  _add?<T extends BaseComponent>(component: T, cb: (component: T) => any): this {
    this.components.push(component);
    cb(component);
    this._label!();
    return this;
  }
  setErrorMessage(message: string | null): this {
    this.errorEl?.detach();
    this.errorEl = message ? this.settingEl.createDiv({ cls: "setting-item-error", text: message, attr: { role: "alert" } }) : null;
    return this;
  }
  setName(name: string | DocumentFragment): this { this.nameEl.setText(name); return this; }
  setDesc(desc: string | DocumentFragment): this { this.descEl.setText(desc); return this; }
  setClass(cls: string): this { this.settingEl.addClass(cls); return this; }
  setTooltip(tooltip: string, options?: real.TooltipOptions): this { setTooltip(this.nameEl, tooltip, options); return this; }
  setHeading(): this { this.settingEl.addClass("setting-item-heading"); return this; }
  setDisabled(disabled: boolean): this { this.settingEl.toggleClass("is-disabled", disabled); for (const one of this.components) one.setDisabled(disabled); return this; }
  addButton(cb: (component: ButtonComponent) => any): this { return this._add!(new ButtonComponent(this.controlEl), cb); }
  addExtraButton(cb: (component: ExtraButtonComponent) => any): this { return this._add!(new ExtraButtonComponent(this.controlEl), cb); }
  addToggle(cb: (component: ToggleComponent) => any): this { return this._add!(new ToggleComponent(this.controlEl), cb); }
  addText(cb: (component: TextComponent) => any): this { return this._add!(new TextComponent(this.controlEl), cb); }
  addSearch(cb: (component: SearchComponent) => any): this { return this._add!(new SearchComponent(this.controlEl), cb); }
  addTextArea(cb: (component: TextAreaComponent) => any): this { return this._add!(new TextAreaComponent(this.controlEl), cb); }
  addDropdown(cb: (component: DropdownComponent) => any): this { return this._add!(new DropdownComponent(this.controlEl), cb); }
  addSlider(cb: (component: SliderComponent) => any): this { return this._add!(new SliderComponent(this.controlEl), cb); }
  addComponent<T extends BaseComponent>(cb: (el: HTMLElement) => T): this { this.components.push(cb(this.controlEl)); this._label!(); return this; }
  then(cb: (setting: this) => any): this { cb(this); return this; }
  clear(): this { this.controlEl.empty(); this.components = []; return this; }
}

export class SettingGroup {
  listEl: HTMLElement;
  constructor(containerEl: HTMLElement) { this.listEl = containerEl.createDiv("setting-group").createDiv("setting-items"); }
  setHeading(text: string | DocumentFragment): this {
    const whole = this.listEl.parentElement!;
    new Setting(whole).setName(text).setHeading().then((row) => whole.insertBefore(row.settingEl, this.listEl));
    return this;
  }
  addClass(...classes: string[]): this { this.listEl.parentElement!.addClass(...classes); return this; }
  addSetting(cb: (setting: Setting) => void): this { cb(new Setting(this.listEl)); return this; }
  addSearch(cb: (component: SearchComponent) => any): this { cb(new SearchComponent(this.listEl.parentElement!)); return this; }
  addExtraButton(cb: (component: ExtraButtonComponent) => any): this { cb(new ExtraButtonComponent(this.listEl.parentElement!)); return this; }
}

const asked = <T>(value: T | (() => T) | undefined, otherwise: T): T => (typeof value === "function" ? (value as () => T)() : (value ?? otherwise));

export abstract class SettingTab {
  icon = "settings";
  containerEl: HTMLElement;
  settingItems: real.SettingDefinitionItem[] = [];
  readonly _undo: (() => void)[] = [];
  readonly _checks: (() => void)[] = [];
  _page: real.SettingDefinitionPage[] = [];
  constructor(public app: App) { this.containerEl = createDiv("vertical-tab-content"); }
  getSettingDefinitions(): real.SettingDefinitionItem[] { return []; }
  getControlValue(_key: string): unknown { return undefined; }
  setControlValue(_key: string, _value: unknown): void | Promise<void> {}
  update(): void {
    this.settingItems = this.getSettingDefinitions();
    if (this.containerEl.isConnected) this._draw();
  }
  refreshDomState(): void { for (const check of this._checks) check(); }
  display(): void {}
  hide(): void {
    for (const undo of this._undo.splice(0)) undo();
    this._checks.splice(0);
    this.containerEl.empty();
  }
  _show(): void {
    this.settingItems = this.getSettingDefinitions();
    if (this.settingItems.length) this._draw(); else this.display();
  }
  _draw(): void {
    SettingTab.prototype.hide.call(this);
    const open = this._page[this._page.length - 1];
    if (open) {
      new Setting(this.containerEl).setName(open.name).setHeading().addExtraButton((back) => back.setIcon("arrow-left").setTooltip("Back").onClick(() => { this._page.pop(); this._draw(); }));
    }
    this._items(open ? (open.items ?? []) : this.settingItems, new SettingGroup(this.containerEl));
    this.refreshDomState();
  }
  _items(items: real.SettingDefinitionItem[], group: SettingGroup): void {
    items.forEach((item, index) => {
      if ("type" in item && item.type === "page") {
        group.addSetting((row) => {
          row.setName(item.name).setDesc(item.desc ?? "").addButton((button) => button.setButtonText(`${item.name}…`).onClick(() => { this._page.push(item); this._draw(); }));
          this._checks.push(() => row.settingEl.toggle(asked(item.visible, true)));
        });
      } else if ("type" in item) {
        const inner = new SettingGroup(this.containerEl);
        if (item.cls) inner.addClass(item.cls);
        if (item.heading) inner.setHeading(item.heading);
        this._items(item.items ?? [], inner);
        this._checks.push(() => inner.listEl.parentElement!.toggle(asked(item.visible, true)));
      } else {
        group.addSetting((row) => this._row(item, row, group, index));
      }
    });
  }
  _row(item: real.SettingDefinition, row: Setting, group: SettingGroup, index: number): void {
    row.setName(item.name).setDesc(item.desc ?? "");
    this._checks.push(() => row.settingEl.toggle(asked(item.visible, true)));
    if (item.render) {
      const undo = item.render(row as unknown as real.Setting, group as unknown as real.SettingGroup);
      if (undo) this._undo.push(undo);
      row._label!();
    } else if (item.action) {
      row.addButton((button) => button.setButtonText(item.name).onClick(() => item.action(row.settingEl, index)));
      this._checks.push(() => row.setDisabled(asked(item.disabled, false)));
    } else if (item.control) {
      this._control(item.control, row);
      const { control } = item;
      this._checks.push(() => row.setDisabled(asked(control.disabled, false)));
    }
  }
  _control(control: real.SettingControl, row: Setting): void {
    const value = this.getControlValue(control.key) ?? control.defaultValue;
    const check = async (candidate: never): Promise<boolean> => {
      const fault = (await control.validate?.(candidate)) ?? null;
      row.setErrorMessage(fault || null);
      return !fault;
    };
    const store = async (candidate: unknown): Promise<void> => { if (await check(candidate as never)) await this.setControlValue(control.key, candidate); };
    const heard = (candidate: unknown): void => void store(candidate);
    if (control.type === "toggle") row.addToggle((one) => one.setValue(Boolean(value)).onChange(heard));
    else if (control.type === "dropdown") row.addDropdown((one) => one.addOptions(control.options).setValue(String(value ?? "")).onChange(heard));
    else if (control.type === "slider") row.addSlider((one) => one.setLimits(control.min, control.max, control.step).setValue(Number(value)).onChange(heard));
    else if (control.type === "textarea") row.addTextArea((one) => one.setPlaceholder(control.placeholder ?? "").setValue(String(value ?? "")).onChange(heard));
    else if (control.type === "color") throw new Error("the stand-in has no colour control");
    else {
      row.addText((one) => {
        one.setPlaceholder(control.placeholder ?? "").setValue(String(value ?? ""));
        if (control.type === "number") Object.assign(one.inputEl, { type: "number", min: String(control.min ?? ""), max: String(control.max ?? ""), step: String(control.step ?? "any") });
        one.onChange((text) => heard(control.type === "number" ? Number(text) : text));
      });
    }
    if (value !== undefined) void check(value as never);
  }
}

/** The dialog that shows one plugin's tab. */
export class SettingsDialog extends Modal {
  constructor(app: App, readonly _tab: SettingTab) {
    super(app);
    this.modalEl.addClass("mod-settings");
    this.setTitle(getLanguage().startsWith("zh") ? "设置" : "Settings");
  }
  override onOpen(): void {
    this.contentEl.appendChild(this._tab.containerEl);
    this._tab._show();
  }
  override onClose(): void {
    this._tab._page = [];
    this._tab.hide();
    this._tab.containerEl.detach();
  }
}
