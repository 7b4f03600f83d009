/**
 * Proves, in Chromium on the screen of an office laptop (1366 by 768): after a sentence with
 * alternatives, at least ten rows are completely visible. The columns that need no scrolling
 * include CNPJ, phone, and e-mail. No column is cut off, and the filter form is aligned. Options
 * without accounts, such as a replaced code, are not offered. Charts open from their strip and keep
 * their state. The days of usage are drawn, and show their numbers under the pointer.
 * Does not prove which rows they are (flows.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Locator } from "playwright-core";
import type { TranslateAnswer } from "../../../src/console/web/app/answers.ts";
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

/** Returns the rows, and the texts of the headings, that are completely inside the window. */
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

/** Returns the right edges of the headings, and the left edge of the columns button. */
const EDGES = `(() => {
  const rights = [...document.querySelectorAll(".table-heading")].map((one) => {
    return one.getBoundingClientRect().right;
  });
  const chooser = document.querySelector(".table-chooser").getBoundingClientRect();
  return { rights, end: chooser.left };
})()`;

/** Returns the texts of the cells, each with a flag that is true if the text is cut off. */
const CELLS = `[...document.querySelectorAll(".table-body > .table-row > *")].map((one) => {
  const inner = [one, ...one.querySelectorAll("*")];
  return {
    text: one.textContent.trim(),
    cut: inner.some((part) => part.scrollWidth > part.clientWidth && part.clientWidth > 0),
  };
})`;

describe("the screen of an office laptop", () => {
  inBrowser("has every usual column whole, and what is dragged as wide as it was", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app#uf=SP");
    await page.locator('[data-row="2"]').waitFor();
    const edges = async () =>
      (await page.evaluate(EDGES)) as { readonly rights: number[]; readonly end: number };
    const { rights, end } = await edges();
    assert.equal(rights.length, 7);
    for (const right of rights) assert.ok(right <= end, `${right} is beyond ${end}`);
    const isDate = (text: string) => /^\d\d\/\d\d\/\d{4}$/.test(text);
    const cells = (await page.evaluate(CELLS)) as {
      readonly text: string;
      readonly cut: boolean;
    }[];
    const dates = cells.filter(({ text }) => isDate(text));
    assert.ok(dates.length > 5, "the dates of opening are shown");
    assert.deepEqual(
      dates.filter(({ cut }) => cut),
      [],
    );
    await page.locator('.table-heading[data-column="3"]').focus();
    const width = async () =>
      (await page.locator('.table-heading[data-column="3"]').boundingBox())?.width ?? 0;
    const before = await width();
    await page.keyboard.press("Alt+ArrowRight");
    assert.equal(Math.round((await width()) - before), 16);
  });

  inBrowser("has the way to districts and to lists where one looks for them", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app#uf=SP");
    const left = async (one: Locator) => (await one.boundingBox())?.x ?? Number.NaN;
    const rail = page.getByRole("complementary");
    assert.equal(
      await left(button(rail, find.district)),
      await left(rail.getByRole("combobox", { name: find.municipalities })),
    );
    const box = await button(rail, find.groups.lists).boundingBox();
    assert.ok(box !== null && box.y + box.height < SIZE.height, "the lists are in sight");
  });

  inBrowser("does not offer what nothing has", async (open) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    let left = 0;
    for (const text of [SENTENCE, "oficinas em SP", "padarias", "mercados", "hotéis"]) {
      const { suggestions } = await visit.send<TranslateAnswer>("/translate", { query_text: text });
      const found = suggestions.map(({ activities }) => activities.map(({ matches }) => matches));
      const none = found.flat().filter((count) => count === 0).length;
      if (none === 0 || found.some((counts) => !counts.some((count) => count > 0))) continue;
      left += none;
      await page.goto("about:blank");
      await visit.go(`/app#q=${encodeURIComponent(text)}`);
      await page.locator(".suggested").first().waitFor();
      for (const more of await page.locator(".suggestion .link").all()) await more.click();
      for (const count of await page.locator(".suggested-count").allTextContents()) {
        assert.notEqual(count, "0", text);
      }
    }
    assert.ok(left > 0, "no sentence has a choice that finds nothing");
    const picker = page.getByRole("combobox", { name: find.activities, exact: true });
    await picker.fill("padaria");
    await page.getByRole("option").first().waitFor();
    const offered = await page.getByRole("option").allTextContents();
    assert.deepEqual(
      offered.filter((one) => /\D0$/.test(one)),
      [],
    );
  });

  inBrowser("has ten rows with number, phone and e-mail below a sentence", async (open, report) => {
    const visit = await open(ana, SIZE);
    const { page } = visit;
    await visit.go("/app");
    await page.getByLabel(find.prompt, { exact: true }).fill(SENTENCE);
    await button(page, find.promptSubmit).click();
    assert.notEqual(await countOf(visit), "0");
    await page.locator(".suggestion").first().waitFor();
    await page.locator('[data-row="12"]').waitFor({ state: "attached" });
    const { rows, headings } = (await page.evaluate(IN_SIGHT)) as Sight;
    report(`${rows} rows, ${headings.join(", ")}`);
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
      await page.locator(".meaning").waitFor();
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
    // The heading appears before the bars for the days, so the test waits for the bars.
    await field.locator("rect").first().waitFor();
    const reading = page.locator(".plot-reading").first();
    const sum = await reading.textContent();
    await field.hover();
    assert.notEqual(await reading.textContent(), sum);
    await page.mouse.move(0, 0);
    assert.equal(await reading.textContent(), sum);
  });
});
