/**
 * Proves, in Chromium against a real server with two months: if a saved search includes or excludes
 * lists, its news are the changes that the current lists imply. The news follow changes of a list,
 * and the news file has the same rows. If a list of the search was deleted, the list of searches
 * and the news report it. The two months are compared by the accounts that match in each month.
 * Does not prove which accounts have changed (campaign/twin/listed-changes.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type {
  ChangesAnswer,
  ExportList,
  ExportView,
  OpenedSearch,
} from "../../../src/console/web/app/answers.ts";
import { number } from "../../../src/console/web/app/format.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, entry, heading } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { makeNextMonth } from "../../support/sample/snapshot.ts";

const { compare, exports, news, shell } = words;
const MADE = { accounts: 3_000, seed: 6 };
const [OLDER, NEWER] = ["2026-10", "2026-11"] as const;
const FILTERS = { geo: { uf_any_of: ["SP"] } };

let ana: Person;
const { inBrowser } = consoleSuite(
  {
    ...MADE,
    snapshot: ({ folder, snapshot }) => {
      mkdirSync(join(folder, "months"));
      copyFileSync(snapshot, join(folder, "months", `${OLDER}.peneira`));
      return join(folder, "months");
    },
  },
  async (served) => {
    ana = await served.user("ana@example.com");
    const next = await makeNextMonth(served.sample, MADE, NEWER);
    renameSync(next, join(served.sample.folder, "months", `${NEWER}.peneira`));
  },
);

/** Returns the changed CNPJs among those that the filters match. */
async function changed(visit: Visit, lists?: object): Promise<string[]> {
  const spec = { filters: lists === undefined ? FILTERS : { ...FILTERS, lists } };
  const body = { since: OLDER, spec, kinds: ["changed"], limit: 1_000 };
  const { changes } = await visit.send<ChangesAnswer>("/changes", body);
  return changes.map(({ cnpj }) => cnpj);
}

/** Opens the news (changes) of a saved search. Returns the CNPJs of the changed lines. */
async function shown(visit: Visit, name: string, count: number): Promise<string[]> {
  await visit.go("/app/saved");
  await button(visit.page, `${news.title}: ${name}`).click();
  await heading(visit, name).waitFor();
  await visit.page.getByRole("radio", { name: news.kindsOf.changed(count), exact: true }).check();
  const lines = visit.page.locator(".news-line .record-title");
  await eventually(async () => assert.equal(await lines.count(), Math.min(count, 50)));
  const addresses = await lines.evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  return addresses.map((address) => /[0-9A-Z]{12}\d\d/.exec(address ?? "")?.[0] ?? "");
}

describe("news of a saved search that names lists", () => {
  let list = "";
  let all: string[] = [];

  inBrowser("are the changes of what is in it, and of what is not", async (open) => {
    const visit = await open(ana);
    await eventually(async () => assert.ok((await changed(visit)).length > 9));
    all = await changed(visit);
    const made = await visit.send<{ list: AccountList }>("/lists", { name: "Clientes" });
    list = made.list.id;
    await visit.send(`/lists/${list}/entries`, { cnpjs: all.slice(0, 5) });
    for (const [name, lists, wanted] of [
      ["Dos clientes", { any_of: [list] }, all.slice(0, 5)],
      ["Dos outros", { exclude: [list] }, all.slice(5)],
    ] as const) {
      const spec = { filters: { ...FILTERS, lists } };
      await visit.send<{ search: OpenedSearch }>("/searches", { name, spec });
      assert.deepEqual(await changed(visit, lists), wanted);
      assert.deepEqual(await shown(visit, name, wanted.length), wanted.slice(0, 50));
    }
    await visit.page.evaluate(AXE);
    assert.deepEqual(await findingsOf(visit, "listed news", TAGS), []);
  });

  inBrowser("follow the list, and so does their file", async (open) => {
    const visit = await open(ana);
    await visit.send(`/lists/${list}/entries`, { cnpjs: all.slice(5, 7) });
    assert.deepEqual(await shown(visit, "Dos clientes", 7), all.slice(0, 7));
    await button(visit.page, news.exportKind.changed).click();
    await entry(visit, "CSV").click();
    await visit.page.getByText(news.exporting).waitFor();
    await eventually(async () => {
      const [made] = (await visit.getJson<ExportList>("/exports")).exports as [ExportView];
      assert.deepEqual([made.status, made.row_count], ["done", 7]);
    });
  });

  inBrowser("say so where the list was deleted, and so does what is asked again", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const gone = shell.mistakes.list_not_found as string;
    const { csrf_token: token = "" } = await visit.getJson<{ csrf_token?: string }>("/session");
    const headers = { "x-csrf-token": token, origin: visit.base };
    const path = `${visit.base}/v1/console/lists/${list}`;
    assert.equal((await visit.context.request.delete(path, { headers })).status(), 204);
    visit.expect(404);
    await visit.go("/app/saved");
    await button(page, `${news.title}: Dos clientes`).click();
    await heading(visit, "Dos clientes").waitFor();
    await page.getByText(gone).waitFor();
    await page.evaluate(AXE);
    assert.deepEqual(await findingsOf(visit, "news of a list that is gone", TAGS), []);
    await button(page, exports.open).click();
    await page.getByText(gone).first().waitFor();
    const row = page.locator(".record", { hasText: "Dos clientes" });
    await visit.go("/app/saved");
    await row.getByText(exports.nowUnknown).waitFor();
  });
});

interface Compared {
  readonly totals: readonly number[];
  readonly bases: readonly { readonly accounts: number }[];
}

describe("a comparison with the month before", () => {
  inBrowser("is offered in both languages within the width of a phone", async (open) => {
    for (const locale of ["pt-BR", "en-GB"]) {
      const visit = await open(ana, { width: 390, height: 844, locale });
      await visit.go("/app/compare#uf=SP");
      await eventually(async () => {
        assert.equal(await visit.page.locator(".compare-suggestions .button").count(), 4);
      });
      const beside = "document.documentElement.scrollWidth - innerWidth";
      assert.equal(await visit.page.evaluate(beside), 0, locale);
    }
  });

  inBrowser("counts the same search in both months, and names the base", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await eventually(async () => assert.ok((await changed(visit)).length > 9));
    await visit.go("/app/compare#uf=SP");
    const months = ["novembro de 2026", "outubro de 2026"] as const;
    await button(page, compare.presentBefore(...months)).click();
    const specs = [{ filters: FILTERS }, { filters: FILTERS }];
    const snapshots = [null, OLDER];
    const { totals, bases } = await visit.send<Compared>("/accounts/compare", { specs, snapshots });
    assert.notEqual(totals[0], totals[1]);
    const shown = page.locator(".compare-totals dd");
    const expected = [...totals, ...bases.map(({ accounts }) => accounts)];
    await eventually(async () => {
      assert.deepEqual(
        await shown.allTextContents(),
        expected.map((one) => number(one)),
      );
    });
    const names = await page.locator(".compare-totals dt").allTextContents();
    assert.deepEqual(names, [
      ...months.map((one, at) => `${compare.groupNamed(at + 1)}: ${one}`),
      ...months.map((one) => compare.base("", one)),
    ]);
    assert.match(page.url(), /#uf=SP&versus&uf=SP&in&2026-10&by&/);
    const second = page.getByRole("region", { name: compare.groupNamed(2) });
    await second.getByLabel(compare.presentIn).selectOption("");
    await eventually(async () => assert.equal(await shown.count(), 3));
  });
});
