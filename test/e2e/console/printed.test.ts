/**
 * Proves, in Chromium against a real server: the printout has the query, the count, charts with
 * their colors, and the first rows with nothing cut off, in place of the screen. Afterwards nothing
 * of it remains; few results have no charts.
 * Does not prove: how a printer breaks its pages.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { number } from "../../../src/console/web/app/format.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, countOf } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";

const { table, find } = words;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** The browser's print events; a PDF of its own could not be inspected. */
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
