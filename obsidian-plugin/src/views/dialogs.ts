import { ConfirmationModal, Modal, type App } from "obsidian";
import type { Strings } from "../locales";
import { askForm } from "./pen";

/** Ask before something is done. */
export function confirm(app: App, t: Strings, words: { title: string; body: string; go: string; danger?: boolean }): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const dialog = new ConfirmationModal(app).addButton((made) => {
      made.setButtonText(words.go).onClick(() => {
        answer = true;
      });
      if (words.danger) made.setDestructive();
      else made.setCta();
    });
    dialog.addCancelButton(t.common.cancel).setTitle(words.title).setContent(words.body);
    dialog.setCloseCallback(() => resolve(answer));
    dialog.open();
  });
}

/** Ask for a line of text; null when it was called off or left empty. */
export function askText(app: App, words: { title: string; placeholder: string; go: string }): Promise<string | null> {
  return new Promise((resolve) => {
    const dialog = new Modal(app);
    let answer: string | null = null;
    dialog.setTitle(words.title);
    const input = askForm(dialog.contentEl, words.placeholder, words.go, (text) => {
      answer = text || null;
      dialog.close();
    });
    input.type = "text";
    dialog.setCloseCallback(() => resolve(answer));
    dialog.open();
    input.focus();
  });
}
