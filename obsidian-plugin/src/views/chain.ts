/** A causal chain: each place with how the one before leads to it, and the sentence that says so. */

import type { Component } from "obsidian";
import type { Ebbtide } from "../context";
import type { Schemas } from "../daemon/client";
import { nameOf } from "./found";
import { placeLink } from "./parts";

export type Chain = Schemas["WhyResponse"];

/** The chain behind a note or, where none is stated, what came of it. */
export async function chainOf(ebbtide: Ebbtide, note: string, query: string): Promise<Chain> {
  const { client } = ebbtide.connection;
  const back = await client.why({ query, note, direction: "back" });
  if (back.kind === "typed") return back;
  const forward = await client.why({ query, note, direction: "forward" });
  return forward.kind === "typed" ? forward : back;
}

export function drawPlaces(parent: HTMLElement, owner: Component, ebbtide: Ebbtide, places: Schemas["WhyPlace"][]): void {
  const list = parent.createEl("ol", "ebbtide-chain");
  for (const place of places) {
    const { edge } = place;
    const step = list.createEl("li");
    if (edge) step.createSpan({ text: `${edge.words} `, cls: "ebbtide-step" });
    placeLink(step, owner, ebbtide, place, place.title);
    const about = [place.date, place.superseded_by && `${ebbtide.t.recall.states.stale}: ${nameOf(place.superseded_by)}`].filter(Boolean);
    if (about.length > 0) step.createSpan({ text: ` ${about.join(", ")}`, cls: "ebbtide-hint" });
    if (!edge?.sentence) continue;
    const quote = step.createEl("blockquote", { text: `${edge.sentence} ` });
    if (edge.source !== place.note) placeLink(quote, owner, ebbtide, { ...edge, note: edge.source }, nameOf(edge.source));
  }
}
