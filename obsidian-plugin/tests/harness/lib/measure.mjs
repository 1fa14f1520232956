/** Figures, not scenarios: what a long day costs, and how long a note's rows take. */
import { performance } from "node:perf_hooks";
import { Scenario } from "./scenario.mjs";

/** In the page: opens the note and tells when its rows are painted, the plugin's own wait included. */
async function switchTo(h, note, patience = 20_000) {
  return h.page.evaluate(async ([path, limit]) => {
    const list = document.querySelector('[data-type="ebbtide-recall"] ul[data-shown]');
    const done = () => list.dataset.shown === `note:${path}` && list.getAttribute("aria-busy") === "false";
    const begin = performance.now();
    const painted = new Promise((tell, fail) => {
      const watch = new MutationObserver(() => {
        if (!done()) return;
        watch.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => tell(performance.now())));
      });
      watch.observe(list, { attributes: true });
      setTimeout(() => { watch.disconnect(); fail(new Error(`no rows for ${path}`)); }, limit);
    });
    await window.harness.open(path);
    const ms = (await painted) - begin;
    const asked = window.harness.requests.findLast((one) => one.at >= begin && one.url.includes("/v1/related"));
    return { ms, daemon: asked?.ms ?? 0, rows: list.children.length };
  }, [note, patience]);
}

async function begin(browser, files, daemon, tally, name) {
  const h = await new Scenario(name, browser, files, daemon, tally).begin();
  await h.command("open-recall");
  await h.until(async () => (await h.status()).includes("Ready"), 60_000);
  return h;
}

/** As many notes as asked, spread evenly over the vault by path. */
async function notes(h, count) {
  const all = await h.page.evaluate(() => window.harness.app.vault.getMarkdownFiles().map((file) => file.path).filter((path) => !path.startsWith("Memory/")).sort());
  const step = Math.max(1, Math.floor(all.length / count));
  return { all: all.length, chosen: all.filter((_, at) => at % step === 0).slice(0, count) };
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

export async function latency(browser, files, daemon, tally, count = 100) {
  const h = await begin(browser, files, daemon, tally, "latency");
  const { all, chosen } = await notes(h, count + 5);
  const figures = [];
  for (const [at, note] of chosen.entries()) {
    await h.pause(500); // a person reads; leafing faster is held back on purpose
    const one = await switchTo(h, note);
    if (at >= 5) figures.push({ note, ...one }); // the first warm up
  }
  const sorted = figures.map((one) => one.ms).sort((a, b) => a - b);
  const own = figures.map((one) => one.ms - one.daemon).sort((a, b) => a - b);
  const words = (ms) => `${ms.toFixed(0)} ms`;
  process.stdout.write(`     from note switch to painted rows, ${figures.length} notes of ${all}: median ${words(quantile(sorted, 0.5))}, p95 ${words(quantile(sorted, 0.95))}, longest ${words(sorted.at(-1))}; ${figures.filter((one) => one.rows > 0).length} with rows\n     of that not waiting for the daemon: median ${words(quantile(own, 0.5))}, p95 ${words(quantile(own, 0.95))}\n`);
  h.check("every switch came to its rows", figures.length > 0);
  await h.shot("latency");
  await h.end();
}

export async function soak(browser, files, daemon, tally, count) {
  const h = await begin(browser, files, daemon, tally, "soak");
  const { chosen } = await notes(h, 20);
  const session = await h.context.newCDPSession(h.page);
  await session.send("Performance.enable");
  const measure = async () => {
    await switchTo(h, chosen[1]);
    await switchTo(h, chosen[0]); // always the same note on show
    await h.pause(1000);
    for (let round = 0; round < 3; round += 1) await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const of = (name) => metrics.find((one) => one.name === name).value;
    const { timers, intervals, observers, listeners, refs } = await h.ask("counts");
    return { listenersInAll: of("JSEventListeners"), nodes: of("Nodes"), heap: of("JSHeapUsedSize"), timers, intervals, observers, listeners, refs };
  };
  /** Leafing: rows are waited for at every fifth note, the answers for those between come too late and are dropped. */
  const leaf = async (at) => {
    const note = chosen[2 + (at % (chosen.length - 2))];
    if (at % 5 === 0) await switchTo(h, note);
    else await h.open(note);
  };
  const warm = Math.min(100, Math.floor(count / 4));
  const began = performance.now();
  for (let at = 0; at < warm; at += 1) await leaf(at);
  const early = await measure();
  for (let at = warm; at < count; at += 1) await leaf(at);
  const late = await measure();
  const line = (one) => `${one.listenersInAll} listeners, ${one.nodes} nodes, ${(one.heap / 1e6).toFixed(2)} MB`;
  process.stdout.write(`     after ${warm} switches: ${line(early)}\n     after ${count} switches: ${line(late)} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`);
  h.check("listeners do not grow", late.listenersInAll <= early.listenersInAll + 5, JSON.stringify([early, late]));
  h.check("nodes do not grow", late.nodes <= early.nodes * 1.05 + 20, JSON.stringify([early.nodes, late.nodes]));
  h.check("memory does not grow with the switches", late.heap <= early.heap + 3e6, JSON.stringify([early.heap, late.heap]));
  const kept = ["timers", "intervals", "observers", "listeners", "refs"].filter((key) => late[key] > early[key]);
  h.check("timers, observers and subscriptions do not grow", kept.length === 0, JSON.stringify([early, late]));
  await h.end();
}
