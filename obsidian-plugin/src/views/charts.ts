/** Trends as small SVG pictures: axes from zero, lines told apart by dash as well as by colour, a gap where nothing is defined. */

const LEAST_DAYS = 14; // so that two nights do not look like a trend
const DAY_MS = 86_400_000;

export interface Chart {
  /** What the picture says, in words. */
  label: string;
  /** Where each value stands from left (0) to right (1). */
  at: number[];
  /** One list for each line or layer of bars; null where it is not defined. */
  series: (number | null)[][];
  /** The top of the axis, which begins at zero. */
  top: number;
  /** What stands at the ends of the axes. */
  ends: { top: string; first: string; last: string };
}

/** The first and last day of the axis: the days that are known, but no fewer than two weeks. */
export function span(days: string[]): [string, string] {
  const last = days[days.length - 1] ?? "1970-01-01";
  const least = new Date(Date.parse(last) - (LEAST_DAYS - 1) * DAY_MS).toISOString().slice(0, 10);
  const first = days[0] ?? last;
  return [first < least ? first : least, last];
}

/** Days (ISO, rising) as places between 0 and 1 on the axis of `span`. */
export function byDay(days: string[]): number[] {
  const [first, last] = span(days).map((day) => Date.parse(day)) as [number, number];
  return days.map((day) => (Date.parse(day) - first) / (last - first));
}

/** As many places at equal distances, the last at the right end. */
export function evenly(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (count > 1 ? i / (count - 1) : 1));
}

/** A round number at or above: 1, 2 or 5 times a power of ten. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((step) => step * power >= value) ?? 10);
}

/** The top of an axis. Shares show the whole, unless all of them are so small that nothing could be told apart. */
export function axisTop(unit: "share" | "number" | "count", values: (number | null)[]): number {
  const most = Math.max(0, ...values.filter((value) => value !== null));
  if (unit === "share") return most > 0.1 ? 1 : 0.1;
  return Math.max(unit === "count" ? 2 : 1, roundUp(most));
}

/** Stretches of [x, y] (0..100, y downwards) without a gap. */
export function stretches(at: number[], values: (number | null)[], top: number): [number, number][][] {
  const found: [number, number][][] = [];
  let open: [number, number][] | null = null;
  values.forEach((value, i) => {
    if (value === null) {
      open = null;
      return;
    }
    if (!open) found.push((open = []));
    open.push([round((at[i] ?? 0) * 100), round(100 - (Math.min(value, top) / top) * 100)]);
  });
  return found;
}

export function lineChart(parent: HTMLElement, chart: Chart): void {
  const svg = plot(parent, chart);
  chart.series.forEach((values, number) => {
    const runs = stretches(chart.at, values, chart.top);
    for (const run of runs) {
      if (run.length > 1) mark(svg, "polyline", "line", number, { points: run.join(" ") });
    }
    // A stretch of one day and the latest value are marked; of a mark, only the ends of a very short line are seen.
    const marked = runs.flatMap((run, i) => (run.length === 1 || i === runs.length - 1 ? run.slice(-1) : []));
    for (const [x, y] of marked) mark(svg, "path", "dot", number, { d: `M${x} ${y}h0.01` });
  });
}

/** Bars of stacked counts, the first series at the bottom. */
export function barChart(parent: HTMLElement, chart: Chart): void {
  const svg = plot(parent, chart);
  const wide = Math.min(6, 80 / Math.max(1, chart.at.length));
  chart.at.forEach((at, i) => {
    let below = 0;
    chart.series.forEach((values, number) => {
      const tall = ((values[i] ?? 0) / chart.top) * 100;
      if (tall > 0) mark(svg, "rect", "bar", number, { x: round(at * (100 - wide)), y: round(100 - below - tall), width: round(wide), height: round(tall) });
      below += tall;
    });
  });
}

/** The mark by which a legend names a line or bar. */
export function swatch(parent: HTMLElement, number: number, kind: "line" | "bar"): void {
  const svg = parent.createSvg("svg", { cls: "ebbtide-swatch", attr: { viewBox: "0 0 24 10", "aria-hidden": "true" } });
  if (kind === "line") mark(svg, "polyline", kind, number, { points: "1,5 23,5" });
  else mark(svg, "rect", kind, number, { x: 7, y: 0, width: 10, height: 10 });
}

/** One shape of a series; number and kind decide how it looks. */
function mark(svg: SVGElement, shape: "polyline" | "path" | "rect", kind: "line" | "dot" | "bar", number: number, attr: Record<string, string | number>): void {
  svg.createSvg(shape, { cls: [`ebbtide-${kind}`, `ebbtide-hue-${number}`], attr });
}

/** Axes and frame. Words stand outside of the picture, so that they keep their size while it is as wide as the pane. */
function plot(parent: HTMLElement, { label, ends }: Chart): SVGElement {
  const el = parent.createDiv("ebbtide-plot");
  const axis = (cls: string, texts: string[]): void => {
    const box = el.createDiv({ cls, attr: { "aria-hidden": "true" } });
    for (const text of texts) box.createSpan({ text });
  };
  axis("ebbtide-scale", [ends.top, "0"]);
  const attr = { viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img", "aria-label": label };
  const svg = el.createSvg("svg", { cls: "ebbtide-chart", attr });
  for (const y of [0, 50, 100]) svg.createSvg("line", { cls: "ebbtide-grid", attr: { x1: 0, x2: 100, y1: y, y2: y } });
  axis("ebbtide-days", [ends.first, ends.last]);
  return svg;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
