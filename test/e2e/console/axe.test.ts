/**
 * Proves: axe-core finds no violation of WCAG 2.0, 2.1, and 2.2 at A and AA, in any view and any
 * dialog, wide and on a phone, light and dark.
 * Does not prove: what no program can see, such as whether a name is right.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, entry, type Opener } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";

const {
  audit,
  charts,
  company,
  compare,
  exports,
  find,
  keys,
  members,
  table,
  account,
  news,
  shell,
  commands,
} = words;
const HASH = "#q=restaurantes+em+SP+com+e-mail&uf=SP&contact=email";

let ana: Person;
const suite = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** A view or dialog to check, its path, and the steps to open it. */
type Place = readonly [name: string, path: string, arrive?: (visit: Visit) => Promise<void>];

const dialogOf = ({ page }: Visit) => page.getByRole("dialog");
const opens = (name: string) => async (visit: Visit) => {
  await button(visit.page, name).first().click();
  await dialogOf(visit).first().waitFor();
};
/** Waits for the charts' counts, because charts are dimmed until then. */
const counted = async ({ page }: Visit) => {
  await page.locator('.overview[data-busy="false"][data-blank="false"]').waitFor();
};
const ready = async ({ page }: Visit) => {
  await page.getByRole("grid").waitFor();
  await page.locator(".meaning").waitFor();
};

/** Every view and dialog. The entries that need the result table wait for it. */
const PLACES: readonly Place[] = [
  ["the start", "/app", counted],
  ["results", `/app${HASH}`, ready],
  ["nothing found", "/app#uf=SP&capital=80000000000000..", seen(find.noneTitle)],
  ["too broad", "/app#mei=yes", seen(find.broadTitle)],
  [
    "a wrong link",
    "/app#uf=XX&what=ever",
    async ({ page }) => page.waitForLoadState("networkidle"),
  ],
  ["an account", `/app${HASH}`, openAccount],
  ["a company", `/app${HASH}`, openCompany],
  ["no company", "/app#/empresa/11222333000182", seen(company.mistyped)],
  ["names offered", "/app", offerNames],
  ["nothing understood", "/app#q=asdfgh%20qwerty", seen(find.notUnderstoodText)],
  ["the export", `/app${HASH}`, then(ready, opens(commands.button), openDetails)],
  ["saving", `/app${HASH}`, then(ready, opens(commands.saveButton))],
  ["exports", "/app/exports", seen("CSV")],
  ["deleting an export", "/app/exports", then(seen("CSV"), openRemoval)],
  ["saved searches", "/app/saved", seen("Restaurantes")],
  ["news", "/app/saved", openNews],
  ["webhooks", "/app/webhooks", seen("https://example.com/hook")],
  ["keys", "/app/keys", seen("CRM")],
  ["a new key", "/app/keys", then(seen("CRM"), opens(keys.create))],
  ["usage", "/app/usage", async ({ page }) => page.waitForLoadState("networkidle")],
  ["members", "/app/members", seen("ana@example.com")],
  ["a new member", "/app/members", opens(members.add)],
  ["the audit trail", "/app/audit", seen(audit.actions["key.create"])],
  ["plans", "/app/plans", async ({ page }) => page.getByRole("table").last().waitFor()],
  [
    "a comparison",
    "/app/compare#uf=SP&versus&uf=RJ&by&mei",
    seen(compare.indexHint(compare.base("", ""))),
  ],
  ["a second group", "/app/compare#uf=SP", seen(compare.chooseSecond)],
  ["a cross table", "/app/compare#uf=SP&by&mei*company_size", seen("XLSX")],
  ["the own account", "/app/account", seen(account.here)],
];

/** Opens the table of all numbers in the chart of municipalities, or their map. */
const openNumbers =
  (entry: string) =>
  async ({ page }: Visit) => {
    await button(page, charts.more).click();
    await button(page, charts.numbersOf(charts.municipalities)).click();
    await page.getByRole("menuitem", { name: entry, exact: true }).click();
    await page.getByRole("dialog").getByRole("table").waitFor();
  };

/**
 * Views and dialogs of wide screens only. Phones have no code dialog, and their charts are closed.
 */
const WIDE: readonly Place[] = [
  ["the code", `/app${HASH}`, then(ready, opens(table.code.button))],
  ["all numbers", "/app#uf=SP", openNumbers(charts.numbers[0])],
  ["the map of a state", "/app#uf=SE", openNumbers(charts.onMap)],
];
const PHONE = 390;

for (const width of [1440, PHONE]) {
  describe(`${width} px wide`, () => {
    suite.inBrowser("every view and dialog is free of findings, light and dark", async (open) => {
      const visit = await prepared(open, width);
      const findings: string[] = [];
      for (const [name, path, arrive] of width > PHONE ? [...PLACES, ...WIDE] : PLACES) {
        await visit.page.goto("about:blank");
        await visit.go(path);
        await visit.page.locator("h1").first().waitFor({ state: "attached" });
        await arrive?.(visit);
        findings.push(...(await findingsOf(visit, `${name}, light`, TAGS)));
        // The dark mode changes only colors, so only contrast is checked.
        await visit.page.emulateMedia({ colorScheme: "dark" });
        findings.push(...(await findingsOf(visit, `${name}, dark`, null)));
        await visit.page.emulateMedia({ colorScheme: "light" });
      }
      assert.deepEqual(findings, []);
    });

    suite.inBrowser("signing in is free of findings", async (open) => {
      const visit = await open(null, { width, before: AXE });
      visit.expect(401);
      await visit.go("/app");
      await button(visit.page, shell.signIn.submit).click();
      await visit.page.getByText(shell.signIn.needPassword).waitFor();
      assert.deepEqual(await findingsOf(visit, "signing in", TAGS), []);
      await visit.page.emulateMedia({ colorScheme: "dark" });
      assert.deepEqual(await findingsOf(visit, "signing in, dark", null), []);
    });
  });
}

describe("on a phone", () => {
  suite.inBrowser("the sheet of filters is free of findings", async (open) => {
    const visit = await prepared(open, 390);
    await visit.go("/app#uf=SP&contact=email");
    await visit.page.locator(".found-actions .button").first().click();
    await dialogOf(visit).waitFor();
    assert.deepEqual(await findingsOf(visit, "filters", TAGS), []);
    await visit.page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await findingsOf(visit, "filters, dark", null), []);
  });
});

/** Opens a visit of a user whose lists, exports, and searches are not empty. */
async function prepared(open: Opener, width: number): Promise<Visit> {
  const visit = await open(ana, { width, before: AXE });
  // The page of a company that is not in the snapshot requests an account and receives a 404.
  visit.expect(404);
  const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
  await visit.send("/exports", { spec, output: { format: "csv" } });
  await visit.send("/searches", { name: "Restaurantes", spec });
  await visit.send("/keys", { name: "CRM" });
  await visit.send("/webhooks", { url: "https://example.com/hook" });
  return visit;
}

function seen(text: string): (visit: Visit) => Promise<void> {
  return async ({ page }) => page.locator("main").getByText(text).first().waitFor();
}

function then(...steps: readonly ((visit: Visit) => Promise<void>)[]) {
  return async (visit: Visit) => {
    for (const step of steps) await step(visit);
  };
}

async function openNews({ page }: Visit): Promise<void> {
  await button(page, `${news.title}: Restaurantes`).first().click();
  await page.getByText(news.oneMonth).waitFor();
}

async function openAccount(visit: Visit): Promise<void> {
  await ready(visit);
  await visit.page.locator("[data-row='0'] [data-column='0']").click();
  await dialogOf(visit).getByText(table.drawer.why).waitFor();
  await visit.page.waitForLoadState("networkidle");
}

async function openCompany(visit: Visit): Promise<void> {
  await openAccount(visit);
  await visit.page.getByRole("link", { name: table.drawer.page }).click();
  await visit.page.locator(".company-list a, .company-list strong").first().waitFor();
}

async function offerNames(visit: Visit): Promise<void> {
  await visit.page.getByLabel(find.prompt, { exact: true }).fill("comercio");
  const option = visit.page.getByRole("option").first();
  await option.waitFor();
  await visit.page.keyboard.press("ArrowDown");
}

async function openDetails(visit: Visit): Promise<void> {
  for (const summary of await dialogOf(visit).locator("summary").all()) await summary.click();
  await dialogOf(visit).locator(".export-sum strong").waitFor();
}

async function openRemoval(visit: Visit): Promise<void> {
  await visit.page.locator(".record").first().getByRole("button").last().click();
  await entry(visit, exports.remove).click();
  await dialogOf(visit).waitFor();
}
