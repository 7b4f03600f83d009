/**
 * Proves, in Chromium against a real server: an export made in the dialog has the same bytes as one
 * made by the API, for any choice. The dialog estimates the export, shows its progress, and cancels
 * it. The export is listed, repeated, used as a query, and deleted. A short message reports its end
 * on another view. A saved search keeps its count and shows the change on newer data. A key made in
 * the console works on the API until it is disabled. The audit trail has pages. Usage survives a
 * restart. Members are created, limited, and disabled.
 * Does not prove: the bytes themselves (unit/export/*.test.ts), limits of plans
 * (contract/http/*.test.ts).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe } from "node:test";
import type {
  AuditPage,
  ExportList,
  ExportView,
  SavedSearch,
  UsageAnswer,
} from "../../../src/console/web/app/answers.ts";
import { number } from "../../../src/console/web/app/format.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, entry, heading, shows } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { Client, sha256 } from "../../support/export/client.ts";

const { audit, exports, keys, members, shell, charts, find, commands } = words;
const HASH = "#uf=RJ,SP&contact=email";
const SPEC = {
  filters: { geo: { uf_any_of: ["RJ", "SP"] }, contact: { require_email: true } },
};

let ana: Person;
let key: string;
const suite = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
  key = await served.key("enterprise");
});
const { inBrowser } = suite;

const dialog = ({ page }: Visit) => page.getByRole("dialog");
const api = () => new Client(suite.served.base, key);

async function openDialog(visit: Visit): Promise<void> {
  await visit.go(`/app${HASH}`);
  await visit.page.getByRole("grid").waitFor();
  await button(visit.page.locator(".found"), commands.button).click();
  await dialog(visit).getByText(exports.format, { exact: true }).waitFor();
}

/** Submits the dialog, and returns the bytes of the file that it then offers. */
async function downloaded(visit: Visit): Promise<Buffer> {
  await button(dialog(visit), exports.send).click();
  const link = dialog(visit).getByRole("link", { name: exports.download });
  await link.waitFor();
  const [file] = await Promise.all([visit.page.waitForEvent("download"), link.click()]);
  return readFileSync(await file.path());
}

const radio = (visit: Visit, name: string) => dialog(visit).getByRole("radio", { name });
const newest = async (visit: Visit) =>
  (await visit.getJson<ExportList>("/exports?limit=1")).exports[0] as ExportView;

describe("an export", () => {
  inBrowser("has the bytes of the API's, with what was chosen", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    const fields = "cnpj legal_name trade_name cnae_primary_description municipality_name uf";
    const contact = `${fields} phone_1 phone_2 email`.split(" ");
    const title = await dialog(visit).getByLabel(exports.title, { exact: true }).inputValue();
    assert.notEqual(title, "", "the search names the file");
    const { bytes, record } = await api().exported({
      spec: SPEC,
      output: { format: "xlsx", fields: contact, labels: "pt", title },
    });
    const sum = dialog(visit).locator(".export-sum");
    await sum.getByText(exports.rows(record.row_count)).waitFor();
    assert.equal(sha256(await downloaded(visit)), sha256(bytes));
    await dialog(visit).getByText(exports.done, { exact: true }).waitFor();
    await button(dialog(visit), exports.another).click();
    await radio(visit, "JSON Lines").check();
    await button(dialog(visit), exports.presetDefault).click();
    await dialog(visit).getByLabel(exports.limit, { exact: true }).fill("7");
    await dialog(visit).getByLabel(exports.explain).check();
    await sum.getByText(exports.rows(7)).waitFor();
    const other = await api().exported({
      spec: SPEC,
      output: { format: "jsonl", include_explain: true },
      limit: 7,
    });
    assert.equal(sha256(await downloaded(visit)), sha256(other.bytes));
  });

  inBrowser("has the layout of another product, and keeps it for the next one", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    const layout = dialog(visit).getByLabel(exports.layout);
    await layout.selectOption("pipedrive");
    await dialog(visit)
      .getByText(/Organização - Nome · /)
      .waitFor();
    await radio(visit, "CSV").check();
    assert.equal(await dialog(visit).getByText(exports.csvOptions).count(), 0);
    assert.equal(await dialog(visit).getByText(exports.fields, { exact: true }).count(), 0);
    const title = await dialog(visit).getByLabel(exports.title, { exact: true }).inputValue();
    const { bytes } = await api().exported({
      spec: SPEC,
      output: { format: "csv", preset: "pipedrive", labels: "pt", title },
    });
    assert.equal(sha256(await downloaded(visit)), sha256(bytes));
    await visit.page.keyboard.press("Escape");
    await openDialog(visit);
    assert.equal(await layout.inputValue(), "pipedrive");
    await radio(visit, "JSON Lines").check();
    assert.equal(await layout.count(), 0, "programs read no layout");
  });

  inBrowser("is not sent as the server would refuse it", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    const sent = visit.requests.length;
    await dialog(visit).getByLabel(exports.limit, { exact: true }).fill("0");
    await dialog(visit).getByText(exports.limitWrong("").slice(0, 30)).waitFor();
    await button(dialog(visit), exports.send).click({ force: true });
    const posts = visit.requests.slice(sent).filter((one) => one === "POST /v1/console/exports");
    assert.deepEqual(posts, []);
    await visit.page.keyboard.press("Escape");
    await dialog(visit).waitFor({ state: "detached" });
    const focused = visit.page.locator(":focus");
    assert.equal(await focused.innerText(), commands.button, "the focus is back");
  });

  inBrowser("is made once when the answer to its creation is lost", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    visit.expect(/ERR_FAILED/);
    let lost = 0;
    await visit.page.route("**/v1/console/exports", async (route) => {
      if (route.request().method() === "POST" && lost++ === 0) {
        await route.fetch();
        await route.abort();
      } else await route.continue();
    });
    const before = (await visit.getJson<ExportList>("/exports?limit=200")).exports.length;
    await button(dialog(visit), exports.send).click();
    await button(dialog(visit), exports.retry).click();
    await dialog(visit).getByRole("link", { name: exports.download }).waitFor();
    const after = (await visit.getJson<ExportList>("/exports?limit=200")).exports.length;
    assert.equal(after, before + 1);
  });

  inBrowser("keeps the focus in the dialog from step to step", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    await button(dialog(visit), exports.send).focus();
    await visit.page.keyboard.press("Enter");
    await dialog(visit).locator("a:focus").getByText(exports.download).waitFor();
    await button(dialog(visit), exports.another).focus();
    await visit.page.keyboard.press("Enter");
    await dialog(visit).locator("input:checked:focus").waitFor();
  });

  inBrowser("goes on when the dialog is closed, and a toast tells of its end", async (open) => {
    const visit = await open(ana);
    await openDialog(visit);
    // The server finishes before any click is possible, so the test delays the answers until the
    // dialog is closed.
    let held = true;
    let polls = 0;
    await visit.page.route(/\/v1\/console\/exports\/exp_[0-9a-f]+$/, async (route) => {
      const answer = await route.fetch();
      const record = (await answer.json()) as ExportView;
      polls++;
      const progress = polls === 1 ? 0.3 : 0.4;
      const written = { status: "running", progress, rows_written: progress * 10 };
      const running = { ...record, ...written };
      await route.fulfill({ response: answer, json: held ? running : record });
    });
    await button(dialog(visit), exports.send).click();
    await dialog(visit).getByText(exports.rowsWritten("3", "10")).waitFor();
    // The remaining time is known only from the second poll on.
    const left = new RegExp(`^${exports.rowsWritten("4", "10")}, ${exports.left(".+")}$`);
    await dialog(visit).getByText(left).waitFor();
    await button(dialog(visit), exports.keepRunning).click();
    await visit.page.getByRole("link", { name: shell.viewsShort.saved }).click();
    await heading(visit, exports.savedTitle).waitFor();
    held = false;
    const { slug } = await newest(visit);
    await visit.page.getByText(exports.toastDone(`${slug}.xlsx`)).waitFor();
  });

  inBrowser("is listed, run again, used as a query and deleted", async (open) => {
    const visit = await open(ana);
    await visit.send("/exports", { spec: SPEC, output: { format: "xlsx" } });
    await visit.go("/app/exports");
    const rows = visit.page.locator(".record");
    const first = rows.first();
    await first.getByText("Excel").waitFor();
    await first.getByText(exports.done, { exact: true }).waitFor();
    await first.getByText(ana.email).waitFor();
    const count = await rows.count();
    await first.getByRole("button").last().click();
    await entry(visit, exports.again).click();
    await eventually(async () => assert.equal(await rows.count(), count + 1));
    await first.getByRole("link", { name: exports.download }).waitFor();
    const { sha256: hash } = await newest(visit);
    const { exports: both } = await visit.getJson<ExportList>("/exports?limit=2");
    assert.equal(both[1]?.sha256, hash, "the same query on the same data is the same file");
    await first.getByRole("button").last().click();
    await entry(visit, exports.remove).click();
    await button(dialog(visit), exports.remove).click();
    await visit.page.getByText(exports.removed).waitFor();
    assert.equal(await rows.count(), count);
    const focused = visit.page.locator("h1:focus");
    await focused.getByText(exports.historyTitle).waitFor();
    await first.getByRole("button").last().click();
    await entry(visit, exports.useQuery).click();
    const { rows: wanted } = await visit.send<{ rows: number }>("/exports/estimate", {
      spec: SPEC,
      output: {},
    });
    await shows(visit, wanted);
    await visit.page.waitForURL(/uf=RJ,SP&contact=email/);
  });
});

describe("a saved search", () => {
  inBrowser("keeps its count, is renamed, opened, refreshed and deleted", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go(`/app${HASH}`);
    await page.getByRole("grid").waitFor();
    await button(page, commands.saveButton).click();
    await dialog(visit).getByLabel(commands.saveName).fill("Sudeste com e-mail");
    await page.keyboard.press("Enter");
    await page.getByText(commands.savedToast("Sudeste com e-mail")).waitFor();
    await page.getByRole("link", { name: shell.viewsShort.saved }).click();
    const row = page.locator(".record").first();
    await row.getByText(exports.unchanged).waitFor();
    const [search] = (await visit.getJson<{ searches: SavedSearch[] }>("/searches")).searches;
    const total = search?.now?.total ?? 0;
    assert.equal(await row.locator(".counts b").first().innerText(), number(total));
    // Simulates that the search was saved on other data. The change must be shown with its sign.
    await page.route("**/v1/console/searches", async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { searches: SavedSearch[] };
      const old = { snapshot: "2026-07", total: total - 20 };
      const searches = body.searches.map((one) => ({ ...one, saved: old }));
      await route.fulfill({ response: answer, json: { searches } });
    });
    await page.reload();
    await row.getByText("+20", { exact: true }).waitFor();
    await row.getByText("julho de 2026").waitFor();
    await row.getByRole("button").last().click();
    await entry(visit, exports.refresh).click();
    await row.getByText(exports.unchanged).waitFor();
    await row.getByRole("button").last().click();
    await entry(visit, exports.rename).click();
    await dialog(visit).getByLabel(commands.saveName).fill("Outro nome");
    await button(dialog(visit), commands.save).click();
    await row.getByRole("heading", { name: "Outro nome" }).waitFor();
    await button(row, exports.openNamed("Outro nome")).click();
    await shows(visit, total);
    await page.goBack();
    await row.getByRole("button").last().click();
    await entry(visit, exports.remove).click();
    await button(dialog(visit), exports.remove).click();
    await page.getByText(exports.savedEmpty).waitFor();
  });
});

describe("a paginated list", () => {
  inBrowser("shows every line once, and asks again for a page that failed", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const { lines } = await visit.getJson<AuditPage>("/audit?limit=50");
    assert.ok(lines.length >= 3);
    let fails = false;
    await page.route(/\/v1\/console\/audit\?/, async (route) => {
      const url = route.request().url().replace("limit=50", "limit=2");
      await (fails ? route.fulfill({ status: 500, json: {} }) : route.continue({ url }));
    });
    await visit.go("/app/audit");
    const rows = page.locator("tbody tr");
    const times = () =>
      rows.locator("time").evaluateAll((all) => all.map((one) => one.getAttribute("datetime")));
    const older = button(page, audit.older);
    await older.waitFor();
    assert.equal(await rows.count(), 2);
    fails = true;
    visit.expect(500);
    await older.click();
    await page.getByText(audit.failed).waitFor();
    assert.equal(await rows.count(), 2);
    fails = false;
    await button(page, shell.retry).click();
    for (let shown = 4; shown < lines.length; shown += 2) {
      await rows.nth(shown - 1).waitFor();
      await older.click();
    }
    await rows.nth(lines.length - 1).waitFor();
    await older.waitFor({ state: "detached" });
    assert.deepEqual(
      await times(),
      lines.map(({ at }) => at),
    );
  });
});

describe("keys, usage and members", () => {
  inBrowser(
    "a key works on the API until it is disabled, its successor after that",
    async (open) => {
      const visit = await open(ana);
      const { page } = visit;
      await visit.go("/app/keys");
      await button(page, keys.create).click();
      await dialog(visit).getByLabel(keys.name, { exact: true }).fill("CRM");
      await button(dialog(visit), keys.createSubmit).click();
      const made = await dialog(visit).locator(".secret-text").first().innerText();
      assert.match(made, /^pnr_/);
      const statusOf = async (one: string) =>
        (await new Client(suite.served.base, one).get("/v1/status")).status;
      assert.equal(await statusOf(made), 200);
      await button(dialog(visit), keys.done).click();
      const row = page.locator("tbody tr", { hasText: "CRM" }).first();
      await row.getByText(keys.states.active).waitFor();
      await button(row, keys.actions("CRM")).click();
      await entry(visit, keys.rotate).click();
      await dialog(visit).getByLabel(keys.overlap).selectOption("s0");
      await button(dialog(visit), keys.rotateSubmit).click();
      const next = await dialog(visit).locator(".secret-text").first().innerText();
      await eventually(async () => assert.equal(await statusOf(made), 403));
      assert.equal(await statusOf(next), 200);
      await button(dialog(visit), keys.done).click();
      const active = page.locator("tbody tr", { hasText: keys.states.active }).first();
      await button(active, keys.actions("CRM")).click();
      await entry(visit, keys.disable).click();
      await button(dialog(visit), keys.disable).click();
      await page.getByText(keys.disabled).waitFor();
      assert.equal(await statusOf(next), 403);
    },
  );

  inBrowser("members see what they may, and nothing once they are stopped", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/members");
    await button(page, members.add).click();
    await dialog(visit).getByLabel(members.email, { exact: true }).fill("leo@example.com");
    await dialog(visit).getByRole("radio", { name: members.ways.password }).check();
    await button(dialog(visit), members.addSubmit).click();
    const password = await dialog(visit).locator(".secret-text").last().innerText();
    await button(dialog(visit), members.done).click();
    const row = page.locator("tbody tr", { hasText: "leo@example.com" });
    await row.getByText(words.shell.roles.member, { exact: true }).first().waitFor();
    const leo = await open({ email: "leo@example.com", password });
    await leo.go("/app/keys");
    await leo.page.getByText(keys.readOnly).waitFor();
    assert.equal(await button(leo.page, keys.create).count(), 0);
    assert.equal(await leo.page.getByRole("link", { name: shell.views.members }).count(), 0);
    const refused = await leo.context.request.get(`${leo.base}/v1/console/members`);
    assert.equal(refused.status(), 403);
    await button(row, members.actions("leo@example.com")).click();
    await entry(visit, members.disable).click();
    await button(dialog(visit), members.disable).click();
    await row.getByText(members.states.disabled).last().waitFor();
    await leo.page.reload();
    await heading(leo, shell.signIn.title).waitFor();
  });

  inBrowser("usage tells what was asked, also after a restart", async (open) => {
    const visit = await open(ana);
    await visit.send("/accounts/search", { spec: SPEC, limit: 17 });
    const before = await visit.getJson<UsageAnswer>("/usage?days=30");
    assert.ok(before.today.accounts >= 17 && before.today.export_rows > 0);
    await visit.go("/app/usage");
    await heading(visit, charts.usage.title).waitFor();
    await visit.page.locator("canvas, svg").first().waitFor();
    const shown = visit.page.locator(".usage-figures dd");
    assert.equal(await shown.nth(2).innerText(), number(before.today.export_rows));
    await visit.page.goto("about:blank");
    await suite.served.restart();
    const again = await open(ana);
    const after = await again.getJson<UsageAnswer>("/usage?days=30");
    assert.ok(after.today.requests >= before.today.requests);
    assert.equal(after.today.export_rows, before.today.export_rows);
    assert.ok(after.senders.some(({ name, kind }) => kind === "console" && name === ana.email));
    await again.go("/app/usage");
    await again.page
      .locator(".usage-figures dd")
      .nth(2)
      .getByText(number(after.today.export_rows))
      .waitFor();
    await again.page.getByRole("link", { name: shell.viewsShort.find }).first().click();
    await heading(again, find.title).waitFor({ state: "attached" });
  });
});
