/** The figures of the core, of the exam and of spending: each with its value, how it moved, and its trend as a picture. */

import type { Schemas } from "../daemon/client";
import { axisTop, barChart, byDay, evenly, lineChart, span, swatch, type Chart } from "./charts";
import { fold, lateFold, say, type Pen } from "./pen";

type Health = Schemas["HealthResponse"];
/** A figure of the core, or a share of the exam, which has no more than this. */
type Figure = Pick<Schemas["HealthFigure"], "name" | "title" | "unit" | "value" | "last"> & Partial<Schemas["HealthFigure"]>;
/** What figures were on a day, or in a run. */
interface Past {
  figures: Record<string, number | null>;
}
/** What is drawn as one line or one layer of bars. */
interface Series {
  title: string;
  unit: Figure["unit"];
  values: (number | null)[];
}

/** Figures that share a picture, since they share a unit and are read together. */
const TOGETHER = [["freshness", "shown_only"], ["coherence", "coherence_typed", "largest"], ["steps", "inside"], ["core", "backlog"]];
const OUTCOMES = ["promote", "associate", "compress", "release"] as const;
const EXAM_LINES = ["hit@3", "handled", "with-memory"];

/** Figures of the core in groups, each over its picture; what is not defined says why. */
export function drawCore(el: HTMLElement, pen: Pen, { figures, trend }: Health): void {
  const days = trend.map((one) => one.day);
  for (const group of grouped(figures)) drawGroup(el, pen, group, days, trend);
  if (days.length < 2) say(el, pen.t.noTrend);
  else drawTable(el, pen, "figures-table", days, seriesOf(figures, trend));
}

/** Candidates a night by what became of them. */
export function drawNights(el: HTMLElement, pen: Pen, health: Health): void {
  const nights = health.trend.flatMap(({ day, night }) => (night ? [{ day, night }] : []));
  const rows = OUTCOMES.map((name): Series => ({ title: pen.t.outcomes[name], unit: "count", values: nights.map(({ night }) => night[name]) }));
  const legend = el.createEl("ul", "ebbtide-legend");
  rows.forEach(({ title, values }, number) => {
    const item = legend.createEl("li");
    swatch(item, number, "bar");
    item.appendText(`${title} ${values.at(-1) ?? 0}`);
  });
  const totals = nights.map((_, i) => rows.reduce((sum, { values }) => sum + (values[i] ?? 0), 0));
  barChart(el, picture(pen, nights.map((one) => one.day), rows, totals));
}

/** The last value of each share, how it moved, and how a few of them went. */
export function drawExam(el: HTMLElement, pen: Pen, { kinds, runs }: Schemas["ExamRunsResponse"]): void {
  const { t, words } = pen;
  const last = runs.at(-1);
  if (!last) return void say(el, t.noExam);
  say(el, t.lastRun(words.moment(last.at), last.version));
  const days = runs.map((run) => run.at.slice(0, 10));
  const known = kinds.filter(({ value }) => value !== null);
  drawGroup(el, pen, known.filter(({ name }) => EXAM_LINES.includes(name)), days, runs, evenly(days.length));
  const all = fold(el, "exam-all", t.showAll(known.length));
  for (const figure of known) drawFigure(all, pen, figure);
  if (days.length > 1) drawTable(all, pen, "exam-table", days, seriesOf(known, runs));
}

/** What asking a paid model cost. */
export function drawSpending(el: HTMLElement, pen: Pen, { spent, day, trend }: Health): void {
  const { t, words } = pen;
  const paid = trend.flatMap((one) => one.spent ?? []);
  if (!spent && paid.length === 0) return void say(el, t.noModel);
  const told = (all: Schemas["HealthSpent"][]): string => {
    const sum = (name: "requests" | "tokens" | "money"): number => all.reduce((total, one) => total + one[name], 0);
    return t.spent(sum("requests"), words.number(sum("tokens")), words.number(sum("money"), 4));
  };
  if (spent) {
    const { cap_tokens: tokens, cap_money: money } = spent;
    say(el, `${words.day(day ?? "")}: ${told([spent])}`, "");
    const caps = [...(tokens ? [t.tokens(words.number(tokens))] : []), ...(money ? [words.number(money, 4)] : [])];
    if (caps.length > 0) say(el, t.cap(t.join(caps)));
  }
  say(el, t.spentInAll(told(paid)), "");
  const bars: Series = { title: t.spentChart, unit: "count", values: trend.map((one) => one.spent?.tokens ?? 0) };
  if (trend.length > 1) barChart(el, picture(pen, trend.map((one) => one.day), [bars]));
}

function seriesOf(figures: Figure[], past: Past[]): Series[] {
  return figures.map(({ name, title, unit }) => ({ title, unit, values: past.map((one) => one.figures[name] ?? null) }));
}

/** `at`: where each run stands, where that is not its day. */
function drawGroup(el: HTMLElement, pen: Pen, figures: Figure[], days: string[], past: Past[], at?: number[]): void {
  const box = el.createDiv("ebbtide-panel");
  figures.forEach((figure, number) => drawFigure(box, pen, figure, number));
  const lines = seriesOf(figures, past);
  if (days.length < 2 || !lines.some(({ values }) => values.some((value) => value !== null))) return;
  const chart = picture(pen, days, lines);
  lineChart(box, at ? { ...chart, at, ends: { ...chart.ends, first: pen.words.day(days[0] ?? "") } } : chart);
}

function drawFigure(el: HTMLElement, { t, words }: Pen, figure: Figure, number?: number): void {
  const { title, value, unit, k, n, why, last, month } = figure;
  const row = el.createDiv("ebbtide-figure");
  if (number !== undefined) swatch(row, number, "line");
  row.createSpan({ cls: "ebbtide-figure-title", text: title });
  const told: string[] = [];
  if (value === null) told.push(t.undefinedFigure(why ?? ""));
  else {
    row.createSpan({ cls: "ebbtide-value", text: words.value(value, unit) });
    if (k != null && n != null) told.push(t.ofMany(k, n));
    for (const move of [last, month]) {
      if (!move) continue;
      const by = unit === "share" ? t.points(words.signed(move.by * 100, 1)) : words.signed(move.by);
      const arrow = move.by > 0 ? "▲ " : move.by < 0 ? "▼ " : "";
      told.push(`${arrow}${t.verdicts[move.verdict]}, ${t.moved(by, words.day(move.day))}`);
    }
  }
  if (told.length > 0) row.createSpan({ cls: "ebbtide-hint", text: t.join(told) });
}

function picture({ t, words }: Pen, days: string[], lines: Series[], heights = lines.flatMap(({ values }) => values)): Chart {
  const unit = lines[0]?.unit ?? "count";
  const top = axisTop(unit, heights);
  const [first, last] = span(days);
  return {
    label: t.join(lines.map((line) => inWords({ t, words }, days, line))),
    at: byDay(days),
    series: lines.map(({ values }) => values),
    top,
    ends: { top: words.value(top, unit), first: words.day(first), last: words.day(last) },
  };
}

/** A line for who cannot see it: where it began, where it is, and on how many days there is nothing to tell. */
export function inWords({ t, words }: Pick<Pen, "t" | "words">, days: string[], { title, unit, values }: Series): string {
  const known = values.flatMap((value, i) => (value === null ? [] : [[words.value(value, unit), words.day(days[i] ?? "")] as const]));
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return t.chartNothing(title);
  const gaps = values.length - known.length;
  return t.chartLine(title, ...first, ...last) + (gaps > 0 ? t.chartGaps(gaps) : "");
}

/** The same numbers to read instead of to look at. */
function drawTable(el: HTMLElement, { t, words, owner }: Pen, key: string, days: string[], columns: Series[]): void {
  lateFold(el, owner, key, t.table, (box) => {
    const frame = box.createDiv({ cls: "ebbtide-table", attr: { tabindex: "0", role: "region", "aria-label": t.tableLabel } });
    const table = frame.createEl("table");
    const head = table.createEl("tr");
    for (const text of [t.day, ...columns.map(({ title }) => title)]) head.createEl("th", { text, attr: { scope: "col" } });
    for (let i = days.length - 1; i >= 0; i--) {
      const row = table.createEl("tr");
      row.createEl("th", { text: days[i], attr: { scope: "row" } });
      for (const { unit, values } of columns) {
        const value = values[i] ?? null;
        row.createEl("td", { text: value === null ? t.none : words.value(value, unit) });
      }
    }
  });
}

/** Figures in the daemon's order, those of a group together. */
export function grouped<T extends { name: string }>(figures: T[]): T[][] {
  const left = new Set(figures);
  return figures.flatMap(({ name }) => {
    const names = TOGETHER.find((group) => group.includes(name)) ?? [name];
    const group = names.flatMap((one) => figures.find((figure) => figure.name === one && left.delete(figure)) ?? []);
    return group.length > 0 ? [group] : [];
  });
}
