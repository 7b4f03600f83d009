/**
 * Proves, in Chromium against a real server with a mail server: the dialog for notices about a
 * saved search offers the user's own e-mail address. If the user accepts, the address becomes a
 * receiver of notices about this search. If a webhook that is entered next is refused, no second
 * e-mail receiver is created. The e-mail of the next month appears in the log under its address. In
 * the webhooks view, the user can test, pause, and delete the receiver. After the recipient has
 * unsubscribed, the receiver can only be deleted. Members cannot change receivers. axe finds
 * nothing.
 * Does not prove the bytes of e-mails and retries (contract/notices).
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, describe } from "node:test";
import type { AuditPage, SearchList } from "../../../src/console/web/app/answers.ts";
import type { EmailPage } from "../../../src/console/web/app/recordanswers.ts";
import { readMail, startMailServer } from "../../support/changes/mailserver.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, entry } from "../../support/console/suite.ts";
import { portugueseWords as words } from "../../support/console/words.ts";
import { makeNextMonth } from "../../support/sample/snapshot.ts";

const { notices, commands, shell } = words;
const MADE = { accounts: 3_000, seed: 6 };
const [OLDER, NEWER] = ["2026-10", "2026-11"] as const;
const [ANA, BIA] = ["ana@example.com", "bia@example.com"] as const;

const mail = await startMailServer();
after(() => mail.close());

let ana: Person;
let bia: Person;
let next: string;
const suite = consoleSuite(
  {
    ...MADE,
    settings: {
      PENEIRA_NOTICES_BASE_URL: "https://peneira.example.com",
      PENEIRA_NOTICES_SMTP_HOST: "127.0.0.1",
      PENEIRA_NOTICES_SMTP_PORT: String(mail.port),
      PENEIRA_NOTICES_SMTP_TLS: "none",
      PENEIRA_NOTICES_SMTP_FROM: "peneira@example.com",
    },
    snapshot: ({ folder, snapshot }) => {
      mkdirSync(join(folder, "months"));
      copyFileSync(snapshot, join(folder, "months", `${OLDER}.peneira`));
      return join(folder, "months");
    },
  },
  async (served) => {
    ana = await served.user(ANA);
    bia = await served.user(BIA, "member");
    next = await makeNextMonth(served.sample, MADE, NEWER);
  },
);
const { inBrowser } = suite;

const dialog = ({ page }: Visit) => page.getByRole("dialog");
const emails = async (visit: Visit) => (await visit.getJson<EmailPage>("/emails")).emails;
const searches = async (visit: Visit) => (await visit.getJson<SearchList>("/searches")).searches;

async function clean(visit: Visit, name: string): Promise<void> {
  await visit.page.evaluate(AXE);
  assert.deepEqual(await findingsOf(visit, name, TAGS), []);
}

/** Opens the dialog for a state, and names the search. */
async function start(visit: Visit, uf: string): Promise<void> {
  await visit.go(`/app#uf=${uf}`);
  await visit.page.getByRole("grid").waitFor();
  await button(visit.page, commands.saveButton).click();
  await dialog(visit).getByLabel(commands.saveName).fill(uf);
}

describe("e-mails in the dialog of a notice", () => {
  inBrowser("are offered to the user's own address, and added once", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    visit.expect(422);
    await start(visit, "SP");
    await dialog(visit).getByLabel(notices.email(ANA)).check();
    await dialog(visit).getByLabel(notices.newHook).check();
    await dialog(visit).getByLabel(notices.url, { exact: true }).fill("http://10.0.0.1/x");
    await clean(visit, "the dialog");
    await button(page, notices.create).click();
    await dialog(visit).locator(".field-error").waitFor();
    await dialog(visit).getByLabel(notices.newHook).uncheck();
    await button(page, notices.create).click();
    await page.getByText(commands.savedToast("SP")).waitFor();
    const [search, ...others] = await searches(visit);
    assert.deepEqual(others, []);
    const made = (await emails(visit)).map((one) => [one.address, one.language, one.searches]);
    assert.deepEqual(made, [[ANA, "pt", [search?.id]]]);
  });

  inBrowser("get a second search, and lose it again", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await start(visit, "RJ");
    await dialog(visit).getByLabel(notices.email(ANA)).check();
    await button(page, notices.create).click();
    await page.getByText(commands.savedToast("RJ")).waitFor();
    assert.equal((await emails(visit))[0]?.searches?.length, 2);
    const id = (await searches(visit)).find(({ name }) => name === "RJ")?.id;
    await visit.go(`/app/news#${id}`);
    await button(page, notices.change).click();
    await dialog(visit).getByLabel(notices.email(ANA)).uncheck();
    await button(page, shell.save).click();
    await page.getByText(notices.saved).waitFor();
    assert.equal((await emails(visit))[0]?.searches?.length, 1);
  });

  inBrowser("are not offered to members", async (open) => {
    const visit = await open(bia);
    await start(visit, "MG");
    assert.equal(await dialog(visit).getByLabel(notices.email(BIA)).count(), 0);
    assert.ok(await dialog(visit).getByLabel(notices.email(ANA)).isDisabled());
  });
});

describe("an e-mail receiver", () => {
  inBrowser("is named in the log of the next month", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    renameSync(next, join(suite.served.sample.folder, "months", `${NEWER}.peneira`));
    await eventually(async () => assert.equal(mail.got.length, 1));
    assert.deepEqual(mail.got[0]?.to, [ANA]);
    const id = (await searches(visit)).find(({ name }) => name === "SP")?.id;
    await visit.go(`/app/news#${id}`);
    const line = page.locator(".notice-delivery");
    await line.getByText(ANA, { exact: true }).waitFor();
    await line.getByText(notices.deliveryStates.delivered).waitFor();
    assert.equal(await page.getByText(notices.deletedHook).count(), 0);
    await clean(visit, "the log");
  });

  inBrowser("is tested and paused", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/webhooks");
    await button(page, `${notices.test}: ${ANA}`).click();
    await page.getByText(notices.mailed).waitFor();
    assert.equal(mail.got.length, 2);
    await button(page, `${notices.pause}: ${ANA}`).click();
    await page.getByText(notices.reasons.owner, { exact: true }).waitFor();
    assert.equal((await emails(visit))[0]?.enabled, false);
    await button(page, `${notices.enable}: ${ANA}`).click();
    await page.getByText(notices.enabled, { exact: true }).waitFor();
    await clean(visit, "receivers");
  });

  inBrowser("can only be deleted after its reader has unsubscribed", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const link = readMail(mail.got[0]?.raw ?? "").headers.get("list-unsubscribe") ?? "";
    const path = /(\/unsubscribe\/[^>]+)>/.exec(link)?.[1] ?? "";
    const ended = await fetch(`${visit.base}${path}`, { method: "POST" });
    assert.equal(ended.status, 200);
    await start(visit, "BA");
    await dialog(visit).getByText(notices.reasons.unsubscribed).waitFor();
    await visit.go("/app/webhooks");
    await page.getByText(notices.reasons.unsubscribed, { exact: true }).waitFor();
    assert.equal(await page.locator(".record-actions button").count(), 1);
    await clean(visit, "an unsubscribed receiver");
    await button(page, notices.menu(ANA)).click();
    assert.equal(await page.getByRole("menuitem").count(), 1);
    await entry(visit, notices.remove).click();
    await dialog(visit).getByText(notices.removeTitle(ANA)).waitFor();
    await button(dialog(visit).last(), notices.remove).click();
    await page.getByText(notices.hooksEmpty).waitFor();
    assert.deepEqual(await emails(visit), []);
    const { lines } = await visit.getJson<AuditPage>("/audit");
    const actions = new Set(lines.map(({ action }) => action));
    for (const action of ["create", "disable", "enable", "unsubscribe", "delete"] as const) {
      assert.ok(actions.has(`email.${action}`), action);
    }
  });
});
