/** What the views are written with. */

import type { Component } from "obsidian";
import type { Ebbtide } from "../context";
import { button } from "./parts";
import { Words } from "./words";

/** One drawing of a section: where the words come from, what the listeners belong to, and whether anything can be done now. */
export interface Pen {
  ebbtide: Ebbtide;
  t: Ebbtide["t"]["health"];
  words: Words;
  owner: Component;
  live: boolean;
}

/** A sentence of its own; muted unless it is of another kind. */
export function say(el: HTMLElement, text: string, cls = "ebbtide-hint"): HTMLElement {
  return el.createEl("p", { cls, text });
}

/** What is asked, decided about, or wrong. */
export function card(el: HTMLElement, title: string, cls = ""): HTMLElement {
  const box = el.createEl("article", { cls: `ebbtide-review ${cls}`.trim(), attr: { "aria-label": title } });
  say(box, title, "ebbtide-question");
  return box;
}

/** Something that is unfolded by who wants to read it. `key` keeps it so when it is drawn anew. */
export function fold(el: HTMLElement, key: string, title: string): HTMLDetailsElement {
  const made = el.createEl("details", { attr: { "data-key": key } });
  made.createEl("summary", { text: title });
  return made;
}

/** A fold whose inside is drawn when it is first unfolded. */
export function lateFold(el: HTMLElement, owner: Component, key: string, title: string, fill: (box: HTMLElement) => unknown): void {
  const made = fold(el, key, title);
  owner.registerDomEvent(made, "toggle", () => {
    if (made.open && made.childElementCount === 1) fill(made);
  });
}

/** A line to type in, with a button that sends it, trimmed. */
export function askForm(el: HTMLElement, placeholder: string, go: string, send: (text: string) => unknown): HTMLInputElement {
  const form = el.createEl("form", "ebbtide-ask");
  const input = form.createEl("input", { type: "search", placeholder, attr: { "aria-label": placeholder } });
  form.createEl("button", { text: go, type: "submit" });
  // The form goes with its view or dialog, and its listener with the form.
  form.onsubmit = (event) => {
    event.preventDefault();
    send(input.value.trim());
  };
  return input;
}

export function list(el: HTMLElement, lines: string[]): HTMLElement {
  const made = el.createEl("ul");
  for (const text of lines) made.createEl("li", { text });
  return made;
}

/** Names with their numbers. */
export function counts(el: HTMLElement, rows: [name: string, told: string][]): void {
  const made = el.createEl("dl", "ebbtide-counts");
  for (const [name, text] of rows) {
    made.createEl("dt", { text: name });
    made.createEl("dd", { text });
  }
}

/** A row of buttons, keyed so that focus stays. All are off while the daemon is away, and one without `work` always is. */
export function actions(el: HTMLElement, { owner, live }: Pen, rows: [key: string, label: string, work: (() => unknown) | null][], main = ""): void {
  const row = el.createDiv("ebbtide-actions");
  for (const [key, label, work] of rows) {
    const made = button(row, owner, label, () => work?.(), key === main ? "mod-cta" : "");
    made.dataset.key = key;
    made.disabled = !live || !work;
  }
}
