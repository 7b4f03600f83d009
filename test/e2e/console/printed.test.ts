/**
 * Proves, in Chromium against a real server: a printout has the query, the count, the charts with
 * their colors, and the first rows with nothing cut off, instead of the screen's content.
 * Afterwards, nothing of the printout stays on the page. If there are only few results, it has no
 * charts. Every view is printed in dark letters on white, within the width of the paper, without
 * navigation and buttons, and with nothing cut off.
 * Does not prove where a printer begins new pages.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { number } from "../../../src/console/web/app/format.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { fill, show } from "../../support/console/filled.ts";
import { button, consoleSuite, countOf } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";

const { table, find } = words;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** Simulates the browser's print events, because a real PDF could not be inspected. */
async function printing({ page }: Visit, event: "beforeprint" | "afterprint"): Promise<void> {
  await page.evaluate(`dispatchEvent(new Event("${event}"))`);
  await page.emulateMedia({ media: event === "beforeprint" ? "print" : "screen" });
}

describe("on paper", () => {
  inBrowser("stand what was asked, the charts and the first rows, whole", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP,MG&contact=email");
    await page.getByRole("grid").waitFor();
    const total = Number((await countOf(visit)).replaceAll(".", ""));
    assert.ok(total > 200);
    await printing(visit, "beforeprint");
    const sheet = page.locator(".printed");
    await sheet.getByRole("heading", { name: number(total) }).waitFor();
    assert.match(await sheet.innerText(), /Minas Gerais e São Paulo · Tem e-mail/);
    await sheet.getByText(table.printed.some("200", number(total))).waitFor();
    assert.equal(await sheet.locator("tbody tr").count(), 200);
    const cut = await page.evaluate(
      "[...document.querySelectorAll('.printed td')]" +
        ".filter((one) => one.scrollWidth > one.clientWidth + 1).length",
    );
    assert.equal(cut, 0, "no cell is cut off");
    const adjust = await page.evaluate(
      "getComputedStyle(document.querySelector('.printed .bar-fill')).printColorAdjust",
    );
    assert.equal(adjust, "exact");
    const height = await page.evaluate(
      "document.querySelector('.printed .years-plot').getBoundingClientRect().height",
    );
    assert.ok(Number(height) > 60, "the years have bars");
    assert.equal(await page.locator(".find-body").isVisible(), false);
    await printing(visit, "afterprint");
    assert.equal(await sheet.count(), 0);
    assert.ok(await page.locator(".find-body").isVisible());
  });

  inBrowser("all rows are there when beforeprint ends, before the layout", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP,MG&contact=email");
    await page.getByRole("grid").waitFor();
    await countOf(visit);
    const rowsAfter = (event: string) =>
      page.evaluate(
        `dispatchEvent(new Event("${event}")),` +
          "document.querySelectorAll('.printed tbody tr').length",
      );
    await page.locator(".found-actions").waitFor();
    assert.equal(await rowsAfter("beforeprint"), 200);
    assert.equal(await rowsAfter("afterprint"), 0);
  });

  inBrowser("and on the screen a few results have no charts", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP&name=padaria&mei=yes&capital=1000000..");
    await visit.page.locator(".count[aria-busy=false]").waitFor();
    assert.equal(await button(visit.page, find.charts).count(), 0);
    await visit.go("/app#uf=SP");
    await button(visit.page, find.charts).waitFor();
  });
});

/** Size of A4 in CSS pixels, between the browser's usual margins. */
const PAPER = { width: 718, height: 1_000 } as const;

/** Lists the faults of the printout of a view. */
const WRONG = `(() => {
  const wrong = [];
  const shown = (one) => one.checkVisibility({ visibilityProperty: true });
  const name = (one) => one.className || one.nodeName;
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) wrong.push("the page is " + wide + " px wider than the paper");
  const forScreen = "nav, .header-end, main .button, dialog, input:not(.visually-hidden)";
  for (const one of document.querySelectorAll(forScreen)) {
    if (shown(one)) wrong.push(name(one) + " is for the screen: " + one.textContent.slice(0, 30));
  }
  for (const one of document.querySelectorAll("main *")) {
    if (!shown(one) || one.textContent.trim() === "") continue;
    const { overflowX, overflowY } = getComputedStyle(one);
    const cut = (overflowX !== "visible" && one.scrollWidth > one.clientWidth + 1) ||
      (overflowY !== "visible" && one.scrollHeight > one.clientHeight + 1);
    const hidden = one.clientWidth <= 1 || one.clientHeight <= 1;
    if (cut && !hidden) wrong.push(name(one) + " is cut off: " + one.textContent.slice(0, 30));
  }
  const gray = (color) => /\\d+/.exec(color.replace(/^rgba?\\(/, ""))?.[0];
  const { color, backgroundColor } = getComputedStyle(document.body);
  if (Number(gray(color)) > 96) wrong.push("the letters are " + color);
  if (!["255", "0"].includes(gray(backgroundColor))) wrong.push("the paper is " + backgroundColor);
  const text = document.querySelector("main").innerText;
  if (text.trim().length < 20) wrong.push("nothing is printed: " + text);
  return wrong;
})()`;

describe("every view on paper", () => {
  for (const dark of [false, true]) {
    inBrowser(`is whole and for paper, ${dark ? "dark" : "light"} on screen`, async (open) => {
      const visit = await open(ana, { ...PAPER, dark });
      const { views } = await fill(visit);
      const found: string[] = [];
      for (const view of views) {
        await show(visit, view);
        await printing(visit, "beforeprint");
        const wrong = (await visit.page.evaluate(WRONG)) as string[];
        found.push(...[...new Set(wrong)].map((one) => `${view.name}: ${one}`));
        await printing(visit, "afterprint");
      }
      assert.deepEqual(found, []);
    });
  }
});
