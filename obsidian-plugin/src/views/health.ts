/** How the memory is: what asks for a decision, what the night did, the figures and their trends, what is indexed, exam, spending. */

import { ItemView, Notice, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import type { Ebbtide } from "../context";
import { revisionOf, type Schemas } from "../daemon/client";
import { isUsable } from "../daemon/state";
import { isUnderWay } from "../jobs";
import { confirm } from "./dialogs";
import { drawCore, drawExam, drawSpending } from "./figures";
import { ago, attempt, iconButton, isFirstRun, stateBanner, welcome } from "./parts";
import { actions, say, type Pen } from "./pen";
import { Region, focusKey } from "./region";
import { drawReviews } from "./reviews";
import { drawCoverage, drawDoctor, drawLayers, drawNight, drawToday, drawWork } from "./sections";
import { Words } from "./words";

export const HEALTH_VIEW = "ebbtide-health";

/** What the daemon last told; each part may be missing. */
interface Told {
  status?: Schemas["StatusResponse"];
  health?: Schemas["HealthResponse"];
  digest?: Schemas["DigestResponse"];
  reviews?: Schemas["ReviewsResponse"];
  skipped?: Schemas["NotesResponse"];
  failed?: Schemas["NotesResponse"];
  exam?: Schemas["ExamRunsResponse"];
  doctor?: Schemas["DoctorResponse"];
}

const SECTIONS = ["today", "reviews", "night", "figures", "coverage", "layers", "exam", "spending", "doctor"] as const;
const DAYS = 90;
const PAGE = 10;
const NOTES = 50;
const RUNS = 20;
const REST_MS = 5_000; // between two loads that nobody asked for
const RETRY_MS = 15_000;
const AGE_MS = 60_000;
const UNDOABLE = 5;
const ASK_FIRST = new Set(["archive", "forget"]);

export class HealthView extends ItemView {
  override navigation = false;
  readonly #ebbtide: Ebbtide;
  readonly #words: Words;
  readonly #regions = new Map<string, Region>();
  #told: Told = {};
  /** When that was told; 0: nothing was yet. */
  #at = 0;
  /** The change counter that `told` belongs to; null: it came from the snapshot, or a part of it is missing. */
  #change: number | null = null;
  #loads = 0;
  /** The last load that came to its end; a later number is under way. */
  #loaded = 0;
  #askedAt = 0;
  #timer = 0;
  #page = PAGE;
  /** What was decided here and can be taken back, the latest first. */
  #decided: { label: string; revision: string; key: string }[] = [];

  constructor(leaf: WorkspaceLeaf, ebbtide: Ebbtide) {
    super(leaf);
    this.#ebbtide = ebbtide;
    this.#words = new Words(ebbtide);
  }

  getViewType(): string {
    return HEALTH_VIEW;
  }

  getDisplayText(): string {
    return this.#ebbtide.t.health.title;
  }

  override getIcon(): string {
    return "heart-pulse";
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), closed: this.#sections().flatMap((el) => (el.open ? [] : [el.dataset.section])) };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    const { closed } = (state ?? {}) as { closed?: unknown };
    for (const el of this.#sections()) el.open = !(Array.isArray(closed) && closed.includes(el.dataset.section));
    await super.setState(state, result);
  }

  override async onOpen(): Promise<void> {
    const { connection, jobs, snapshot, language, t } = this.#ebbtide;
    const el = this.contentEl;
    el.empty();
    el.addClasses(["ebbtide-view", "ebbtide-health", "ebbtide-scroll"]);
    for (const name of ["head", "decided"]) this.#regions.set(name, new Region(this, el.createDiv()));
    for (const name of SECTIONS) {
      const box = el.createEl("details", { cls: "ebbtide-section", attr: { open: "", "data-section": name } });
      box.createEl("summary").createEl("h3", { text: t.health.sections[name] });
      this.#regions.set(name, new Region(this, box.createDiv()));
      this.registerDomEvent(box, "toggle", () => void this.app.workspace.requestSaveLayout());
    }
    const kept = snapshot.find<Told>("health", language);
    if (kept) [this.#told, this.#at] = [kept.data, kept.at];
    this.register(() => {
      this.#loads = NaN; // what is under way ends unheard, and none begins by itself: nothing equals this
      window.clearTimeout(this.#timer);
    });
    this.register(connection.need());
    this.register(connection.onChange(() => this.#follow()));
    this.register(
      jobs.onChange((work) => {
        this.#draw();
        if (!isUnderWay(jobs.of(work))) void this.reload();
      }),
    );
    this.registerInterval(window.setInterval(() => this.#draw(), AGE_MS));
    this.#follow();
  }

  /** Ask for everything anew, now. */
  async reload(): Promise<void> {
    const { connection, snapshot, language } = this.#ebbtide;
    const { client, state } = connection;
    if (!isUsable(state)) return;
    const number = ++this.#loads;
    this.#askedAt = Date.now();
    const { status } = state;
    const found: Told = { ...this.#told, status };
    const take = async <K extends keyof Told>(name: K, asked: Promise<Told[K]>): Promise<void> => {
      found[name] = await asked;
    };
    const results = await Promise.allSettled([
      take("health", client.health({ days: DAYS }).then((health) => ({ ...health, age_seconds: null }))),
      take("digest", client.digest()),
      take("reviews", client.reviews({ limit: this.#page })),
      take("skipped", client.notes({ status: "skipped", limit: NOTES })),
      take("failed", client.notes({ status: "failed", limit: NOTES })),
      take("exam", client.examRuns({ limit: RUNS })),
      take("doctor", client.doctor()),
    ]);
    if (number !== this.#loads) return; // a later one is on its way, and this one may be older than an action
    this.#loaded = number;
    const whole = results.every((one) => one.status === "fulfilled");
    [this.#told, this.#at, this.#change] = [found, Date.now(), whole ? status.change : null];
    this.#follow(); // it may have changed since
    if (whole) snapshot.keep("health", language, found);
    else this.#reloadAfter(RETRY_MS);
  }

  /** The daemon's state changed: show it, and ask anew if its memory did. */
  #follow(): void {
    const { state } = this.#ebbtide.connection;
    this.#draw();
    if (isUsable(state) && state.status.change !== this.#change) this.#reloadAfter(this.#askedAt + REST_MS - Date.now());
  }

  #reloadAfter(ms: number): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#loaded === this.#loads && void this.reload(), ms);
  }

  #draw(): void {
    const ebbtide = this.#ebbtide;
    const words = this.#words;
    const { connection, jobs } = ebbtide;
    const { state } = connection;
    const t = ebbtide.t.health;
    const live = isUsable(state);
    const told = this.#at > 0;
    const age = told ? ago(ebbtide.t, this.#at) : "";
    const { health, digest, reviews, exam, doctor, failed, skipped, status: before } = this.#told;
    const status = isUsable(state) ? state.status : before;
    const show = (name: string, parts: unknown, draw: (el: HTMLElement, pen: Pen) => unknown): void =>
      this.#regions.get(name)?.show([live, parts], (el, owner) => draw(el, { ebbtide, t, words, owner, live }));

    this.contentEl.toggleClass("mod-empty", !told);
    show("head", [state.kind, status?.state, status?.message, status?.counts, age], (el, pen) => {
      if (isFirstRun(ebbtide) && !told) return welcome(el, pen.owner, ebbtide);
      stateBanner(el, pen.owner, ebbtide);
      if (!told) return;
      const row = el.createDiv("ebbtide-headline");
      say(row, live ? age : ebbtide.t.state.stale(age));
      if (live) iconButton(row, pen.owner, "refresh-cw", t.refresh, () => this.reload()).dataset.key = "refresh";
    });
    show("decided", this.#decided, (el, pen) => {
      for (const { label, revision, key } of this.#decided) {
        const row = el.createDiv("ebbtide-headline");
        say(row, t.ruled(label), "").setAttr("role", "status");
        actions(row, pen, [[`undo:${revision}`, ebbtide.t.common.undo, () => this.#undo(revision, key)]]);
      }
    });
    if (!told) return;
    show("today", digest, (el, pen) => digest && drawToday(el, pen, digest, ({ id, path }, answer, label) => this.#revive(id, path, answer, label)));
    show("reviews", reviews, (el, pen) => reviews && drawReviews(el, pen, reviews, (id, choice) => this.#rule(id, choice), () => this.#more()));
    show("night", [health, jobs.of("sleep")], (el, pen) => drawNight(el, pen, health, (report) => this.#open(report)));
    show("figures", [health, jobs.of("measure")], (el, pen) => {
      if (health?.at) {
        say(el, t.asOf(words.moment(health.at)));
        drawCore(el, pen, health);
      } else say(el, t.neverMeasured);
      drawWork(el, pen, "measure", t.measure, t.measuring);
    });
    show("coverage", [status?.counts, skipped, failed], (el, pen) => status && drawCoverage(el, pen, status, [failed, skipped]));
    show("layers", health?.layers, (el, pen) => health && drawLayers(el, pen, health));
    show("exam", [exam, jobs.of("exam")], (el, pen) => {
      if (exam) drawExam(el, pen, exam);
      drawWork(el, pen, "exam", t.sit, t.sitting);
    });
    show("spending", health, (el, pen) => health && drawSpending(el, pen, health));
    show("doctor", doctor, (el, pen) => doctor && drawDoctor(el, pen, doctor));
  }

  // --- what a person does ---------------------------------------------------------------------------------------------

  /** What a person says to a memory that came back: of use, to be rewritten, or to be retired. */
  async #revive(id: string, path: string, answer: Schemas["DigestAnswer"]["answer"], label: string): Promise<void> {
    const { connection, t } = this.#ebbtide;
    if (answer === "rewrite") return this.#open(path);
    if (answer === "retire") return this.#decide(label, `${id}:${answer}`, true, () => connection.client.act(id, "archive"));
    if (!(await attempt(this.#ebbtide, () => connection.client.used({ ids: [id] })))) return;
    new Notice(t.health.used);
    await this.reload();
  }

  #rule(id: string, { ruling, label }: Schemas["Choice"]): Promise<void> {
    return this.#decide(label, `${id}:${ruling}`, ASK_FIRST.has(ruling), () => this.#ebbtide.connection.client.rule(id, { ruling }));
  }

  /** Carry out a decision and offer to take it back. After a refusal, too, is asked anew: it may have been decided elsewhere. */
  async #decide(label: string, key: string, ask: boolean, work: () => Promise<Schemas["RevisedResponse"]>): Promise<void> {
    const { t } = this.#ebbtide;
    const words = { title: t.health.confirmTitle(label), body: t.health.confirmBody, go: label, danger: true };
    if (ask && !(await confirm(this.app, t, words))) return;
    const revision = revisionOf(await attempt(this.#ebbtide, work));
    if (revision) this.#decided = [{ label, revision, key }, ...this.#decided].slice(0, UNDOABLE);
    await this.reload();
    if (revision) focusKey(this.contentEl, `undo:${revision}`);
  }

  async #undo(revision: string, key: string): Promise<void> {
    if (!(await attempt(this.#ebbtide, () => this.#ebbtide.connection.client.undo({ id: revision })))) return;
    this.#decided = this.#decided.filter((one) => one.revision !== revision);
    await this.reload();
    focusKey(this.contentEl, key);
  }

  #more(): Promise<void> {
    this.#page += PAGE;
    return this.reload();
  }

  #open(path: string): Promise<void> {
    return this.app.workspace.openLinkText(path, "", false);
  }

  #sections(): HTMLDetailsElement[] {
    return Array.from(this.contentEl.querySelectorAll<HTMLDetailsElement>("details.ebbtide-section"));
  }
}
