/** The review queue: each question with its quotes side by side, and the rulings it offers. */

import type { Schemas } from "../daemon/client";
import { placeLink } from "./parts";
import { actions, card, say, type Pen } from "./pen";

export function drawReviews(
  el: HTMLElement, pen: Pen, page: Schemas["ReviewsResponse"], rule: (id: string, choice: Schemas["Choice"]) => unknown, more: () => unknown,
): void {
  const { t, words } = pen;
  if (page.reviews.length === 0) say(el, t.nothingOpen);
  for (const review of page.reviews) {
    const box = card(el, review.question);
    if (review.since) say(box, t.since(words.day(review.since)));
    const sides = box.createDiv("ebbtide-sides");
    const labels = review.sides.length !== 2 ? [] : review.kind === "dispute" ? [t.older, t.newer] : ["A", "B"];
    review.sides.forEach((side, i) => drawSide(sides, pen, side, labels[i]));
    actions(box, pen, review.choices.map((choice) => [`${review.id}:${choice.ruling}`, choice.label, () => rule(review.id, choice)]));
  }
  const left = page.total - page.reviews.length;
  if (left > 0) actions(el, pen, [["reviews-more", t.moreOpen(left), more]]);
}

function drawSide(el: HTMLElement, { t, owner, ebbtide }: Pen, side: Schemas["ReviewSide"], label = ""): void {
  const box = el.createDiv("ebbtide-side");
  if (label) say(box, label, "ebbtide-value");
  box.createEl("blockquote", { text: side.quote || side.fact });
  if (!side.fact.includes(side.quote)) say(box, side.fact);
  const at = say(box, "");
  placeLink(at, owner, ebbtide, side, `${side.note}:${side.line}`).dataset.key = `${side.id}:place`;
  const told = [side.date?.slice(0, 10), t.states[side.state] ?? side.state, side.private && t.privateNote];
  at.appendText(told.filter(Boolean).map((part) => ` · ${part}`).join(""));
}
