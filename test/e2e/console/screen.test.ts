/**
 * Proves, in Chromium on the screen of an office laptop (1366 by 768): that after a sentence with
 * alternatives at least ten rows are fully in sight, with CNPJ, phone and e-mail among the columns
 * that need no scrolling; that charts open from their strip and stay as they were left; that the
 * days of usage are drawn, and say their numbers under the pointer.
 * Does not prove: which rows they are (flows.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Person } from "../../support/console/browser.ts";
import { button, consoleSuite, countOf, heading } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";

const { find, table, charts } = words;
const SIZE = { width: 1366, height: 768 };
const SENTENCE = "comércio varejista em SP";
const ROWS_MIN = 10;

let ana: Person;
const { inBrowser } = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
});

/** Rows, and headings by their text, that are wholly in the window. */
const IN_SIGHT = `(() => {
  const inside = (element, least) => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= least && bottom <= innerHeight && left >= 0 && right <= innerWidth;
  };
  const head = document.querySelector(".table-head").getBoundingClientRect().bottom;
  const rows = [...document.querySelectorAll(".table-body > .table-row")];
  const headings = [...document.querySelectorAll(".table-heading")];
  return {
    rows: rows.filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= head - 1 && bottom <= innerHeight;
    }).length,
    headings: headings.filter((one) => inside(one, 0)).map((one) => one.textContent),
  };
})()`;

interface Sight {
  readonly rows: number;
  readonly headings: readonly string[];
}

describe("the screen of an office laptop", () => {
  inBrowser("has ten rows with number, phone and e-mail below a sentence", async (open, tell) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app");
    await page.getByLabel(find.ask, { exact: true }).fill(SENTENCE);
    await button(page, find.askSubmit).click();
    assert.notEqual(await countOf(visit), "0");
    await page.locator(".suggestion").first().waitFor();
    await page.locator('[data-row="12"]').waitFor({ state: "attached" });
    const { rows, headings } = (await page.evaluate(IN_SIGHT)) as Sight;
    tell(`${rows} rows, ${headings.join(", ")}`);
    assert.ok(rows >= ROWS_MIN, `${rows} rows are in sight`);
    for (const column of ["name", "cnpj", "phone", "email"] as const) {
      assert.ok(headings.includes(table.columns[column]), `${column} is in sight`);
    }
  });

  inBrowser("opens its charts from a strip, and keeps them open", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app#uf=SP");
    const strip = button(page, find.charts);
    assert.equal(await strip.getAttribute("aria-expanded"), "false");
    await strip.click();
    await page.locator(".find-charts .chart").first().waitFor();
    await page.reload();
    assert.equal(await strip.getAttribute("aria-expanded"), "true");
  });

  inBrowser("orders what words may mean by what is found", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    let seen = 0;
    for (const sentence of ["clínicas em SP", "oficinas em SP", "lojas em SP", "escolas em SP"]) {
      await page.goto("about:blank");
      await visit.go(`/app#q=${encodeURIComponent(sentence)}`);
      await page.locator(".told").waitFor();
      for (const row of await page.locator(".suggestion").all()) {
        const others = row.locator(".suggested[aria-pressed=false] .suggested-count");
        const texts = await others.allTextContents();
        const counts = texts.map((text) => Number(text.replaceAll(/\D/g, "")));
        assert.deepEqual(
          counts,
          [...counts].sort((a, b) => b - a),
          sentence,
        );
        if (new Set(counts).size > 1) seen++;
      }
    }
    assert.ok(seen > 0, "no sentence offered several");
  });

  inBrowser("draws the days of usage", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app/usage");
    await heading(visit, charts.usage.title).waitFor();
    const field = page.locator(".plot svg").first();
    // The heading is there before the days are.
    await field.locator("rect").first().waitFor();
    const reading = page.locator(".plot-reading").first();
    const sum = await reading.textContent();
    await field.hover();
    assert.notEqual(await reading.textContent(), sum);
    await page.mouse.move(0, 0);
    assert.equal(await reading.textContent(), sum);
  });
});
