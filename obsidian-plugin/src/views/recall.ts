/** The pane that recalls: for the active note, or for a question. Results stay in sight until there are better ones. */

import { ItemView, Notice, type Component, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import type { Ebbtide } from "../context";
import type { Schemas } from "../daemon/client";
import { Refused } from "../daemon/errors";
import { isUsable } from "../daemon/state";
import { Card, type RowAction } from "./card";
import { INCLUDES, asFound, further, nameOf, packet, patience, readLooked, type Found, type Include } from "./found";
import { menuButton, tool, type Entry } from "./menu";
import { ago, attempt, button, copyText, isFirstRun, placeLink, reasonOf, stateBanner, welcome } from "./parts";
import { askForm, lateFold, say } from "./pen";
import { Region } from "./region";
import { drawVerdict, pickNote } from "./why-not";

export const RECALL_VIEW = "ebbtide-recall";

const AGE_MS = 30_000;

/** What is in sight: for which subject, since when, and whether it is only what was kept. `failure`: why there is nothing. */
interface Shown {
  found: Found | null;
  key: string;
  at: number;
  kept: boolean;
  failure: string;
}

export class RecallView extends ItemView {
  looked = readLooked(null);

  #shown: Shown = { found: null, key: "", at: 0, kept: false, failure: "" };
  #verdict: Schemas["ExplainResponse"] | null = null;

  #asked = 0;
  #askedAt = 0;
  #busy = false;
  #missed = false;
  /** The daemon's counter of changes that was asked at; -1: it was away. */
  #change = -1;
  #timer = 0;
  #looking: Promise<void> = Promise.resolve();
  readonly #cards = new Map<string, Card>();
  #touched: Card | undefined;

  #input!: HTMLInputElement;
  #scroll!: HTMLElement;
  #list!: HTMLElement;
  #regions!: Record<"tools" | "banner" | "verdict" | "message" | "foot", Region>;

  constructor(
    leaf: WorkspaceLeaf,
    readonly ebbtide: Ebbtide,
  ) {
    super(leaf);
  }

  getViewType(): string {
    return RECALL_VIEW;
  }

  getDisplayText(): string {
    return this.ebbtide.t.recall.title;
  }

  override getIcon(): string {
    return "brain";
  }

  override getState(): Record<string, unknown> {
    return { ...this.looked };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    this.looked = readLooked(state);
    if (!this.looked.pinned) this.looked.note = this.#noteNow();
    this.#input.value = this.looked.question;
    void this.recall();
    await super.setState(state, result);
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl } = this;
    const { app, connection, t } = this.ebbtide;
    contentEl.empty();
    contentEl.addClass("ebbtide-view", "ebbtide-recall");
    this.#input = askForm(contentEl, t.recall.question, t.recall.go, (text) => (text ? this.ask(text) : this.follow()));
    const region = (parent: HTMLElement, cls = ""): Region => new Region(this, parent.createDiv({ cls }));
    const [tools, banner] = [region(contentEl), region(contentEl)];
    this.#scroll = contentEl.createDiv("ebbtide-scroll");
    const verdict = region(this.#scroll);
    this.#list = this.#scroll.createEl("ul", { cls: "ebbtide-list ebbtide-rows", attr: { "aria-label": t.recall.list } });
    this.#regions = { tools, banner, verdict, message: region(this.#scroll), foot: region(contentEl, "ebbtide-foot") };
    this.looked.note = this.#noteNow();

    this.registerDomEvent(this.#list, "focusin", ({ target }) => {
      this.#touched = [...this.#cards.values()].find((card) => card.el.contains(target as Node | null));
    });
    const switched = (): void => {
      if (!this.looked.pinned) this.#look(this.#noteNow());
    };
    this.registerEvent(app.workspace.on("file-open", switched));
    this.registerEvent(app.workspace.on("active-leaf-change", switched));
    this.registerEvent(app.vault.on("rename", (file, before) => before === this.looked.note && this.#look(file.path)));
    this.registerEvent(app.vault.on("delete", (file) => file.path === this.looked.note && this.#look(this.#noteNow())));
    this.register(connection.onChange(() => this.#heard()));
    this.register(connection.need());
    this.register(this.ebbtide.onSettings(() => void this.recall()));
    this.registerInterval(window.setInterval(() => this.#draw(), AGE_MS));
    void this.recall();
  }

  protected override async onClose(): Promise<void> {
    this.#asked++;
    this.contentEl.win.clearTimeout(this.#timer);
  }

  /** A hidden sidebar asks nothing; what it missed it asks for when it is shown again. */
  override onResize(): void {
    if (this.#missed && this.contentEl.isShown()) void this.recall();
  }

  // --- what is looked at ---------------------------------------------------------------------------------------------

  /** Recall for a question; without one for the note. */
  ask(question: string): Promise<void> {
    this.looked.question = this.#input.value = question.trim();
    return this.recall();
  }

  /** Back to the active note. */
  follow(): Promise<void> {
    this.looked.pinned = false;
    this.looked.note = this.#noteNow();
    return this.ask("");
  }

  /** Recall for this note. */
  showNote(path: string): Promise<void> {
    this.looked.pinned &&= this.looked.note === path;
    this.looked.note = path;
    return this.ask("");
  }

  /** The note that is open; the last one while a sidebar or another kind of file has the focus. */
  #noteNow(): string | null {
    const file = this.app.workspace.getActiveFile();
    const { note } = this.looked;
    if (file?.extension === "md") return file.path;
    return note !== null && this.app.vault.getFileByPath(note) ? note : null;
  }

  #look(note: string | null): void {
    if (note === this.looked.note) return;
    this.looked.note = note;
    if (!this.looked.question) void this.recall(patience(Date.now() - this.#askedAt));
  }

  #key(): string {
    const { question, note } = this.looked;
    if (question) return `question:${question}`;
    return note === null ? "" : `note:${note}`;
  }

  /** The daemon is another than before, or knows something new. */
  #heard(): void {
    if (this.#changeNow() === this.#change) this.#draw();
    else void this.recall();
  }

  #changeNow(): number {
    const { state } = this.ebbtide.connection;
    return isUsable(state) ? state.status.change : -1;
  }

  // --- asking --------------------------------------------------------------------------------------------------------

  /** Draw what is known, and ask after so many milliseconds; a later call takes the place of an earlier one. */
  recall(ms = 0): Promise<void> {
    const { win } = this.contentEl;
    win.clearTimeout(this.#timer);
    this.#draw();
    this.app.workspace.requestSaveLayout();
    if (ms === 0) this.#looking = this.#recall();
    else this.#timer = win.setTimeout(() => (this.#looking = this.#recall()), ms);
    return this.#looking;
  }

  async #recall(): Promise<void> {
    const { connection, snapshot } = this.ebbtide;
    this.#missed = !this.contentEl.isShown();
    if (this.#missed) return;
    this.#change = this.#changeNow();
    const number = ++this.#asked;
    const key = this.#key();
    let next = this.#last(key);
    if (key && isUsable(connection.state)) {
      this.#askedAt = Date.now();
      this.#busy = true;
      this.#draw();
      try {
        const found = asFound(await this.#fetch());
        if (found) {
          snapshot.keep("recall", key, found);
          next = { found, key, at: Date.now(), kept: false, failure: "" };
        }
      } catch (error) {
        if (error instanceof Refused) next = { ...next, found: null, kept: false, failure: reasonOf(this.ebbtide, error) };
      }
      if (number !== this.#asked) return; // a later question is under way
    }
    this.#busy = false;
    if (key !== this.#shown.key) {
      this.#verdict = null;
      for (const card of this.#cards.values()) card.done = null;
    }
    this.#shown = next;
    this.#drawRows();
    this.#draw();
  }

  #fetch(): Promise<Found> {
    const { client } = this.ebbtide.connection;
    const { question, note } = this.looked;
    if (question) return client.recall({ query: question, ...this.#limits() });
    return client.related({ note: note ?? "", unlinked: this.ebbtide.settings.hideLinked, ...this.#limits() });
  }

  #limits(): { limit: number; include: Include[]; type?: string } {
    const { include, type } = this.looked;
    return { limit: this.ebbtide.settings.rows, include, type: type || undefined };
  }

  /** Without an answer: what is shown stays, if it is for this; else what was kept of the last time. */
  #last(key: string): Shown {
    const { found, key: before, at } = this.#shown;
    const last = found && before === key ? { data: found, at } : this.ebbtide.snapshot.find<Found>("recall", key);
    return { found: asFound(last?.data), key, at: last?.at ?? 0, kept: true, failure: "" };
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #draw(): void {
    const { ebbtide } = this;
    const { t, settings, connection } = ebbtide;
    const { tools, banner, verdict, message, foot } = this.#regions;
    const { found, key, at, kept, failure } = this.#shown;
    const [told, busy, now] = [this.#verdict, this.#busy, this.#key()];
    this.#list.toggleClass("is-stale", kept || (found !== null && key !== now));
    this.#list.setAttr("aria-busy", String(busy));
    this.#list.dataset.shown = key;
    tools.show([this.looked, settings.hideLinked], (el, owner) => this.#drawTools(el, owner));
    const first = isFirstRun(ebbtide);
    banner.show([first, connection.state], (el, owner) => (first ? welcome : stateBanner)(el, owner, ebbtide));
    verdict.show(told, (el, owner) => told && drawVerdict(el, owner, ebbtide, told, () => this.#setVerdict(null)));
    const waits = isUsable(connection.state);
    message.show([now, found?.items.length, found?.notes, found?.empty_reason, failure, settings.hideLinked, waits], (el, owner) => {
      if (!now) say(el, t.recall.noNote);
      else if (found) this.#drawMessage(el, owner, found);
      else say(el, failure || (waits ? t.recall.busy : t.recall.nothingKept));
    });
    const age = found ? ago(t, at) : "";
    foot.show([found?.items.length, found?.tokens, found?.budget, found?.hidden, found?.skipped, age, busy, kept], (el) => {
      const tell = (text: string): void => void el.createSpan({ text });
      if (busy) tell(t.recall.busy);
      if (!found) return;
      if (!busy) tell(kept ? t.state.stale(age) : t.recall.updated(age));
      if (found.items.length > 0) tell(t.recall.count(found.items.length, found.tokens, found.budget));
      const words: Record<string, string> = t.recall.states;
      const hidden = Object.entries(found.hidden).filter(([, n]) => n > 0).map(([state, n]) => `${words[state] ?? state} ${n}`);
      if (hidden.length > 0) tell(t.recall.hidden(hidden.join(", ")));
      if (found.skipped.length > 0) tell(t.recall.skipped(found.skipped.map(({ step, why }) => t.common.leftOut(step, why)).join(", ")));
    });
  }

  #drawTools(el: HTMLElement, owner: Component): void {
    const { question, note, type, pinned } = this.looked;
    const { hideLinked } = this.ebbtide.settings;
    const t = this.ebbtide.t.recall;
    say(el, question ? t.forQuestion(question) : note ? t.near(nameOf(note)) : t.title, "ebbtide-question");
    const row = el.createDiv("ebbtide-tools");
    const types = row.createEl("select", { cls: "dropdown", attr: { "aria-label": t.filter, "data-key": "type" } });
    for (const [value, text] of [["", t.allTypes], ...Object.entries(t.types)]) types.createEl("option", { value, text });
    types.value = type;
    owner.registerDomEvent(types, "change", () => {
      this.looked.type = types.value;
      void this.recall();
    });
    if (question) tool(row, owner, "undo-2", t.back, () => this.follow());
    else {
      tool(row, owner, "pin", t.pin, () => (pinned ? this.follow() : this.#pin()), pinned);
      tool(row, owner, "unlink", t.hideLinked, () => this.#toggleLinked(), hideLinked);
    }
    tool(row, owner, "refresh-cw", t.refresh, () => this.recall());
    menuButton(row, owner, t.more, () => [
      ...INCLUDES.map((one): Entry => [t.include[one], "", () => this.#toggleInclude(one), this.looked.include.includes(one)]),
      null,
      [t.copyPacket, "copy", () => this.copyPacket()],
      [t.whyNot, "info", () => this.whyNot()],
    ]);
  }

  /** Cards are kept by id; one that something was just done with stays where it was, so that it can be taken back. */
  #drawRows(): void {
    const list = this.#list;
    const rows = this.#shown.found?.items ?? [];
    const ids = new Set(rows.map(({ id }) => id));
    for (const [id, card] of this.#cards) {
      if (ids.has(id) || card.done?.undo) continue;
      this.removeChild(card);
      card.el.detach();
      this.#cards.delete(id);
    }
    const els = rows.map((row) => {
      const card = this.#cards.get(row.id) ?? this.addChild(new Card(this, row, list));
      this.#cards.set(row.id, card);
      card.show(row);
      return card.el;
    });
    for (const [id, { el }] of this.#cards) {
      if (!ids.has(id)) els.splice(list.indexOf(el), 0, el);
    }
    const focused = list.doc.activeElement;
    const top = this.#scroll.scrollTop;
    list.setChildrenInPlace(els);
    if (focused?.instanceOf(HTMLElement) && list.contains(focused)) focused.focus({ preventScroll: true });
    this.#scroll.scrollTop = top;
  }

  /** Below the rows: why there are none, and the notes that no row is from. */
  #drawMessage(el: HTMLElement, owner: Component, found: Found): void {
    const { ebbtide } = this;
    const t = ebbtide.t.recall;
    const { question, note: looked } = this.looked;
    if (found.items.length === 0) {
      say(el, found.empty_reason ?? t.nothing);
      const actions = el.createDiv("ebbtide-actions");
      if (!question && ebbtide.settings.hideLinked) button(actions, owner, t.showLinked, () => this.#toggleLinked());
      button(actions, owner, t.whyNot, () => this.whyNot());
    }
    const more = further(found, question ? null : looked);
    if (more.length === 0) return;
    lateFold(el, owner, "further", t.further(more.length), (box) => {
      const list = box.createEl("ul", "ebbtide-list");
      for (const note of more) placeLink(list.createEl("li"), owner, ebbtide, { note, line: 1 }, nameOf(note));
    });
  }

  // --- what can be done ----------------------------------------------------------------------------------------------

  #pin(): void {
    this.looked.pinned = true;
    void this.recall();
  }

  async #toggleLinked(): Promise<void> {
    this.ebbtide.settings.hideLinked = !this.ebbtide.settings.hideLinked;
    await this.ebbtide.saveSettings(); // everyone who shows settings hears of it
  }

  #toggleInclude(one: Include): void {
    const { include } = this.looked;
    this.looked.include = include.includes(one) ? include.filter((other) => other !== one) : [...include, one];
    void this.recall();
  }

  /** Why is a note (not) here? Without a path the user chooses one. */
  async whyNot(path?: string): Promise<void> {
    const { t, connection, settings } = this.ebbtide;
    const { question, note: near } = this.looked;
    const key = this.#key();
    if (!key) return void new Notice(t.common.noNote);
    const note = path ?? (await pickNote(this.app, t.recall.whyNotPick))?.path;
    if (note === undefined) return;
    const asked = question ? { query: question } : { query: "", near, unlinked: settings.hideLinked };
    const told = await attempt(this.ebbtide, () => connection.client.explain({ note, ...this.#limits(), ...asked }));
    if (told && key === this.#key()) this.#setVerdict(told);
  }

  #setVerdict(told: Schemas["ExplainResponse"] | null): void {
    this.#verdict = told;
    this.#draw();
    if (told) this.#regions.verdict.el.scrollIntoView({ block: "nearest" });
  }

  /** Wait for the rows of what is looked at now, and ask at once if that was put off. False if they are not there. */
  async #hasRows(): Promise<boolean> {
    const isOld = (): boolean => this.#missed || this.#shown.key !== this.#key();
    await (isOld() ? this.recall() : this.#looking);
    return !isOld();
  }

  /** Copy the lines that would be injected into an agent's context. */
  async copyPacket(): Promise<void> {
    const { t } = this.ebbtide;
    const text = (await this.#hasRows()) && packet(this.#shown.found?.items ?? []);
    if (text) await copyText(this.contentEl, t, text);
    else new Notice(t.actions.nothingToCopy);
  }

  /** Act on the row that has, or last had, the focus, else on the first. */
  async actOnFocused(action: RowAction): Promise<void> {
    const card = (await this.#hasRows()) && (this.#cards.get(this.#touched?.row.id ?? "") ?? this.#cards.get(this.#shown.found?.items[0]?.id ?? ""));
    if (card) await card.act(action);
    else new Notice(this.ebbtide.t.recall.nothing);
  }
}
