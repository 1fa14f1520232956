/** The health view against the real daemon: figures and trends, coverage, rulings and undo, a night to its report, revival, away. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ARTEFACTS } from "../lib/places.mjs";

export const name = "health";
export const fresh = true;

const DAY_MS = 86_400_000;
const dayBack = (n) => new Date(Date.now() - n * DAY_MS).toISOString().slice(0, 10);
const HOSTILE = 'The kiln is run by <img src=x onerror="document.title=1"> Mo Chen.';
const CORE = "Memory/core/principles/Small batches.md";

function put(vault, file, text) {
  mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
  writeFileSync(path.join(vault, file), text);
}

const hex = (n) => n.toString(16).padStart(16, "0");
const share = (k, n) => ({ value: k / n, k, n, why: null });

/** Lines as another device of the same person would have left them. */
function healthLine(n, more = {}) {
  const slept = n % 3 !== 0;
  return JSON.stringify({
    id: `h_${hex(n + 1)}`,
    at: `${dayBack(n)}T01:00:00.000Z`,
    day: dayBack(n),
    version: "0.1.0",
    figures: {
      freshness: n === 9 ? { value: null, k: null, n: null, why: "empty" } : share(4 + (n % 5), 12),
      coherence: share(9, 12), coherence_typed: share(4, 12),
      steps: { value: 2 + n / 50, k: null, n: null, why: null },
      pollution: share(n % 2, 30), backlog: { value: n % 4, k: null, n: null, why: null }, core: { value: 40 - n, k: null, n: null, why: null },
    },
    layers: { semantic: 200 - n, episodic: 12, procedural: 3, concept: 40 - n, working: 0 },
    night: slept ? { processed: 20, candidates: 6, promote: 1, associate: 2, compress: 1, release: 2 } : null,
    spent: n < 12 ? { requests: 3, tokens: 4000 + 100 * n, money: 0.02, cap_tokens: 200000, cap_money: 1 } : null,
    revive: [],
    ...more,
  });
}

function examLine(n) {
  const questions = Object.fromEntries([0, 1, 2, 3].map((i) => [`x${i}:${hex(i)}`, { kind: "find", rank: i < 4 - n ? 1 : 9, passed: i < 4 - n }]));
  return JSON.stringify({
    id: `xr_${hex(n + 1)}`, at: `${dayBack(7 * n)}T02:00:00.000Z`, version: "0.1.0", model: null, config: null, only: null, budget: 6000,
    questions, planted: {}, counts: { pollution: [n, 100] }, numbers: {},
  });
}

const active = async (h) => (await h.editor())?.path;

export function prepare(vault) {
  put(vault, "Work/Backups.md", "---\ndate: 2026-01-10\n---\n# Backups\n\nThe nightly backup of the office server must never run on Sundays.\n");
  put(vault, "Work/Server notes.md", "---\ndate: 2026-02-10\n---\n# Server notes\n\nThe nightly backup of the office server must run on Sundays.\n");
  put(vault, "Work/Hostile.md", `---\ndate: 2026-03-10\n---\n# Kiln\n\n- ${HOSTILE}\n- We decided to fire the kiln with gas instead of wood in 2026-04.\n`);
  put(vault, "Work/Quiet.md", "---\nmemory: false\n---\n# Quiet\n\nNothing.\n");
  put(vault, CORE, `---\ntype: principle\ndescription: "when a release is planned"\nstatus: active\ncreated: ${dayBack(100)}\n---\n\nSmall batches ship faster than large ones.\n`);
  put(vault, "Memory/health/0badcafe.jsonl", `${Array.from({ length: 40 }, (_, i) => healthLine(40 - i)).join("\n")}\n`);
  put(vault, "Memory/exam-results/0badcafe.jsonl", `${[3, 2, 1].map(examLine).join("\n")}\n`);
}

export async function run(h) {
  const view = h.view("health");
  const text = () => view.innerText();
  const section = (title) => view.locator("details.ebbtide-section", { has: h.page.locator("h3", { hasText: new RegExp(`^${title}$`) }) });
  const key = (id) => view.locator(`[data-key="${id}"]`);
  const focused = () => h.page.evaluate(() => document.activeElement?.getAttribute("data-key"));
  const refresh = () => key("refresh").click();
  const reviews = async () => (await h.daemon.request("GET", "/v1/reviews")).reviews;

  await h.command("open-health");
  h.check("the view fills", await h.until(async () => (await text()).includes("Fresh: met in 30 days")), await text());

  // figures and trends
  const figures = section("Figures and trends");
  const labels = await figures.locator("svg[role=img]").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  h.check("each picture says in words what it shows", labels.length >= 4 && labels.every((label) => label.includes(" on ")), labels.join("\n"));
  h.check("a day without a figure is told, not drawn as zero", labels.some((label) => label.includes("not defined on 1 day")), labels.join("\n"));
  h.check("and is a gap in the line", (await figures.locator(".ebbtide-panel").first().locator("polyline.ebbtide-hue-0.ebbtide-line").count()) > 2);
  h.check("what is not defined says why", (await figures.innerText()).includes("Not defined: "), await figures.innerText());
  await figures.locator("summary", { hasText: "All numbers as a table" }).click();
  h.check("the numbers can be read as a table", await h.until(async () => (await figures.locator("tbody tr, table tr").count()) > 40));

  // coverage
  const coverage = section("Index coverage");
  const { counts } = await h.daemon.status();
  h.check("coverage counts as the daemon does", (await coverage.innerText()).includes(String(counts.indexed)), await coverage.innerText());
  const fold = coverage.locator("details", { hasText: "memory: false" });
  await fold.locator("summary").click();
  await fold.locator("a", { hasText: "Work/Quiet.md" }).click();
  h.check("a skipped note is named with its reason, and opens", await h.until(async () => (await active(h)) === "Work/Quiet.md"), String(await active(h)));

  // layers, exam, spending, check-up
  h.check("an empty layer says why", /Working\s+0 \(±0 in a week\): nothing/.test(await section("Records per layer").innerText()), await section("Records per layer").innerText());
  h.check("the exam's last run and its trend", (await section("Exam").innerText()).includes("75 %") && (await section("Exam").locator("svg[role=img]").count()) > 0, await section("Exam").innerText());
  h.check("spending with caps", /requests, .*tokens/.test(await section("Spending").innerText()), await section("Spending").innerText());
  h.check("the check-up tells what is in order", /check/.test(await section("Check-up").innerText()), await section("Check-up").innerText());

  await contradiction(h, { view, key, reviews, refresh, focused });
  await steady(h, { view, figures, key, focused });
  await revival(h, { section, key, refresh });
  await night(h, { section, key });
  await exam(h, { section, key });
  await looks(h);
  await away(h, { view, key });
}

async function contradiction(h, { view, key, reviews, refresh, focused }) {
  const dispute = async () => (await reviews()).find((one) => one.kind === "dispute" && one.sides.some((side) => side.note === "Work/Backups.md"));
  h.check("the daemon found the contradiction that was written", await h.until(dispute, 60_000), JSON.stringify(await reviews()).slice(0, 800));
  const { facts } = await h.daemon.request("GET", `/v1/facts?note=${encodeURIComponent("Work/Hostile.md")}`);
  await h.daemon.request("POST", "/v1/corrections", { ids: [facts[0].id], why: '<b onclick="x">no</b>' });
  await refresh();
  const item = await dispute();
  const box = view.locator("article", { has: h.page.locator(`[data-key^="${item.id}:"]`) });
  h.check("the question is shown", await h.until(async () => (await box.count()) === 1), JSON.stringify(await reviews()).slice(0, 800));
  h.check("its quotes are shown side by side", (await box.locator("blockquote").allInnerTexts()).join("|") === item.sides.map((side) => side.quote).join("|"));
  h.check("two of them, the older first", (await box.locator(".ebbtide-side > .ebbtide-value").allInnerTexts()).join("|") === "A (older)|B (newer)");
  h.check("what notes say stays text", (await view.locator("img, b").count()) === 0);
  const [ruling] = item.choices;
  const id = `${item.id}:${ruling.ruling}`;
  h.check("each ruling is offered", (await box.locator(".ebbtide-actions button").count()) === item.choices.length);
  await key(id).click();
  h.check("a ruling reaches the daemon", await h.until(async () => !(await reviews()).some((one) => one.id === item.id)));
  const undo = view.locator('[data-key^="undo:"]');
  h.check("and can be taken back, by key at once", await h.until(async () => (await undo.count()) === 1 && (await focused())?.startsWith("undo:")), String(await focused()));
  await h.page.keyboard.press("Enter");
  h.check("the undo brings the question back, and the focus", await h.until(async () => (await reviews()).some((one) => one.id === item.id) && (await focused()) === id), String(await focused()));
  h.check("no notice came with it", (await h.notices()).length === 0, JSON.stringify(await h.notices()));
}

/** A change of the vault draws parts of the view anew; who reads or types must not notice. */
async function steady(h, { view, figures, key, focused }) {
  await key("measure").focus();
  await key("measure").scrollIntoViewIfNeeded();
  const place = async () => Math.round((await key("measure").boundingBox()).y);
  const before = await place();
  const { counts } = await h.daemon.status();
  put(h.daemon.vault, "Work/Later.md", "# Later\n\nWe decided to glaze the tiles in 2026-11.\n");
  const coverage = view.locator("details.ebbtide-section", { hasText: "Index coverage" });
  h.check("a new note is counted without a click", await h.until(async () => (await coverage.innerText()).includes(String(counts.indexed + 1)), 40_000), await coverage.innerText());
  const after = await place();
  const table = await figures.locator("table").count();
  h.check("focus, place and what is unfolded stay", (await focused()) === "measure" && before === after && table > 0, `${await focused()} ${before} ${after} ${table}`);
}

async function revival(h, { section, key, refresh }) {
  const { id } = await h.daemon.request("GET", `/v1/notes/${CORE.split("/").map(encodeURIComponent).join("/")}`);
  const revive = [{ id, path: CORE, idle: 70, place: "Home.md", shared: [] }];
  appendFileSync(path.join(h.daemon.vault, "Memory/health/0badcafe.jsonl"), `${healthLine(0, { revive })}\n`);
  await refresh();
  const today = section("Today");
  h.check("a memory comes back as a question", await h.until(async () => (await today.innerText()).includes("not used for 70 days")), await today.innerText());
  await key(`${id}:rewrite`).click();
  h.check("rewrite opens it", await h.until(async () => (await active(h)) === CORE));
  await key(`${id}:retire`).click();
  const sure = h.page.locator(".modal button", { hasText: "Let it go" });
  h.check("to retire asks first", await h.until(async () => (await sure.count()) === 1));
  await sure.click();
  h.check("a retired memory asks no more", await h.until(async () => !(await today.innerText()).includes("not used for 70 days")), await today.innerText());
  await h.page.locator('[data-key^="undo:"]').first().click();
  h.check("and comes back by undo", await h.until(async () => (await today.innerText()).includes("not used for 70 days")), await today.innerText());
  await key(`${id}:use`).click();
  h.check("use is confirmed", await h.until(async () => (await h.notices()).length > 0));
  h.check("what was answered asks no more", await h.until(async () => !(await today.innerText()).includes("not used for 70 days")), await today.innerText());
}

async function night(h, { section, key }) {
  await key("sleep").click();
  const box = section("Last night");
  h.check("a night asked for shows how far it is", await h.until(async () => (await box.locator("progress").count()) > 0 || (await box.innerText()).includes("Done"), 5_000), await box.innerText());
  h.check("and comes to its end", await h.until(async () => (await box.innerText()).includes("Done"), 120_000), await box.innerText());
  const report = await h.until(async () => (await h.daemon.request("GET", "/v1/health")).report);
  h.check("a report was written", report, String(report));
  h.check("and is offered", await h.until(async () => (await key("report").count()) === 1));
  await key("report").click();
  h.check("and opens", await h.until(async () => (await active(h)) === report), `${await active(h)} ${report}`);
  const { at } = await h.daemon.request("GET", "/v1/health");
  await key("measure").click();
  const computed = async () => (await h.daemon.request("GET", "/v1/health")).at > at && (await key("measure").isEnabled());
  h.check("figures are computed on demand", await h.until(computed, 60_000));
}

async function exam(h, { section, key }) {
  const total = async () => (await h.daemon.request("GET", "/v1/exam")).total;
  const before = await total();
  await key("exam").click();
  const box = section("Exam");
  h.check("an exam that is sat shows how far it is", await h.until(async () => (await box.locator("progress").count()) > 0, 5_000), await box.innerText());
  h.check("and its result is shown", await h.until(async () => (await total()) > before && (await key("exam").isEnabled()), 240_000), await box.innerText());
}

async function looks(h) {
  const view = h.view("health");
  const tall = (height) => h.page.setViewportSize({ width: 1100, height });
  await view.locator("details[data-key]").evaluateAll((all) => all.forEach((one) => (one.open = false)));
  for (const [name, px, change, back] of [
    ["light", 420, () => h.theme("light")],
    ["dark", 420, () => h.theme("dark"), () => h.theme("light")],
    ["240px", 240, () => {}],
    ["rtl", 320, () => h.rtl(), () => h.ltr()],
  ]) {
    await h.width(px);
    await change();
    // axe judges colours only of what it can see
    await tall((await view.evaluate((el) => (el.querySelector(".ebbtide-scroll") ?? el).scrollHeight)) + 120);
    const unfolded = await view.locator("details[data-key][open]").evaluateAll((all) => all.map((one) => one.dataset.key));
    h.check(`what was folded stays so, ${name}`, unfolded.length === 0, unfolded.join(", "));
    await h.checkAxe(name);
    const over = await view.evaluate((el) => { const box = el.querySelector(".ebbtide-scroll") ?? el; return box.scrollWidth - box.clientWidth; });
    h.check(`nothing runs out of the pane, ${name}`, over <= 0, `${over} px`);
    await view.screenshot({ path: path.join(ARTEFACTS, `health-${name}.png`) });
    await tall(900);
    await back?.();
  }
  await h.width(320);
  await h.language("zh");
  await h.command("open-health");
  h.check("in Chinese, the daemon's words too", await h.until(async () => /新鲜：30 天内用过[^]*待裁决|待裁决[^]*新鲜：30 天内用过/.test(await view.innerText())), await view.innerText());
  const questions = () => view.locator(".ebbtide-question").allInnerTexts();
  const inChinese = (all) => all.length > 0 && all.every((one) => /[\u4e00-\u9fff]/.test(one));
  h.check("questions are asked in Chinese", await h.until(async () => inChinese(await questions())), (await questions()).join("\n"));
  await h.checkAxe("Chinese");
  await h.shot("health-zh");
  await h.language("en");
  await h.command("open-health");
}

async function away(h, { view, key }) {
  await h.until(async () => (await view.innerText()).includes("Fresh: met in 30 days"));
  const before = (await h.notices()).length;
  await h.daemon.kill();
  const stale = async () => (await view.innerText()).includes("the daemon is away");
  h.check("what is shown is marked when the daemon goes", await h.until(stale, 30_000), await view.innerText());
  h.check("nothing can be decided then", await key("measure").isDisabled());
  await h.restart();
  await h.command("open-health");
  h.check("after a restart the last answers are shown, with their age", await h.until(async () => (await stale()) && (await view.innerText()).includes("Fresh: met in 30 days"), 30_000), await view.innerText());
  await h.checkAxe("away");
  await h.shot("health-away");
  await h.daemon.start();
  h.check("it recovers by itself, without a notice", (await h.until(async () => await key("measure").isEnabled(), 30_000)) && (await h.notices()).length === before, JSON.stringify(await h.notices()));
}
