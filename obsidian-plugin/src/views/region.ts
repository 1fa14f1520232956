/** A part of a view that is drawn anew only when what it shows changed, and keeps focus, scroll and what is unfolded over that. */

import { Component } from "obsidian";

export type Draw = (el: HTMLElement, component: Component) => void;

export class Region {
  readonly el: HTMLElement;
  readonly #owner: Component;
  #shown = "";
  #inner: Component | null = null;

  /** `owner` outlives the region; what is registered while drawing ends with the next drawing. */
  constructor(owner: Component, el: HTMLElement) {
    this.#owner = owner;
    this.el = el;
  }

  /** Draw if `state` (anything that JSON can tell apart) is not what is shown. */
  show(state: unknown, draw: Draw): void {
    const next = JSON.stringify(state);
    if (next === this.#shown) return;
    this.#shown = next;
    const scroller = this.el.closest<HTMLElement>(".ebbtide-scroll");
    const top = scroller?.scrollTop ?? 0;
    const before = this.el.getBoundingClientRect();
    const focused = keyOf(this.el.doc.activeElement, this.el);
    const unfolded = new Map(folds(this.el).map((fold) => [fold.dataset.key, fold.open]));
    if (this.#inner) this.#owner.removeChild(this.#inner);
    this.#inner = this.#owner.addChild(new Component());
    this.el.empty();
    draw(this.el, this.#inner);
    for (const fold of folds(this.el)) {
      if (!unfolded.get(fold.dataset.key)) continue;
      fold.open = true;
      fold.dispatchEvent(new Event("toggle")); // its own comes later, too late for what is drawn on unfolding to count below
    }
    if (focused !== null) focusKey(this.el, focused);
    if (!scroller) return;
    // What lies above the pane may grow or shrink; what is being read must not move for it.
    const above = before.bottom <= scroller.getBoundingClientRect().top;
    scroller.scrollTop = top + (above ? this.el.getBoundingClientRect().height - before.height : 0);
  }
}

/** Focus what bears a key, if it is there. */
export function focusKey(el: HTMLElement, key: string): void {
  el.findAll("[data-key]").find((one) => one.dataset.key === key)?.focus({ preventScroll: true });
}

function keyOf(active: Element | null, within: HTMLElement): string | null {
  if (!active || !within.contains(active)) return null;
  return active.getAttribute("data-key") ?? active.closest("details[data-key]")?.getAttribute("data-key") ?? null;
}

function folds(el: HTMLElement): HTMLDetailsElement[] {
  return Array.from(el.querySelectorAll<HTMLDetailsElement>("details[data-key]"));
}
