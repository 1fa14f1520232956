/** Every command. They stay registered whatever the daemon does, and explain when it is away. */

import { MarkdownView, Notice, type Constructor, type Editor, type ItemView, type Plugin } from "obsidian";
import type { Ebbtide } from "./context";
import { exportSeen } from "./export";
import { openPlace } from "./places";
import { ANSWER_VIEW, AnswerView } from "./views/answer";
import { askText } from "./views/dialogs";
import { HEALTH_VIEW, HealthView } from "./views/health";
import { attempt, startDaemon } from "./views/parts";
import { RECALL_VIEW, RecallView } from "./views/recall";

export function registerCommands(plugin: Plugin, ebbtide: Ebbtide): void {
  const names = ebbtide.t.commands;
  const add = (id: keyof typeof names, run: () => unknown): void => {
    plugin.addCommand({ id, name: names[id], callback: () => void run() });
  };
  const recall = (id: keyof typeof names, run: (view: RecallView) => unknown): void =>
    add(id, async () => {
      const view = await openView(ebbtide, RECALL_VIEW, RecallView);
      if (view) await run(view);
    });

  add("open-recall", () => openView(ebbtide, RECALL_VIEW, RecallView));
  add("open-health", () => openHealth(ebbtide));
  add("recall-for-note", () => recallHere(ebbtide));
  add("ask", () => ask(ebbtide));
  for (const action of ["archive", "freeze", "thaw"] as const) recall(action, (view) => view.actOnFocused(action));
  recall("mark-as-used", (view) => view.actOnFocused("used"));
  recall("that-is-wrong", (view) => view.actOnFocused("wrong"));
  recall("why-not-this-note", (view) => view.whyNot());
  recall("copy-packet", (view) => view.copyPacket());
  add("undo", () => undo(ebbtide));
  add("consolidate", () => consolidate(ebbtide));
  add("open-report", () => openReport(ebbtide));
  add("start", () => startDaemon(ebbtide));
  add("reconnect", () => ebbtide.connection.refresh());
  add("export-seen", () => exportSeen(ebbtide));
  plugin.addCommand({ id: "insert-digest", name: names["insert-digest"], editorCallback: (editor) => void insertDigest(ebbtide, editor) });
}

/** The view in the right sidebar, opened if need be; a leaf may hold a placeholder until it is shown. */
export async function openView<V extends ItemView>(ebbtide: Ebbtide, type: string, view: Constructor<V>): Promise<V | null> {
  const leaf = await ebbtide.app.workspace.ensureSideLeaf(type, "right", { active: true, reveal: true });
  await leaf.loadIfDeferred();
  return leaf.view instanceof view ? leaf.view : null;
}

export async function openHealth(ebbtide: Ebbtide): Promise<void> {
  await openView(ebbtide, HEALTH_VIEW, HealthView);
}

async function recallHere(ebbtide: Ebbtide): Promise<void> {
  const file = ebbtide.app.workspace.getActiveFile();
  if (file?.extension !== "md") return void new Notice(ebbtide.t.common.noNote);
  await (await openView(ebbtide, RECALL_VIEW, RecallView))?.showNote(file.path);
}

async function ask(ebbtide: Ebbtide): Promise<void> {
  const { t, app } = ebbtide;
  const selected = app.workspace.getActiveViewOfType(MarkdownView)?.editor.getSelection().trim();
  const question = selected || (await askText(app, { title: t.commands.ask, placeholder: t.answer.placeholder, go: t.answer.go }));
  if (question) await (await openView(ebbtide, ANSWER_VIEW, AnswerView))?.ask(question);
}

async function undo(ebbtide: Ebbtide): Promise<void> {
  const { connection, t } = ebbtide;
  if (!(await attempt(ebbtide, () => connection.client.undo()))) return;
  new Notice(t.actions.undone);
  await connection.refresh();
}

/** A night now. Its progress stands in the status bar and in the health view, its report opens from there. */
async function consolidate(ebbtide: Ebbtide): Promise<void> {
  if (!(await attempt(ebbtide, async () => (await ebbtide.jobs.start("sleep"), true)))) return;
  new Notice(ebbtide.t.actions.nightStarted);
  await openHealth(ebbtide);
}

async function openReport(ebbtide: Ebbtide): Promise<void> {
  const { connection, t, app } = ebbtide;
  const health = await attempt(ebbtide, () => connection.client.health({ days: 1 }));
  if (!health) return;
  if (!health.report) new Notice(t.actions.noReport);
  else if (!(await openPlace(app, { note: health.report, line: 1 }, "tab"))) new Notice(t.common.notInNotes);
}

/** Through the editor, so that it can be taken back there; nothing is inserted unless asked for. */
async function insertDigest(ebbtide: Ebbtide, editor: Editor): Promise<void> {
  const { connection, t } = ebbtide;
  const digest = await attempt(ebbtide, () => connection.client.digest());
  if (!digest) return;
  editor.replaceSelection(`${digest.markdown.trimEnd()}\n`);
  new Notice(t.actions.digestInserted);
}
