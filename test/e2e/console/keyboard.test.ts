/**
 * Proves, in Chromium without a mouse: a user writes a sentence, goes to the rows, opens a company,
 * adds it to a list and removes it, opens its page, and returns. The focus is never lost. It moves
 * into each part that is opened, and then returns to the element that opened it.
 * Does not prove: the speech of a screen reader (axe.test.ts checks names and roles).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Page } from "playwright-core";
import { eventually, type Person } from "../../support/console/browser.ts";
import { consoleSuite, copied } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

/** Maximum number of Tab presses, more than any path needs. */
const STOPS_MAX = 150;
const LIST = "Clientes";
const LANGUAGES = [
  ["pt", "pt-BR", portugueseWords, "restaurantes em SP com e-mail"],
  ["en", "en-GB", englishWords, "restaurants in SP with e-mail"],
] as const;

/** One user per language, each in a separate tenant, so that no user has a list yet. */
const people: Record<string, Person> = {};
const { inBrowser } = consoleSuite({}, async (served) => {
  for (const [language] of LANGUAGES) {
    const email = `${language}@example.com`;
    people[language] = await served.user(email, "owner", language);
  }
});

/** Name of the focused element, and whether it is within a selector. */
async function focused(page: Page, within = "body"): Promise<string> {
  return (await page.evaluate(
    `(() => {
      const one = document.activeElement;
      if (one === null || one === document.body) return "nothing";
      if (one.closest(${JSON.stringify(within)}) === null) return "outside: " + one.outerHTML;
      return one.getAttribute("aria-label") ?? one.textContent;
    })()`,
  )) as string;
}

/** Tabs forward or back until an element of this name has the focus. */
async function tabTo(page: Page, name: string, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const passed: string[] = [];
  for (let at = 0; at < STOPS_MAX; at++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (now.trim() === name) return;
    passed.push(now.slice(0, 40));
  }
  assert.fail(`${name} is not among ${passed.join(" | ")}`);
}

for (const [language, locale, words, sentence] of LANGUAGES) {
  const { find, lists, shell, table, company } = words;
  describe(`without a mouse, ${language}`, () => {
    inBrowser("a company is found, listed, unlisted, opened and left", async (open) => {
      const visit = await open(people[language] as Person, { locale, width: 1366, height: 768 });
      const { page } = visit;
      const { keyboard } = page;
      await visit.go("/app");
      await page.getByLabel(find.prompt, { exact: true }).waitFor();
      await keyboard.press("/");
      await keyboard.type(sentence);
      await keyboard.press("Enter");
      await page.locator(".meaning").waitFor();
      await page.locator('[data-row="1"]').waitFor({ state: "attached" });
      await tabTo(page, find.skip);
      await keyboard.press("Enter");
      await page.locator(".table-grid :focus").waitFor();
      await keyboard.press("ArrowDown");
      await keyboard.press("c");
      await eventually(async () => assert.match(await copied(visit), /^\d{2}\./));
      const cnpj = await copied(visit);
      await keyboard.press("Enter");
      const drawer = page.locator(".account.drawer");
      await drawer.getByText(table.drawer.why).waitFor();
      await page.locator(".account.drawer :focus").waitFor();

      await tabTo(page, lists.addToList);
      await keyboard.press("Enter");
      await page.locator("dialog:not(.account) :focus").waitFor();
      await keyboard.type(LIST);
      await keyboard.press("Enter");
      const chip = drawer.getByRole("button", { name: LIST, exact: true });
      await chip.waitFor();
      await page.locator("dialog:not(.account)").waitFor({ state: "detached" });
      assert.equal((await focused(page, ".lists-of")).trim(), lists.addToList);
      await tabTo(page, shell.removeChip(LIST), "Shift+Tab");
      await keyboard.press("Enter");
      await chip.waitFor({ state: "detached" });
      await eventually(async () =>
        assert.equal((await focused(page, ".lists-of")).trim(), lists.addToList),
      );

      await tabTo(page, table.drawer.page, "Shift+Tab");
      await keyboard.press("Enter");
      await page.locator("main h1:focus").waitFor();
      await page.getByText(cnpj).first().waitFor();
      await tabTo(page, company.back);
      await keyboard.press("Enter");
      await page.getByRole("grid").waitFor();
      await page.locator("main h1:focus").waitFor();
    });

    inBrowser("the drawer walks on, and gives the focus back to its row", async (open) => {
      const visit = await open(people[language] as Person, { locale, width: 1366, height: 768 });
      const { page } = visit;
      await visit.go("/app#uf=SP&contact=email");
      await page.locator('[data-row="5"]').waitFor({ state: "attached" });
      await tabTo(page, find.skip);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await page.locator(".account.drawer :focus").waitFor();
      for (const key of ["j", "j", "k", "j"]) {
        await page.keyboard.press(key);
        await page.locator(".account.drawer").getByText(table.drawer.why).waitFor();
        assert.doesNotMatch(await focused(page, ".account"), /^(nothing|outside)/);
      }
      await page.keyboard.press("Escape");
      await page.locator(".account.drawer").waitFor({ state: "detached" });
      await page.locator('[data-row="2"] :focus').waitFor();
    });
  });
}
