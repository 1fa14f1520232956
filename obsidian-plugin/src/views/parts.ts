/** Pieces that every view is made of. Listeners go to the component that is given, so that they end with what they belong to. */

import { Notice, setIcon, setTooltip, type Component } from "obsidian";
import type { Ebbtide } from "../context";
import type { Status } from "../daemon/client";
import { DaemonError, Refused } from "../daemon/errors";
import { isUsable, type DaemonState } from "../daemon/state";
import type { Strings } from "../locales";
import { openPlace, type Place } from "../places";

/** A button with words. */
export function button(parent: HTMLElement, owner: Component, label: string, onClick: () => unknown, cls = ""): HTMLButtonElement {
  const made = parent.createEl("button", { text: label, cls: `ebbtide-button ${cls}`.trim(), type: "button" });
  owner.registerDomEvent(made, "click", () => void onClick());
  return made;
}

/** A button with an icon; its label is its accessible name and its tooltip. */
export function iconButton(parent: HTMLElement, owner: Component, icon: string, label: string, onClick: () => unknown): HTMLButtonElement {
  const made = parent.createEl("button", { cls: "ebbtide-icon clickable-icon", type: "button", attr: { "aria-label": label } });
  setIcon(made, icon);
  setTooltip(made, label);
  owner.registerDomEvent(made, "click", () => void onClick());
  return made;
}

/** A link to a place in a note, opened by click, with the middle button or with the modifier in a new tab. */
export function placeLink(parent: HTMLElement, owner: Component, ebbtide: Ebbtide, place: Place, text: string): HTMLAnchorElement {
  const link = parent.createEl("a", { text, cls: "ebbtide-place", href: "#" });
  const open = async (event: MouseEvent): Promise<void> => {
    event.preventDefault();
    if (event.button > 1) return;
    const apart = event.button === 1 || event.ctrlKey || event.metaKey;
    if (!(await openPlace(ebbtide.app, place, apart ? "tab" : false))) new Notice(ebbtide.t.common.notInNotes);
  };
  for (const kind of ["click", "auxclick"] as const) owner.registerDomEvent(link, kind, (event) => void open(event));
  return link;
}

/** A command to be typed in a terminal, with a button that copies it. */
export function commandLine(parent: HTMLElement, owner: Component, t: Strings, text: string): HTMLElement {
  const row = parent.createDiv("ebbtide-command");
  row.createEl("code", { text });
  iconButton(row, owner, "copy", t.common.copy, () => copyText(row, t, text));
  return row;
}

/** Copy as the answer to a click or a command: says so. */
export async function copyText(near: HTMLElement, t: Strings, text: string): Promise<void> {
  await near.win.navigator.clipboard.writeText(text);
  new Notice(t.common.copied);
}

/** How long ago, in words. `when` in milliseconds since 1970 or as ISO 8601. */
export function ago(t: Strings, when: number | string, now = Date.now()): string {
  const ms = typeof when === "number" ? when : Date.parse(when);
  return Number.isFinite(ms) ? t.common.age(Math.max(0, (now - ms) / 1000)) : "";
}

/** Run what a user asked for; a failure is answered with the daemon's own words. Returns undefined then. */
export async function attempt<T>(ebbtide: Ebbtide, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    new Notice(reasonOf(ebbtide, error));
    return undefined;
  }
}

/** A failure in words: the daemon's if it gave any, else what the connection's state says. */
export function reasonOf({ t, connection: { state } }: Ebbtide, error: unknown): string {
  const said = wordsOf(error);
  if (error instanceof Refused) return `${said} ${error.remedy}`.trim();
  return error instanceof DaemonError && !isUsable(state) ? headline(state, t) : t.common.failed(said);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A state in one sentence. */
export function headline(state: DaemonState, t: Strings): string {
  switch (state.kind) {
    case "not-found":
      return t.state.notFound;
    case "starting":
      return t.state.starting;
    case "indexing": {
      const { ofNotes, done, total } = progressOf(state.status);
      return ofNotes ? t.state.indexing(done, total) : t.state.filling(done, total);
    }
    case "ready":
      return state.status.message;
    case "token-refused":
      return t.state.tokenRefused;
    case "other-vault":
      return state.found === null ? t.state.notOurs : t.state.otherVault(state.found);
    case "version-mismatch":
      return state.update === "plugin" ? t.state.updatePlugin : t.state.updateDaemon;
    case "away":
      return t.state.away(ago(t, state.since));
  }
}

/** How far it is with reading notes, and once they are read, with what they mean. */
export function progressOf({ counts, progress }: Status): { ofNotes: boolean; done: number; total: number } {
  if (counts.pending > 0) return { ofNotes: true, done: counts.notes - counts.pending, total: counts.notes };
  return { ofNotes: false, done: progress.done, total: progress.total };
}

/** What stands in the way, with what helps: nothing while all is well. Says each state in words of its own. */
export function stateBanner(parent: HTMLElement, owner: Component, ebbtide: Ebbtide): void {
  const { connection, device, t } = ebbtide;
  const { state } = connection;
  const { kind } = state;
  if (state.kind === "ready" && state.status.state === "ready") return;
  const banner = parent.createDiv({ cls: `ebbtide-banner mod-${kind}`, attr: { role: "status" } });
  banner.createDiv({ text: headline(state, t) });
  const mend = (hint: string, command: string): void => {
    banner.createDiv({ text: hint, cls: "ebbtide-hint" });
    commandLine(banner, owner, t, command);
  };
  const startable = kind === "not-found" || kind === "away";
  if (state.kind === "indexing") {
    const { done, total } = progressOf(state.status);
    banner.createEl("progress", { attr: { max: Math.max(1, total), value: done, "aria-label": headline(state, t) } });
  } else if (startable) mend(t.state.notFoundHint, upCommand(ebbtide));
  else if (kind === "other-vault") mend(t.state.otherVaultHint, upCommand(ebbtide));
  else if (kind === "token-refused") mend(t.state.tokenRefusedHint, "ebbtide token");
  if (isUsable(state) || kind === "starting") return;
  const actions = banner.createDiv("ebbtide-actions");
  button(actions, owner, t.state.tryAgain, () => connection.refresh());
  if (startable && device.command.length > 0) button(actions, owner, t.state.start, () => startDaemon(ebbtide), "mod-cta");
}

/** Start the daemon with the command this device knows; says why if it could not. */
export async function startDaemon({ device, connection, t }: Ebbtide): Promise<void> {
  if (isUsable(connection.state)) return void new Notice(headline(connection.state, t));
  if (device.command.length === 0) return void new Notice(t.actions.noCommand);
  try {
    await connection.start(device.command);
  } catch (error) {
    const words = wordsOf(error);
    new Notice(words ? t.state.startFailed(words) : t.state.startSilent, 10_000);
  }
}

/** Whether nobody has connected on this device yet. */
export function isFirstRun(ebbtide: Ebbtide): boolean {
  return ebbtide.connection.state.kind === "not-found" && ebbtide.device.command.length === 0;
}

/** The pane of the first run: what this is, and the two commands. It goes by itself once a daemon is found. */
export function welcome(parent: HTMLElement, owner: Component, ebbtide: Ebbtide): void {
  const { t } = ebbtide;
  const pane = parent.createDiv("ebbtide-welcome");
  pane.createEl("h3", { text: t.welcome.title });
  pane.createEl("p", { text: t.welcome.body });
  pane.createEl("p", { text: t.welcome.steps });
  commandLine(pane, owner, t, upCommand(ebbtide));
  button(pane.createDiv("ebbtide-actions"), owner, t.state.tryAgain, () => ebbtide.connection.refresh());
  pane.createEl("p", { text: t.welcome.disclosure, cls: "ebbtide-hint" });
}

/** What starts the daemon of this vault in a terminal. */
function upCommand({ connection: { home } }: Ebbtide): string {
  return `ebbtide up ${quoted(home.path ?? home.name)}`;
}

/** A path as one word of a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}
