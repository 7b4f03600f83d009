/**
 * Proves: a page with labels, in both languages, has the rows before the information about their
 * source. No text of an account becomes an element, an attribute, or a script. The page's
 * Content-Security-Policy allows only the page's own style and search script. Links equal those of
 * the page without labels, and the title is the requested one. In Chromium, the page's search finds
 * rows by names without accents and by numbers without punctuation, and nothing violates the
 * policy, even on a phone.
 * Does not prove: the texts of cells (unit/native-index/rows), nor other browsers.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { openHtmlRenderer } from "../../../src/export/formats/html/html.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { elements, readPage } from "../../support/export/readers.ts";
import {
  batchesOf,
  contextOf,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
  searched,
} from "../../support/native-index/render-fixture.ts";

const CHROMIUM = "/usr/bin/chromium";

let fixture: RenderFixture;
let folder: string;
before(async () => {
  fixture = await openRenderFixture();
  folder = mkdtempSync(join(tmpdir(), "peneira-people-"));
});
after(() => {
  fixture.dispose();
  rmSync(folder, { recursive: true });
});

async function pageOf(rows: Uint32Array, people: { labels: "pt" | "en"; title?: string }) {
  const context = contextOf(fixture.segment, { format: "html", rowCount: rows.length, people });
  return (await renderedBytes(openHtmlRenderer, context, batchesOf(rows, 128))).toString();
}

function sha256(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

describe("a page for people", () => {
  it("has the rows first, in the language of its labels", async () => {
    const stated = { pt: ["pt-BR", "Origem", "Filtros e ordem"], en: ["en", "Source", "Filters"] };
    for (const labels of ["pt", "en"] as const) {
      const text = await pageOf(fixture.rows, { labels });
      const [lang, ...sections] = stated[labels];
      assert.ok(text.includes(`<html lang="${lang}">`));
      const end = text.indexOf("</tbody>");
      assert.ok(end > 0);
      for (const section of sections) assert.ok(text.indexOf(section) > end, section);
      assert.equal(text.includes("Company accounts"), false);
    }
  });

  it("has one script and one style, those of its policy, for any texts", async () => {
    const text = await pageOf(fixture.rows, { labels: "pt", title: "</title><script>x</script>" });
    const page = readPage(text);
    const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? "";
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
    assert.equal(elements(page, "script").length, 1);
    assert.equal(elements(page, "tr").length, fixture.rows.length + 1);
    for (const name of ["img", "svg", "iframe", "form"]) {
      assert.deepEqual(elements(page, name), []);
    }
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(text)?.[1] ?? "";
    assert.equal(
      policy.replaceAll("&#39;", "'"),
      `default-src 'none'; style-src ${sha256(style)}; script-src ${sha256(script)}; ` +
        "base-uri 'none'; form-action 'none'",
    );
  });

  it("links to e-mails and phones as the machine form does", async () => {
    const text = await pageOf(fixture.rows, { labels: "pt" });
    const links = [...text.matchAll(/<a href="(\w+):([^"]*)">/g)].map(([, kind, to]) => [kind, to]);
    const wanted = searched(fixture.segment, fixture.rows, OUTPUT_FIELD_NAMES);
    const phones = wanted.flatMap(({ phone_1, phone_2 }) => [phone_1, phone_2]).filter(Boolean);
    assert.deepEqual(
      links.filter(([kind]) => kind === "tel").map(([, to]) => to),
      phones,
    );
    const mails = new Set(wanted.map(({ email }) => email));
    const found = links.filter(([kind]) => kind === "mailto").map(([, to]) => to);
    for (const mail of found) assert.ok(mails.has(mail), mail);
  });

  it("finds rows in a browser", async (test) => {
    if (!existsSync(CHROMIUM)) return test.skip(`there is no browser at ${CHROMIUM}`);
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    try {
      const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
      const offences: string[] = [];
      page.on("console", (message) => offences.push(message.text()));
      page.on("pageerror", (error) => offences.push(String(error)));
      page.on("request", (requested) => {
        if (!requested.url().startsWith("file:")) offences.push(requested.url());
      });
      const file = join(folder, "page.html");
      writeFileSync(file, await pageOf(fixture.rows, { labels: "pt", title: "Padarias de BH" }));
      await page.goto(pathToFileURL(file).href);
      assert.equal(await page.title(), "Padarias de BH");
      assert.equal(await page.locator("h1").textContent(), "Padarias de BH");
      const [first] = searched(fixture.segment, fixture.rows.subarray(0, 1), ["cnpj"]);
      await page.getByRole("searchbox").fill(String(first?.cnpj).toLowerCase());
      await page.waitForFunction(() => document.getElementById("n")?.textContent !== "");
      const shown = await page.locator("tbody tr:visible").allTextContents();
      assert.ok(shown.length >= 1 && shown.length < fixture.rows.length, String(shown.length));
      await page.getByRole("searchbox").fill("");
      await page.waitForFunction(() => document.getElementById("n")?.textContent === "");
      assert.equal(await page.locator("tbody tr:visible").count(), fixture.rows.length);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${wide} pixels wide on a phone`);
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.getByRole("searchbox").isVisible(), false);
      assert.deepEqual(offences, []);
    } finally {
      await browser.close();
    }
  });
});
