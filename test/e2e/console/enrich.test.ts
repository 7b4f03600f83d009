/**
 * Proves, in Chromium against a real server: a spreadsheet that is chosen, dropped on any view, or
 * pasted into the search box is shown as it was read, with its first rows filled in and its cost.
 * Rows that are no CNPJs show the reason. The user can choose another column, restore zeros, and
 * choose columns, language, and kind. The file is made, downloaded, listed by its name, and made
 * again. A quota that is too small stops it before it starts. One pasted CNPJ stays a look-up. At
 * three widths, light and dark, in both languages, axe finds nothing and nothing overflows.
 * Does not prove: the cells of the file (contract/export/enrichment, contract/export/converted).
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { ExportList, ExportView, SearchPage } from "../../../src/console/web/app/answers.ts";
import { number } from "../../../src/console/web/app/format.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, dropFile, entry, heading } from "../../support/console/suite.ts";
import { englishWords, portugueseWords as words } from "../../support/console/words.ts";

const { enrich, exports, find, shell } = words;
const SPEC = { filters: { geo: { uf_any_of: ["SP"] } } };

let ana: Person;
let free: Person;
const suite = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
  free = await served.user("bia@example.com", "owner", "small");
  await served.key("starter", "small");
});
const { inBrowser } = suite;

async function someCnpjs(visit: Visit, limit: number): Promise<string[]> {
  const { accounts } = await visit.send<SearchPage>("/accounts/search", { spec: SPEC, limit });
  return accounts.map(({ cnpj }) => cnpj);
}

/**
 * Returns a file of CNPJs. One row is a CPF, one is a mistyped CNPJ, and one is a CNPJ that is not
 * in the snapshot.
 */
async function sheet(visit: Visit, rows = 30): Promise<{ text: string; cnpjs: string[] }> {
  const cnpjs = await someCnpjs(visit, rows);
  const lines = cnpjs.map((cnpj, at) => `${at};${cnpj};Cliente ${at}`);
  lines.splice(2, 0, "x;123.456.789-09;Maria", "y;11222333000182;Errado", "z;11222333000181;Fora");
  return { text: `id;CNPJ;nome\r\n${lines.join("\r\n")}\r\n`, cnpjs };
}

const asFile = (text: string, name = "clientes.csv") => {
  return { name, mimeType: "text/csv", buffer: Buffer.from(text) };
};

async function choose({ page }: Visit, text: string, name?: string): Promise<void> {
  await page.locator(".enrich-drop input").setInputFiles(asFile(text, name));
  await page.locator(".enrich-table").waitFor();
}

function counts({ page }: Visit): Promise<string[]> {
  return page.locator(".enrich-counts b").allTextContents();
}

/** Pastes a text into the search box. Returns false if the text stays in the box. */
async function paste({ page }: Visit, text: string): Promise<boolean> {
  await page.locator("#ask").waitFor();
  return await page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.setData("text", ${JSON.stringify(text)});
      const box = document.querySelector("#ask");
      box.focus();
      const event = new ClipboardEvent("paste", {
        clipboardData: data, bubbles: true, cancelable: true,
      });
      return !box.dispatchEvent(event);
    })()`,
  );
}

async function finished(visit: Visit): Promise<ExportView> {
  let record: ExportView | undefined;
  await eventually(async () => {
    record = (await visit.getJson<ExportList>("/exports?limit=1")).exports[0];
    assert.equal(record?.status, "done");
  });
  return record as ExportView;
}

describe("a spreadsheet", () => {
  inBrowser("is understood, filled in, downloaded, listed, and made again", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const { text, cnpjs } = await sheet(visit);
    await visit.go("/app/enrich");
    await heading(visit, enrich.title).waitFor();
    await choose(visit, text);
    const facts = await page.locator(".card .record-facts").first().innerText();
    for (const fact of [enrich.header("1"), exports.rows(33), enrich.delimiters[";"] as string]) {
      assert.ok(facts.includes(fact), `${fact} in ${facts}`);
    }
    assert.deepEqual(await counts(visit), ["30", "1", "2", "0"]);
    assert.equal(await page.locator(".enrich-table tbody tr").count(), 20);
    await page.getByText(enrich.seeRefused(2)).click();
    const refused = await page.locator(".lists-refused tbody tr").allTextContents();
    assert.equal(refused.length, 2);
    assert.match(refused[0] as string, /^4\*\*\*\.\*\*\*\.\*\*\*-\*\*/);
    assert.doesNotMatch(await page.locator(".lists-refused").innerText(), /123\.456/);
    await page.getByText(exports.presetAll, { exact: true }).click();
    const all = await page.locator(".enrich-table thead .enrich-ours").count();
    await page.getByText(exports.presetContact, { exact: true }).click();
    assert.ok((await page.locator(".enrich-table thead .enrich-ours").count()) < all);
    await page.getByRole("radio", { name: "Excel" }).check();
    await button(page, enrich.start("33")).click();
    const link = page.getByRole("link", { name: exports.download });
    await link.waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    assert.match(download.suggestedFilename(), /clientes.*\.xlsx$/);
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.toString("latin1", 0, 2), "PK");
    const record = await finished(visit);
    assert.deepEqual([record.kind, record.format, record.row_count], ["enrichment", "xlsx", 33]);
    await page.getByRole("link", { name: enrich.inExports }).click();
    const title = enrich.kind("clientes");
    await page.getByText(title).first().waitFor();
    await button(page, exports.menu(title)).click();
    assert.equal(await entry(visit, exports.useQuery).count(), 0, "it is no search");
    await entry(visit, exports.again).click();
    await eventually(async () => {
      const { exports: listed } = await visit.getJson<ExportList>("/exports?limit=5");
      const both = listed.filter(({ kind }) => kind === "enrichment");
      assert.deepEqual(
        both.map(({ status, size_bytes: size }) => [status, size]),
        [
          ["done", record.size_bytes],
          ["done", record.size_bytes],
        ],
      );
    });
    assert.equal(cnpjs.length, 30);
    visit.expect(410);
    rmSync(join(suite.served.dataDir, "sent"), { recursive: true });
    await visit.go("/app/exports");
    await button(page, exports.menu(title)).first().click();
    await entry(visit, exports.again).click();
    await page.getByText(enrich.sentGone).waitFor();
    mkdirSync(join(suite.served.dataDir, "sent"), { mode: 0o700 });
  });

  inBrowser("is read by another column, with its zeros, in another language", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const cnpjs = await someCnpjs(visit, 400);
    const lost = cnpjs.find((cnpj) => cnpj.startsWith("0")) as string;
    const [first = ""] = cnpjs;
    await visit.go("/app/enrich");
    await choose(visit, `CNPJ;outro\n${Number(lost)};${first}\n${first};${first}\n`);
    assert.deepEqual(await counts(visit), ["1", "0", "1", "0"]);
    await page.getByLabel(enrich.fillZeros(1)).check();
    await eventually(async () => assert.deepEqual(await counts(visit), ["2", "0", "0", "0"]));
    await page.getByRole("radio", { name: enrich.labelNames.en }).check();
    await page.getByText(englishWords.enrich.status.en, { exact: true }).waitFor();
    await page.getByText("Found", { exact: true }).first().waitFor();
    await page.getByLabel(enrich.column).selectOption("2");
    await eventually(async () => {
      const key = page.locator(".enrich-table thead th[data-key=true]");
      assert.equal(await key.textContent(), "outro");
    });
  });

  inBrowser("that has no column of CNPJs asks for one", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    visit.expect(422);
    const [cnpj = ""] = await someCnpjs(visit, 1);
    await visit.go("/app/enrich");
    const text = `a;b\nx;${cnpj.slice(0, 8)}\ny;87654321\n`;
    await page.locator(".enrich-drop input").setInputFiles(asFile(text));
    await page.getByText(enrich.notRead).waitFor();
    await page.getByLabel(enrich.column).fill("b");
    await button(page, enrich.readAgain).click();
    await page.locator(".enrich-table").waitFor();
    assert.equal((await counts(visit))[0], "1");
  });

  inBrowser("is taken where it is dropped, on every view", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const { text } = await sheet(visit, 5);
    for (const [path, onto] of [
      ["/app", ".find"],
      ["/app/lists", ".page"],
      ["/app/usage", ".page"],
      ["/app/enrich", ".page"],
    ] as const) {
      await visit.go(path);
      await page.locator(onto).first().waitFor();
      await dropFile(visit, onto, text, "solta.csv");
      await page.locator(".enrich-table").waitFor();
      assert.match(await page.locator(".enrich-file").innerText(), /solta\.csv/);
      assert.ok(page.url().endsWith("/app/enrich"), page.url());
    }
  });

  inBrowser("may be CNPJs pasted into the box; one of them is looked up", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const cnpjs = await someCnpjs(visit, 200);
    await visit.go("/app");
    assert.equal(await paste(visit, cnpjs.join("\n")), true);
    await page.locator(".enrich-table").waitFor();
    assert.deepEqual(await counts(visit), ["200", "0", "0", "0"]);
    for (const text of [cnpjs.slice(0, 3).join(", "), cnpjs.slice(0, 3).join(" ")]) {
      await visit.go("/app");
      await page.locator("#ask").fill(text);
      await button(page, find.promptSubmit).click();
      await page.locator(".enrich-table").waitFor();
      assert.deepEqual(await counts(visit), ["3", "0", "0", "0"], text);
    }
    await visit.go("/app");
    assert.equal(await paste(visit, cnpjs[0] as string), false, "it stays in the box");
    await page.locator("#ask").fill(cnpjs[0] as string);
    await button(page, find.promptSubmit).click();
    await page.locator(".company").waitFor();
  });

  inBrowser("beyond the plan is refused before it starts", async (open) => {
    const visit = await open(free);
    const { page } = visit;
    const { limits, usage } = await visit.getJson<{
      limits: Record<string, number>;
      usage: { export_rows_left: number | null };
    }>("/status");
    const most = Math.min(limits.export_rows as number, usage.export_rows_left ?? Infinity);
    const [cnpj = ""] = await someCnpjs(visit, 1);
    await visit.go("/app/enrich");
    await choose(visit, `CNPJ\n${`${cnpj}\n`.repeat(most + 1)}`);
    const start = button(page, enrich.start(number(most + 1)));
    assert.equal(await start.getAttribute("aria-disabled"), "true");
    assert.match(await page.locator(".enrich-cost").innerText(), new RegExp(number(most)));
  });
});

describe("the view", () => {
  for (const [width, height] of [
    [1440, 900],
    [1366, 768],
    [390, 844],
  ] as const) {
    for (const [locale, spoken, dark] of [
      ["pt-BR", words, false],
      ["en-GB", englishWords, true],
    ] as const) {
      inBrowser(`is in order at ${width} px, ${locale}`, async (open) => {
        const visit = await open(ana, { width, height, locale, dark, before: AXE });
        const { page } = visit;
        const { text } = await sheet(visit, 25);
        const found: string[] = [];
        const look = async (place: string) => {
          await page.waitForLoadState("networkidle");
          const wide = "document.documentElement.scrollWidth - innerWidth";
          const beside = Number(await page.evaluate(wide));
          if (beside > 0) found.push(`${place}: ${beside} px beside the window`);
          found.push(...(await findingsOf(visit, place, TAGS)));
        };
        await visit.go("/app/enrich");
        await heading(visit, spoken.enrich.title).waitFor();
        await look("empty");
        await choose(visit, text);
        await look("filled");
        await button(page, spoken.enrich.start("28")).focus();
        await page.keyboard.press("Enter");
        await page.getByRole("link", { name: spoken.exports.download }).waitFor();
        await look("made");
        assert.deepEqual(found, []);
        assert.ok(spoken.shell.views.enrich !== "");
      });
    }
  }
});

// This suite runs in another language than English, so its texts must differ from the English ones.
assert.notEqual(shell.views.enrich, englishWords.shell.views.enrich);
