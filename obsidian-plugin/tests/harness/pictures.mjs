/**
 * The pictures of the README: `npm run pictures`. The plugin as shipped, in the stand-in's shell, with the real daemon on a copy of the
 * sample vault. It gets some core memories that link to each other and are in use, a night, and forty days of health lines before that night,
 * made from its own, so that there are trends to see.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./lib/places.mjs";
import { Scenario } from "./lib/scenario.mjs";

const DOCS = path.join(ROOT, "docs");
const NOTE = "Projects/Mosslog/Decisions/ADR-003 Last-Write-Wins Sync.md";
const DAYS = 40;
const DAY_MS = 86_400_000;

/** Core memories: text by title. */
const CORE = {
  "Small batches": "Small batches ship faster than large ones.",
  "Test before code": "A test that was written before the code says what the code is for. It keeps [[Small batches]] honest.",
  "Ask before building": "Ask who needs it before building it; an unasked feature is inventory. Follows from [[Small batches]].",
  "Undo over confirm": "An undo is better than a question whether one is sure. See [[Ask before building]].",
  "Sleep on it": "A decision that cannot be taken back waits for a night.",
};
const IN_USE = 3;

/** Each with what brings it into view. `height`: of the picture at most, in pixels; `width`: of the pane. */
const PICTURES = [
  {
    name: "recall", width: 420, height: 900,
    async show(h) {
      await h.open(NOTE);
      await h.command("recall-for-note");
      const rows = h.view("recall").locator(".ebbtide-rows > li");
      await h.until(async () => (await rows.count()) > 1);
      await rows.first().getByText("Reasons and causes").click();
      await h.until(() => rows.first().getByText("How it came about").isVisible());
    },
  },
  {
    name: "health", width: 420, height: 1700,
    async show(h) {
      await h.command("open-health");
      await h.view("health").getByRole("button", { name: "Refresh" }).click();
      await h.until(() => h.view("health").getByRole("img").nth(2).isVisible());
    },
  },
];

const pathOf = (title) => `Memory/core/principles/${title}.md`;

export function prepare(vault) {
  mkdirSync(path.dirname(path.join(vault, pathOf("x"))), { recursive: true });
  const created = new Date(Date.now() - 60 * DAY_MS).toISOString().slice(0, 10);
  for (const [title, text] of Object.entries(CORE)) {
    writeFileSync(path.join(vault, pathOf(title)), `---\ntype: principle\nstatus: active\ncreated: ${created}\n---\n\n${text}\n`);
  }
}

export async function pictures(browser, files, daemon, tally) {
  await night(daemon);
  const h = await new Scenario("pictures", browser, files, daemon, tally).begin();
  mkdirSync(DOCS, { recursive: true });
  for (const { name, width, height, show } of PICTURES) {
    await h.page.setViewportSize({ width: 1100, height });
    await h.width(width);
    await show(h);
    for (const theme of ["light", "dark"]) {
      await h.theme(theme);
      await h.pause(500);
      await h.view(name).screenshot({ path: path.join(DOCS, `${name}-${theme}.png`) });
    }
    h.check(`${name} is drawn`, (await h.view(name).locator("h3, a").count()) > 2);
  }
  await h.end();
}

async function night(daemon) {
  for (const [title, query] of Object.entries(CORE).slice(0, IN_USE)) {
    const { items } = await daemon.request("POST", "/v1/recall", { query });
    const ids = items.filter((item) => item.note === pathOf(title)).map((item) => item.id);
    await daemon.request("POST", "/v1/uses", { ids }); // only what was shown can have helped
  }
  const asked = await daemon.request("POST", "/v1/sleep", {});
  for (let job = asked; job.state !== "done"; job = await daemon.request("GET", `/v1/jobs/${asked.id}`)) {
    if (job.state === "failed") throw new Error(job.message);
    await new Promise((done) => setTimeout(done, 500));
  }
  const folder = path.join(daemon.vault, "Memory", "health");
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const last = JSON.parse(readFileSync(path.join(folder, file), "utf8").trim().split("\n").at(-1));
  const lines = Array.from({ length: DAYS }, (_, i) => JSON.stringify(earlier(last, DAYS - i)));
  writeFileSync(path.join(folder, "0badcafe.jsonl"), `${lines.join("\n")}\n`);
}

/** The health line of `n` days before: a memory that has been growing, with the ups and downs of a week. */
function earlier(last, n) {
  const day = new Date(Date.parse(last.day) - n * DAY_MS).toISOString().slice(0, 10);
  const grown = 1 - n / (1.5 * DAYS);
  const wave = 1 + 0.12 * Math.sin(n);
  const count = (value) => Math.round(value * grown);
  const figures = Object.fromEntries(Object.entries(last.figures).map(([name, { value, k, n: of, why }]) => {
    if (value === null) return [name, { value, k, n: of, why }];
    if (of) { const part = Math.min(of, Math.round(k * grown * wave)); return [name, { value: part / of, k: part, n: of, why }]; }
    return [name, { value: Number.isInteger(value) ? count(value) : value * grown * wave, k, n: of, why }];
  }));
  const layers = Object.fromEntries(Object.entries(last.layers).map(([name, records]) => [name, count(records)]));
  const promote = n % 3, associate = 1 + (n % 4), compress = n % 2, release = 1 + (n % 5);
  const slept = n % 7 ? { processed: 4 + (n % 9), candidates: promote + associate + compress + release, promote, associate, compress, release } : null;
  return { ...last, id: `h_${n.toString(16).padStart(16, "0")}`, at: `${day}T01:00:00.000Z`, day, figures, layers, night: slept, revive: [] };
}
