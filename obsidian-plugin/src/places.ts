/** Opening a note at the very place a citation names. */

import { MarkdownView, type App, type PaneType } from "obsidian";

/** Where a citation points: line from 1, column in UTF-16 code units from 0, as the daemon counts. */
export interface Place {
  note: string;
  line: number;
  column?: number;
}

/** Opens the note at the line; false if it is not in the vault. Works for reading and editing views. */
export async function openPlace(app: App, place: Place, where: PaneType | boolean = false): Promise<boolean> {
  const file = app.vault.getFileByPath(place.note);
  if (!file) return false;
  const line = Math.max(0, place.line - 1);
  const leaf = app.workspace.getLeaf(where);
  await leaf.openFile(file, { active: true, eState: { line } });
  const view = leaf.view;
  if (view instanceof MarkdownView && view.getMode() === "source") {
    const at = { line, ch: place.column ?? 0 };
    view.editor.setCursor(at);
    view.editor.scrollIntoView({ from: at, to: at }, true);
  }
  return true;
}
