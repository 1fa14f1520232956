/** The item in the status bar: what it says is a function of state, night and language alone. */

import { setIcon, setTooltip, type Component } from "obsidian";
import type { Ebbtide } from "./context";
import { isUnderWay, type Job } from "./jobs";
import { isUsable, type DaemonState } from "./daemon/state";
import type { Strings } from "./locales";
import { headline, progressOf } from "./views/parts";

export interface StatusLabel {
  icon: string;
  text: string;
  tooltip: string;
}

const ICONS: Record<DaemonState["kind"], string> = {
  "not-found": "circle-off",
  starting: "loader",
  indexing: "loader",
  ready: "brain",
  "token-refused": "key-round",
  "other-vault": "circle-alert",
  "version-mismatch": "circle-alert",
  away: "cloud-off",
};

export function statusLabel(state: DaemonState, night: Job | undefined, t: Strings): StatusLabel {
  const icon = ICONS[state.kind];
  const text = t.state.short[state.kind];
  if (!isUsable(state)) return { icon, text, tooltip: headline(state, t) };
  const { version, counts, state: inner, problem_count: problems } = state.status;
  const tooltip = t.status.tooltip(version, counts.notes, counts.facts);
  if (night && isUnderWay(night)) return { icon: "moon", text: t.status.night(night.progress.done, night.progress.total), tooltip };
  if (state.kind === "indexing") {
    const { ofNotes, done, total } = progressOf(state.status);
    return { icon, text: ofNotes ? `${text} ${done}/${total}` : text, tooltip };
  }
  return inner === "ready" ? { icon, text, tooltip } : { icon: "circle-alert", text: t.state.problems(problems), tooltip: headline(state, t) };
}

/** Keeps the element up to date until the owner is unloaded; `onClick` opens the health view. */
export function fillStatusBar(el: HTMLElement, owner: Component, ebbtide: Ebbtide, onClick: () => void): void {
  el.addClass("ebbtide-status", "mod-clickable");
  el.setAttrs({ role: "button", tabindex: "0" });
  let release: (() => void) | undefined;
  const draw = (): void => {
    const shown = ebbtide.settings.statusBar;
    el.toggle(shown);
    if (shown) release ??= ebbtide.connection.need();
    else release = release?.() ?? undefined;
    const { icon, text, tooltip } = statusLabel(ebbtide.connection.state, ebbtide.jobs.of("sleep"), ebbtide.t);
    el.empty();
    setIcon(el.createSpan("ebbtide-status-icon"), icon);
    el.createSpan({ text });
    setTooltip(el, `${text}. ${tooltip}`, { placement: "top" }); // also its accessible name
  };
  owner.registerDomEvent(el, "click", onClick);
  owner.registerDomEvent(el, "keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") onClick();
  });
  owner.register(() => release?.());
  owner.register(ebbtide.connection.onChange(draw));
  owner.register(ebbtide.jobs.onChange(draw));
  owner.register(ebbtide.onSettings(draw));
  draw();
}
