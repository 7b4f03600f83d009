/**
 * Proves, in Chromium against a real server and in both languages: the district field is fetched on
 * first use, and works by keyboard. It offers the districts of the chosen or typed municipality
 * with their counts. After a choice, the page shows the same count as the API. The choice is in the
 * address, can be removed, and causes a warning outside the chosen places.
 * Does not prove: which districts a municipality has (contract/http/api/districts), nor where a
 * text is searched (unit/console/districtsearch).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ExploreAnswer } from "../../../src/console/web/app/answers.ts";
import { compact } from "../../../src/console/web/app/format.ts";
import { language } from "../../../src/console/web/app/language.ts";
import type { DistrictsFound } from "../../../src/console/web/app/listanswers.ts";
import { districtTitle, foldDistrict } from "../../../src/spec/districtname.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, shows } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const SP = "3550308";
const RIO = "3304557";

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

async function largest(visit: Visit, ibge: string, q = "") {
  const path = `/districts?municipality_ibge=${ibge}&q=${q}`;
  const { districts } = await visit.getJson<DistrictsFound>(path);
  assert.ok(districts.length > 2, `${ibge}: ${districts.length} districts`);
  return districts.map(({ name, accounts }) => ({ folded: foldDistrict(name), accounts }));
}

async function totalOf(visit: Visit, geo: object): Promise<number> {
  return (await visit.send<ExploreAnswer>("/explore", { spec: { filters: { geo } } })).total;
}

for (const [locale, screen, words] of [
  ["pt-BR", "pt", portugueseWords],
  ["en-GB", "en", englishWords],
] as const) {
  const { find, districts: text } = words;
  describe(`the districts field, ${locale}`, () => {
    inBrowser("offers those of the chosen municipality, and keeps what is chosen", async (open) => {
      language.value = screen;
      const visit = await open(ana, { locale });
      const { page } = visit;
      const [first, second] = await largest(visit, SP);
      assert.ok(first !== undefined && second !== undefined);
      await visit.go(`/app#city=${SP}`);
      const rail = page.getByRole("complementary");
      const box = rail.getByRole("combobox", { name: find.district, exact: true });
      await box.click();
      const options = rail.getByRole("option");
      const shown = options.filter({ hasText: districtTitle(first.folded) }).first();
      await shown.waitFor();
      assert.ok((await options.first().textContent())?.includes(districtTitle(first.folded)));
      assert.ok((await shown.textContent())?.endsWith(compact(first.accounts)));
      // Uses the keyboard to choose the second of all districts, and then the first one by a prefix
      // of its name.
      await box.press("ArrowDown");
      await box.press("ArrowDown");
      await box.press("Enter");
      const one = { municipality_ibge: SP, name: second.folded };
      await shows(visit, await totalOf(visit, { district_any_of: [one] }));
      await box.fill(first.folded);
      await eventually(async () => {
        assert.ok((await options.first().textContent())?.includes(districtTitle(first.folded)));
      });
      await box.press("Enter");
      const both = [one, { municipality_ibge: SP, name: first.folded }];
      await shows(visit, await totalOf(visit, { district_any_of: both }));
      await box.press("Escape");
      const written = decodeURIComponent(page.url().replaceAll("+", " "));
      for (const { name } of both) assert.ok(written.includes(`${SP}:${name}`), written);
      // The page's address is enough to restore the districts, each with the button that removes
      // it.
      const address = page.url().slice(visit.base.length);
      await visit.go("/app");
      await visit.go(address);
      await shows(visit, await totalOf(visit, { district_any_of: both }));
      const chips = rail.getByRole("list", { name: find.district, exact: true });
      assert.equal(await chips.getByRole("listitem").count(), 2);
      await chips.getByRole("button").first().click();
      await eventually(async () => {
        assert.equal(await chips.getByRole("listitem").count(), 1);
      });
      await chips.getByRole("button").first().click();
      await shows(visit, await totalOf(visit, { municipality_ibge_any_of: [SP] }));
      assert.ok(!page.url().includes("district="), page.url());
    });

    inBrowser(
      "comes when it is asked for, and takes a municipality that is typed",
      async (open) => {
        language.value = screen;
        const visit = await open(ana, { locale });
        const { page } = visit;
        const [first] = await largest(visit, RIO);
        assert.ok(first !== undefined);
        await visit.go("/app#uf=RJ,SP");
        const rail = page.getByRole("complementary");
        await shows(visit, await totalOf(visit, { uf_any_of: ["RJ", "SP"] }));
        const box = rail.getByRole("combobox", { name: find.district, exact: true });
        assert.equal(await box.count(), 0);
        await button(page, find.district).click();
        await box.waitFor();
        await eventually(async () => {
          assert.ok(await box.evaluate((input) => input === input.ownerDocument.activeElement));
        });
        for (const typed of [`${first.folded}, rio de jan`, `${first.folded} rio de janeiro`]) {
          await box.fill(typed);
          const option = rail.getByRole("option").first();
          await eventually(async () => {
            const shownText = (await option.textContent()) ?? "";
            assert.ok(shownText.includes(districtTitle(first.folded)), `${typed}: ${shownText}`);
          });
        }
        await box.press("Enter");
        const chosen = { municipality_ibge: RIO, name: first.folded };
        await shows(visit, await totalOf(visit, { district_any_of: [chosen] }));
        await box.press("Escape");
        await rail.getByRole("list", { name: find.district, exact: true }).waitFor();
        // The new city has no such district, so the district is removed with a message.
        await visit.go(`/app#city=${SP}&district=${RIO}:${encodeURIComponent(first.folded)}`);
        await button(page, text.outsideFix).click();
        await shows(visit, await totalOf(visit, { district_any_of: [chosen] }));
        assert.equal(await button(page, text.outsideFix).count(), 0);
        await box.fill("qqqqqq");
        await rail.getByText(text.nothing).waitFor();
      },
    );
  });
}
