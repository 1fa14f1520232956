/** Every command of the plugin, run as from the command palette, and what a person then sees. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

export const name = "commands";

const NOTE = "Projects/Mosslog/Decisions/ADR-003 Last-Write-Wins Sync.md";
const QUESTION = "Why did we give up last-write-wins?";
const ALL = [
  "archive", "ask", "consolidate", "copy-packet", "export-seen", "freeze", "insert-digest", "mark-as-used", "open-health", "open-recall", "open-report", "recall-for-note", "reconnect", "start",
  "that-is-wrong", "thaw", "undo", "why-not-this-note",
];

export async function run(h) {
  const recall = h.view("recall");
  const rows = recall.getByRole("list", { name: "Memories" }).locator("> li");
  const said = recall.getByRole("status");
  const dialog = h.page.getByRole("dialog");

  await h.until(async () => (await h.status()).includes("Ready"));
  await h.open(NOTE);
  const commands = await h.commands();
  const missing = ALL.filter((id) => !commands.some((one) => one.id === `ebbtide:${id}`));
  h.check("all commands are there", missing.length === 0, missing.join(", "));
  h.check("no command is unknown to this scenario", commands.length === ALL.length, commands.map((one) => one.id).join(" "));
  h.check("with a note open all are available", commands.every((one) => one.available), commands.filter((one) => !one.available).map((one) => one.id).join(", "));

  await h.command("open-recall");
  h.check("open recall: rows for the active note", await h.until(async () => (await rows.count()) > 0));
  h.check("the note is not among its own results", !(await recall.getByRole("link", { name: "ADR-003 Last-Write-Wins Sync", exact: true }).count()));

  await h.command("open-health");
  h.check("open health: its sections", await h.until(() => h.view("health").getByRole("heading", { name: "Index coverage" }).isVisible()));

  await h.open(NOTE);
  await h.command("recall-for-note");
  h.check("recall for this note: names it", await h.until(() => recall.getByText("Near “ADR-003 Last-Write-Wins Sync”").isVisible()));

  // a citation, to the line
  const first = (await h.related(NOTE))[0];
  await h.until(async () => (await rows.count()) > 0);
  await rows.first().getByRole("link").first().click();
  const at = await h.until(async () => { const now = await h.editor(); return now.path === first.note && now; });
  h.check("a row's link opens the cited note at the line", at && at.line === first.line - 1 && at.ch === first.column, JSON.stringify([at && { line: at.line, ch: at.ch }, first.note, first.line, first.column]));

  // ask
  await h.open(NOTE);
  await h.command("ask");
  await dialog.getByRole("textbox").fill(QUESTION);
  await h.page.keyboard.press("Enter");
  const answer = h.view("answer");
  const expected = await h.daemon.request("POST", "/v1/answer", { query: QUESTION });
  const cited = expected.citations[0];
  h.check("ask: the daemon's answer with its sources", await h.until(async () => (await answer.getByRole("link", { name: new RegExp(`^\\[${cited.n}\\] `) }).count()) > 0));
  const words = (text) => text.replace(/\\([!-/:-@[-`{-~])/g, "$1").replace(/\s+/g, "");
  h.check("ask: the text is the daemon's", words(await answer.innerText()).includes(words(expected.answer)), await answer.innerText());
  await answer.getByRole("link", { name: new RegExp(`^\\[${cited.n}\\] `) }).first().click();
  h.check("ask: a source opens at its line", await h.until(async () => { const now = await h.editor(); return now.path === cited.note && now.line === cited.line - 1; }), JSON.stringify(cited));
  await h.open(NOTE);
  await h.ask("select", 2, 0, 10);
  await h.command("ask");
  h.check("ask with a selection asks that", await h.until(async () => (await dialog.count()) === 0 && (await answer.innerText()).trim().length > 0));

  // acting on a row
  await h.open(NOTE);
  await h.command("recall-for-note");
  await h.until(async () => (await rows.count()) > 1);
  await h.command("mark-as-used");
  h.check("mark as used: said at the row", await h.until(() => said.filter({ hasText: /this helped|Already noted/ }).first().isVisible()));
  await h.command("that-is-wrong");
  await dialog.getByRole("textbox").fill("The harness says so");
  await dialog.getByRole("button", { name: "Send" }).click();
  h.check("that is wrong: said at the row", await h.until(() => said.filter({ hasText: "You will be asked about it" }).first().isVisible()), await recall.innerText());

  const titles = () => rows.evaluateAll((all) => all.map((row) => row.querySelector("a")?.textContent ?? ""));
  await h.command("archive");
  h.check("archive: asks first", await h.until(() => dialog.getByText(/will no longer be recalled/).isVisible()));
  await dialog.getByRole("button", { name: "Cancel" }).click();
  h.check("archive: cancel does nothing", await h.until(async () => (await dialog.count()) === 0) && (await said.filter({ hasText: "Archived." }).count()) === 0);
  await h.command("archive");
  await dialog.getByRole("button", { name: "Archive" }).click();
  h.check("archive: said at the row", await h.until(() => said.filter({ hasText: "Archived." }).first().isVisible()), (await titles()).join(", "));
  await said.filter({ hasText: "Archived." }).first().getByRole("button", { name: "Undo" }).click();
  h.check("archive: undone at the row", await h.until(() => said.filter({ hasText: "Undone." }).first().isVisible()));

  await h.command("archive");
  await dialog.getByRole("button", { name: "Archive" }).click();
  const revised = await h.until(async () => (await dialog.count()) === 0 && (await said.filter({ hasText: "Archived." }).count()) > 0);
  h.check("archive: once more, after its undo", revised, `${(await h.notices()).slice(-1)} ${await recall.innerText()}`);
  const before = (await h.notices()).length;
  await h.command("undo"); // takes back what was revised last: without a revision it would say so instead
  h.check("undo: takes the last change back, and says so", await h.until(async () => (await h.notices()).slice(before).some((text) => text.includes("Undone"))), (await h.notices()).slice(before).join(" | "));

  await h.command("freeze");
  h.check("freeze: said at the row", await h.until(() => said.filter({ hasText: "Frozen" }).first().isVisible()), await recall.innerText());
  await h.command("thaw");
  h.check("thaw: said at the row", await h.until(() => said.filter({ hasText: "Thawed." }).first().isVisible()), await recall.innerText());

  // why not, packet
  await h.command("why-not-this-note");
  await dialog.getByRole("textbox").fill("Moving Checklist");
  await h.until(() => dialog.getByRole("option", { name: /Moving Checklist/ }).isVisible());
  await h.page.keyboard.press("Enter");
  h.check("why not this note: a verdict with steps", await h.until(async () => (await recall.getByText("“Moving Checklist” here?").isVisible()) && (await recall.getByRole("status").filter({ hasText: "Moving Checklist" }).getByRole("listitem").count()) > 0));
  await h.page.bringToFront();
  const inject = () => h.packet(NOTE);
  // What was archived, frozen and taken back above may reach the rows by the next look at the daemon only: so they are recalled again.
  const copied = async () => {
    await recall.getByRole("button", { name: "Recall again" }).click();
    await h.until(async () => (await recall.getByRole("list", { name: "Memories" }).getAttribute("aria-busy")) === "false");
    await h.command("copy-packet");
    return (await h.clipboard()).trim();
  };
  h.check("copy packet: the inject lines", await h.until(async () => (await inject()) && (await copied()) === (await inject()), 60_000), `${await h.clipboard()}\n---\n${await inject()}`);

  // the night and its report
  await h.command("consolidate");
  const health = h.view("health");
  h.check("consolidate: the health view opens and tells", await h.until(() => health.getByText(/Consolidating|Done/).first().isVisible()));
  h.check("consolidate: comes to its report", await h.until(() => health.getByRole("button", { name: "Open the report" }).or(health.getByRole("link", { name: "Open the report" })).first().isVisible(), 120_000), await health.innerText());
  const { report } = await h.daemon.request("GET", "/v1/health");
  await h.pause(1000);
  await h.command("open-report");
  h.check("open report: opens that note", await h.until(async () => (await h.editor()).path === report), JSON.stringify([report, (await h.editor()).path, await h.notices()]));

  // through the editor, and into a new file, only when asked
  await h.open(NOTE);
  const original = (await h.editor()).text;
  await h.ask("select", 0, 0);
  const digest = await h.daemon.request("GET", "/v1/digest");
  await h.command("insert-digest");
  h.check("insert digest: its Markdown through the editor", await h.until(async () => { const { text } = await h.editor(); return text.length > original.length && text.endsWith(original); }), JSON.stringify([typeof digest.markdown, (await h.editor()).text.slice(0, 200)]));
  await h.page.evaluate((text) => { const view = window.harness.app.workspace.activeEditor; view.editor.setValue(text); return view._save(); }, original);

  await h.command("export-seen");
  await dialog.getByRole("button", { name: "Export" }).click();
  const file = path.join(h.daemon.vault, "what-obsidian-sees.json");
  await h.until(() => existsSync(file));
  const seen = JSON.parse(readFileSync(file, "utf8"));
  const here = seen.find((one) => one.source === NOTE);
  h.check("export: one case a note, with links and their targets", seen.length > 60 && here?.expect_links.some((one) => one.target), JSON.stringify(here));
  rmSync(file);

  await h.command("reconnect");
  h.check("reconnect: stays ready", await h.until(async () => (await h.status()).includes("Ready")));
  const { pid } = await h.daemon.status();
  await h.command("start");
  await h.pause(1500);
  h.check("start while it runs: the same daemon goes on, ready", (await h.daemon.status()).pid === pid && (await h.status()).includes("Ready"));

  // without a note and without a daemon every command still answers
  await h.ask("closeNotes");
  for (const id of ["recall-for-note", "why-not-this-note"]) {
    const many = (await h.notices()).length;
    await h.command(id);
    h.check(`${id} without a note: says so`, await h.until(async () => (await h.notices()).length > many || (await dialog.count()) > 0, 3000));
    await h.page.keyboard.press("Escape");
  }
  await h.daemon.kill();
  await h.command("reconnect");
  await h.until(async () => !(await h.status()).includes("Ready"));
  await h.open(NOTE);
  for (const id of ["undo", "open-report", "insert-digest", "consolidate", "mark-as-used"]) {
    const many = (await h.notices()).length;
    await h.command(id);
    h.check(`${id} without the daemon: says why not`, await h.until(async () => (await h.notices()).length > many), (await h.notices()).slice(-2).join(" | "));
  }
  const left = await h.commands();
  h.check("without the daemon all commands are still there", left.length === ALL.length);
  await h.daemon.start();
}
