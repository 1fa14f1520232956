/** Loading, losing and regaining the daemon, a second window, a restart, and leaving nothing behind. */
const NOTE = "Projects/Mosslog/Decisions/ADR-007 Per-Field Merge Log.md";
const OTHER = "Life/Tea/泡茶步骤.md";
const rows = (h, page = h.page) => h.view("recall", page).getByRole("list", { name: "Memories" }).locator("> li");

async function restart(h) {
  await h.open(NOTE);
  await h.command("open-health");
  await h.command("open-recall");
  await h.until(async () => (await rows(h).count()) > 0 && (await h.status()).includes("Ready"));
  const before = await rows(h).count();
  const noticed = (await h.notices()).length;

  await h.daemon.kill();
  await h.page.evaluate(() => window.dispatchEvent(new Event("focus")));
  h.check("killed: the pane says that it stopped", await h.until(() => h.view("recall").getByText(/stopped answering/).isVisible(), 30_000), await h.view("recall").innerText());
  h.check("killed: the status bar says so", (await h.status()).includes("Away"), await h.status());
  h.check("killed: what was found stays, and is marked as old", (await rows(h).count()) === before && (await h.view("recall").getByText(/the daemon is away/).isVisible()), await h.view("recall").innerText());
  await h.checkAxe("the daemon away");
  await h.shot("recall-away");
  await h.open(OTHER);
  h.check("killed: another note does not show the rows of the first as its own", await h.until(() => h.view("recall").getByText(/nothing was kept for this note|the daemon is away/).first().isVisible()));
  await h.open(NOTE);

  await h.daemon.start();
  h.check("restarted: ready again by itself", await h.until(async () => (await h.status()).includes("Ready") || (await h.status()).includes("Reading"), 30_000), await h.status());
  h.check("restarted: rows of now", await h.until(async () => (await rows(h).count()) > 0 && !(await h.view("recall").getByText(/the daemon is away/).count())));
  h.check("no notice was shown", (await h.notices()).length === noticed, (await h.notices()).slice(noticed).join(" | "));

  // what is remembered for being offline survives a restart of Obsidian
  await h.daemon.ready();
  await h.daemon.stop();
  await h.restart();
  await h.open(NOTE);
  await h.command("open-recall");
  h.check("offline start: the last recall is shown with its age", await h.until(async () => (await rows(h).count()) > 0 && (await h.view("recall").getByText(/As it was .* away/).isVisible())), await h.view("recall").innerText());
  await h.command("open-health");
  h.check("offline start: health says what it knows", await h.until(async () => (await h.view("health").innerText()).trim().length > 80), await h.view("health").innerText());
  await h.checkAxe("offline");
  await h.shot("health-offline");
  const tries = (await h.notices()).length;
  await h.command("start");
  h.check("start: the remembered command brings the daemon back", await h.until(async () => (await h.status()).includes("Ready") || (await h.status()).includes("Reading"), 60_000), JSON.stringify([await h.status(), (await h.notices()).slice(tries)]));
  await h.daemon.end("SIGTERM");
  await h.daemon.start();
}

async function load(h) {
  const before = await h.ask("counts");
  await h.ask("load");
  const { onload } = await h.page.evaluate(() => ({ onload: window.harness.onload }));
  h.check("onload asks no network and reads no file", onload.requests === 0 && onload.calls === 0, JSON.stringify(onload));
  process.stdout.write(`     onload took ${onload.ms.toFixed(1)} ms\n`);
  h.check("loading opens nothing by itself", (await h.page.locator('[data-type^="ebbtide"]').count()) === 0);
  for (let round = 0; round < 3; round += 1) {
    await h.open(NOTE);
    for (const id of ["open-recall", "open-health", "ask"]) await h.command(id);
    await h.page.keyboard.press("Escape");
    await h.until(async () => (await rows(h).count()) > 0);
    await h.settings.open();
    await h.settings.close();
    await h.unload();
    await h.pause(1200);
    const after = await h.ask("counts");
    const same = ["timers", "intervals", "observers", "listeners", "commands", "refs", "status", "ribbon", "tabs"].filter((key) => after[key] > before[key]);
    h.check(`unload ${round + 1} leaves nothing behind`, same.length === 0 && after.views.length === before.views.length, JSON.stringify(same.map((key) => [key, before[key], after[key]])) + after.what.join("\n"));
    const asked = await h.page.evaluate(() => window.harness.requests.length);
    await h.pause(2500);
    h.check(`unload ${round + 1}: asks nothing any more`, (await h.page.evaluate(() => window.harness.requests.length)) === asked);
    h.check(`unload ${round + 1}: none of its elements is left`, (await h.page.locator('[class*="ebbtide-"]').count()) === 0);
    await h.ask("load");
  }
  await h.unload();
  await h.ask("load", true);
  h.check("when a person enables it, the sidebar opens once", await h.until(() => h.view("recall").isVisible()));
}

async function windows(h) {
  await h.open(NOTE);
  await h.command("open-recall");
  await h.until(async () => (await rows(h).count()) > 0);
  const [second] = await Promise.all([h.context.waitForEvent("page"), h.ask("popout", "ebbtide-recall")]);
  h.watch(second);
  h.check("moved to a second window, the rows are there", await h.until(async () => (await rows(h, second).count()) > 0));
  await h.open(OTHER);
  h.check("the second window follows the active note", await h.until(() => h.view("recall", second).getByText("Near “泡茶步骤”").isVisible()));
  await h.until(async () => (await rows(h, second).count()) > 0);
  const row = rows(h, second).first();
  await row.getByRole("button", { name: "More" }).click();
  h.check("its menu opens in the second window", await h.until(() => second.getByRole("menuitem", { name: "That is wrong" }).isVisible()));
  await second.keyboard.press("Escape");
  await row.locator("summary").first().click();
  h.check("its details open there", await h.until(() => row.getByText("Why it is here").isVisible()));
  await h.checkAxe("second window", second);
  await h.shot("recall-second-window", second);
  await row.getByRole("link").first().click();
  h.check("a citation opens in the main window", await h.until(async () => (await h.editor()).path !== OTHER));
  await h.ask("closePopout");
  await h.open(NOTE);
  await h.command("open-recall");
  h.check("after the second window has closed it opens again", await h.until(async () => (await rows(h).count()) > 0));

  await h.view("recall").getByRole("button", { name: "Keep this note" }).click();
  const saved = await h.ask("reopen", "ebbtide-recall");
  await h.open(OTHER);
  h.check("a kept note is kept over a restart of the view", await h.until(() => h.view("recall").getByText("Near “ADR-007 Per-Field Merge Log”").isVisible()), JSON.stringify(saved));
}

export const scenarios = [
  { name: "load", run: load, begin: { load: false } },
  { name: "windows", run: windows },
  { name: "restart", run: restart },
];
