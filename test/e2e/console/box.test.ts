/**
 * Proves, in Chromium against a real server, how the search box treats each kind of text. A CNPJ or
 * a root, in any spelling, opens the page of the company. That page has its own address, can be
 * printed, and leads to the other establishments and back. A mistyped CNPJ is reported. Names are
 * suggested while the user types, and can be opened by keyboard. For a sentence that is not
 * understood, the box shows advice instead of a number. The examples and the placeholder all find
 * something.
 * Does not prove the meaning of sentences (unit and contract/translate), the order of suggested
 * names (twin/find), or the appearance.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AccountFields, SearchPage } from "../../../src/console/web/app/answers.ts";
import { cnpj as cnpjText } from "../../../src/console/web/app/format.ts";
import { companyName } from "../../../src/console/web/find/table/values.ts";
import {
  isPhoneWithoutArea,
  numberIn,
  refusalIn,
  shortNumberIn,
} from "../../../src/console/web/find/typed.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, heading } from "../../support/console/suite.ts";
import { englishWords as english, portugueseWords as words } from "../../support/console/words.ts";

const { find, company, table, shell } = words;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** Returns the first account of a search. */
async function someAccount(visit: Visit, filters: object): Promise<AccountFields> {
  const spec = { filters, output: { fields: ["cnpj", "legal_name"] } };
  const page = await visit.send<SearchPage>("/accounts/search", { spec, limit: 1 });
  return page.accounts[0] as AccountFields;
}

const IN_SP = { geo: { uf_any_of: ["SP"] } };
const BRANCH = { ...IN_SP, company: { headquarters_only: true } };

function withoutZeros(cnpj: unknown): string {
  return String(cnpj).replace(/^0+/, "");
}

async function write({ page }: Visit, text: string): Promise<void> {
  await page.getByLabel(find.prompt, { exact: true }).fill(text);
}

async function submitSentence(visit: Visit, text: string): Promise<void> {
  await write(visit, text);
  await button(visit.page, find.promptSubmit).click();
}

test("reads a number as people write it, and nothing else as a number", () => {
  const right = { kind: "cnpj", value: "11222333000181", isMistyped: false };
  for (const text of [
    "11222333000181",
    "11.222.333/0001-81",
    " cnpj: 11.222.333/0001-81 ",
    "CNPJ nº 11 222 333 0001 81",
    "11.222.333 / 0001 - 81",
  ]) {
    assert.deepEqual(numberIn(text), right, text);
  }
  assert.deepEqual(numberIn("11.222.333/0001-82"), {
    ...right,
    value: "11222333000182",
    isMistyped: true,
  });
  assert.deepEqual(numberIn("12.ABC.345/01DE-35")?.value, "12ABC34501DE35");
  for (const text of ["1841723666", "18 41723666", "551841723666", "01841723666", "18996370606"]) {
    // These are phones, so the box searches them as sentences. The last one has the check digits of
    // a CPF.
    assert.deepEqual(
      [numberIn(text), shortNumberIn(text), refusalIn(text)],
      [null, null, null],
      text,
    );
  }
  assert.equal(refusalIn("189963706-06"), "cpf");
  assert.ok(isPhoneWithoutArea("4172-3666") && !isPhoneWithoutArea("41.723.666"));
  assert.deepEqual(numberIn("11.222.333")?.kind, "root");
  for (const text of ["padarias", "padarias em Recife", "", "1122233300018", "SUPERMERCADOS1"]) {
    assert.equal(numberIn(text), null, text);
  }
});

test("explains why a number is no CNPJ, and makes a sentence of words", () => {
  const reasons = {
    "112223330001811": "too_long",
    "1,12224E+13": "rounded",
    "00.000.000/0000-00": "all_zeros",
    "123.456.789-09": "cpf",
    "CPF 12345678909": "cpf",
  };
  for (const [text, reason] of Object.entries(reasons)) assert.equal(refusalIn(text), reason, text);
  for (const text of ["padarias", "padarias perto de 11.222.333/0001-81", "Fulano 12345678909"]) {
    assert.equal(refusalIn(text), null, text);
    assert.equal(numberIn(text), null, text);
  }
});

test("distinguishes a number without its leading zeros from one that lacks a digit", () => {
  const filled = "06146542000153";
  for (const text of ["6146542000153", "6.146.542/0001-53", "CNPJ 6146542000153"]) {
    assert.deepEqual(shortNumberIn(text), { filled, lacks: 1 }, text);
  }
  assert.deepEqual(shortNumberIn("191"), { filled: "00000000000191", lacks: 11 });
  assert.deepEqual(shortNumberIn("91000000191")?.filled ?? null, null);
  assert.deepEqual(shortNumberIn("06.146.542/0001-5"), { filled: null, lacks: 1 });
  for (const text of [filled, "padarias", "6146542", "614654200015", "CEP 01310-100"]) {
    assert.equal(shortNumberIn(text), null, text);
  }
});

describe("a number in the search box", () => {
  inBrowser(
    "that lost its zeros leads to the company; one without a digit is told",
    async (open) => {
      const visit = await open(ana);
      await visit.go("/app");
      const spec = { filters: IN_SP, sort: [{ field: "cnpj", direction: "asc" }] };
      const page = await visit.send<SearchPage>("/accounts/search", { spec, limit: 20 });
      const account = page.accounts.find(({ cnpj }) => shortNumberIn(withoutZeros(cnpj)) !== null);
      const cnpj = String(account?.cnpj);
      const lacks = cnpj.length - withoutZeros(cnpj).length;
      await submitSentence(visit, withoutZeros(cnpj));
      const alert = visit.page.getByRole("alert");
      await alert.filter({ hasText: find.lostZeros(lacks) }).waitFor();
      await alert.getByRole("link", { name: cnpjText(cnpj) }).click();
      await heading(visit, companyName(String(account?.legal_name))).waitFor();
      await visit.page.goBack();
      await submitSentence(visit, "11.222.333/0001-8");
      await alert.filter({ hasText: find.digitMissing }).waitFor();
    },
  );

  inBrowser("opens the page of the company, and the way back keeps the search", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    const account = await someAccount(visit, BRANCH);
    const cnpj = String(account.cnpj);
    for (const text of [cnpj, `CNPJ ${cnpjText(cnpj)}`, cnpj.slice(0, 8)]) {
      await submitSentence(visit, text);
      await heading(visit, companyName(String(account.legal_name))).waitFor();
      assert.equal(new URL(visit.page.url()).hash.slice(0, 18), `#/empresa/${cnpj.slice(0, 8)}`);
      await visit.page.getByText(cnpjText(cnpj)).first().waitFor();
      await visit.page.goBack();
      await heading(visit, find.title).waitFor({ state: "attached" });
    }
  });

  inBrowser("tells of activities before the codes of other registers", async (open) => {
    const visit = await open(ana);
    const { cnpj } = await someAccount(visit, BRANCH);
    await visit.go(`/app#/empresa/${cnpj}`);
    const { drawer, fields } = words.table;
    await visit.page.getByText(fields.municipality_tom as string).waitFor();
    const text = (await visit.page.locator("main").textContent()) ?? "";
    const places = [drawer.activities, drawer.address, fields.municipality_ibge as string].map(
      (one) => text.indexOf(one),
    );
    assert.deepEqual(
      [...places].sort((a, b) => a - b),
      places,
    );
    assert.ok(!places.includes(-1));
  });

  inBrowser("is told when it is mistyped or in no data", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    visit.expect(404);
    await submitSentence(visit, "11.222.333/0001-82");
    const shown = `${company.unknown("11.222.333/0001-82")} ${company.mistyped}`;
    await visit.page.getByRole("alert").filter({ hasText: shown }).waitFor();
    await submitSentence(visit, "99.999.998");
    await visit.page
      .getByRole("alert")
      .filter({ hasText: find.unknownRoot("99999998") })
      .waitFor();
    await visit.go("/app#/empresa/11222333000182");
    await visit.page.getByText(company.mistyped).waitFor();
    await visit.go("/app#/empresa/%zz");
    await visit.page.getByText(company.unknown("%zz")).waitFor();
  });
});

describe("the page of a company", () => {
  inBrowser("opens by its address alone, and from the table", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    const account = await someAccount(visit, IN_SP);
    const cell = visit.page.getByRole("gridcell").first();
    await cell.waitFor();
    await cell.click();
    await visit.page.getByRole("link", { name: table.drawer.page }).click();
    await visit.page.getByText(table.drawer.why).waitFor();
    await button(visit.page, company.back).click();
    await visit.page.getByRole("gridcell").first().waitFor();
    const other = await open(ana, { locale: "en-GB" });
    await other.go(`/app#/empresa/${account.cnpj}`);
    await heading(other, companyName(String(account.legal_name))).waitFor();
    await button(other.page, english.company.print).waitFor();
    assert.equal(await other.page.getByText(english.table.drawer.why).count(), 0, "no search");
  });
});

describe("names", () => {
  inBrowser("are offered while typing and opened by keyboard", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    const account = await someAccount(visit, IN_SP);
    await write(visit, String(account.legal_name));
    const list = visit.page.getByRole("listbox", { name: find.offered });
    await list.getByRole("option").first().waitFor();
    await visit.page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    await write(visit, String(account.legal_name).slice(0, -1));
    await list.getByRole("option").first().waitFor();
    await visit.page.keyboard.press("ArrowDown");
    const chosen = list.locator('[aria-selected="true"]');
    const name = (await chosen.locator(".combo-label").innerText()).split("\n")[0] as string;
    await visit.page.keyboard.press("Enter");
    await heading(visit, name).waitFor();
  });
});

describe("a misspelled name", () => {
  inBrowser("still leads to the company after Enter, and after a search of names", async (open) => {
    const visit = await open(ana);
    const filters = { industry: { text_hints: ["marmitaria"] } };
    const account = await someAccount(visit, filters);
    const name = companyName(String(account.legal_name));
    const typed = String(account.legal_name).replace(/marmitaria/i, "marmitaira");
    await visit.go("/app");
    await submitSentence(visit, typed);
    await visit.page.getByText(find.notUnderstood, { exact: true }).waitFor();
    const offered = visit.page.locator(".empty section").filter({ hasText: find.similarNames });
    await offered.getByRole("link", { name }).first().waitFor();
    assert.ok((await offered.getByRole("link").count()) <= 5);
    await button(visit.page, find.searchAsName(typed)).click();
    await visit.page.getByText(find.noneTitle).waitFor();
    await offered.getByRole("link", { name }).first().click();
    await heading(visit, name).waitFor();
  });
});

describe("a text without a meaning", () => {
  inBrowser("shows no number, but what to do", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    await submitSentence(visit, "asdfgh qwerty");
    await visit.page.getByText(find.notUnderstood, { exact: true }).waitFor();
    assert.equal(await visit.page.locator(".count-total").count(), 0);
    assert.equal(await button(visit.page, find.searchAnyway).count(), 0, "nothing was understood");
    const examples = visit.page.locator(".empty .offer");
    await examples.first().waitFor();
    assert.equal(await examples.count(), 3);
    await button(visit.page, find.searchAsName("asdfgh qwerty")).click();
    await visit.page.getByText(find.noneTitle).waitFor();
    await visit.page.goBack();
    await examples.first().click();
    await visit.page.getByRole("gridcell").first().waitFor();
  });

  inBrowser("is told of in the language of the page, also when that is changed", async (open) => {
    const visit = await open(ana, { locale: "en-GB" });
    const { page } = visit;
    await visit.go(`/app#q=${encodeURIComponent("padarias em São Paulo com 10 funcionários")}`);
    const remarks = page.locator(".remarks");
    await remarks.waitFor();
    await remarks.getByText("Active companies only.").waitFor();
    assert.doesNotMatch((await remarks.textContent()) ?? "", /Somente|Entendido|município|não/i);
    await button(page, english.shell.language).click();
    await page.getByRole("menuitemradio", { name: "Português" }).click();
    await remarks.getByText("Somente empresas ativas.").waitFor();
  });

  inBrowser("offers what was understood, and the rest as a name", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    await submitSentence(visit, "lojas de roupas zzyzx em Xyzópolis do Norte");
    await visit.page.getByText(find.notUnderstood, { exact: true }).waitFor();
    await button(visit.page, find.searchAnyway).click();
    await visit.page.locator(".count-total").waitFor();
  });

  inBrowser("is no start: placeholder and examples find something", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    const first = visit.page.locator(".overview-examples button").first();
    await first.waitFor();
    const text = await first.innerText();
    const box = visit.page.getByLabel(find.prompt, { exact: true });
    assert.equal(await box.getAttribute("placeholder"), find.promptPlaceholder(text));
    await first.click();
    await visit.page.getByRole("gridcell").first().waitFor();
    assert.equal(shell.views.find, find.title.split(" ")[0]);
  });
});
