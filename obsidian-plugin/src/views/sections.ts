/** The plainer sections of the health view: today, the night, what is indexed, the layers, the doctor's findings. */

import type { Schemas } from "../daemon/client";
import { isUnderWay, type Work } from "../jobs";
import { drawNights } from "./figures";
import { attempt, commandLine, placeLink } from "./parts";
import { actions, card, counts, fold, list, say, type Pen } from "./pen";

type Health = Schemas["HealthResponse"];
type Back = Schemas["DigestItem"];
type Answer = Schemas["DigestAnswer"];
type Button = Parameters<typeof actions>[2][number];

/** What the day asks for: warnings, open questions, and the memories that come back this week. */
export function drawToday(
  el: HTMLElement, pen: Pen, digest: Schemas["DigestResponse"], act: (item: Back, answer: Answer["answer"], label: string) => unknown,
): void {
  const { t } = pen;
  for (const { text } of digest.warnings) say(el, text, "ebbtide-warning");
  if (digest.open > 0) say(el, t.openQuestions(digest.open), "");
  if (digest.warnings.length + digest.open + digest.revive.length === 0) say(el, t.quiet);
  if (digest.revive.length > 0) el.createEl("h4", { text: t.revival });
  for (const item of digest.revive) {
    const box = card(el, item.question);
    const at = say(box, "");
    noteLink(at, pen, item.path, item.title).dataset.key = `${item.id}:memory`;
    if (item.place) {
      at.appendText(` · ${t.place} `);
      noteLink(at, pen, item.place.path, item.place.title).dataset.key = `${item.id}:place`;
    }
    actions(box, pen, item.answers.map(({ answer, label }) => [`${item.id}:${answer}`, label, () => act(item, answer, label)]));
  }
}

function noteLink(el: HTMLElement, { owner, ebbtide }: Pen, path: string, title: string): HTMLElement {
  return placeLink(el, owner, ebbtide, { note: path, line: 1 }, title);
}

/** What the last night came to, and how far the one is that was asked for by hand. */
export function drawNight(el: HTMLElement, pen: Pen, health: Health | undefined, open: (report: string) => unknown): void {
  const { t, words } = pen;
  const last = health?.trend.filter(({ night }) => night).at(-1);
  if (health && last?.night) {
    say(el, `${t.nightOf(words.day(last.day))} ${t.processed(last.night.processed, last.night.candidates)}`, "");
    drawNights(el, pen, health);
    if (health.taken !== null) say(el, t.taken(words.value(health.taken, "share")));
  } else say(el, t.noNight);
  const report = health?.report;
  drawWork(el, pen, "sleep", t.consolidate, t.consolidating, report ? [["report", t.report, () => open(report)]] : []);
}

/** A long work: the button that asks for it, how far it is, and what came of it. */
export function drawWork(el: HTMLElement, pen: Pen, work: Work, label: string, going: string, beside: Button[] = []): void {
  const { t, ebbtide } = pen;
  const job = ebbtide.jobs.of(work);
  if (job && isUnderWay(job)) {
    const { phase, done, total } = job.progress;
    const row = el.createDiv("ebbtide-progress");
    row.createSpan({ text: `${going}: ${t.phase(t.phases[phase] ?? phase, done, total)}`, attr: { role: "status" } });
    const bar = row.createEl("progress", { attr: { "aria-label": going } });
    if (total > 0) [bar.max, bar.value] = [total, done];
  }
  if (job?.state === "failed") say(el, ebbtide.t.common.failed(job.message), "ebbtide-warning").setAttr("role", "status");
  if (job?.state === "done" && work === "sleep") {
    const { revision, skipped = [] } = (job.result ?? {}) as Partial<Schemas["SleepResult"]>;
    say(el, revision ? t.nightDone : t.nothingNew, "").setAttr("role", "status");
    if (skipped.length > 0) list(fold(el, "night-skipped", t.leftOut(skipped.length)), skipped);
  }
  const start = isUnderWay(job) ? null : () => attempt(ebbtide, () => ebbtide.jobs.start(work));
  actions(el, pen, [...beside, [work, label, start]], "sleep");
}

/** How many notes are read, wait, or are passed over, and for which reasons. */
export function drawCoverage(el: HTMLElement, pen: Pen, status: Schemas["StatusResponse"], passedOver: (Schemas["NotesResponse"] | undefined)[]): void {
  const { t, words } = pen;
  const { notes, indexed, pending, skipped, failed, passages, facts, links, vectors, vectors_wanted } = status.counts;
  const rows: [string, number][] = [[t.notes, notes], [t.indexed, indexed], [t.waiting, pending], [t.skipped, skipped], [t.failedNotes, failed]];
  counts(el, rows.map(([name, number]) => [name, words.number(number)]));
  say(el, t.counts(passages, facts, links));
  say(el, t.vectors(vectors, vectors_wanted));
  for (const page of passedOver) {
    for (const { status: kind, reason, notes: many } of page?.reasons ?? []) {
      const title = kind === "failed" ? t.failedNotes : t.skipped;
      const box = fold(el, `${kind}:${reason}`, `${title}: ${t.reasons[reason] ?? reason} (${words.number(many)})`);
      const named = page?.notes.filter((note) => note.reason === reason) ?? [];
      const files = list(box, []);
      for (const { path } of named) noteLink(files.createEl("li"), pen, path, path);
      if (many > named.length) say(box, t.andMore(many - named.length));
    }
  }
}

/** Records of each layer; an empty one says why it is. */
export function drawLayers(el: HTMLElement, { t, words }: Pen, { layers }: Health): void {
  if (layers.length === 0) say(el, t.neverMeasured);
  counts(el, layers.map(({ layer, records, week, why }) => {
    const grown = week === null ? "" : ` (${t.week(words.signed(week))})`;
    return [t.layers[layer] ?? layer, words.number(records) + grown + (why ? `: ${why}` : "")];
  }));
}

/** What is not in order, why that matters and what mends it, in the doctor's words; then what is, with the doctor's advice. */
export function drawDoctor(el: HTMLElement, { t, owner, ebbtide }: Pen, { checks }: Schemas["DoctorResponse"]): void {
  const mend = (box: HTMLElement, fix: string): void => {
    if (fix) say(box, t.mend(fix));
    for (const command of commandsIn(fix)) commandLine(box, owner, ebbtide.t, command);
  };
  const good = checks.filter(({ ok }) => ok);
  if (good.length === checks.length) say(el, t.allWell, "");
  for (const { title, message, why, fix } of checks.filter(({ ok }) => !ok)) {
    const box = card(el, title, "mod-problem");
    say(box, message, "");
    say(box, why);
    mend(box, fix);
  }
  if (good.length === 0) return;
  const box = fold(el, "doctor-good", t.inOrder(good.length));
  for (const { title, message, fix } of good) {
    say(box, `${title}: ${message}`, "");
    mend(box, fix);
  }
}

/** The commands that a sentence of the daemon names, between backticks. */
export function commandsIn(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), (match) => match[1] ?? "");
}
