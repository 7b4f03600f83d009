/**
 * Proves, in Chromium against a real server: each field and choice for contacts, branches, and
 * chains sets the filter that its label names. The field of municipalities also offers all
 * municipalities within a distance that the user types. Each choice shows the count of the same
 * filter over the API, is in the address, and can be removed. It removes other choices that
 * contradict it.
 * Does not prove: the effect of the filters (twin/engine), the other filters of places, those of
 * activities, and those of dates (flows).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ExploreAnswer, TranslateAnswer } from "../../../src/console/web/app/answers.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { consoleSuite, shows } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";

const { find } = words;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

async function totalOf(visit: Visit, filters: object): Promise<number> {
  return (await visit.send<ExploreAnswer>("/explore", { spec: { filters } })).total;
}

const DISTANCES = [
  "Campinas + 30 km",
  "Campinas 30 km",
  "30 km de Campinas",
  "raio de 30 km de Campinas",
  "within 30 km of Campinas",
  "a 30 km de Campinas",
];

const GEO = { geo: { uf_any_of: ["SP"] } };

describe("a panel next to the results", () => {
  inBrowser("of contacts asks what it says, and nothing once it is cleared", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    const all = await totalOf(visit, GEO);
    await shows(visit, all);
    const rail = visit.page.getByRole("complementary");
    for (const [label, contact, address] of [
      [find.mobile, { require_mobile: true }, "contact=mobile"],
      [find.landline, { require_landline: true }, "contact=landline"],
      [find.ownDomain, { require_own_domain: true }, "contact=own_domain"],
      [find.ownEmail, { email_shared_max: 1 }, "email_of_most=1"],
      [find.ownPhone, { phone_shared_max: 1 }, "phone_of_most=1"],
    ] as const) {
      const box = rail.getByRole("checkbox", { name: label, exact: true });
      const total = await totalOf(visit, { ...GEO, contact });
      assert.ok(total > 0 && total < all, `${label}: ${total} of ${all}`);
      await box.check();
      await shows(visit, total);
      assert.ok(visit.page.url().includes(address), visit.page.url());
      await box.uncheck();
      await shows(visit, all);
    }
  });

  inBrowser("of branches and of head offices take each other out", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    const rail = visit.page.getByRole("complementary");
    const head = rail.getByRole("checkbox", { name: find.headquarters, exact: true });
    const branches = rail.getByRole("checkbox", { name: find.branches, exact: true });
    await head.check();
    await branches.check();
    await shows(visit, await totalOf(visit, { ...GEO, company: { branches_only: true } }));
    assert.equal(await head.isChecked(), false);
    await head.check();
    await shows(visit, await totalOf(visit, { ...GEO, company: { headquarters_only: true } }));
    assert.equal(await branches.isChecked(), false);
  });

  inBrowser("of chains is a span of establishments", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    const rail = visit.page.getByRole("complementary");
    for (const [label, company] of [
      [find.chains.one, { establishments_min: 1, establishments_max: 1 }],
      [find.chains.few, { establishments_min: 2, establishments_max: 9 }],
      [find.chains.any, {}],
    ] as const) {
      const group = rail.getByRole("group", { name: find.chain });
      await group.getByRole("radio", { name: label, exact: true }).check();
      const total = await totalOf(visit, { ...GEO, company });
      assert.ok(total > 0, label);
      await shows(visit, total);
    }
  });

  inBrowser("of chains is also from any number, which then is the choice", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP");
    const rail = visit.page.getByRole("complementary");
    const group = rail.getByRole("group", { name: find.chain });
    await group.getByRole("radio", { name: find.chainOther, exact: true }).check();
    await rail.getByLabel(find.chainMin, { exact: true }).fill("3");
    const company = { establishments_min: 3 };
    await shows(visit, await totalOf(visit, { ...GEO, company }));
    await group.getByRole("radio", { name: find.chainSpan.from("3"), checked: true }).waitFor();
    await group.getByRole("radio", { name: find.chains.any, exact: true }).check();
    await shows(visit, await totalOf(visit, GEO));
    assert.equal(await rail.getByLabel(find.chainMin, { exact: true }).count(), 0);
  });

  inBrowser("of municipalities offers all within a typed distance", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const question = { query_text: "raio de 30 km de Campinas" };
    const { spec } = await visit.send<TranslateAnswer>("/translate", question);
    const codes = spec.filters.geo.municipality_ibge_any_of;
    assert.ok(codes.length > 3, codes.join());
    const total = await totalOf(visit, { geo: { municipality_ibge_any_of: codes } });
    for (const typed of DISTANCES) {
      await page.goto("about:blank");
      await visit.go("/app#uf=SP");
      const rail = page.getByRole("complementary");
      await rail.getByRole("combobox", { name: find.municipalities, exact: true }).fill(typed);
      await rail
        .getByRole("option")
        .filter({ hasText: /30 km de Campinas\/SP/ })
        .click();
      await shows(visit, total);
      assert.ok(
        codes.every((code) => page.url().includes(code)),
        typed,
      );
    }
  });
});
