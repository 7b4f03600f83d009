/**
 * Proves that no text from outside becomes markup or runs as a script. It is shown as written. Such
 * texts are names, addresses, and e-mails of companies, names that users give to searches and keys,
 * sentences, and links.
 * Does not prove: the files of exports (unit/export/html.test.ts, e2e/export/hostile.test.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import {
  Field,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Schema,
  Struct,
  tableFromIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import type { SampleSnapshot } from "../../support/sample/snapshot.ts";

const { find, table, commands } = words;

/** Texts (canaries) that leave a trace, run, or fetch something if treated as markup. */
const CANARIES = [
  '<img src=x onerror="globalThis.ran=1"><b data-canary>b</b>',
  '"><script>globalThis.ran=1</script><i data-canary>',
  "' onfocus=globalThis.ran=1 autofocus data-canary='",
  "javascript:globalThis.ran=1",
  "{{globalThis.ran=1}}</title></style><svg/onload=globalThis.ran=1>",
] as const;
const TEXT_COLUMNS = ["legal_name", "trade_name", "district", "street", "email"];
const canary = (at: number) => CANARIES[at % CANARIES.length] as string;

let ana: Person;
const suite = consoleSuite({ accounts: 600, snapshot: withCanaries }, async (served) => {
  ana = await served.user("ana@example.com");
});

/** Writes the sample with canaries in every text column, and returns the path. */
function withCanaries(sample: SampleSnapshot): string {
  const table = tableFromIPC(readFileSync(sample.snapshot));
  const writer = new RecordBatchFileWriter();
  for (const batch of table.batches) {
    const fields: Field[] = [];
    const children = batch.schema.fields.map((field, column) => {
      const at = TEXT_COLUMNS.indexOf(field.name);
      fields.push(at < 0 ? field : new Field(field.name, new Utf8(), true, field.metadata));
      if (at < 0) return batch.data.children[column] as never;
      const texts = Array.from({ length: batch.numRows }, (_, row) => canary(row + at));
      return vectorFromArray(texts, new Utf8()).data[0] as never;
    });
    const schema = new Schema(fields, batch.schema.metadata);
    const data = makeData({ type: new Struct(fields), length: batch.numRows, children });
    writer.write(new RecordBatch(schema, data));
  }
  writer.finish();
  const path = join(sample.folder, "canaries.arrow");
  writeFileSync(path, writer.toUint8Array(true));
  return path;
}

/** Fails if a canary became markup, ran, or fetched something. */
async function unharmed({ page, requests }: Visit): Promise<void> {
  assert.equal(await page.evaluate("globalThis.ran"), undefined, "nothing ran");
  assert.equal(await page.locator("[data-canary]").count(), 0, "nothing became an element");
  const links = await page.locator("a[href^='javascript:']").count();
  assert.equal(links, 0, "nothing became a link");
  const known = / \/(v1\/console\/|app(\/|$))/;
  assert.deepEqual(
    requests.filter((one) => !known.test(one)),
    [],
  );
}

describe("texts of the registry", () => {
  suite.inBrowser(
    "are shown as they are, in the table, on a phone and in the drawer",
    async (open) => {
      const visit = await open(ana);
      const { page } = visit;
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto("about:blank");
        await visit.go("/app#uf=SP");
        await page.getByRole("grid").waitFor();
        const text = await page.getByRole("grid").innerText();
        assert.ok(
          CANARIES.slice(0, 2).some((one) => text.includes(one)),
          text.slice(0, 300),
        );
        await page.locator("[data-row='1'] [data-column='0']").click();
        const drawer = page.getByRole("dialog");
        await drawer.getByText(table.drawer.why).waitFor();
        await page.waitForLoadState("networkidle");
        const shownText = await drawer.innerText();
        const shown = CANARIES.filter((one) => shownText.includes(one));
        assert.ok(shown.length >= 3, shownText);
        await unharmed(visit);
      }
    },
  );
});

describe("texts that users typed", () => {
  suite.inBrowser(
    "are shown as they are: sentence, link, searches, keys, exports",
    async (open) => {
      const visit = await open(ana);
      const { page } = visit;
      const hint = canary(0).slice(0, 60);
      const spec = { filters: { industry: { text_hints: ["script img onerror"] } } };
      for (const name of CANARIES) {
        await visit.send("/searches", { name, text: `padarias ${name}`, spec });
        await visit.send("/keys", { name });
      }
      await visit.send("/exports", { spec, output: { format: "csv" } });
      for (const view of ["saved", "keys", "exports", "usage"]) {
        await visit.go(`/app/${view}`);
        await page.locator("h1").waitFor();
        await page.waitForLoadState("networkidle");
        const text = await page.locator("main").innerText();
        const listed = view === "saved" || view === "keys";
        if (listed) for (const one of CANARIES) assert.ok(text.includes(one), `${view}: ${one}`);
        await unharmed(visit);
      }
      for (const sentence of CANARIES) {
        await page.goto("about:blank");
        await visit.go("/app");
        await page.getByLabel(find.prompt, { exact: true }).fill(`padarias em SP ${sentence}`);
        await button(page, find.promptSubmit).click();
        await page.locator(".meaning, .ask-error").first().waitFor();
        await unharmed(visit);
      }
      const link = [`q=${hint}`, `name=${hint}`, `uf=${hint}`, `${hint}=x`].map(encodeURIComponent);
      for (const hash of [link.join("&"), `name=${link[0]}&q=${link[1]}&uf=SP`, hint, "%E0%A4%A"]) {
        await page.goto("about:blank");
        await visit.go(`/app#${hash}`);
        await page.locator("h1").waitFor({ state: "attached" });
        await page.waitForLoadState("networkidle");
        await unharmed(visit);
      }
      await visit.go(`/app#uf=SP&name=${link[0]}`);
      await button(page, commands.saveButton).click({ force: true });
      await unharmed(visit);
    },
  );
});
