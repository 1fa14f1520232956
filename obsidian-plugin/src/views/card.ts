/** One row of recall: what it says, why it is here, how warm it is, and what can be done with it. */

import { Component, MarkdownView, Notice, setIcon } from "obsidian";
import type { Ebbtide } from "../context";
import { revisionOf } from "../daemon/client";
import { isUsable } from "../daemon/state";
import type { Place } from "../places";
import { chainOf, drawPlaces, type Chain } from "./chain";
import { askText, confirm } from "./dialogs";
import { excerpt, nameOf, type Row } from "./found";
import { menuButton, tool, type Entry } from "./menu";
import { attempt, button, placeLink, reasonOf } from "./parts";
import { lateFold, list, say } from "./pen";
import type { RecallView } from "./recall";
import { Region } from "./region";

export type RowAction = "used" | "wrong" | "archive" | "restore" | "freeze" | "thaw";

const ICONS = { hot: "flame", warm: "sun", cool: "cloud", frozen: "snowflake" } as const;
const FIGURES = ["R", "F", "I", "W", "B"] as const;

/** What was done with a row, and the revision that can be taken back. */
interface Done {
  text: string;
  undo?: string;
}

export class Card extends Component {
  readonly el: HTMLElement;
  row: Row;
  /** What was done with it just now. Such a row stays in sight although it would no longer be recalled. */
  done: Done | null = null;
  readonly #view: RecallView;
  readonly #ebbtide: Ebbtide;
  readonly #region: Region;
  /** The causes as far as they were asked for: neither while they are on their way. */
  #causes: { chain?: Chain; failure?: string } | null = null;

  constructor(view: RecallView, row: Row, list: HTMLElement) {
    super();
    this.#view = view;
    this.#ebbtide = view.ebbtide;
    this.row = row;
    this.el = list.createEl("li", "ebbtide-row");
    this.el.detach(); // the view puts it in its place once it is drawn, so that the page is laid out once for all rows
    this.#region = new Region(this, this.el);
  }

  /** Show a row, newly recalled or not; the page is left alone where nothing changed that can be seen. */
  show(row: Row = this.row): void {
    const { note, quote } = this.row;
    const isOther = row.note !== note || row.quote !== quote;
    if (isOther || (row !== this.row && this.#causes?.failure)) this.#causes = null; // what failed is asked again after the next recall
    this.row = row;
    const { score, parts, ...told } = row;
    const figures = [score, ...FIGURES.map((name) => parts[name])].map((value) => value?.toFixed(2));
    this.#region.show([told, figures, this.#ebbtide.settings.excerptLines, this.done, this.#causes], (el, owner) => this.#draw(el, owner));
  }

  #draw(el: HTMLElement, owner: Component): void {
    const { row, done } = this;
    const { t, settings } = this.#ebbtide;
    el.toggleClass("is-done", Boolean(done?.undo));
    const link = this.#place(el, owner, row, "title");
    link.addClass("ebbtide-title");
    link.draggable = true;
    link.title = `${row.note}, ${t.common.line(row.line)}. ${t.recall.dragHint}`;
    owner.registerDomEvent(link, "dragstart", (event) => event.dataTransfer?.setData("text/plain", this.#link()));
    this.#badges(el.createDiv("ebbtide-badges"));
    const text = excerpt(row, settings.excerptLines);
    if (text) say(el, text, `ebbtide-excerpt mod-lines-${settings.excerptLines}`);
    if (row.why[0]) say(el, row.why[0]);
    if (row.against.length > 0) this.#sides(el, owner);
    lateFold(el, owner, "details", t.recall.details, (box) => this.#details(box, owner));
    this.#tools(el.createDiv("ebbtide-row-tools"), owner);
    if (!done) return;
    const said = el.createDiv({ cls: "ebbtide-row-tools", attr: { role: "status" } });
    said.createSpan({ text: done.text });
    if (done.undo) button(said, owner, t.common.undo, () => this.#takeBack()).dataset.key = "undo";
  }

  /** A link to a place, with Obsidian's own preview of it; opening it counts as having looked at the memory. */
  #place(parent: HTMLElement, owner: Component, at: Place, key: string): HTMLElement {
    const { ebbtide, app } = this.#view;
    const link = placeLink(parent, owner, ebbtide, at, nameOf(at.note));
    link.dataset.key = key;
    owner.registerDomEvent(link, "click", () => {
      const { client, state } = ebbtide.connection;
      // Nothing hangs on it, so nobody is bothered if it fails.
      if (isUsable(state)) client.used({ ids: [this.row.id], kind: "opened" }).catch(() => {});
    });
    owner.registerDomEvent(link, "mouseover", (event) => {
      app.workspace.trigger("hover-link", { event, source: this.#view.getViewType(), hoverParent: this.#view, targetEl: link, linktext: at.note });
    });
    return link;
  }

  #badges(parent: HTMLElement): void {
    const { row } = this;
    const { t } = this.#ebbtide;
    const badge = (text: string, cls = ""): HTMLElement => parent.createSpan({ text, cls: `ebbtide-badge ${cls}` });
    if (row.temperature) {
      const { word } = row.temperature;
      const warmth = badge("", `ebbtide-temperature mod-${word}`);
      setIcon(warmth.createSpan({ attr: { "aria-hidden": "true" } }), ICONS[word]);
      warmth.createSpan({ text: t.recall.temperature[word] });
      warmth.title = t.recall.temperatureTip;
    }
    badge(t.recall.types[row.type] ?? row.type);
    if (row.state !== "active") badge(t.recall.states[row.state], "mod-state");
    if (row.lead) badge(t.recall.lead, "mod-state");
    if (row.linked) badge(t.recall.linked);
    if (row.as_of) badge(t.recall.asOf(row.as_of.slice(0, 10)), "mod-plain");
    badge(t.common.line(row.line), "mod-plain");
    badge(t.recall.tokens(row.tokens), "mod-plain");
  }

  /** A dispute: both sides as quotes, each with its place. */
  #sides(parent: HTMLElement, owner: Component): void {
    const t = this.#ebbtide.t.recall;
    const both = parent.createDiv({ cls: "ebbtide-sides", attr: { role: "group", "aria-label": t.disputed } });
    [this.row, ...this.row.against].forEach((side, n) => {
      const box = both.createDiv("ebbtide-side");
      say(box, n === 0 ? t.thisNote : t.otherNote);
      box.createEl("blockquote", { text: side.quote });
      this.#place(box, owner, side, `side-${n}`);
      if (side.as_of) say(box, t.asOf(side.as_of.slice(0, 10)));
    });
  }

  #details(box: HTMLElement, owner: Component): void {
    const { row } = this;
    const ebbtide = this.#ebbtide;
    const t = ebbtide.t.recall;
    const { chain, failure = t.chainLoading } = (this.#causes ??= this.#findCauses());
    say(box, t.reasons, "ebbtide-subhead");
    list(box, row.why);
    if (row.text.trim() !== row.quote.trim()) say(box, row.text, "ebbtide-text");
    const figures = FIGURES.flatMap((name) => (row.parts[name] == null ? [] : [`${t.parts[name]} ${row.parts[name].toFixed(2)}`]));
    say(box, t.score(row.score.toFixed(2), figures.join(", ")));
    const causes = box.createDiv({ attr: { "aria-live": "polite" } });
    if (!chain) return void say(causes, failure);
    say(causes, chain.direction === "forward" ? t.leadsTo : t.chain, "ebbtide-subhead");
    say(causes, chain.message);
    if (chain.chain.length > 1) drawPlaces(causes, owner, ebbtide, chain.chain);
  }

  /** Asked for when somebody looks. */
  #findCauses(): { chain?: Chain; failure?: string } {
    const ebbtide = this.#ebbtide;
    const causes: { chain?: Chain; failure?: string } = {};
    const failed = (error: unknown): string => (causes.failure = reasonOf(ebbtide, error));
    void chainOf(ebbtide, this.row.note, this.row.quote).then((chain) => (causes.chain = chain), failed).then(() => this.show());
    return causes;
  }

  // --- what can be done ----------------------------------------------------------------------------------------------

  #tools(el: HTMLElement, owner: Component): void {
    const { row } = this;
    const t = this.#ebbtide.t.recall;
    const entry = (action: RowAction, icon: string): Entry => [t[action], icon, () => this.act(action)];
    tool(el, owner, "link", t.insertLink, () => this.#insertLink());
    tool(el, owner, "check", t.used, () => this.act("used"));
    menuButton(el, owner, t.more, () => [
      entry("wrong", "circle-x"),
      row.state === "archived" ? entry("restore", "archive-restore") : entry("archive", "archive"),
      row.temperature?.word === "frozen" ? entry("thaw", "sun") : entry("freeze", "snowflake"),
      null,
      [t.whyHere, "info", () => this.#view.whyNot(row.note)],
    ]);
  }

  /** The link to the note, as the user's settings want it. */
  #link(): string {
    const { app, looked } = this.#view;
    const file = app.vault.getFileByPath(this.row.note);
    return file ? app.fileManager.generateMarkdownLink(file, looked.note ?? "") : `[[${this.row.note}]]`;
  }

  #insertLink(): void {
    const view = this.#view.app.workspace.getMostRecentLeaf()?.view;
    if (view instanceof MarkdownView && view.getMode() === "source") view.editor.replaceSelection(this.#link());
    else new Notice(this.#ebbtide.t.recall.noEditor);
  }

  async act(action: RowAction): Promise<void> {
    const ebbtide = this.#ebbtide;
    const done = await attempt(ebbtide, () => (action === "used" || action === "wrong" ? this.#judge(action) : this.#move(action)));
    if (!done) return;
    this.done = done;
    this.show();
    await ebbtide.connection.refresh();
  }

  /** Say that a memory helped, or that it is wrong. Null if it was called off. */
  async #judge(action: "used" | "wrong"): Promise<Done | null> {
    const { app, ebbtide, looked } = this.#view;
    const { connection, t } = ebbtide;
    const about = { ids: [this.row.id], query: looked.question || undefined };
    const why = action === "used" ? "" : await askText(app, { title: t.actions.wrongTitle, placeholder: t.actions.wrongWhy, go: t.actions.send });
    if (why === null) return null;
    const told = await (why ? connection.client.wrong({ ...about, why }) : connection.client.used(about));
    if (told.recorded.length > 0) return { text: t.actions[action] };
    const reason = told.ignored[0]?.reason ?? "";
    return { text: reason.includes("already") ? t.actions.usedBefore : t.common.failed(reason) };
  }

  /** Change what is recalled. Null if it was called off. */
  async #move(action: "archive" | "restore" | "freeze" | "thaw"): Promise<Done | null> {
    const { app, ebbtide } = this.#view;
    const { connection, t } = ebbtide;
    const { id, note, kind, quote } = this.row;
    const body = kind === "fact" ? t.actions.archiveBody(quote) : t.recall.archiveNote(nameOf(note));
    const words = { title: t.actions.archiveTitle, body, go: t.recall.archive, danger: true };
    if (action === "archive" && !(await confirm(app, t, words))) return null;
    return { undo: revisionOf(await connection.client.act(id, action)), text: t.recall.moved[action] };
  }

  async #takeBack(): Promise<void> {
    const ebbtide = this.#ebbtide;
    const id = this.done?.undo;
    if (!id || !(await attempt(ebbtide, () => ebbtide.connection.client.undo({ id })))) return;
    this.done = { text: ebbtide.t.actions.undone };
    this.show();
    await this.#view.recall();
  }
}
