/** Why a note is, or is not, among what was recalled: choose it, then read the verdict step by step. */

import { FuzzySuggestModal, type App, type Component, type TFile } from "obsidian";
import type { Ebbtide } from "../context";
import type { Schemas } from "../daemon/client";
import { nameOf } from "./found";
import { tool } from "./menu";
import { list, say } from "./pen";

/** Let the user choose one of the notes; null when it was called off. */
export function pickNote(app: App, placeholder: string): Promise<TFile | null> {
  return new Promise((resolve) => {
    const dialog = new NotePicker(app, resolve);
    dialog.setPlaceholder(placeholder);
    dialog.open();
  });
}

class NotePicker extends FuzzySuggestModal<TFile> {
  readonly #done: (file: TFile | null) => void;

  /** `done` may hear more than once; the first time counts. */
  constructor(app: App, done: (file: TFile | null) => void) {
    super(app);
    this.#done = done;
  }

  getItems(): TFile[] {
    return this.app.vault.getMarkdownFiles();
  }

  getItemText(file: TFile): string {
    return file.path;
  }

  onChooseItem(file: TFile): void {
    this.#done(file);
  }

  /** Obsidian closes the dialog before it tells what was chosen. */
  override onClose(): void {
    this.modalEl.win.setTimeout(() => this.#done(null));
  }
}

export function drawVerdict(parent: HTMLElement, owner: Component, ebbtide: Ebbtide, told: Schemas["ExplainResponse"], close: () => void): void {
  const { t } = ebbtide;
  const box = parent.createDiv({ cls: "ebbtide-verdict", attr: { role: "status" } });
  const head = box.createDiv("ebbtide-tools");
  say(head, t.recall.whyNotTitle(nameOf(told.note)), "ebbtide-question");
  tool(head, owner, "x", t.common.close, close);
  say(box, told.reason, "");
  const steps = list(box, told.steps.map(({ title, message }) => t.recall.step(title, message)));
  told.steps.forEach(({ passed }, n) => steps.children[n]?.toggleClass("mod-stopped", !passed));
}
