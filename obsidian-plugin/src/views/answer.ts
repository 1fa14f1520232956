/** The answer to a question, as the daemon wrote it: quotes with their numbers, each number a way to its line. */

import { ItemView, type Component, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import type { Ebbtide } from "../context";
import type { Schemas } from "../daemon/client";
import { drawPlaces } from "./chain";
import { copyText, iconButton, placeLink, reasonOf, stateBanner } from "./parts";
import { askForm, say } from "./pen";
import { Region } from "./region";

export const ANSWER_VIEW = "ebbtide-answer";

type Answer = Schemas["AnswerResponse"];

export class AnswerView extends ItemView {
  readonly #ebbtide: Ebbtide;
  #question = "";
  #asked = 0;
  /** The answer, or why there is none. */
  #shown: Answer | string;
  #input!: HTMLInputElement;
  #body!: Region;

  constructor(leaf: WorkspaceLeaf, ebbtide: Ebbtide) {
    super(leaf);
    this.#ebbtide = ebbtide;
    this.#shown = ebbtide.t.answer.empty;
  }

  getViewType(): string {
    return ANSWER_VIEW;
  }

  getDisplayText(): string {
    return this.#ebbtide.t.answer.title;
  }

  override getIcon(): string {
    return "message-circle-question";
  }

  override getState(): Record<string, unknown> {
    return { question: this.#question };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const question = (state as { question?: unknown } | null)?.question;
    if (typeof question === "string") this.#input.value = this.#question = question;
    await super.setState(state, result);
  }

  protected override async onOpen(): Promise<void> {
    const { contentEl } = this;
    const { t, connection } = this.#ebbtide;
    contentEl.empty();
    contentEl.addClass("ebbtide-view", "ebbtide-answer");
    this.#input = askForm(contentEl, t.answer.placeholder, t.answer.go, (text) => this.ask(text));
    const head = new Region(this, contentEl.createDiv());
    this.#body = new Region(this, contentEl.createDiv({ attr: { "aria-live": "polite" } }));
    const draw = (): void => head.show(connection.state, (el, owner) => stateBanner(el, owner, this.#ebbtide));
    this.register(connection.need());
    this.register(connection.onChange(draw));
    draw();
    this.#show(this.#shown);
  }

  /** Ask, and show what comes; an answer to an earlier question that comes later is dropped. */
  async ask(question: string): Promise<void> {
    const query = question.trim();
    if (!query) return this.#input.focus();
    const { connection, t } = this.#ebbtide;
    const number = ++this.#asked;
    this.#input.value = this.#question = query;
    this.#show(typeof this.#shown === "string" ? t.answer.thinking : this.#shown, true);
    const answer = await connection.client.answer({ query }).catch((error: unknown) => reasonOf(this.#ebbtide, error));
    if (number !== this.#asked) return;
    this.#show(answer);
    this.app.workspace.requestSaveLayout();
  }

  #show(shown: Answer | string, busy = false): void {
    this.#shown = shown;
    this.#body.el.toggleClass("is-stale", busy);
    this.#body.el.setAttr("aria-busy", String(busy));
    this.#body.show(shown, (el, owner) => {
      if (typeof shown === "string") say(el, shown);
      else draw(el, owner, this.#ebbtide, shown);
    });
  }
}

function draw(body: HTMLElement, owner: Component, ebbtide: Ebbtide, answer: Answer): void {
  const { t } = ebbtide;
  const tools = body.createDiv("ebbtide-tools");
  say(tools, answer.query, "ebbtide-question");
  iconButton(tools, owner, "copy", t.common.copy, () => copyText(tools, t, answer.answer));

  // It is written for Markdown; here it is text, so the backslashes that guard it go.
  const places = new Map(answer.citations.map((one) => [`[${one.n}]`, one]));
  const text = body.createDiv("ebbtide-answer-text");
  for (const part of answer.answer.split(/(\[\d+\])/)) {
    const place = places.get(part);
    if (place) placeLink(text, owner, ebbtide, place, part);
    else text.appendText(part.replace(/\\([!-/:-@[-`{-~])/g, "$1"));
  }
  if (answer.why) say(body, answer.why);

  const list = <T>(title: string, entries: T[], fill: (row: HTMLElement, entry: T) => unknown): void => {
    if (entries.length === 0) return;
    body.createEl("h4", { text: title });
    const made = body.createEl("ol", "ebbtide-list");
    for (const entry of entries) fill(made.createEl("li"), entry);
  };
  list(t.answer.sources, answer.citations, (row, one) => {
    placeLink(row, owner, ebbtide, one, `[${one.n}] ${one.title}, ${t.common.line(one.line)}`);
    row.createEl("blockquote", { text: one.quote });
  });
  if (answer.chain.length > 0) {
    body.createEl("h4", { text: t.recall.chain });
    drawPlaces(body, owner, ebbtide, answer.chain);
  }
  const { note = "", parts = {} } = answer.episode ?? {};
  list(t.answer.episode, Object.values(parts), (row, one) => placeLink(row, owner, ebbtide, { ...one, note }, one.text));
  list(t.answer.nearest, answer.nearest, (row, one) => placeLink(row, owner, ebbtide, { note: one.note, line: 1 }, one.title));
  list(t.answer.skipped, answer.skipped, (row, one) => row.setText(t.common.leftOut(one.step, one.why)));
}
