/**
 * The plugin as shipped, in headless Chromium, against the real daemon: `npm run harness -- [options]`.
 *   --only a,b          only these scenarios
 *   --soak [N]          listeners and memory after N note switches (1,000), instead of the scenarios
 *   --latency RUNFILE   time from note switch to painted rows against a running daemon (its run file), instead of the scenarios
 *   --pictures          the pictures of the README (docs/*.png), instead of the scenarios
 * Environment: CHROMIUM (program), EBBTIDE_DAEMON (command), EBBTIDE_SAMPLE_VAULT (folder), EBBTIDE_HARNESS_KEEP (1: leave the copies).
 */
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { Attached, Daemon } from "./lib/daemon.mjs";
import { latency, soak } from "./lib/measure.mjs";
import { HARNESS, SAMPLE } from "./lib/places.mjs";
import { Scenario, Tally } from "./lib/scenario.mjs";
import { assets, built } from "./lib/server.mjs";
import { pictures, prepare } from "./pictures.mjs";

const FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

async function main() {
  const { values, positionals } = parseArgs({ options: { only: { type: "string" }, soak: { type: "boolean" }, latency: { type: "string" }, pictures: { type: "boolean" } }, allowPositionals: true });
  if (!built()) throw new Error("main.js is not built: npm run build");
  const executablePath = process.env.CHROMIUM || ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
  if (!executablePath) throw new Error("no Chromium: set CHROMIUM to its program, or install it (Debian: apt-get install chromium fonts-noto-cjk)");
  const files = await assets();
  const daemons = [];
  const tally = new Tally();
  const browser = await chromium.launch({ executablePath, headless: false, args: FLAGS });
  let shared = null;
  try {
    const own = async (vault, scenario = {}) => {
      const daemon = new Daemon(vault, scenario.prepare, scenario.options);
      daemons.push(daemon);
      return daemon.start();
    };
    if (values.latency) await latency(browser, files, new Attached(values.latency), tally);
    else if (values.soak || values.pictures) {
      const daemon = await own(SAMPLE, values.pictures ? { prepare } : {});
      await daemon.ready();
      if (values.soak) await soak(browser, files, daemon, tally, Number(positionals[0] ?? 1000));
      else await pictures(browser, files, daemon, tally);
    } else {
      for (const scenario of await scenarios(values.only?.split(","))) {
        let daemon = shared;
        if (scenario.fresh) daemon = await own(SAMPLE, scenario);
        else daemon = shared ??= await own(SAMPLE);
        await daemon.ready({ vectors: scenario.vectors !== false });
        const h = await new Scenario(scenario.name, browser, files, daemon, tally).begin(scenario.begin);
        try {
          await scenario.run(h);
        } catch (error) {
          h.check("runs to its end", false, error.stack);
          await h.shot(`failed-${scenario.name}`).catch(() => {});
        }
        await h.end();
        if (scenario.fresh) await daemon.close();
      }
    }
  } finally {
    await browser.close();
    for (const daemon of daemons) await daemon.close();
  }
  if (tally.failed.length) process.stdout.write(`\nFailed:\n${tally.failed.map((name) => `  ${name}`).join("\n")}\n`);
  process.stdout.write(`\n${tally.passed} passed, ${tally.failed.length} failed\n`);
  return tally.failed.length === 0 && tally.passed > 0 ? 0 : 1;
}

/** By name of file; those with a daemon of their own last. */
async function scenarios(only) {
  const names = readdirSync(path.join(HARNESS, "scenarios")).filter((name) => name.endsWith(".mjs")).sort();
  const loaded = await Promise.all(names.map(async (file) => ({ file, ...(await import(`./scenarios/${file}`)) })));
  const chosen = loaded.flatMap((one) => (one.scenarios ?? [one]).map((scenario) => ({ ...scenario, file: one.file })));
  const wanted = chosen.filter((one) => !only || only.includes(one.name) || only.includes(one.file.replace(".mjs", "")));
  if (!wanted.length) throw new Error(`no scenario of that name; there are: ${chosen.map((one) => one.name).join(", ")}`);
  return wanted.sort((a, b) => Number(a.fresh ?? false) - Number(b.fresh ?? false));
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1)); // the daemons end with it
process.exitCode = await main().catch((error) => {
  process.stderr.write(`${error.message}\n`);
  return 1;
});
