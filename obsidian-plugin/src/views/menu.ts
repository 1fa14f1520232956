/** A menu as a table; it opens below its button, so that it works by keyboard too. */

import { Menu, type Component } from "obsidian";
import { iconButton } from "./parts";

/** Title, icon and what it does; null draws a line; with `checked` it is a switch. */
export type Entry = [title: string, icon: string, run: () => unknown, checked?: boolean] | null;

/** An icon button that finds the focus again after a redraw: no two of a region have the same icon. `pressed`: it is a switch. */
export function tool(el: HTMLElement, owner: Component, icon: string, label: string, run: () => unknown, pressed?: boolean): HTMLElement {
  const made = iconButton(el, owner, icon, label, run);
  made.dataset.key = icon;
  if (pressed !== undefined) made.setAttr("aria-pressed", `${pressed}`);
  return made;
}

/** A button for more; what there is, is asked for when it is pressed. */
export function menuButton(el: HTMLElement, owner: Component, label: string, entries: () => Entry[]): void {
  const made = tool(el, owner, "ellipsis-vertical", label, () => {
    const menu = new Menu();
    for (const entry of entries()) {
      if (!entry) menu.addSeparator();
      else menu.addItem((item) => item.setTitle(entry[0]).setIcon(entry[1] || null).setChecked(entry[3] ?? null).onClick(() => void entry[2]()));
    }
    const { left, bottom } = made.getBoundingClientRect();
    menu.showAtPosition({ x: left, y: bottom }, made.doc);
  });
  made.setAttr("aria-haspopup", "menu");
}
