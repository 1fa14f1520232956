/** Names and text that would like to be markup, scripts, links or remote pictures: they are text, and nothing runs or is fetched. */
import { writeFileSync } from "node:fs";
import path from "node:path";

const IMG = `<img src=x onerror="window.hacked=1">`;
const NAMES = [
  `<img src=x onerror=window.hacked=1>`,
  `<b>bold<b> & 'quotes' "double"`,
  `javascript:window.hacked=1`,
  `[[Overview]] {{date}} %%hidden%%`,
  `\u202Egnp.exe`,
  `Unbroken${"x".repeat(180)}`,
  `$(touch hacked); \`id\``,
];

function prepare(vault) {
  NAMES.forEach((name, at) => {
    const text = [
      "---", "type: decision", "date: 2026-09-01", "---", `# Kestrel rota ${at} ${IMG}`, "",
      `We decided that the Kestrel rota number ${at} uses ${IMG} because <script>window.hacked=1</script> was slow for the kestrel team.`, "",
      `Because of the kestrel rota we chose [a link](javascript:window.hacked=1) and ![a picture](https://picture.invalid/kestrel-${at}.png) over <iframe src="https://frame.invalid"></iframe>.`, "",
      `The kestrel rota is limited to ${at + 3} birds a day. "><svg onload=window.hacked=1> [[Kestrel rota|${IMG}]]`, "",
    ].join("\n");
    writeFileSync(path.join(vault, `${name}.md`), text);
  });
  writeFileSync(path.join(vault, "Kestrel.md"), `# Kestrel\n\nThe kestrel rota decides who feeds the kestrel birds each day.\n`);
}

async function run(h) {
  const recall = h.view("recall");
  const list = recall.getByRole("list", { name: "Memories" });
  await h.open("Kestrel.md");
  await h.command("open-recall");
  h.check("rows from notes with hostile names", await h.until(async () => (await list.locator("> li").count()) > 2));
  for (const summary of await list.locator("summary").all()) await summary.click();
  await h.pause(1500);
  h.check("such a name is shown as text", (await recall.getByText("<img src=x", { exact: false }).count()) > 0 || (await recall.getByText("<b>bold<b>", { exact: false }).count()) > 0, await recall.innerText());

  for (const name of NAMES) {
    await h.open(`${name}.md`);
    h.check(`recall for ${JSON.stringify(name.slice(0, 24))}`, await h.until(async () => (await list.getAttribute("data-shown")) === `note:${name}.md` && (await list.getAttribute("aria-busy")) === "false"), await recall.innerText());
  }
  await h.open("Kestrel.md");
  await h.command("ask");
  await h.page.getByRole("dialog").getByRole("textbox").fill(`kestrel rota ${IMG}`);
  await h.page.keyboard.press("Enter");
  await h.until(async () => (await h.view("answer").getByRole("link").count()) > 0);
  await h.shot("answer-hostile");
  await h.command("open-recall");
  await recall.getByRole("searchbox").fill(`kestrel "><script>window.hacked=1</script>`);
  await h.page.keyboard.press("Enter");
  await h.until(async () => (await list.locator("> li").count()) > 2 && (await list.getAttribute("aria-busy")) === "false");
  await h.shot("recall-hostile");
  await h.command("why-not-this-note");
  await h.page.getByRole("dialog").getByRole("textbox").fill("onerror");
  await h.pause(300);
  await h.page.keyboard.press("Enter");
  await h.until(() => recall.getByRole("status").first().isVisible());
  await h.command("open-health");
  await h.pause(1500);

  const found = await h.page.evaluate(() => {
    const roots = [...document.querySelectorAll('[data-type^="ebbtide"], .status-bar, .modal')];
    const all = roots.flatMap((root) => [...root.querySelectorAll("*")]);
    return {
      hacked: window.hacked ?? null,
      markup: all.filter((el) => ["IMG", "SCRIPT", "IFRAME", "OBJECT", "EMBED", "STYLE", "LINK", "VIDEO", "AUDIO", "B"].includes(el.tagName)).map((el) => el.outerHTML.slice(0, 100)),
      handlers: all.filter((el) => el.getAttributeNames().some((name) => name.startsWith("on"))).map((el) => el.outerHTML.slice(0, 100)),
      links: all.flatMap((el) => ["href", "xlink:href", "src", "action"].flatMap((name) => el.getAttribute(name) ?? [])).filter((to) => /^\s*(javascript|data|file|vbscript|https?):/i.test(to)),
      title: document.title,
    };
  });
  h.check("nothing ran", found.hacked === null);
  h.check("no markup came out of notes", found.markup.length === 0, found.markup.join("\n"));
  h.check("no handler attribute", found.handlers.length === 0, found.handlers.join("\n"));
  h.check("no link that runs or leaves", found.links.length === 0, found.links.join("\n"));
  await h.command("open-recall");
  const payload = await list.locator("> li a").first().evaluate((el) => {
    const transfer = new DataTransfer();
    el.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer: transfer }));
    return { types: [...transfer.types], text: transfer.getData("text/plain") };
  });
  h.check("what is dragged is a plain [[link]]", payload.types.join() === "text/plain" && /^\[\[.*\]\]$/s.test(payload.text), JSON.stringify(payload));
  await h.width(240);
  await h.pause(300);
  const over = await recall.evaluate((root) => [...root.querySelectorAll("*")].filter((el) => ["auto", "scroll"].includes(getComputedStyle(el).overflowX) && el.scrollWidth > el.clientWidth + 1).map((el) => el.className));
  h.check("an unbroken name does not widen the pane", over.length === 0, over.join(", "));
  await h.shot("recall-hostile-240");
  await h.checkAxe("hostile names, 240 px");
}

export const scenarios = [{ name: "hostile", run, fresh: true, vectors: false, prepare }];
