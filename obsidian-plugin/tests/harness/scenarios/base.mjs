/** How the plugin finds the daemon, what it says while it has none, pairing by hand, settings, and starting it from here. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const NOTE = "Projects/Mosslog/Decisions/ADR-003 Last-Write-Wins Sync.md";
const QUESTION = "Why did we give up last-write-wins?";

const recall = (h) => h.view("recall");
const rows = (h) => recall(h).getByRole("list", { name: "Memories" }).locator("> li");
const notices = async (h, from) => (await h.notices()).slice(from).join(" | ");

/** The run file, which a scenario may take away, change and give back. */
class RunFile {
  constructor(daemon) {
    this.file = daemon.runFile;
    this.text = readFileSync(this.file, "utf8");
  }
  change(values) { writeFileSync(this.file, JSON.stringify({ ...JSON.parse(this.text), ...values }), { mode: 0o600 }); }
  hide() { renameSync(this.file, `${this.file}.hidden`); }
  show() { renameSync(`${this.file}.hidden`, this.file); }
  restore() { writeFileSync(this.file, this.text, { mode: 0o600 }); }
}

/** Something at an address of this machine. */
async function listen(answer) {
  const server = createServer((request, reply) => void answer(request, reply));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function first(h) {
  const run = new RunFile(h.daemon);
  run.hide();
  await h.ask("load", true);
  h.check("first run: the pane says what this is", await h.until(() => recall(h).getByText("Connect to your memory").isVisible()));
  h.check("first run: the command names the vault", (await recall(h).innerText()).includes(h.daemon.vault), await recall(h).innerText());
  h.check("first run: the status bar says that nothing runs", (await h.status()).includes("Not running"), await h.status());
  await h.checkAxe("first run");
  await h.shot("first-run");
  await recall(h).getByRole("button", { name: "Copy" }).last().click();
  h.check("first run: the command is copied as it stands", (await h.clipboard()) === `ebbtide up ${h.daemon.vault}`, await h.clipboard());
  const before = (await h.notices()).length;
  await h.command("start");
  h.check("start without a known command: says so", await h.until(async () => (await notices(h, before)).includes("No command")));
  await h.open(NOTE);
  run.show();
  h.check("a daemon that comes is found without a click", await h.until(async () => (await rows(h).count()) > 0), await recall(h).innerText());
  h.check("the pane of the first run has gone", !(await recall(h).getByText("Connect to your memory").count()));
  h.check("of all this no notice told but the asked-for ones", (await h.notices()).length === before + 1, await notices(h, 0));
}

async function states(h) {
  const run = new RunFile(h.daemon);
  const { plugin_min: _, ...now } = await h.daemon.status();
  await h.open(NOTE);
  await h.command("open-recall");
  await h.until(async () => (await rows(h).count()) > 0);
  const shows = async (words, name) => {
    await h.command("reconnect");
    h.check(`${name}: said in words of its own`, await h.until(() => recall(h).getByText(words).isVisible()), await recall(h).innerText());
    await h.checkAxe(name);
    await h.shot(`state-${name}`);
  };

  run.change({ token: "x".repeat(43) });
  await shows(/did not accept the token/, "token-refused");
  h.check("token-refused: the status bar says so", (await h.status()).includes("Not let in"), await h.status());
  run.change({ vault_id: "v_another" });
  await shows(new RegExp(`serves another vault: ${now.vault.name}`), "other-vault");
  const web = await listen((_request, reply) => reply.end("<html><body>hello</body></html>"));
  run.change({ url: web.url });
  await shows(/Something else answers/, "port-of-somebody-else");
  web.close();
  const later = await listen((_request, reply) => reply.end(JSON.stringify({ ...now, plugin_min: "99.0.0" })));
  run.change({ url: later.url });
  await shows(/Update the plugin/, "version-mismatch-plugin");
  later.close();
  const level = { error: { code: "api-level", reason: "", remedy: "", api: 0, api_min: 0 } };
  const older = await listen((_request, reply) => { reply.statusCode = 409; reply.end(JSON.stringify(level)); });
  run.change({ url: older.url });
  await shows(/Update the daemon/, "version-mismatch-daemon");
  older.close();
  const reading = await listen((_request, reply) => reply.end(JSON.stringify({ ...now, plugin_min: "0.1.0", state: "indexing", counts: { ...now.counts, notes: 900, indexed: 300, pending: 600 } })));
  run.change({ url: reading.url });
  await shows(/Reading notes: 300 of 900/, "indexing");
  h.check("indexing: the status bar counts", (await h.status()).includes("300/900"), await h.status());
  reading.close();
  run.restore();
  await h.command("reconnect");
  h.check("all is well again: no banner", await h.until(async () => (await h.status()).includes("Ready") && (await rows(h).count()) > 0), await recall(h).innerText());
  h.check("no state was told by a notice", (await h.notices()).length === 0, await notices(h, 0));
}

async function pairing(h) {
  const run = new RunFile(h.daemon);
  const { url, token } = JSON.parse(run.text);
  const field = (name, role = "textbox") => h.page.getByRole("dialog").getByRole(role, { name });
  await h.open(NOTE);
  await h.command("open-recall");
  await h.until(async () => (await h.status()).includes("Ready"));
  run.hide();
  await h.page.evaluate((secret) => window.harness.app.secretStorage.setSecret("my-ebbtide", secret), token);
  await h.settings.open();
  await h.shot("settings");
  await h.checkAxe("settings");
  for (const bad of ["http://example.com", "https://127.0.0.1:1", "127.0.0.1"]) {
    await field("Address").fill(bad);
    h.check(`settings: ${bad} is refused under its field`, await h.until(() => h.page.getByRole("alert").filter({ hasText: "Only an address of this computer" }).isVisible()));
  }
  await field("Address").fill(url);
  await field("Token", "combobox").selectOption("my-ebbtide");
  await h.settings.close();
  await h.command("reconnect");
  h.check("address and secret typed in: paired without the run file", await h.until(async () => (await h.status()).includes("Ready") && (await rows(h).count()) > 0), await h.status());
  const stored = await h.page.evaluate(async () => JSON.stringify([await window.harness.plugin.loadData(), Object.entries(localStorage).filter(([key]) => !key.includes("secret") || key.endsWith("token-secret"))]));
  h.check("the token is in the secret storage and nowhere else", !stored.includes(token), stored.slice(0, 300));

  await h.settings.open();
  await field("Address").fill("");
  await field("Token", "combobox").selectOption("");
  await field("Rows", "spinbutton").fill("1");
  await h.settings.close();
  run.show();
  await h.command("reconnect");
  const [few, many] = [(await h.related(NOTE, 1)).length, (await h.related(NOTE)).length];
  h.check("settings: at most one row", few < many && (await h.until(async () => (await h.status()).includes("Ready") && (await rows(h).count()) === few)), `${await rows(h).count()}, expected ${few} of ${many}`);
  await h.restart();
  await h.open(NOTE);
  await h.command("open-recall");
  h.check("settings: kept over a restart", await h.until(async () => (await rows(h).count()) === few));
  await h.settings.open();
  await field("Rows", "spinbutton").fill("10"); // as it was: the scenarios after this one share the vault
  await field("Start command").fill("ebbtide up");
  h.check("settings: a command without an absolute path is refused", await h.until(() => h.page.getByRole("alert").filter({ hasText: "absolute path" }).isVisible()));
  await field("Start command").fill("/bin/sh\n-c\necho 'This vault is open already.' >&2; exit 4");
  await h.settings.close();
  await h.daemon.stop();
  await h.command("reconnect");
  await h.until(async () => (await h.status()).includes("Away"));
  const before = (await h.notices()).length;
  await recall(h).getByRole("button", { name: "Start the daemon" }).click();
  h.check("a start that fails is told in the program's last words", await h.until(async () => (await notices(h, before)).includes("This vault is open already.")), await notices(h, before));
  await h.daemon.start();
  h.check("started by hand: back by itself, and its command is known again", await h.until(async () => (await h.status()).includes("Ready"), 60_000));
}

async function answers(h) {
  for (const language of ["en", "zh"]) {
    if (language === "zh") await h.language("zh");
    await h.open(NOTE);
    await h.until(async () => /Ready|就绪/.test(await h.status()));
    await h.command("ask");
    await h.page.getByRole("dialog").getByRole("textbox").fill(language === "zh" ? "为什么放弃最后写入者胜？" : QUESTION);
    await h.page.keyboard.press("Enter");
    const answer = h.view("answer");
    h.check(`${language}: answered with places`, await h.until(async () => (await answer.getByRole("link").count()) > 0 && !(await answer.locator('[aria-busy="true"]').count())));
    await h.checkAxe(`answer, ${language}`);
    await h.shot(`answer-${language}`);
    await h.settings.open();
    await h.shot(`settings-${language}`);
    await h.settings.close();
  }
  const question = await h.view("answer").getByRole("searchbox").inputValue();
  const saved = await h.ask("reopen", "ebbtide-answer");
  h.check("the question is kept over a restart of the view", await h.until(async () => (await h.view("answer").getByRole("searchbox").inputValue()) === question), JSON.stringify(saved));
}

export const scenarios = [
  { name: "first-run", run: first, begin: { load: false } },
  { name: "states", run: states },
  { name: "pairing", run: pairing },
  { name: "answers", run: answers },
];
