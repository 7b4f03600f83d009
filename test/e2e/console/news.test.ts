/**
 * Proves, in Chromium against a real server whose folder gets a newer month while pages are open:
 * the month is announced once, and everything on the screen changes to it. The menu shows how many
 * saved searches have news (changes since the search was last seen). The news of a search are the
 * changes that /v1/changes returns, of every kind and to the last line, with old and new values. A
 * file has only the kind that is shown. Changes that the user has marked as seen are no longer
 * news. If the server is gone for a while, the page recovers by itself.
 * Does not prove: which accounts have changed (twin/changes), looks.
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
  SearchPage,
  Status,
} from "../../../src/console/web/app/answers.ts";
import { month, number } from "../../../src/console/web/app/format.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, countOf, entry, heading } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { makeNextMonth } from "../../support/sample/snapshot.ts";

const { news, exports, find, problems, shell } = words;
const MADE = { accounts: 3_000, seed: 6 };
const [OLDER, NEWER] = ["2026-10", "2026-11"] as const;
const SPEC = {
  filters: { geo: { uf_any_of: ["SP"] }, company: { registration_status_any_of: [2] } },
};

let ana: Person;
let next: string;
const suite = consoleSuite(
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
    next = await makeNextMonth(served.sample, MADE, NEWER);
  },
);
const { inBrowser } = suite;

/** Moves the newer month into the folder of the older one, as an import does. */
function publish(): void {
  renameSync(next, join(suite.served.sample.folder, "months", `${NEWER}.peneira`));
}

async function changes(visit: Visit, kind: string): Promise<ChangesAnswer> {
  const body = { since: OLDER, spec: SPEC, kinds: [kind], limit: 1_000 };
  return visit.send<ChangesAnswer>("/changes", body);
}

describe("news of a saved search", () => {
  let id = "";

  inBrowser("are not there while there is one month, which is said", async (open) => {
    const visit = await open(ana);
    const body = { name: "São Paulo", spec: SPEC };
    ({ id } = (await visit.send<{ search: OpenedSearch }>("/searches", body)).search);
    await visit.go("/app/saved");
    await button(visit.page, `${news.title}: São Paulo`).click();
    await heading(visit, "São Paulo").waitFor();
    await visit.page.getByText(news.oneMonth).waitFor();
    assert.equal(await visit.page.locator(".nav-badge").count(), 0);
  });

  inBrowser("come with the next month, which an open page says once and follows", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP&status=2");
    const before = await countOf(visit);
    publish();
    await eventually(async () => {
      const served = await visit.getJson<Status>("/status");
      assert.equal(served.snapshot, NEWER);
    });
    // The next request is answered from the newer month.
    await visit.page.locator(".count-total").waitFor();
    await visit.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    await visit.page.getByText(find.newMonth(month(NEWER))).waitFor();
    assert.equal(await visit.page.getByText(find.newMonth(month(NEWER))).count(), 1);
    await visit.page.getByText(shell.snapshot(month(NEWER)), { exact: true }).waitFor();
    const page = await visit.send<SearchPage>("/accounts/search", { spec: SPEC, limit: 1 });
    await eventually(async () => {
      assert.equal(await countOf(visit), number(page.total as number));
      assert.match(visit.page.url(), /month=2026-11/);
    });
    assert.notEqual(before, "");
    await visit.page.getByText(words.shell.newsBadge(1)).first().waitFor({ state: "attached" });
  });

  inBrowser("are the changes of its spec, kind by kind, to the last line", async (open) => {
    const visit = await open(ana);
    await visit.go("/app/saved");
    await button(visit.page, `${news.title}: São Paulo`).click();
    for (const kind of ["entered", "left", "changed"] as const) {
      const wanted = await changes(visit, kind);
      const total = wanted.totals[kind];
      assert.ok(total > 0 && wanted.changes.length === total, `${kind}: ${total}`);
      await visit.page.getByRole("radio", { name: news.kindsOf[kind](total) }).check();
      const lines = visit.page.locator(".news-line");
      for (let shown = Math.min(50, total); ; shown = Math.min(shown + 50, total)) {
        await eventually(async () => assert.equal(await lines.count(), shown));
        if (shown === total) break;
        await button(visit.page, news.more(number(total - shown))).click();
      }
      const shownText = await lines.allTextContents();
      for (const [i, { before, after, changed_fields: fields }] of wanted.changes.entries()) {
        const line = shownText[i] ?? "";
        if (before === null) assert.ok(line.includes(news.isNew), line);
        else if (after === null) assert.ok(line.includes(news.isGone), line);
        else if (fields.includes("municipality_ibge")) {
          assert.ok(line.includes(words.table.columns.city), line);
          assert.ok(!line.includes(words.table.fields.municipality_ibge), line);
        } else if (fields.includes("email")) {
          const mails = [before.email, after.email].map((one) => String(one ?? "–"));
          assert.ok(line.includes(`${mails[0]} → ${mails[1]}`), line);
        }
      }
    }
    await visit.page.evaluate(AXE);
    assert.deepEqual(await findingsOf(visit, "news", TAGS), []);
    await visit.page.reload();
    await heading(visit, "São Paulo").waitFor();
    await visit.page.goBack();
    await heading(visit, exports.savedTitle).waitFor();
  });

  inBrowser("show only accounts of which something chosen has changed", async (open) => {
    const visit = await open(ana);
    await visit.go("/app/saved");
    await button(visit.page, `${news.title}: São Paulo`).click();
    const all = await changes(visit, "changed");
    const total = all.totals.changed;
    await visit.page.getByRole("radio", { name: news.kindsOf.changed(total) }).check();
    const body = { since: OLDER, spec: SPEC, changed_any_of: ["contact"], limit: 500 };
    const wanted = await visit.send<ChangesAnswer>("/changes", body);
    const few = wanted.totals.changed;
    assert.ok(few > 0 && few < total, `${few} of ${total}`);
    await visit.page.getByRole("checkbox", { name: news.groups.contact }).check();
    await visit.page.getByRole("radio", { name: news.kindsOf.changed(few) }).waitFor();
    const lines = visit.page.locator(".news-line");
    await eventually(async () => assert.equal(await lines.count(), Math.min(50, few)));
    for (const line of await lines.allTextContents()) {
      assert.match(line, new RegExp(`${words.table.fields.email}|${words.table.fields.phone_1}|→`));
    }
    await visit.page.evaluate(AXE);
    assert.deepEqual(await findingsOf(visit, "news", TAGS), []);
  });

  inBrowser("as a file hold the kind that is shown, and no other", async (open) => {
    const visit = await open(ana);
    await visit.go(`/app/news#${id}`);
    const { totals } = await changes(visit, "left");
    await visit.page.getByRole("radio", { name: news.kindsOf.left(totals.left) }).check();
    await button(visit.page, news.exportKind.left).click();
    await entry(visit, "CSV").click();
    await visit.page.getByText(news.exporting).waitFor();
    await eventually(async () => {
      const [made] = (await visit.getJson<ExportList>("/exports")).exports as [ExportView];
      assert.equal(made.status, "done");
      assert.equal(made.row_count, totals.left);
    });
  });

  inBrowser(
    "as a file have what a call needs, and a title and a name of their own",
    async (open) => {
      const visit = await open(ana);
      await visit.go(`/app/news#${id}`);
      const { totals } = await changes(visit, "entered");
      await visit.page.getByRole("radio", { name: news.kindsOf.entered(totals.entered) }).check();
      await button(visit.page, news.exportKind.entered).click();
      await entry(visit, "CSV").click();
      await visit.page.getByText(news.exporting).waitFor();
      let made: ExportView | undefined;
      await eventually(async () => {
        [made] = (await visit.getJson<ExportList>("/exports")).exports;
        assert.equal(made?.status, "done");
        assert.equal(made.row_count, totals.entered);
      });
      const file = await visit.context.request.get(`${visit.base}${made?.download_url}`);
      const named = file.headers()["content-disposition"] ?? "";
      assert.match(named, /filename="novos-de-[a-z-]+-\d{4}-\d{2}\.csv"/);
      const [header = ""] = (await file.text()).split(/\r?\n/);
      for (const wanted of ["Telefone", "WhatsApp", "E-mail", "Cidade", "Atividade principal"]) {
        assert.ok(header.split(";").includes(wanted), `${wanted} in ${header}`);
      }
      await visit.go("/app/exports");
      await visit.page.getByRole("heading", { name: news.fileOf.entered("São Paulo") }).waitFor();
    },
  );

  inBrowser("leave an export that names a list with its name", async (open) => {
    const visit = await open(ana);
    const { list } = await visit.send<{ list: AccountList }>("/lists", { name: "Clientes" });
    const filters = { ...SPEC.filters, lists: { exclude: [list.id] } };
    await visit.send("/exports", { spec: { filters }, output: { format: "csv" } });
    await visit.go("/app/exports");
    const title = visit.page.getByRole("heading", { level: 2 }).first();
    await eventually(async () => assert.match((await title.textContent()) ?? "", /Clientes/));
    assert.equal(await visit.page.getByText(list.id).count(), 0);
  });

  inBrowser("are none once they were marked as seen, and there are none by then", async (open) => {
    const visit = await open(ana);
    await visit.go(`/app/news#${id}`);
    await visit.page.getByText(words.shell.newsBadge(1)).first().waitFor({ state: "attached" });
    await button(visit.page, news.seen).click();
    await visit.page.getByText(news.seenToast).waitFor();
    await visit.page.getByText(news.seenUntil(month(NEWER))).waitFor();
    assert.equal(await visit.page.getByText(news.notSince(month(NEWER))).count(), 0);
    await eventually(async () => assert.equal(await visit.page.locator(".nav-badge").count(), 0));
  });

  inBrowser("of a search that is gone are not there", async (open) => {
    const visit = await open(ana);
    visit.expect(404);
    await visit.go(`/app/news#sch_${"0".repeat(32)}`);
    await visit.page.getByText(String(problems.not_found)).waitFor();
    await button(visit.page, news.back).click();
    await heading(visit, exports.savedTitle).waitFor();
  });
});

describe("a temporarily unreachable server", () => {
  inBrowser("leaves no count of other filters, and is asked again by itself", async (open) => {
    const visit = await open(ana);
    visit.expect(/ERR_INTERNET_DISCONNECTED/);
    await visit.go("/app#uf=SP");
    const before = await countOf(visit);
    await visit.context.setOffline(true);
    await visit.page.getByRole("checkbox", { name: find.email, exact: true }).first().check();
    await visit.page.getByText(shell.offline).waitFor();
    await eventually(async () => assert.equal(await countOf(visit), "–"));
    await visit.context.setOffline(false);
    await eventually(async () => assert.match(await countOf(visit), /^\d/));
    assert.notEqual(await countOf(visit), before);
    await visit.page.getByText(shell.offline).waitFor({ state: "detached" });
  });
});
