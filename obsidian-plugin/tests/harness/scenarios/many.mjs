/** More results than anybody reads: 600 notes that fit, as many rows as the daemon gives of them, and the page stays usable. */
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

const NOTES = 600;

function prepare(vault) {
  mkdirSync(path.join(vault, "Lanterns"));
  const parts = ["wick", "glass", "oil", "frame", "hook", "shade"];
  const places = ["pier", "mill", "barn", "quay", "lock", "ford", "weir"];
  for (let n = 0; n < NOTES; n += 1) {
    const text = `# Lantern ${n}\n\nWe decided that lantern number ${n} at the ${places[n % 7]} gets a new ${parts[n % 6]}, because the ${parts[(n + 2) % 6]} of lantern ${n} failed in week ${(n % 52) + 1}.\n`;
    writeFileSync(path.join(vault, "Lanterns", `Lantern ${n}.md`), text);
  }
  writeFileSync(path.join(vault, "Lanterns", "All lanterns.md"), "# All lanterns\n\nWhich lantern gets a new wick, glass, oil, frame, hook or shade?\n");
}

async function run(h) {
  const recall = h.view("recall");
  const list = recall.getByRole("list", { name: "Memories" });
  const rows = list.locator("> li");
  await h.open("Lanterns/All lanterns.md");
  await h.settings.open();
  const limit = h.page.getByRole("spinbutton", { name: "Rows" });
  const most = Number(await limit.getAttribute("max"));
  await limit.fill(String(most));
  await h.pause(300);
  await limit.fill(String(most + 1));
  h.check("a limit beyond the most is refused at the setting", await h.until(() => h.page.getByRole("alert").isVisible()));
  await limit.fill(String(most));
  await h.settings.close();
  await h.command("open-recall");
  await h.page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((seen) => { for (const one of seen.getEntries()) window.longest = Math.max(window.longest, one.duration); }).observe({ type: "longtask" });
  });
  await recall.getByRole("searchbox").fill("lantern wick");
  await h.page.keyboard.press("Enter");
  h.check("rows come", await h.until(async () => (await rows.count()) > 0 && (await list.getAttribute("aria-busy")) === "false"));
  const drawn = await rows.count();
  const { items, notes } = await h.daemon.request("POST", "/v1/recall", { query: "lantern wick", limit: most, lang: "en" });
  h.check("every row that the daemon gives can be had", drawn === items.length, `${drawn} of ${items.length}`);
  h.check("further notes are counted, not dropped silently", notes.length <= drawn || (await recall.getByText(/further notes?$/).count()) > 0, `${notes.length} notes`);
  process.stdout.write(`     ${drawn} rows of at most ${most}, ${notes.length} notes, longest task ${Math.round(await h.page.evaluate(() => window.longest))} ms\n`);
  await rows.last().getByRole("link").first().focus();
  await rows.last().scrollIntoViewIfNeeded();
  const top = await recall.locator(".ebbtide-scroll").evaluate((el) => el.scrollTop);
  await recall.getByRole("button", { name: "Recall again" }).click();
  await h.pause(1500);
  h.check("a refresh keeps rows and scroll", (await rows.count()) === drawn && Math.abs((await recall.locator(".ebbtide-scroll").evaluate((el) => el.scrollTop)) - top) < 60, `${await rows.count()} rows, scrolled ${top}`);
  await h.checkAxe("many rows");
  await h.shot("recall-many");
}

export const scenarios = [{ name: "many", run, fresh: true, vectors: false, prepare, options: ["budget=200000", "tail=0", "redundancy=0", "note_share=1", "deadline_ms=60000"].flatMap((one) => ["--set", `recall.${one}`]) }];
