/**
 * Proves, in Chromium against a real server: the fields for one phone and one e-mail find the
 * companies that have them. The fields accept any common spelling and show the API's count. Their
 * values are in the address and are restored from it. Both filters apply together until they are
 * removed. A text that is no phone or e-mail changes nothing, and an example is shown. A
 * sentence that names a phone or an e-mail becomes the same filter.
 * Does not prove: which rows have a contact (campaign/kernel/contacts.test.ts), every spelling
 * (unit/spec/contacts.test.ts), the translator (contract/translate).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Account, ExploreAnswer, SearchPage } from "../../../src/console/web/app/answers.ts";
import { cnpj } from "../../../src/console/web/app/format.ts";
import { language } from "../../../src/console/web/app/language.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, shows } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** A filter by state, because a search for any phone is too broad without one. */
const GEO = { geo: { uf_any_of: ["SP"] } };

async function totalOf(visit: Visit, filters: object): Promise<number> {
  return (await visit.send<ExploreAnswer>("/explore", { spec: { filters } })).total;
}

/** Returns a company with a mobile phone of eleven digits and an e-mail. */
async function someone(visit: Visit): Promise<Account & { phone: string; email: string }> {
  const filters = { ...GEO, contact: { require_mobile: true, require_email: true } };
  const output = { fields: ["cnpj", "legal_name", "email", "phone_1", "phone_2"] };
  const body = { spec: { filters, output }, limit: 1 };
  const [account] = (await visit.send<SearchPage>("/accounts/search", body)).accounts;
  const phones = [account?.phone_1, account?.phone_2].map(String);
  const phone = phones.find((one) => /^\+55\d{2}9\d{8}$/.test(one));
  assert.ok(account !== undefined && phone !== undefined && typeof account.email === "string");
  return { ...account, phone, email: account.email };
}

/** Returns common spellings of a mobile phone, the longest one first. */
function spellings(phone: string): string[] {
  const [, area = "", first = "", last = ""] = /^\+55(\d\d)(\d{5})(\d{4})$/.exec(phone) ?? [];
  return [`+55 (${area}) ${first}-${last}`, `0${area} ${first} ${last}`, area + first + last];
}

for (const [locale, screen, words] of [
  ["pt-BR", "pt", portugueseWords],
  ["en-GB", "en", englishWords],
] as const) {
  const { find, shell } = words;
  describe(`the fields for one phone and one e-mail, ${locale}`, () => {
    inBrowser("find who has it in any spelling, and all again once it is gone", async (open) => {
      language.value = screen;
      const visit = await open(ana, { locale });
      const { page } = visit;
      const { phone, email, ...account } = await someone(visit);
      const cases = [
        ...spellings(phone).map((typed) => [find.thisPhone, typed, "phone", phone] as const),
        [find.thisEmail, email.toUpperCase(), "email", email.toLowerCase()] as const,
      ];
      await visit.go("/app#uf=SP");
      const all = await totalOf(visit, GEO);
      const rail = page.getByRole("complementary");
      for (const [label, typed, key, value] of cases) {
        await shows(visit, all);
        const box = rail.getByRole("textbox", { name: label, exact: true });
        await box.fill(typed);
        await box.press("Enter");
        const total = await totalOf(visit, { ...GEO, contact: { [`${key}_any_of`]: [value] } });
        assert.ok(total > 0 && total < all, `${typed}: ${total} of ${all}`);
        await shows(visit, total);
        const chips = rail.getByRole("list", { name: label, exact: true });
        assert.deepEqual(await chips.getByRole("listitem").allInnerTexts(), [value]);
        assert.equal(await box.inputValue(), "");
        const written = new URLSearchParams(new URL(page.url()).hash.slice(1));
        assert.equal(written.get(key), value, page.url());
        await page.getByRole("grid").getByText(cnpj(account.cnpj)).first().waitFor();
        await button(chips, shell.removeChip(value)).click();
      }
      await shows(visit, all);
      assert.doesNotMatch(page.url(), /[#&](phone|email)=/);
    });

    inBrowser("keep what is neither, with an example, and change nothing", async (open) => {
      language.value = screen;
      const visit = await open(ana, { locale });
      const { page } = visit;
      await visit.go("/app#uf=SP");
      const all = await totalOf(visit, GEO);
      const rail = page.getByRole("complementary");
      for (const [label, typed, example] of [
        [find.thisPhone, "98765-432", "11 98765-4321"],
        [find.thisEmail, "ana at example", "ana@example.com"],
      ] as const) {
        const box = rail.getByRole("textbox", { name: label, exact: true });
        await box.fill(typed);
        await box.press("Enter");
        await rail.getByText(find.likeThis(example)).waitFor();
        assert.equal(await box.inputValue(), typed);
        assert.equal(await box.getAttribute("aria-invalid"), "true");
        await box.fill("");
      }
      await shows(visit, all);
      assert.ok(page.url().endsWith("#uf=SP"), page.url());
    });
  });
}

describe("a sentence and a link", () => {
  const { find } = portugueseWords;

  inBrowser("that name a phone and an e-mail become the same filters", async (open) => {
    language.value = "pt";
    const visit = await open(ana);
    const { page } = visit;
    const { phone, email } = await someone(visit);
    const [written = ""] = spellings(phone);
    await visit.go("/app");
    await page.getByLabel(find.prompt, { exact: true }).fill(`empresas com o telefone ${written}`);
    await button(page, find.promptSubmit).click();
    await page.locator(".part-contact").first().waitFor();
    await shows(visit, await totalOf(visit, { contact: { phone_any_of: [phone] } }));
    const rail = page.getByRole("complementary");
    const chips = rail.getByRole("list", { name: find.thisPhone, exact: true });
    assert.deepEqual(await chips.getByRole("listitem").allInnerTexts(), [phone]);
    // A link that a colleague typed or saved, with both contacts. One of them contains an escaped
    // character.
    const both = new URLSearchParams({ phone, email: email.toLowerCase() });
    await visit.go(`/app#${both}`);
    const contact = { phone_any_of: [phone], email_any_of: [email.toLowerCase()] };
    await shows(visit, await totalOf(visit, { contact }));
    await chips.getByRole("listitem").getByText(phone).waitFor();
    const mails = rail.getByRole("list", { name: find.thisEmail, exact: true });
    assert.deepEqual(await mails.getByRole("listitem").allInnerTexts(), [email.toLowerCase()]);
  });
});
