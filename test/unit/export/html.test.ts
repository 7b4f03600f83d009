/**
 * Proves: an exported page, read by an independent parser and by Chromium, has the search's values
 * cell by cell, hostile texts included. Nothing in the page runs, is fetched, or violates its
 * Content-Security-Policy. It states snapshot, filters, and counts. Its headings, regions, and
 * contrasts are accessible. It is readable on a phone, in the dark theme, and on paper. Does not
 * prove: how other browsers draw it, nor the speech of a screen reader.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { explainColumns } from "../../../src/export/formats/explained.ts";
import { openHtmlRenderer, SMALL_TABLE_ROWS_MAX } from "../../../src/export/formats/html/html.ts";
import { pageStyle } from "../../../src/export/formats/html/pagestyle.ts";
import { columnLabel } from "../../../src/export/formats/labels.ts";
import { OUTPUT_FIELD_NAMES } from "../../../src/spec/fields.ts";
import { elements, type PageElement, readPage } from "../../support/export/readers.ts";
import {
  batchesOf,
  contextOf,
  type ExportOptions,
  openRenderFixture,
  type RenderFixture,
  renderedBytes,
  searched,
} from "../../support/native-index/render-fixture.ts";

const CHROMIUM = "/usr/bin/chromium";
const TITLE = "Company accounts, snapshot 2026-10";

let fixture: RenderFixture;
let folder: string;
before(async () => {
  fixture = await openRenderFixture();
  folder = mkdtempSync(join(tmpdir(), "peneira-page-"));
});
after(() => {
  fixture.dispose();
  rmSync(folder, { recursive: true });
});

/** Renders a page of rows. `matches` is the number of matches without the limit. */
async function pageOf(
  rows: Uint32Array,
  options: Partial<ExportOptions> = {},
  matches = rows.length,
) {
  const context = contextOf(fixture.segment, { format: "html", rowCount: rows.length, ...options });
  const batches = batchesOf(rows, 128);
  return (await renderedBytes(openHtmlRenderer, { ...context, matches }, batches)).toString();
}

/** Returns the text of the cell for a value of a search. */
function cellOf(value: unknown): string {
  if (value === null) return "";
  const text = Array.isArray(value) ? value.join(", ") : plain(value);
  // The writer replaces characters that HTML forbids, and preserves line ends.
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, "\ufffd");
}

function plain(value: unknown): string {
  if (typeof value !== "number" || Number.isInteger(value)) return String(value);
  return value.toFixed(2).replace(/0$/, "");
}

function wantedCells(rows: Uint32Array): string[][] {
  return searched(fixture.segment, rows, OUTPUT_FIELD_NAMES).map((account) =>
    OUTPUT_FIELD_NAMES.map((field) => cellOf(account[field])),
  );
}

function only(page: PageElement, name: string): PageElement {
  const found = elements(page, name);
  assert.equal(found.length, 1, `one ${name}`);
  return found[0] as PageElement;
}

describe("an exported page", () => {
  it("marks cells as text for Excel, none as formulas, except for numbers", () => {
    const style = pageStyle([], false);
    assert.match(style, /\nth,td\{mso-number-format:"\\@"\}\n\.n\{mso-number-format:General\}\n/);
  });

  it("has the cells of the search under human headings, for any texts", async () => {
    const page = readPage(await pageOf(fixture.rows));
    const headings = elements(only(page, "thead"), "th");
    assert.deepEqual(
      headings.map(({ text, attributes }) => [text, attributes.scope]),
      OUTPUT_FIELD_NAMES.map((name) => [columnLabel(name).heading, "col"]),
    );
    assert.equal(new Set(headings.map(({ text }) => text)).size, headings.length);
    const rows = elements(only(page, "tbody"), "tr");
    assert.deepEqual(
      rows.map(({ children }) => children.map(({ text }) => text)),
      wantedCells(fixture.rows),
    );
    for (const { children } of rows) {
      assert.deepEqual([children[0]?.name, children[0]?.attributes.scope], ["th", "row"]);
      assert.ok(children.slice(1).every(({ name }) => name === "td"));
    }
  });

  it("has the columns of an explanation, each with a heading and a meaning", async () => {
    const rows = fixture.rows.slice(0, 5);
    const page = readPage(await pageOf(rows, { explain: true, fields: ["cnpj", "score"] }));
    const { spec } = contextOf(fixture.segment, { format: "html", explain: true, rowCount: 5 });
    const headings = elements(only(page, "thead"), "th").map(({ text }) => text);
    assert.equal(headings.length, 2 + explainColumns(spec).length);
    assert.equal(new Set(headings).size, headings.length);
    const meanings = elements(elements(page, "section").at(-1) as PageElement, "dt");
    assert.deepEqual(
      meanings.map(({ text }) => text),
      headings,
    );
  });

  it("states snapshot, provenance, filters, rows, matches, and a limit that cuts", async () => {
    const rows = fixture.rows.slice(0, 12);
    const cut = readPage(await pageOf(rows, {}, 1_234));
    const terms = elements(cut, "dt").map(({ text }) => text);
    const values = elements(cut, "dd").map(({ text }) => text);
    const described = (label: string) => values[terms.indexOf(label)];
    assert.equal(described("Snapshot"), "2026-10");
    assert.equal(described("Reference date"), "2026-10-10");
    assert.equal(described("Population of the year"), "2025");
    assert.equal(described("Sanctions as of"), "not available");
    assert.equal(described("Rows in this file"), "12");
    assert.equal(described("Accounts that match"), "1,234");
    assert.equal(described("States"), "Rio de Janeiro (RJ)São Paulo (SP)");
    assert.match(only(cut, "main").text, /12 accounts, of 1,234 that match\./);
    assert.match(only(cut, "main").text, /The limit of the export left the other matches out/);
    const whole = readPage(await pageOf(rows));
    assert.doesNotMatch(only(whole, "main").text, /left the other matches out/);
    assert.match(only(readPage(await pageOf(fixture.rows.slice(0, 0))), "main").text, /0 accounts/);
  });

  it("references nothing outside, runs nothing, and has a policy that fits its style", async () => {
    const text = await pageOf(fixture.rows.slice(0, 40));
    const page = readPage(text);
    const style = only(page, "style").text;
    const hash = createHash("sha256").update(style).digest("base64");
    const policy = elements(page, "meta").find(
      ({ attributes }) => attributes["http-equiv"] === "Content-Security-Policy",
    );
    assert.equal(
      policy?.attributes.content,
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
    for (const name of ["script", "img", "link", "iframe", "form", "object", "svg"]) {
      assert.deepEqual(elements(page, name), [], name);
    }
    assert.doesNotMatch(style, /url\(|@import/);
    const addresses = elements(page, "a").map(({ attributes }) => attributes.href);
    assert.deepEqual(addresses, ["#accounts"]);
  });

  it("does not contain the time of its creation", async (test) => {
    const rows = fixture.rows.slice(0, 40);
    const now = await pageOf(rows);
    test.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2031, 4, 6) });
    assert.equal(await pageOf(rows), now);
  });

  it("is accessible to people who cannot see it or use no mouse", async () => {
    const page = readPage(await pageOf(fixture.rows.slice(0, 3)));
    assert.equal(only(page, "html").attributes.lang, "en");
    assert.equal(only(page, "tbody").attributes.lang, "pt-BR");
    assert.equal(only(page, "title").text, only(page, "h1").text);
    assert.ok(only(page, "caption").text.length > 0);
    const ids = ["section", "h2", "div"].flatMap((name) =>
      elements(page, name).flatMap(({ attributes }) => attributes.id ?? []),
    );
    assert.equal(new Set(ids).size, ids.length);
    for (const name of ["section", "div"]) {
      for (const { attributes } of elements(page, name)) {
        if (attributes["aria-label"] !== undefined) continue;
        assert.ok(ids.includes(attributes["aria-labelledby"] ?? ""), JSON.stringify(attributes));
      }
    }
    const region = elements(page, "div").find(({ attributes }) => attributes.class === "scroll");
    assert.deepEqual([region?.attributes.role, region?.attributes.tabindex], ["region", "0"]);
  });
});

describe("pageStyle", () => {
  it("keeps a contrast of 4.5:1 between every ink and every ground, in light and dark", () => {
    const style = pageStyle([columnLabel("cnpj")], true);
    const schemes = [...style.matchAll(/:root\{(?:color-scheme:light dark;)?(--ink[^}]*)\}/g)];
    assert.equal(schemes.length, 3, "light, dark and paper");
    for (const [, declarations = ""] of schemes) {
      const colours = Object.fromEntries(
        [...declarations.matchAll(/--(\w+):(#[0-9a-f]{6})/g)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
      for (const ink of ["ink", "soft", "accent"]) {
        if (colours[ink] === undefined) continue;
        for (const ground of ["paper", "panel"]) {
          const ratio = contrast(colours[ink] as string, colours[ground] as string);
          assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
        }
      }
    }
  });
});

/** Returns the contrast ratio of two colors (WCAG 2.2, 1.4.3). */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("an exported page in Chromium", () => {
  let browser: Browser | undefined;
  before(async () => {
    if (!existsSync(CHROMIUM)) return;
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  });
  after(() => browser?.close());

  /** Opens a page of rows in the browser. Adds forbidden actions of the page to `offences`. */
  async function opened(
    test: TestContext,
    rows: Uint32Array,
    offences: string[] = [],
    options: Partial<ExportOptions> = {},
  ) {
    if (browser === undefined) {
      test.skip(`there is no browser at ${CHROMIUM}`);
      return undefined;
    }
    const path = join(folder, "page.html");
    writeFileSync(path, await pageOf(rows, options));
    const url = pathToFileURL(path).href;
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.on("dialog", (dialog) => {
      offences.push(`dialog ${dialog.message()}`);
      dialog.dismiss();
    });
    page.on("console", (message) => offences.push(`console ${message.text()}`));
    page.on("pageerror", (error) => offences.push(`error ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== url) offences.push(`request ${request.url().slice(0, 80)}`);
    });
    await page.goto(url);
    return page;
  }

  const styleOf = (page: Page, selector: string, property: string, pseudo: string | null = null) =>
    page.evaluate(
      ([select, name, before]) => {
        const scope = globalThis as never as {
          document: { querySelector(text: string): unknown };
          getComputedStyle(
            element: unknown,
            pseudo: string | null,
          ): {
            getPropertyValue(name: string): string;
          };
        };
        const element = scope.document.querySelector(select as string);
        return scope.getComputedStyle(element, before ?? null).getPropertyValue(name as string);
      },
      [selector, property, pseudo] as const,
    );

  /**
   * Waits until the rows have scrolled. Polls from outside, because the page's policy forbids
   * waiting inside the page.
   */
  async function scrolledTo(page: Page, least: number): Promise<void> {
    const place = () => page.evaluate("document.querySelector('.scroll').scrollTop");
    while (Number(await place()) < least) await page.waitForTimeout(20);
  }

  it("shows the same cells, and no text of the registry runs or fetches", async (test) => {
    const offences: string[] = [];
    const page = await opened(test, fixture.rows, offences);
    if (page === undefined) return;
    const cells = await page.$$eval("tbody tr", (rows) =>
      rows.map((row) =>
        [...(row as never as { cells: Iterable<{ textContent: string }> }).cells].map(
          ({ textContent }) => textContent,
        ),
      ),
    );
    assert.deepEqual(cells, wantedCells(fixture.rows));
    await page.hover("tbody tr:nth-child(3) td");
    assert.equal(await page.title(), TITLE);
    assert.deepEqual(offences, []);
    await page.close();
  });

  it("keeps its header visible, and scrolls by keyboard", async (test) => {
    const page = await opened(test, fixture.rows);
    if (page === undefined) return;
    await page.keyboard.press("Tab");
    const focused = await page.$eval(":focus", (element) => element.textContent);
    assert.equal(focused, "Skip to the accounts");
    await page.focus(".scroll");
    await page.keyboard.press("End");
    await scrolledTo(page, 500);
    const region = await page.locator(".scroll").boundingBox();
    for (const cell of await page.locator("thead th").all()) {
      const box = await cell.boundingBox();
      assert.ok(box !== null && region !== null);
      assert.ok(Math.abs(box.y - region.y) < 3, `${box.y} at the top ${region.y}`);
    }
    await page.close();
  });

  it("with many rows keeps columns under a visible header, and prints", async (test) => {
    const rows = Uint32Array.from(
      { length: SMALL_TABLE_ROWS_MAX + 1 },
      (_, i) => i % fixture.rows.length,
    );
    const fields = ["cnpj", "legal_name", "uf", "share_capital"];
    const page = await opened(test, rows, [], { fields });
    if (page === undefined) return;
    assert.equal(await styleOf(page, "tbody tr", "content-visibility"), "auto");
    await page.focus(".scroll");
    await page.keyboard.press("End");
    await scrolledTo(page, 20_000);
    const heads = await page.locator("thead th").all();
    const region = await page.locator(".scroll").boundingBox();
    for (const [column, head] of heads.entries()) {
      const wanted = await head.boundingBox();
      assert.ok(Math.abs((wanted?.y ?? 0) - (region?.y ?? 0)) < 3);
      const last = page.locator(`tbody tr:last-child>:nth-child(${column + 1})`);
      const box = await last.boundingBox();
      assert.deepEqual([box?.x, box?.width], [wanted?.x, wanted?.width]);
    }
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await styleOf(page, "tbody tr", "display"), "block");
    await page.emulateMedia({ media: "print" });
    assert.equal(await styleOf(page, "tbody tr", "display"), "table-row");
    assert.equal(await styleOf(page, "tbody tr", "content-visibility"), "visible");
    await page.close();
  });

  it("remains a table for screen readers, wide and on a phone", async (test) => {
    const rows = fixture.rows.slice(0, 7);
    const page = await opened(test, rows);
    if (page === undefined) return;
    const client = await page.context().newCDPSession(page);
    for (const width of [1200, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const { nodes } = await client.send("Accessibility.getFullAXTree");
      const count = (role: string): number =>
        nodes.filter((node) => node.role?.value === role).length;
      const columns = OUTPUT_FIELD_NAMES.length;
      assert.equal(count("table"), 1);
      assert.equal(count("row"), rows.length + 1);
      assert.equal(count("columnheader"), columns);
      assert.equal(count("rowheader"), rows.length);
      const empty: number = width === 390 ? await page.locator("tbody td:empty").count() : 0;
      assert.equal(count("cell"), rows.length * (columns - 1) - empty);
    }
    await page.close();
  });

  it("is a card per row on a phone, every value with its heading", async (test) => {
    const page = await opened(test, fixture.rows.slice(0, 30));
    if (page === undefined) return;
    await page.setViewportSize({ width: 390, height: 800 });
    assert.equal(await styleOf(page, "tbody td", "display"), "grid");
    for (const [column, name] of OUTPUT_FIELD_NAMES.entries()) {
      const cell = `tbody tr>:nth-child(${column + 1})`;
      const content = await styleOf(page, cell, "content", "::before");
      assert.equal(content, `"${columnLabel(name).heading}"`);
    }
    const width = await page.evaluate("document.documentElement.scrollWidth");
    assert.ok(Number(width) <= 390, `nothing is wider than the phone: ${width}`);
    await page.close();
  });

  it("is dark on request, and has no scroll region on paper", async (test) => {
    const page = await opened(test, fixture.rows.slice(0, 100));
    if (page === undefined) return;
    await page.emulateMedia({ colorScheme: "dark" });
    assert.equal(await styleOf(page, "body", "background-color"), "rgb(18, 24, 21)");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(await styleOf(page, "body", "background-color"), "rgb(255, 255, 255)");
    assert.equal(await styleOf(page, ".scroll", "overflow"), "visible");
    assert.equal(await styleOf(page, "thead", "display"), "table-header-group");
    assert.equal(await styleOf(page, "tbody tr", "break-inside"), "avoid");
    const paper = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const sheets = [...paper.matchAll(/\/Type\s*\/Page\b/g)].length;
    assert.ok(sheets > 3, `${sheets} sheets`);
    await page.close();
  });
});
