/** What a scenario steers by: a page with the plugin in it, the daemon, and checks that are counted. */
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ARTEFACTS, ROOT } from "./places.mjs";
import { PageServer } from "./server.mjs";

const axeSource = readFileSync(path.join(ROOT, "node_modules/axe-core/axe.min.js"), "utf8");
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const PATIENCE_MS = 20_000;

/** Rules about a whole page: the shell is the stand-in's. */
const SHELL_RULES = ["region", "bypass", "landmark-one-main", "page-has-heading-one", "document-title", "html-has-lang", "meta-viewport"];
/** Obsidian's own colours for its two loud buttons miss the contrast by a little; a plugin must not override them. */
const OBSIDIAN_BUTTONS = /mod-cta|mod-warning/;

export class Scenario {
  constructor(name, browser, files, daemon, tally) {
    Object.assign(this, { name, browser, files, daemon, tally, faults: [] });
    this.settings = { open: () => this.ask("openSettings"), close: () => this.ask("closeSettings") };
  }

  async begin({ load = true, enable = false, language = "en" } = {}) {
    this.server = await new PageServer(this.files, this.daemon).listen();
    this.context = await this.browser.newContext({ viewport: { width: 1100, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], reducedMotion: "reduce" });
    await this.context.route(/.*/, (route) => {
      const { hostname, protocol } = new URL(route.request().url());
      if (protocol === "http:" && hostname !== "127.0.0.1") {
        this.faults.push(`request to ${route.request().url()}`);
        return route.abort();
      }
      return protocol === "https:" ? (this.faults.push(`request to ${route.request().url()}`), route.abort()) : route.continue();
    });
    await this.context.exposeFunction("harnessRequest", (request) => this.server.request(request));
    await this.context.exposeFunction("harnessCall", (module, name, args) => this.server.call(module, name, args));
    await this.context.addInitScript((chosen) => { if (!localStorage.getItem("language")) localStorage.setItem("language", chosen); }, language);
    this.page = await this.context.newPage();
    this.watch(this.page);
    await this.page.goto(this.server.url);
    if (load) await this.ask("load", enable);
    if (!this.daemon.readOnly) this.teller = setInterval(() => void this.tell().catch(() => {}), 400);
    return this;
  }

  watch(page) {
    page.on("pageerror", (error) => this.faults.push(`error: ${error.message}\n${(error.stack ?? "").split("\n").slice(1, 4).join("\n")}`));
    page.on("console", (message) => { if (["error", "warning"].includes(message.type())) this.faults.push(`console ${message.type()}: ${message.text()}`); });
  }

  /** Files that changed on disk, as Obsidian's watcher would tell. */
  async tell() {
    const news = this.server.news();
    if (news.created.length + news.modified.length + news.deleted.length === 0) return;
    await this.page.evaluate(({ created, modified, deleted }) => {
      const { vault } = window.harness.app;
      for (const entry of created) if (!vault.getFileByPath(entry.path)) vault.trigger("create", vault._add(entry));
      for (const entry of modified) {
        const file = vault.getFileByPath(entry.path);
        if (file) { file.stat = { ...file.stat, mtime: entry.mtime, size: entry.size }; vault.trigger("modify", file); }
      }
      for (const name of deleted) {
        const file = vault.getFileByPath(name);
        if (file) { vault._forget(file); vault.trigger("delete", file); }
      }
    }, news);
  }

  ask(method, ...args) { return this.page.evaluate(([name, values]) => window.harness[name](...values), [method, args]); }

  // --- what a person does ---
  open(note) { return this.ask("open", note); }
  editor() { return this.ask("editor"); }
  command(id) { return this.ask("command", id.includes(":") ? id : `ebbtide:${id}`); }
  commands() { return this.ask("commands"); }
  /** What the status bar says. */
  status() { return this.page.locator(".status-bar").innerText(); }
  notices() { return this.ask("notices"); }
  theme(name) { return this.ask("theme", name); }
  width(px) { return this.ask("width", px); }
  rtl() { return this.ask("direction", "rtl"); }
  ltr() { return this.ask("direction", "ltr"); }
  unload() { return this.ask("unload"); }
  clipboard() { return this.page.evaluate(() => navigator.clipboard.readText()); }
  /** Obsidian restarted, in that language: plugin data, secrets and local storage stay. */
  async language(code) {
    await this.page.evaluate((chosen) => localStorage.setItem("language", chosen), code);
    await this.restart();
  }
  async restart() {
    await this.page.reload();
    await this.ask("load");
  }
  /** The content of a view: "recall", "health" or another view type of the plugin. */
  view(name, page = this.page) { return page.locator(`.workspace-leaf-content[data-type="ebbtide-${name}"]`); }

  /** The daemon's own answer to what the recall view asks for a note. */
  async related(note, limit = 10) {
    return (await this.daemon.request("GET", `/v1/related?note=${encodeURIComponent(note)}&unlinked=true&limit=${limit}&lang=en`)).items;
  }
  /** The lines of that for an agent. */
  async packet(note) { return (await this.related(note)).filter((one) => !one.lead).map((one) => one.inject).join("\n"); }

  /** Waits until `probe` gives something true, and gives that; false after the patience is out. */
  async until(probe, patience = PATIENCE_MS) {
    const end = Date.now() + patience;
    for (;;) {
      const found = await Promise.resolve().then(probe).catch(() => false);
      if (found || Date.now() > end) return found;
      await sleep(50);
    }
  }
  pause(ms) { return sleep(ms); }

  // --- what is found ---
  check(name, ok, detail = "") {
    this.tally.add(`${this.name}: ${name}`, Boolean(ok), ok ? "" : detail);
    return Boolean(ok);
  }

  /** The faults that axe finds in the plugin's own parts, as lines; empty is clean. */
  async axe(page = this.page) {
    await page.evaluate(`window.axe || (() => { ${axeSource} })()`);
    const found = await page.evaluate(async (off) => {
      const include = ['.workspace-leaf:not(.is-hidden) .workspace-leaf-content[data-type^="ebbtide"]', ".status-bar", ".modal", ".menu"].filter((one) => document.querySelector(one));
      const rules = Object.fromEntries(off.map((id) => [id, { enabled: false }]));
      const { violations } = await window.axe.run({ include: include.map((one) => [one]) }, { rules, resultTypes: ["violations"] });
      return violations.flatMap((one) => one.nodes.map((node) => ({ id: one.id, html: node.html.slice(0, 160), why: node.failureSummary.split("\n").slice(1, 3).join(" ").trim() })));
    }, SHELL_RULES);
    return found.filter((one) => !(one.id === "color-contrast" && OBSIDIAN_BUTTONS.test(one.html.split(">")[0]))).map((one) => `${one.id}: ${one.html} ${one.why}`);
  }
  async checkAxe(name, page = this.page) {
    const found = await this.axe(page);
    return this.check(`axe is clean, ${name}`, found.length === 0, `${found.length} faults\n${[...new Set(found)].slice(0, 8).join("\n")}`);
  }
  async shot(name, page = this.page) {
    mkdirSync(ARTEFACTS, { recursive: true });
    await page.screenshot({ path: path.join(ARTEFACTS, `${name}.png`) });
  }

  async end() {
    clearInterval(this.teller);
    const icons = await this.ask("missingIcons").catch(() => []);
    this.check("every icon exists", icons.length === 0, icons.join(", "));
    this.check("nothing was asked of any host but 127.0.0.1, nor read outside of the run files", this.server.strayed.length === 0, this.server.strayed.join(", "));
    this.check("no error on the page", this.faults.length === 0, this.faults.slice(0, 6).join("\n"));
    await this.context.close();
    this.server.close();
  }
}

export class Tally {
  passed = 0;
  failed = [];
  add(name, ok, detail) {
    if (ok) this.passed += 1;
    else this.failed.push(name);
    process.stdout.write(`${ok ? "ok  " : "FAIL"} ${name}${detail ? `\n       ${String(detail).replaceAll("\n", "\n       ")}` : ""}\n`);
  }
}
