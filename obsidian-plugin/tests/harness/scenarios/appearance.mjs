/** Every pane in light and dark, English and Chinese, wide, at 240 px and right to left: axe, no sideways scrolling, a picture. */
export const name = "appearance";

const NOTE = "Projects/Mosslog/Decisions/ADR-007 Per-Field Merge Log.md";
const QUESTIONS = { en: "Why did we give up last-write-wins?", zh: "为什么从买断改成年费？" };

async function fill(h, language) {
  await h.open(NOTE);
  await h.command("ask");
  await h.page.getByRole("dialog").getByRole("textbox").fill(QUESTIONS[language]);
  await h.page.keyboard.press("Enter");
  await h.until(async () => (await h.view("answer").getByRole("link").count()) > 0);
  await h.command("open-health");
  await h.until(async () => (await h.view("health").getByRole("heading").count()) > 5);
  await h.command("open-recall");
  const rows = h.view("recall").locator(".ebbtide-rows > li");
  await h.until(async () => (await rows.count()) > 0);
  await rows.first().locator("summary").first().click();
}

async function look(h, words, file) {
  for (const [view, command] of [["recall", "open-recall"], ["health", "open-health"], ["answer", null]]) {
    if (command) await h.command(command);
    else await h.page.evaluate(() => window.harness.app.workspace.revealLeaf(window.harness.leaf("ebbtide-answer")));
    await h.until(() => h.view(view).isVisible());
    await h.pause(400);
    await h.checkAxe(`${view}, ${words}`);
    const wide = await h.view(view).evaluate((root) => {
      const over = [...root.querySelectorAll("*")].filter((el) => el.scrollWidth > el.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(el).overflowX) && !el.matches("table, pre, code, textarea, .ebbtide-table"));
      return over.map((el) => `${el.className} ${el.scrollWidth} > ${el.clientWidth}`);
    });
    h.check(`${view} does not scroll sideways, ${words}`, wide.length === 0, wide.join("\n"));
    const cut = await h.view(view).evaluate((root) => {
      const box = root.getBoundingClientRect();
      return [...root.querySelectorAll("button, a, input, select, summary")].filter((el) => { const own = el.getBoundingClientRect(); return own.width > 0 && (own.left < box.left - 1 || own.right > box.right + 1); }).map((el) => el.outerHTML.slice(0, 120));
    });
    h.check(`${view}: every control is inside the pane, ${words}`, cut.length === 0, cut.join("\n"));
    await h.view(view).evaluate((root) => [root, ...root.querySelectorAll("*")].forEach((el) => el.scrollTo(0, 0)));
    await h.shot(`${view}-${file}`);
    if (view === "health") {
      await h.view(view).locator(".ebbtide-scroll, .view-content").last().evaluate((el) => el.scrollTo(0, el.scrollHeight / 2));
      await h.shot(`${view}-${file}-below`);
    }
  }
}

/** That axe looks where it should: faults put into the pane on purpose are found, and gone with them. */
async function seesFaults(h) {
  await h.command("open-recall");
  await h.until(() => h.view("recall").isVisible());
  await h.view("recall").locator(".view-content").evaluate((el) => {
    const bad = el.createDiv("bad-on-purpose");
    bad.createEl("button");
    bad.createSpan({ text: "faint" }).setCssStyles({ color: "#ddd", background: "#fff" });
  });
  const found = await h.axe();
  h.check("axe finds a nameless button and faint text put there on purpose", ["button-name", "color-contrast"].every((id) => found.some((one) => one.startsWith(id))), found.join("\n"));
  await h.page.locator(".bad-on-purpose").evaluate((el) => el.remove());
}

export async function run(h) {
  await seesFaults(h);
  // figures with a trend and something to decide, if the daemon can make them without a key
  await h.daemon.request("POST", "/v1/health", {}).catch(() => null);
  for (const language of ["en", "zh"]) {
    if (language !== "en") await h.language(language);
    await h.until(async () => (await h.status()).trim().length > 0);
    await fill(h, language);
    for (const theme of ["light", "dark"]) {
      await h.theme(theme);
      await h.width(320);
      await look(h, `${language}, ${theme}`, `${language}-${theme}`);
      await h.width(240);
      await look(h, `${language}, ${theme}, 240 px`, `${language}-${theme}-240`);
      await h.settings.open();
      await h.pause(200);
      await h.checkAxe(`settings, ${language}, ${theme}`);
      await h.shot(`settings-${language}-${theme}`);
      await h.settings.close();
    }
    if (language === "zh") {
      const words = await h.page.evaluate(() => [...document.querySelectorAll('[data-type^="ebbtide"] button, [data-type^="ebbtide"] summary, [data-type^="ebbtide"] h2, [data-type^="ebbtide"] h3, [data-type^="ebbtide"] h4')].map((el) => el.getAttribute("aria-label") || el.textContent || "").filter((text) => /[A-Za-z]{4,}/.test(text) && !/[\u4e00-\u9fff]/.test(text)));
      h.check("in Chinese no control is named in English", words.length === 0, words.join(" | "));
      const names = (await h.commands()).map((one) => one.name).filter((text) => !/[\u4e00-\u9fff]/.test(text));
      h.check("in Chinese commands have Chinese names", names.length === 0, names.join(" | "));
    }
  }
  await h.language("en");
  await fill(h, "en");
  await h.theme("light");
  await h.rtl();
  for (const px of [320, 240]) {
    await h.width(px);
    await look(h, `right to left, ${px} px`, `rtl-${px}`);
  }
}
