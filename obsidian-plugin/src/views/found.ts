/** What was recalled, for a note or for a question; and what can be said of it without a page to show it on. */

import type { Schemas } from "../daemon/client";

export type Row = Schemas["RecallItem"] & { linked?: boolean };
export type Found = Omit<Schemas["RelatedResponse"], "items" | "note"> & { items: Row[] };

/** Null for what has another shape: kept by another version of this plugin, or told by what is not our daemon. */
export function asFound(told: Found | undefined): Found | null {
  return Array.isArray(told?.items) ? told : null;
}

/** Paths of ranked notes that no row is from, best first, without the note that is looked at. */
export function further({ items, notes }: Found, looked: string | null): string[] {
  const shown = new Set([looked, ...items.map(({ note }) => note)]);
  return notes.filter((path) => !shown.has(path));
}

/** The lines that would be injected into an agent's context; leads are shown to people only. */
export function packet(rows: readonly Row[]): string {
  return rows.filter(({ lead }) => !lead).map(({ inject }) => inject).join("\n");
}

/** What a row shows of its place: nothing, the cited sentence, or three lines around it. */
export function excerpt(row: Row, lines: "0" | "1" | "3"): string {
  if (lines === "0") return "";
  return lines === "3" && row.kind !== "fact" ? row.text.trim() : row.quote.trim();
}

/** A note's name without folder and ending, as Obsidian shows it. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/i, "");
}

/** How long to wait before asking: not at all for one switch, a little while notes are being leafed through. */
export function patience(sinceLastMs: number): number {
  return sinceLastMs > 300 ? 0 : 200;
}

export type Include = NonNullable<Schemas["RecallRequest"]["include"]>[number];
export const INCLUDES: readonly Include[] = ["stale", "archived", "frozen", "quarantined", "conversations"];

/** What a view looks at: the question if there is one, else the note. */
export interface Looked {
  note: string | null;
  pinned: boolean;
  question: string;
  type: string;
  include: Include[];
}

/** As it was stored with the workspace; whatever is not as expected is left out. */
export function readLooked(state: unknown): Looked {
  const found = (typeof state === "object" && state !== null ? state : {}) as Record<string, unknown>;
  const text = (key: string): string => (typeof found[key] === "string" ? found[key] : "");
  const include: unknown[] = Array.isArray(found.include) ? found.include : [];
  return {
    note: text("note") || null,
    pinned: found.pinned === true,
    question: text("question"),
    type: text("type"),
    include: INCLUDES.filter((one) => include.includes(one)),
  };
}
