/**
 * Proves, in Chromium against a real server and a receiver: with three clicks, a result becomes a
 * monthly notice. It is saved once, with a webhook whose secret is shown once, and with a feed that
 * can be replaced and withdrawn. The dates in its search stay fixed or move with the month. A
 * paused notice is shown as paused and sends nothing. The next month's notice is shown with its
 * counts, changed columns, and deliveries, and can be sent again under the same id. A watched list
 * notifies about changes in its groups of fields. Webhooks are tested, paused, given a new secret,
 * and deleted. A refused address is reported at its field and saves nothing twice. Members cannot
 * change webhooks. Without a mail server, e-mail is not offered.
 * Does not prove signatures, retries, and counts (contract/notices), nor e-mail (emails.test.ts).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import type { AuditPage, SearchList } from "../../../src/console/web/app/answers.ts";
import { month } from "../../../src/console/web/app/format.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import type {
  NoticeOptionsAnswer,
  NoticePage,
  WebhookPage,
} from "../../../src/console/web/app/recordanswers.ts";
import { type Receiver, startReceiver, status } from "../../support/changes/receiver.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, entry, heading } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { makeNextMonth } from "../../support/sample/snapshot.ts";

const { notices, news, commands, exports, shell, table } = words;
const MADE = { accounts: 3_000, seed: 6 };
const [OLDER, NEWER] = ["2026-10", "2026-11"] as const;
const NAME = "Ativas de São Paulo";
const ROLLING = "Abertas há pouco";

let ana: Person;
let bia: Person;
let next: string;
let receiver: Receiver;
const suite = consoleSuite(
  {
    ...MADE,
    settings: { PENEIRA_NOTICES_ALLOW_NETWORKS: "127.0.0.0/8" },
    snapshot: ({ folder, snapshot }) => {
      mkdirSync(join(folder, "months"));
      copyFileSync(snapshot, join(folder, "months", `${OLDER}.peneira`));
      return join(folder, "months");
    },
  },
  async (served) => {
    ana = await served.user("ana@example.com");
    bia = await served.user("bia@example.com", "member");
    next = await makeNextMonth(served.sample, MADE, NEWER);
  },
);
const { inBrowser } = suite;
before(async () => {
  receiver = await startReceiver();
});
after(() => receiver.close());

const dialog = ({ page }: Visit) => page.getByRole("dialog");
const searches = async (visit: Visit) => (await visit.getJson<SearchList>("/searches")).searches;
const hooks = async (visit: Visit) => (await visit.getJson<WebhookPage>("/webhooks")).webhooks;
const idOf = async (visit: Visit, wanted = NAME) =>
  (await searches(visit)).find(({ name }) => name === wanted)?.id;
const optionsOf = async (visit: Visit, wanted: string) =>
  (await visit.getJson<NoticeOptionsAnswer>(`/searches/${await idOf(visit, wanted)}/notices`))
    .search;

async function clean(visit: Visit, name: string): Promise<void> {
  await visit.page.evaluate(AXE);
  assert.deepEqual(await findingsOf(visit, name, TAGS), []);
}

describe("a monthly notice", () => {
  inBrowser("is set up from a result in three clicks", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP&status=2");
    await page.getByRole("grid").waitFor();
    await button(page, commands.saveButton).click();
    await dialog(visit).getByLabel(commands.saveName).fill(NAME);
    await dialog(visit).getByLabel(notices.feed).check();
    assert.equal(await dialog(visit).getByLabel(notices.email(ana.email)).count(), 0);
    await dialog(visit).getByLabel(notices.file).waitFor();
    await clean(visit, "a notice");
    await button(page, notices.create).click();
    await page.getByRole("heading", { name: notices.done }).waitFor();
    await page.getByText(/\/feeds\/[\w-]{32}\.atom/).waitFor();
    await page.keyboard.press("Escape");
    await button(page, notices.open).click();
    await heading(visit, NAME).waitFor();
    await page.getByText(notices.noNotices).waitFor();
    assert.equal((await searches(visit)).length, 1);
  });

  inBrowser("has a new webhook, after an address was refused at its field", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    visit.expect(422);
    await visit.go("/app#uf=RJ");
    await page.getByRole("grid").waitFor();
    await button(page, commands.saveButton).click();
    await dialog(visit).getByLabel(commands.saveName).fill("Rio");
    await dialog(visit).getByLabel(notices.newHook).check();
    await button(page, notices.create).click();
    await page.getByText(notices.urlMissing).waitFor();
    await dialog(visit).getByLabel(notices.url, { exact: true }).fill("http://10.0.0.1/x");
    await button(page, notices.create).click();
    await dialog(visit).locator(".field-error").waitFor();
    await dialog(visit).getByLabel(notices.url, { exact: true }).fill(receiver.url);
    await button(page, notices.create).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByText(/^whpk_/).waitFor();
    await button(page, notices.close).click();
    const saved = await searches(visit);
    assert.deepEqual(saved.map(({ name }) => name).sort(), [NAME, "Rio"].sort());
    const [hook, ...others] = await hooks(visit);
    assert.deepEqual(others, []);
    assert.deepEqual(hook?.searches, [saved.find(({ name }) => name === "Rio")?.id]);
  });

  inBrowser("names the fixed days of its search, which opens as its own sentence", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const text = "empresas ativas em São Paulo abertas nos últimos 90 dias";
    const day = "2026-01-15";
    await visit.go(`/app#q=${encodeURIComponent(text)}`);
    await page.waitForURL(/opened=/);
    await page.goto(page.url().replace(/opened=[\d-]+/, `opened=${day}`));
    await page.reload();
    await page.locator(".meaning-sentence").waitFor();
    assert.match(page.url(), /opened=2026-01-15/);
    assert.equal(await page.locator(".meaning-edited").count(), 0);
    await button(page, commands.saveButton).click();
    const days = "abertas desde 15 de jan. de 2026";
    await dialog(visit).getByText(notices.fixedDays(days)).waitFor();
    await dialog(visit).getByLabel(commands.saveName).fill(ROLLING);
    await dialog(visit).getByLabel(notices.rolling).check();
    await dialog(visit).getByText(days, { exact: true }).waitFor();
    await clean(visit, "moving days");
    await button(page, notices.create).click();
    await page.getByText(commands.savedToast(ROLLING)).waitFor();
    assert.equal((await optionsOf(visit, ROLLING)).rolling_days, true);
  });

  inBrowser("is paused and resumed, and its days are fixed again", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const change = async () => {
      await visit.go(`/app/news#${await idOf(visit, ROLLING)}`);
      await button(page, notices.change).click();
      await dialog(visit).getByLabel(notices.paused).waitFor();
    };
    const save = async () => {
      await button(page, shell.save).click();
      await page.getByText(notices.saved).waitFor();
      const { paused, rolling_days } = await optionsOf(visit, ROLLING);
      return [paused, rolling_days];
    };
    await change();
    assert.ok(await dialog(visit).getByLabel(notices.rolling).isChecked());
    await dialog(visit).getByLabel(notices.paused).check();
    await clean(visit, "a pause");
    assert.deepEqual(await save(), [true, true]);
    await change();
    assert.ok(await dialog(visit).getByLabel(notices.paused).isChecked());
    await dialog(visit).getByLabel(notices.paused).uncheck();
    await dialog(visit).getByLabel(notices.rolling).uncheck();
    assert.deepEqual(await save(), [false, false]);
    await change();
    await dialog(visit).getByLabel(notices.paused).check();
    assert.deepEqual(await save(), [true, false]);
    await visit.go("/app/saved");
    const row = page.locator(".record").filter({ hasText: ROLLING });
    await row.getByText(notices.reasons.owner, { exact: true }).waitFor();
  });

  inBrowser("takes a known webhook, and its feed is replaced and withdrawn", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const id = (await idOf(visit)) ?? "";
    const feed = async () => {
      const path = `/searches/${id}/notices`;
      return (await visit.getJson<NoticeOptionsAnswer>(path)).search.feed;
    };
    const first = await feed();
    assert.equal((await visit.context.request.get(`${visit.base}${first}`)).status(), 200);
    await visit.go(`/app/news#${id}`);
    await button(page, notices.change).click();
    await button(page, notices.feedNew).click();
    await eventually(async () => assert.notEqual(await feed(), first));
    assert.equal((await visit.context.request.get(`${visit.base}${first}`)).status(), 404);
    await dialog(visit).getByLabel(new URL(receiver.url).host).check();
    await dialog(visit).getByLabel(notices.feed).uncheck();
    await dialog(visit).getByLabel(notices.onlyChanges).check();
    await button(page, shell.save).click();
    await page.getByText(notices.saved).waitFor();
    const { search } = await visit.getJson<NoticeOptionsAnswer>(`/searches/${id}/notices`);
    assert.deepEqual([search.feed, search.only_changes], [null, true]);
    assert.equal((await hooks(visit))[0]?.searches?.length, 2);
  });

  inBrowser("watches a list by groups of fields", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const { list } = await visit.send<{ list: AccountList }>("/lists", { name: "Clientes" });
    await visit.send(`/lists/${list.id}/entries`, { cnpjs: ["11222333000181"] });
    await visit.go(`/app/lists#${list.id}`);
    await button(page, commands.saveButton).click();
    await dialog(visit).getByText(notices.watchHint).waitFor();
    assert.equal(await dialog(visit).getByLabel(notices.file).count(), 0);
    assert.ok(await dialog(visit).getByLabel(notices.fileOfChanges).isChecked());
    await dialog(visit).getByLabel(news.groups.address, { exact: true }).uncheck();
    await button(page, notices.create).click();
    const name = notices.listName("Clientes");
    await page.getByText(commands.savedToast(name)).waitFor();
    const id = (await searches(visit)).find((one) => one.name === name)?.id;
    const { search } = await visit.getJson<NoticeOptionsAnswer>(`/searches/${id}/notices`);
    assert.ok(search.watch?.includes("registration_status") && search.watch.includes("email"));
    assert.ok(!search.watch?.includes("postal_code"));
    assert.notEqual(search.export, null);
  });

  inBrowser("is not changed by members where it has webhooks", async (open) => {
    const visit = await open(bia);
    const { page } = visit;
    await visit.go(`/app/news#${await idOf(visit)}`);
    await button(page, notices.change).click();
    assert.ok(await dialog(visit).getByLabel(new URL(receiver.url).host).isDisabled());
    assert.equal(await dialog(visit).getByLabel(notices.newHook).count(), 0);
    await visit.go("/app/webhooks");
    await page.getByRole("heading", { name: receiver.url }).waitFor();
    assert.equal(await page.locator(".record-actions").count(), 0);
    assert.equal(await button(page, notices.add).count(), 0);
  });
});

describe("a notice of the next month", () => {
  inBrowser("is shown with what it held and whether it arrived", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const id = (await idOf(visit)) ?? "";
    receiver.answer = status(503);
    renameSync(next, join(suite.served.sample.folder, "months", `${NEWER}.peneira`));
    const last = async () => {
      const { notices: found } = await visit.getJson<NoticePage>(`/notices?search=${id}`);
      return found[0];
    };
    await eventually(async () => assert.equal((await last())?.deliveries[0]?.last_status, 503));
    const notice = await last();
    assert.ok(notice?.entered && notice.left && notice.changed);
    const held = notices.counts(notice.entered, notice.left, notice.changed);
    await visit.go("/app/saved");
    const row = page.locator(".record").filter({ hasText: NAME });
    await row.getByText(held).waitFor();
    await row.getByText(notices.last(month(NEWER))).waitFor();
    await clean(visit, "the last notices");
    const paused = await visit.getJson<NoticePage>(`/notices?search=${await idOf(visit, ROLLING)}`);
    assert.deepEqual(paused.notices, []);
    await visit.go(`/app/news#${id}`);
    await page.getByText(held).waitFor();
    await page.getByText(notices.status(503)).waitFor();
    await page.getByText("O destino respondeu com erro.").waitFor();
    const [field, count] = Object.entries(notice.changed_fields ?? {})[0] ?? [];
    const names: Readonly<Record<string, string>> = table.fields;
    await page.getByText(`${names[field ?? ""]} (${count})`).waitFor();
    await clean(visit, "the log");
    receiver.answer = (_, response) => void response.writeHead(204).end();
    const before = receiver.got.length;
    await button(page, `${notices.replay}: ${notices.of(month(NEWER), month(OLDER))}`).click();
    await page.getByText(notices.replayed).waitFor();
    await receiver.until(before + 1);
    assert.equal(receiver.got.at(-1)?.headers["webhook-id"], notice.notice_id);
    await page.reload();
    await page.getByText(notices.deliveryStates.delivered).waitFor();
  });
});

describe("the webhooks", () => {
  inBrowser("are tested, paused, given a new secret, and deleted", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/webhooks");
    await page.getByRole("heading", { name: receiver.url }).waitFor();
    await clean(visit, "webhooks");
    await button(page, `${notices.test}: ${receiver.url}`).click();
    await page.getByText(/^O teste chegou: 204/).waitFor();
    await button(page, `${notices.pause}: ${receiver.url}`).click();
    await page.getByText(notices.reasons.owner, { exact: true }).waitFor();
    await button(page, `${notices.enable}: ${receiver.url}`).click();
    await page.getByText(notices.enabled, { exact: true }).waitFor();
    await button(page, notices.menu(receiver.url)).click();
    await entry(visit, notices.rotate).click();
    await button(dialog(visit).last(), notices.rotate).click();
    await page.getByText(/^whsec_/).waitFor();
    await button(page, notices.close).click();
    await page.getByText(/o segredo antigo vale até/).waitFor();
    await button(page, notices.menu(receiver.url)).click();
    await entry(visit, notices.remove).click();
    await button(dialog(visit).last(), notices.remove).click();
    await page.getByText(notices.removed).waitFor();
    await page.getByText(notices.hooksEmpty).waitFor();
    assert.deepEqual(await hooks(visit), []);
    const { lines } = await visit.getJson<AuditPage>("/audit");
    const own = lines.filter(({ action }) => action.startsWith("webhook."));
    assert.ok(own.length >= 4 && own.every(({ actor }) => actor.you));
  });

  inBrowser("of one host have names and dates that tell them apart", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const ends = ["vendas", "9fK3aZ77Q"];
    for (const end of ends) await visit.send("/webhooks", { url: `https://example.com/${end}` });
    await visit.go("/app#uf=MG");
    await page.getByRole("grid").waitFor();
    await button(page, commands.saveButton).click();
    await dialog(visit)
      .getByLabel(/^example\.com \(…ndas, .*\d{4}/)
      .waitFor();
    await dialog(visit)
      .getByLabel(/^example\.com \(…Z77Q, .*\d{4}/)
      .waitFor();
    await clean(visit, "webhooks of one host");
    await visit.go("/app/webhooks");
    await page
      .locator(".record", { hasText: "/vendas" })
      .getByText(/^criado em /)
      .waitFor();
  });

  inBrowser("are named where a notice told nobody else", async (open) => {
    const visit = await open(ana, { width: 390, height: 844 });
    await visit.go("/app/saved");
    await visit.page.getByText(notices.onlyHere).first().waitFor();
    await visit.page.getByText(exports.savedIntro).waitFor();
  });
});
