// The recall view as a person uses it: rows, reasons, places, disputes, chains, actions and their undo, and what stays over a refresh.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const HOSTILE = "<img src=x onerror=alert(1)> & [[x]].md";
const NOTES = {
  "Probe/a.md": "---\ndate: 2026-01-10\n---\n# 服务器\n\n负责人：陈牧\n",
  "Probe/b.md": "---\ndate: 2026-03-10\n---\n# 服务器\n\n负责人：苏禾\n",
  "Probe/Zeppelin mooring.md": "# Zeppelin mooring\n\nThe zeppelin broke loose from its mooring mast in the storm. Caused by [[Zeppelin rope]].\n",
  "Probe/Zeppelin rope.md": "# Zeppelin rope\n\n\n\n😀🚀 Hm. The rope of the zeppelin mooring was worn through. Caused by [[Zeppelin winch]].\n",
  "Probe/Zeppelin winch.md": "# Zeppelin winch\n\nThe zeppelin winch had a sharp edge since the mooring was rebuilt.\n",
  "Probe/Zeppelin hangar.md": "# Zeppelin hangar\n\nWe decided to keep the zeppelin in the hangar whenever a storm is forecast, not on the mooring mast.\n",
  [`Probe/${HOSTILE}`]: "# Hostile\n\nThe zeppelin <script>alert(1)</script> <img src=x onerror=alert(2)> mooring mast in the storm [x](javascript:alert(3)).\n",
};

export const name = "recall";
export const fresh = true;
export const prepare = (vault) => {
  for (const [note, text] of Object.entries(NOTES)) {
    mkdirSync(path.dirname(path.join(vault, note)), { recursive: true });
    writeFileSync(path.join(vault, note), text);
  }
};

const MOORING = "Probe/Zeppelin mooring.md";

export async function run(h) {
  const view = h.view("recall");
  const list = view.getByRole("list", { name: "Memories" });
  const rows = list.locator(":scope > li");
  const row = (title) => rows.filter({ has: h.page.getByRole("link", { name: title, exact: true }) }).first();
  const settled = (key) => h.until(async () => (await list.getAttribute("data-shown")) === key && (await list.getAttribute("aria-busy")) === "false");
  const ask = async (question) => {
    await view.getByRole("searchbox", { name: "Recall for a question" }).fill(question);
    await h.page.keyboard.press("Enter");
    return settled(`question:${question}`);
  };

  await h.command("open-recall");
  h.check("without a note it says what to do", await h.until(() => view.getByText("Open a note, or ask a question above.").isVisible()));
  await h.open(MOORING);
  h.check("rows for the note that is open", await settled(`note:${MOORING}`));
  h.check("linked notes are hidden at first", (await row("Zeppelin rope").count()) === 0);
  await view.getByRole("button", { name: "Hide linked notes" }).click();
  h.check("and shown when that is asked for", await h.until(() => row("Zeppelin rope").isVisible()));
  h.check("the note itself is never among its results", (await row("Zeppelin mooring").count()) === 0);
  await h.view("recall").getByRole("searchbox").focus();
  await h.pause(300);
  h.check("while the sidebar has the focus the last note counts", (await list.getAttribute("data-shown")) === `note:${MOORING}`);

  // What a row says.
  const rope = row("Zeppelin rope");
  h.check("a reason in words", /this note's words|meaning|linked with/.test(await rope.innerText()));
  h.check("temperature as icon and word", (await rope.locator(".ebbtide-temperature svg").count()) === 1 && /Hot|Warm|Cool/.test(await rope.innerText()));
  h.check("that it is linked", /Linked/.test(await rope.innerText()));
  h.check("cost against the budget", /of 6000 tokens/.test(await view.innerText()));
  h.check("further notes are offered", (await view.getByText(/further note/).count()) > 0);
  const before = await h.page.evaluate(() => window.harness.requests.length);
  await rope.getByText("Reasons and causes").click();
  h.check("the causal chain of a row, step by step", await h.until(async () => /Zeppelin winch/.test(await rope.innerText())));
  h.check("asked for only when somebody looks", (await h.page.evaluate((n) => window.harness.requests.slice(n).map((one) => one.url), before)).every((url) => /\/v1\/(why|status)/.test(url)));

  // Focus, scroll and what is unfolded stay over a refresh.
  await rope.getByRole("button", { name: "This helped" }).focus();
  const scrolled = await view.locator(".ebbtide-scroll").evaluate((el) => ((el.scrollTop = 40), el.scrollTop));
  await h.page.evaluate(() => window.harness.app.workspace.getLeavesOfType("ebbtide-recall")[0].view.recall());
  await settled(`note:${MOORING}`);
  h.check("focus stays over a refresh", await rope.getByRole("button", { name: "This helped" }).evaluate((el) => el === document.activeElement));
  h.check("scroll stays over a refresh", (await view.locator(".ebbtide-scroll").evaluate((el) => el.scrollTop)) === scrolled);
  h.check("what was unfolded stays so", await rope.locator("details").first().evaluate((el) => el.open));

  // Places.
  const { items } = await h.daemon.request("GET", `/v1/related?note=${encodeURIComponent(MOORING)}`);
  const place = items.find((item) => item.note === "Probe/Zeppelin rope.md")?.column;
  await rope.getByRole("link", { name: "Zeppelin rope", exact: true }).first().click();
  h.check("a citation opens the note at its line and UTF-16 column", await h.until(async () => {
    const at = await h.editor();
    return at.path === "Probe/Zeppelin rope.md" && at.line === 4 && at.ch === place && place === 9;
  }), JSON.stringify([place, await h.editor()]));
  await h.open(MOORING);
  await settled(`note:${MOORING}`);

  // Links.
  await h.ask("select", 2, 0);
  await row("Zeppelin hangar").getByRole("button", { name: "Insert a link" }).click();
  h.check("a link is inserted where the cursor is", await h.until(async () => (await h.editor()).text.includes("[[Zeppelin hangar]]The zeppelin")));
  const dragged = await row("Zeppelin hangar").getByRole("link", { name: "Zeppelin hangar", exact: true }).evaluate((el) => {
    const data = new DataTransfer();
    el.dispatchEvent(new DragEvent("dragstart", { dataTransfer: data, bubbles: true }));
    return data.getData("text/plain");
  });
  h.check("a row can be dragged as a link", dragged === "[[Zeppelin hangar]]");

  // Hostile titles and quotes are text.
  await ask("zeppelin mooring mast in the storm");
  h.check("hostile titles and quotes stay text", (await view.locator("img, script, a[href^='javascript']").count()) === 0 && (await view.innerText()).includes("<img src=x onerror=alert(1)>"));
  h.check("rows for a question", (await row("Zeppelin mooring").count()) === 1);
  await view.getByRole("combobox", { name: "What to show" }).selectOption("decision");
  h.check("a type narrows it down", await h.until(async () => (await rows.count()) > 0 && (await rows.locator(".ebbtide-badges", { hasText: "Decision" }).count()) === (await rows.count())));
  await view.getByRole("combobox", { name: "What to show" }).selectOption("");

  // A dispute.
  await ask("服务器的负责人是苏禾吗");
  const both = rows.locator("[role=group][aria-label='Two notes disagree']").first();
  await h.shot("recall-dispute");
  h.check("a dispute shows both quotes side by side", await h.until(async () => /陈牧/.test(await both.innerText()) && /苏禾/.test(await both.innerText())));
  const places = await both.locator(".ebbtide-side").evaluateAll((all) => all.map((el) => el.getBoundingClientRect()).map((box) => [box.left, box.top]));
  h.check("beside each other", places.length === 2 && places[0][1] === places[1][1] && places[0][0] < places[1][0]);

  // The look of it, with everything unfolded.
  await rows.first().getByText("Reasons and causes").click();
  await h.checkAxe("a dispute, unfolded");
  await h.shot("recall-light");
  await h.theme("dark");
  await h.width(240);
  await h.checkAxe("dark, 240 px");
  await h.shot("recall-dark-240");
  h.check("nothing is wider than 240 px", await view.evaluate((el) => el.scrollWidth <= el.clientWidth));
  await h.rtl();
  await h.checkAxe("right to left");
  await h.shot("recall-rtl");
  await h.ltr();
  await h.width(320);
  await h.theme("light");

  // Copy, used, wrong.
  await h.command("copy-packet");
  h.check("the packet for an agent is copied", await h.until(async () => (await h.clipboard()).includes("[Probe/a.md:6")));
  await rows.first().getByRole("button", { name: "This helped" }).click();
  h.check("a use is confirmed in the row", await h.until(() => rows.getByText("Noted: this helped.").isVisible()));
  await menu(h, rows.first(), "That is wrong");
  await h.page.getByRole("dialog").getByRole("textbox").fill("He left in May");
  await h.page.keyboard.press("Enter");
  h.check("what is wrong is sent with its reason", await h.until(() => rows.getByText("Noted. You will be asked about it in the health view.").isVisible()));

  // Archive, undo, freeze, thaw.
  await ask("keep the zeppelin in the hangar");
  await menu(h, row("Zeppelin hangar"), "Archive");
  await h.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  h.check("archiving can be called off", (await row("Zeppelin hangar").getByText("Archived.").count()) === 0);
  await menu(h, row("Zeppelin hangar"), "Archive");
  await h.page.getByRole("dialog").getByRole("button", { name: "Archive" }).click();
  h.check("archiving is confirmed first, then told in the row", await h.until(() => row("Zeppelin hangar").getByText("Archived.").isVisible()));
  h.check("the row stays in sight over the refresh that follows", (await settled("question:keep the zeppelin in the hangar"), await row("Zeppelin hangar").getByText("Archived.").isVisible()));
  await row("Zeppelin hangar").getByRole("button", { name: "Undo" }).click();
  h.check("and is taken back", await h.until(() => row("Zeppelin hangar").getByText("Undone.").isVisible()));
  await menu(h, row("Zeppelin hangar"), "Freeze");
  await h.until(() => row("Zeppelin hangar").getByText("Frozen: no longer recalled until thawed.").isVisible());
  await view.getByRole("button", { name: "More", exact: true }).first().click();
  await h.page.getByRole("menuitemcheckbox", { name: "Also what is frozen" }).click();
  await h.until(() => row("Zeppelin hangar").locator(".ebbtide-temperature.mod-frozen").isVisible());
  await menu(h, row("Zeppelin hangar"), "Thaw");
  h.check("what is frozen is thawed", await h.until(() => row("Zeppelin hangar").getByText("Thawed.").isVisible()));

  // Why not.
  await h.command("why-not-this-note");
  await h.page.getByRole("dialog").getByRole("textbox").fill("Home.md");
  await h.page.keyboard.press("Enter");
  h.check("why a note is not here is said step by step", await h.until(async () => /It is not in the answer/.test(await view.locator(".ebbtide-verdict").innerText())));
  const steps = await view.locator(".ebbtide-verdict li").allInnerTexts();
  h.check("each step by its name", ["by its words: ", "by meaning: ", "by links: "].every((name) => steps.some((step) => step.startsWith(name))), steps.join("\n"));
  await view.locator(".ebbtide-verdict").getByRole("button", { name: "Close" }).click();

  // Pin, state, and what stays while the daemon is away.
  await view.getByRole("button", { name: "Back to the active note" }).click();
  await settled(`note:${MOORING}`);
  await view.getByRole("button", { name: "Keep this note" }).click();
  await h.open("Home.md");
  await h.pause(500);
  h.check("a pinned note stays", (await list.getAttribute("data-shown")) === `note:${MOORING}`);
  const saved = await h.ask("reopen", "ebbtide-recall");
  h.check("note and pin come back with the workspace", saved.state.note === MOORING && saved.state.pinned === true && (await settled(`note:${MOORING}`)));
  h.check("and so does the button", (await view.getByRole("button", { name: "Keep this note" }).getAttribute("aria-pressed")) === "true");
  const count = await rows.count();
  await h.daemon.kill();
  await h.command("reconnect");
  h.check("while the daemon is away that is said, with the age", await h.until(() => view.getByText("the daemon is away").isVisible()));
  h.check("and old rows stay, marked", (await rows.count()) === count && (await list.getAttribute("class")).includes("is-stale"), `${await rows.count()} of ${count} rows`);
  await h.shot("recall-away");
  await h.restart();
  await h.command("open-recall");
  h.check("and after a restart of Obsidian, from what was kept", await h.until(async () => (await rows.count()) === 0 || view.getByText("the daemon is away").isVisible()));
  await h.open(MOORING);
  h.check("with their age", await h.until(async () => (await rows.count()) > 0 && view.getByText("the daemon is away").isVisible()));
  await h.daemon.start();
  await h.command("reconnect");
  h.check("when it is back they are fresh again", await h.until(async () => !(await list.getAttribute("class")).includes("is-stale")));
  h.check("and nobody was bothered by a notice", !(await h.notices()).some((text) => /daemon/.test(text)));

  // Many more rows than the daemon gives do not freeze the page.
  const ms = await h.page.evaluate(async () => {
    const { view } = window.harness.app.workspace.getLeavesOfType("ebbtide-recall")[0];
    const { client } = view.ebbtide.connection;
    const { related } = client;
    let begin = 0;
    client.related = async (query) => {
      const told = await related(query);
      begin = performance.now();
      return { ...told, items: Array.from({ length: 500 }, (_, n) => ({ ...told.items[0], id: `f_${n}`, note: `Probe/${n}.md` })) };
    };
    await view.recall();
    client.related = related;
    await new Promise((done) => requestAnimationFrame(() => done()));
    return performance.now() - begin;
  });
  h.check("500 rows are drawn", (await rows.count()) === 500);
  process.stdout.write(`     500 results: on the page after ${Math.round(ms)} ms\n`);

  // Chinese, and a window of its own.
  await h.language("zh");
  await h.command("open-recall");
  await h.open("Probe/a.md");
  const chinese = h.view("recall");
  h.check("reasons are given in the user's language", await h.until(async () => /这篇笔记|意思相近|跨语言/.test(await chinese.getByRole("list", { name: "记忆", exact: true }).innerText())));
  h.check("the other side of a dispute is the note itself", await h.until(async () => /两处说法不同/.test(await chinese.innerHTML()) && /陈牧/.test(await chinese.innerText())));
  await h.checkAxe("Chinese");
  await h.shot("recall-zh");
  const [popup] = await Promise.all([h.context.waitForEvent("page"), h.ask("popout", "ebbtide-recall")]);
  const moved = h.view("recall", popup);
  await moved.getByRole("searchbox").fill("zeppelin mooring");
  await popup.keyboard.press("Enter");
  h.check("in a second window it goes on recalling", await h.until(() => moved.getByRole("link", { name: "Zeppelin mooring", exact: true }).first().isVisible()));
  await moved.getByText("理由与来龙去脉").first().click();
  h.check("and unfolding", await h.until(async () => /来龙|没有链接写明原因|去脉/.test(await moved.locator("details[open]").first().innerText())));
  await h.shot("recall-popout", popup);
  await h.ask("closePopout");
}

async function menu(h, row, item) {
  await row.getByRole("button", { name: "More", exact: true }).click();
  await h.page.getByRole("menuitem", { name: item, exact: true }).click();
}
