/** What comes late: answers for what is no longer looked at, failures that pass, loads that overlap, and the end of a view or of the plugin in between. */
const NOTE = "Projects/Mosslog/Decisions/ADR-007 Per-Field Merge Log.md";
const OTHER = "Life/Tea/泡茶步骤.md";

const view = (h) => h.view("recall");
const list = (h) => view(h).getByRole("list", { name: "Memories" });
const rows = (h) => list(h).locator("> li");
const settled = (h, note) => h.until(async () => (await list(h).getAttribute("data-shown")) === `note:${note}` && (await list(h).getAttribute("aria-busy")) === "false" && (await rows(h).count()) > 0);

/** Stands before a question of the plugin to the daemon: counts, holds back until `go`, fails while `fail` is set. */
const before = (h, name) => h.page.evaluate((asked) => {
  const { client } = window.harness.app.workspace.getLeavesOfType("ebbtide-recall")[0].view.ebbtide.connection;
  const real = client[asked];
  const gate = { count: 0, done: 0, hold: false, fail: false, go: () => {}, away: () => { client[asked] = real; gate.hold = false; gate.go(); } };
  let open = Promise.resolve();
  client[asked] = async (...given) => {
    gate.count += 1;
    if (gate.hold) open = new Promise((done) => (gate.go = done));
    await open;
    if (gate.fail) throw new Error("it failed");
    return real(...given).finally(() => (gate.done += 1));
  };
  (window.gates ??= {})[asked] = gate;
}, name);
const gate = (h, name, change = {}) => h.page.evaluate(([asked, set]) => {
  Object.assign(window.gates[asked], set);
  return window.gates[asked].count;
}, [name, change]);
const go = (h, name) => h.page.evaluate((asked) => window.gates[asked].go(), name);
const away = (h, name) => h.page.evaluate((asked) => window.gates[asked].away(), name);

async function recall(h) {
  await h.open(NOTE);
  await h.command("open-recall");
  await settled(h, NOTE);

  // A verdict about the note before.
  await before(h, "explain");
  await gate(h, "explain", { hold: true });
  await h.command("why-not-this-note");
  await h.page.getByRole("dialog").getByRole("textbox").fill("Home.md");
  await h.page.keyboard.press("Enter");
  await h.until(async () => (await gate(h, "explain")) === 1);
  await h.open(OTHER);
  await settled(h, OTHER);
  await away(h, "explain");
  await h.until(() => h.page.evaluate(() => window.gates.explain.done === 1));
  await h.pause(200);
  h.check("a verdict about the note before is not shown for this one", (await view(h).locator(".ebbtide-verdict").count()) === 0);

  // Commands while a recall is put off, since notes are leafed through.
  const [here, there] = [await h.packet(NOTE), await h.packet(OTHER)];
  h.check("the two notes have different rows", here !== there && here !== "" && there !== "");
  const elsewhere = async () => {
    await h.open("Home.md");
    await settled(h, "Home.md");
    await h.pause(400);
  };
  await elsewhere();
  await h.page.evaluate(async ([a, b]) => {
    await window.harness.open(a);
    await window.harness.open(b);
    window.harness.command("ebbtide:copy-packet");
  }, [NOTE, OTHER]);
  h.check("what is copied belongs to the note that is open", await h.until(async () => (await h.clipboard()) === there), await h.clipboard());
  await elsewhere();
  const used = await h.page.evaluate(async ([a, b]) => {
    const { client } = window.harness.app.workspace.getLeavesOfType("ebbtide-recall")[0].view.ebbtide.connection;
    const real = client.used;
    await window.harness.open(a);
    await window.harness.open(b);
    return new Promise((done) => {
      client.used = async ({ ids }) => {
        client.used = real;
        done(ids[0]);
        return { recorded: [], ignored: [{ id: "", reason: "already" }] };
      };
      window.harness.command("ebbtide:mark-as-used");
    });
  }, [NOTE, OTHER]);
  h.check("what is acted on belongs to the note that is open", used === (await h.related(OTHER))[0].id, used);
  await settled(h, OTHER);

  // A chain that failed once.
  await before(h, "why");
  await gate(h, "why", { fail: true });
  const row = rows(h).first();
  await row.getByText("Reasons and causes").click();
  h.check("a chain that fails says why", await h.until(() => row.getByText(/it failed/).isVisible()), await row.innerText());
  const asked = await gate(h, "why", { fail: false });
  await h.pause(300);
  h.check("and is not asked for in a loop", asked === (await gate(h, "why")) && asked === 1, String(asked));
  await view(h).getByRole("button", { name: "Recall again" }).click();
  h.check("after a refresh it is asked for again, and shown", await h.until(async () => (await gate(h, "why")) > asked && !(await row.getByText(/it failed/).count())), await row.innerText());
  await away(h, "why");
}

async function health(h) {
  await h.open(NOTE);
  await h.command("open-recall");
  await settled(h, NOTE);
  await before(h, "digest");
  await before(h, "status");
  await gate(h, "digest", { hold: true });
  await h.command("open-health");
  await h.until(async () => (await gate(h, "digest")) === 1);
  await h.page.evaluate(() => { // the memory changes while that load is under way
    const { client } = window.harness.app.workspace.getLeavesOfType("ebbtide-recall")[0].view.ebbtide.connection;
    const real = client.status;
    client.status = async (...given) => { const told = await real(...given); return { ...told, change: told.change + 1000 }; };
  });
  await h.command("reconnect");
  await h.pause(6_500);
  h.check("no load that nobody asked for begins while one is under way", (await gate(h, "digest")) === 1, String(await gate(h, "digest")));
  await gate(h, "digest", { hold: false });
  await go(h, "digest");
  h.check("what changed meanwhile is loaded after it", await h.until(async () => (await gate(h, "digest")) === 2), String(await gate(h, "digest")));
  h.check("and shown", await h.until(async () => (await h.view("health").innerText()).includes("Records per layer")));

  // The end in between: nothing may go on.
  await gate(h, "digest", { hold: true });
  await h.view("health").locator('[data-key="refresh"]').click();
  await h.until(async () => (await gate(h, "digest")) === 3);
  await gate(h, "digest", { fail: true });
  await h.page.evaluate(() => window.harness.app.workspace.getLeavesOfType("ebbtide-health")[0].detach());
  await h.page.evaluate(() => {
    const real = window.setTimeout;
    window.setTimeout = (...given) => { if (given[1] === 15_000) window.retried = true; return real(...given); };
  });
  await gate(h, "digest", { hold: false });
  await go(h, "digest");
  await h.pause(500);
  h.check("a view that is closed while it loads does not try again", await h.page.evaluate(() => window.retried !== true));
  await away(h, "digest");
  await away(h, "status");

  // The plugin is turned off before it has begun.
  await h.unload();
  await h.page.evaluate(() => {
    void window.harness.load();
    window.harness.unload();
  });
  const requests = () => h.page.evaluate(() => window.harness.requests.length);
  const counted = await requests();
  const { timers: left } = await h.ask("counts");
  await h.pause(3_000);
  h.check("turned off at once, it asks nothing", (await requests()) === counted);
  h.check("and no timer is left", (await h.ask("counts")).timers <= left, JSON.stringify(await h.ask("counts")));
}

export const scenarios = [
  { name: "overlap-recall", run: recall },
  { name: "overlap-health", run: health },
];
