/**
 * Proves the main steps in Chromium at 1440, 1366, 1024, and 390 px, light and dark and in both
 * languages: a sentence is searched, a company is opened and closed, an export is prepared, and a
 * company's page is read. Nothing overflows the window, and nothing shifts without user input.
 * Filters are next to the results if there is space, and otherwise open from a button. Axe finds
 * nothing.
 * Does not prove: the content of the answers (flows.test.ts, files.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { setTimeout } from "node:timers/promises";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, countOf } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const SIZES = [
  [1440, 900],
  [1366, 768],
  [1024, 768],
  [390, 844],
] as const;
const LANGUAGES = [
  ["pt-BR", portugueseWords, "restaurantes em SP com e-mail"],
  ["en-GB", englishWords, "restaurants in SP with e-mail"],
] as const;
/** From this width on, filters are next to the results. */
const RAIL_PX = 1024;

/** Sums the layout shifts without user input. */
const WATCH_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const moved = sources.map(({ node }) => node?.className || node?.nodeName);
      globalThis.shifts.push(value.toFixed(4) + " " + moved.join(", "));
    }
  }).observe({ type: "layout-shift", buffered: true });`;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** Delay, in milliseconds. */
const LATE_MS = 700;

/** Delays the answers of these paths so long that a layout that waits for them would shift. */
async function answerLate({ page }: Visit, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.route(`**/v1/console/${path}`, async (route) => {
      await setTimeout(LATE_MS);
      await route.continue();
    });
  }
}

/** Problems of the current screen. */
async function look(visit: Visit, place: string, dark: boolean): Promise<string[]> {
  const { page } = visit;
  await page.waitForLoadState("networkidle");
  const beside = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
  const shifts = (await page.evaluate("globalThis.shifts.splice(0)")) as string[];
  return [
    ...(beside > 0 ? [`${place}: ${beside} px beside the window`] : []),
    ...shifts.map((one) => `${place}: moved ${one}`),
    ...(await findingsOf(visit, place, dark ? null : TAGS)),
  ];
}

for (const [width, height] of SIZES) {
  describe(`${width} px wide`, () => {
    for (const [locale, words, sentence] of LANGUAGES) {
      for (const dark of [false, true]) {
        const { find, table, commands, company } = words;
        inBrowser(`${locale}, ${dark ? "dark" : "light"}`, async (open) => {
          const before = AXE + WATCH_SHIFTS;
          const visit = await open(ana, { width, height, locale, dark, before });
          const { page } = visit;
          const found: string[] = [];
          await visit.go("/app");
          await page.locator('.overview[data-busy="false"][data-blank="false"]').waitFor();
          found.push(...(await look(visit, "start", dark)));
          await page.getByLabel(find.prompt, { exact: true }).fill(sentence);
          await page.keyboard.press("Enter");
          await page.getByRole("grid").waitFor();
          assert.notEqual(await countOf(visit), "0");
          const rails = await page.getByRole("complementary", { name: find.filters }).count();
          assert.equal(rails, width >= RAIL_PX ? 1 : 0, "filters beside the results");
          found.push(...(await look(visit, "results", dark)));
          await page.locator("[data-row='0'] [data-column='0']").click();
          const drawer = page.locator(".account.drawer");
          await drawer.getByText(table.drawer.why).waitFor();
          found.push(...(await look(visit, "an account", dark)));
          await page.keyboard.press("Escape");
          await drawer.waitFor({ state: "detached" });
          // The browser does not count a shift within half a second after a click. The answers are
          // delayed beyond that.
          if (dark) await answerLate(visit, ["status", "exports/estimate"]);
          await button(page.locator(".found"), commands.button).click();
          await page.getByRole("dialog").locator(".export-sum strong").waitFor();
          found.push(...(await look(visit, "an export", dark)));
          await page.keyboard.press("Escape");
          await page.locator("[data-row='0'] [data-column='0']").click();
          await drawer.getByRole("link", { name: table.drawer.page }).click();
          await button(page, company.back).waitFor();
          found.push(...(await look(visit, "a company", dark)));
          assert.deepEqual(found, []);
        });
      }
    }
  });
}
