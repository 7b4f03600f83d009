/**
 * Proves, in Chromium against a real server: a user signs in, sees errors for a wrong password or
 * too many attempts, signs out everywhere, and changes a password. The user finds companies by
 * sentence, map, and guidance with the API's counts, and reads the table by keyboard to its last
 * row. The user opens and copies an account, and shares a link to the same rows. Nothing is written
 * to the console and no request leaves the server.
 * Does not prove: exports, saved searches, keys, usage, and members (e2e/console/files.test.ts),
 * looks (screenshots), other browsers.
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Account, ExploreAnswer, SearchPage } from "../../../src/console/web/app/answers.ts";
import { cnpj } from "../../../src/console/web/app/format.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import {
  button,
  consoleSuite,
  copied,
  countOf,
  heading,
  shows,
} from "../../support/console/suite.ts";
import { englishWords as english, portugueseWords as words } from "../../support/console/words.ts";

const { shell, find, table, account } = words;
const SENTENCE = "empresas ativas em São Paulo com e-mail, sem dono chamado Zebulon";
/** A state with hundreds of accounts in the sample. */
const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

let ana: Person;
let rui: Person;

const KEPT_SECONDS = 864_000;
const CONTACT = "ajuda@example.com";
const settings = {
  PENEIRA_CONSOLE_SESSION_KEPT: String(KEPT_SECONDS),
  PENEIRA_CONSOLE_CONTACT: CONTACT,
};
const suite = consoleSuite({ settings }, async (served) => {
  ana = await served.user("ana@example.com");
  rui = await served.user("rui@example.com", "member");
});
const { inBrowser } = suite;

async function fillSignIn({ page }: Visit, { email, password }: Person): Promise<void> {
  await page.getByLabel(shell.signIn.email, { exact: true }).fill(email);
  await page.getByLabel(shell.signIn.password, { exact: true }).fill(password);
  await button(page, shell.signIn.submit).click();
}

/** Returns the API's answer to the page's last query. */
async function explored(visit: Visit, spec: object): Promise<ExploreAnswer> {
  return await visit.send<ExploreAnswer>("/explore", { spec });
}

describe("signing in", () => {
  inBrowser("tells no more than that it failed, then opens the console", async (open) => {
    const visit = await open(null);
    await visit.go("/app");
    await heading(visit, shell.signIn.title).waitFor();
    visit.expect(401);
    for (const email of [ana.email, "nobody@example.com"]) {
      await fillSignIn(visit, { email, password: "not this one at all" });
      await visit.page.getByText(shell.signIn.wrong).waitFor();
    }
    await fillSignIn(visit, ana);
    await heading(visit, find.title).waitFor({ state: "attached" });
    const [cookie, ...more] = await visit.context.cookies();
    assert.deepEqual(more, []);
    assert.equal(cookie?.name, "peneira_session");
    assert.equal(cookie.httpOnly, true);
    assert.equal(cookie.sameSite, "Strict");
    assert.equal(await visit.page.evaluate("document.cookie"), "");
    await visit.page.reload();
    await heading(visit, find.title).waitFor({ state: "attached" });
  });

  inBrowser("stays for who wishes it, and names whom to ask", async (open) => {
    const visit = await open(null);
    await visit.go("/app");
    await visit.page.getByText(shell.signIn.help(CONTACT)).waitFor();
    await visit.page.getByRole("checkbox", { name: shell.signIn.keep(KEPT_SECONDS) }).check();
    const before = Date.now() / 1000;
    await fillSignIn(visit, ana);
    await heading(visit, find.title).waitFor({ state: "attached" });
    const [cookie] = await visit.context.cookies();
    const lasts = (cookie?.expires ?? 0) - before;
    assert.ok(lasts > KEPT_SECONDS - 60 && lasts < KEPT_SECONDS + 60, String(lasts));
  });

  inBrowser("makes somebody who guesses wait, and nobody else", async (open) => {
    const visit = await open(null);
    await visit.go("/app");
    visit.expect(401, 429);
    const guess = { email: "victim@example.com", password: "a guess of many" };
    const waiting = visit.page.getByText(shell.signIn.wait(0).split(" 0")[0] as string);
    for (let turn = 0; turn < 8 && !(await waiting.isVisible()); turn++) {
      await fillSignIn(visit, guess);
      const wrong = visit.page.getByText(shell.signIn.wrong);
      await wrong.or(waiting).first().waitFor();
      await button(visit.page, shell.signIn.submit)
        .and(visit.page.locator(":not([aria-busy])"))
        .waitFor();
    }
    assert.equal(await waiting.isVisible(), true, "a wait is told");
    assert.equal(await button(visit.page, shell.signIn.submit).isDisabled(), true);
    await (await open(rui)).go("/app");
  });

  inBrowser("shows English to whom Portuguese is not the language", async (open) => {
    const visit = await open(null, { locale: "en-GB" });
    await visit.go("/app");
    await heading(visit, english.shell.signIn.title).waitFor();
    assert.equal(await visit.page.locator("html").getAttribute("lang"), "en");
  });

  inBrowser("everywhere ends at once", async (open) => {
    const eva = await suite.served.user("eva@example.com", "member");
    const [here, there] = [await open(eva), await open(eva)];
    await there.go("/app/saved");
    await here.go("/app/account");
    await button(here.page, account.everywhere).click();
    await button(here.page.getByRole("dialog"), account.everywhere).click();
    await heading(here, shell.signIn.title).waitFor();
    there.expect(401);
    await there.page.getByRole("link", { name: shell.viewsShort.exports }).click();
    await there.page.getByText(shell.signIn.endedTitle).waitFor();
    await there.page.getByLabel(shell.signIn.password, { exact: true }).fill(eva.password);
    await button(there.page, shell.signIn.submit).click();
    await heading(there, words.exports.historyTitle).waitFor();
    await there.page.getByText(words.exports.historyEmpty).waitFor();
  });

  inBrowser("with a new password ends the other sessions and not this one", async (open) => {
    const ivo = await suite.served.user("ivo@example.com", "member");
    const [here, there] = [await open(ivo), await open(ivo)];
    const next = "quite another password";
    await here.go("/app/account");
    await here.page.getByLabel(account.current, { exact: true }).fill(ivo.password);
    await here.page.getByLabel(account.next, { exact: true }).fill(next);
    await button(here.page, account.change).click();
    await here.page.getByText(account.changed).waitFor();
    await here.page.reload();
    await heading(here, shell.views.account).waitFor();
    await there.go("/app");
    await heading(there, shell.signIn.title).waitFor();
    await fillSignIn(there, { ...ivo, password: next });
    await heading(there, find.title).waitFor({ state: "attached" });
  });
});

describe("finding", () => {
  inBrowser("turns a sentence into filters with the count of the API", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    const { page } = visit;
    await page.getByLabel(find.prompt, { exact: true }).fill(SENTENCE);
    await button(page, find.promptSubmit).click();
    await page.locator(".meaning").waitFor();
    assert.equal(await page.locator(".meaning-sentence").innerText(), SENTENCE);
    for (const role of ["place", "contact"]) await page.locator(`.part-${role}`).first().waitFor();
    await page.locator(".remark-unmapped").waitFor();
    await page.locator(".remark-assumed, .remark-warn").first().waitFor();
    const translated = await visit.send<{ spec: object; matches: number }>("/translate", {
      query_text: SENTENCE,
    });
    await shows(visit, translated.matches);
    await page.waitForURL(/#q=/);
    // If the user removes a filter of the sentence's translation, the count changes immediately,
    // and the sentence is marked as changed.
    const rail = page.getByRole("complementary");
    await rail.getByRole("checkbox", { name: new RegExp(`^${find.email}(?! ou)`) }).uncheck();
    const spec = structuredClone(translated.spec) as ExploreAnswer["spec"];
    spec.filters.contact.require_email = false;
    await shows(visit, (await explored(visit, spec)).total);
    await page.getByText(find.meaningEdited).waitFor();
    await page.goBack();
    await shows(visit, translated.matches);
  });

  inBrowser("by the map filters by state, and again takes it out", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#status=2&contact=email");
    const state = visit.page.locator("[data-uf=SP]").first();
    const contact = { require_email: true };
    const company = { registration_status_any_of: [2] };
    const all = await explored(visit, { filters: { company, contact } });
    await shows(visit, all.total);
    await visit.go("/app#uf=RJ&status=2&contact=email");
    await state.click();
    const both = { geo: { uf_any_of: ["RJ", "SP"] }, company, contact };
    await shows(visit, (await explored(visit, { filters: both })).total);
    await visit.page.waitForURL(/uf=RJ,SP/);
    assert.equal(await state.getAttribute("aria-pressed"), "true");
    await state.focus();
    await visit.page.keyboard.press("Enter");
    const one = { geo: { uf_any_of: ["RJ"] }, company, contact };
    await shows(visit, (await explored(visit, { filters: one })).total);
  });

  inBrowser("by dates that are typed, both days included", async (open) => {
    const visit = await open(ana);
    await visit.go("/app#uf=SP,MG");
    await visit.page.getByRole("grid").waitFor();
    const dates = visit.page.getByRole("complementary").getByPlaceholder(find.dayForm);
    await dates.first().fill("01/03/2015");
    await dates.last().fill("31/12/2019");
    const geo = { uf_any_of: ["SP", "MG"] };
    const company = { started_after: "2015-03-01", started_before: "2020-01-01" };
    const { total } = await explored(visit, { filters: { geo, company } });
    await shows(visit, total);
    assert.ok(total > 0 && total < (await explored(visit, { filters: { geo } })).total);
    await visit.page.waitForURL(/opened=2015-03-01\.\.2020-01-01/);
    await dates.last().fill("31/12/2014");
    await visit.page.getByText(find.openedOrder).waitFor();
    await shows(visit, total);
  });

  inBrowser("with what is changed while the link still opens", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    let read = () => {};
    const wanted = new Promise<void>((resolve) => {
      read = resolve;
    });
    await page.route("**/v1/console/catalog", async (route) => {
      await wanted;
      await route.continue();
    });
    await visit.go("/app#uf=SP,MG");
    const rail = page.getByRole("complementary");
    await rail.getByPlaceholder(find.dayForm).first().fill("01/03/2015");
    read();
    await page.getByRole("grid").waitFor();
    const geo = { uf_any_of: ["SP", "MG"] };
    const filters = { geo, company: { started_after: "2015-03-01" } };
    await shows(visit, (await explored(visit, { filters })).total);
    await page.waitForURL(/opened=2015-03-01\.\./);
  });

  inBrowser("says what to leave out where nothing is found, and what to add", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP&capital=80000000000000..");
    await page.getByText(find.noneTitle).waitFor();
    const offer = page.locator(".offer").first();
    const count = await offer.locator(".offer-count").textContent();
    await offer.click();
    await eventually(async () => assert.equal(await countOf(visit), count));
    await visit.go("/app#mei=yes");
    await page.getByText(find.broadTitle).waitFor();
    const state = page.locator(".offers-two .offer").first();
    const most = await state.locator(".offer-count").textContent();
    await state.click();
    await eventually(async () => assert.equal(await countOf(visit), most));
    await page.getByRole("grid").waitFor();
  });
});

describe("reading", () => {
  inBrowser("goes by keyboard from the first row to the last, in the API's order", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP&sort=legal_name");
    const grid = page.getByRole("grid");
    await grid.waitFor();
    const accounts = await listed(visit, {
      ...SP,
      sort: [{ field: "legal_name", direction: "asc" }],
    });
    assert.ok(accounts.length > 300, `${accounts.length} rows`);
    const below = await page.evaluate("document.documentElement.scrollHeight - innerHeight");
    assert.equal(below, 0, "nothing lies below the window");
    await button(page, find.skip).press("Enter");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("ArrowDown");
    // Each press of End moves to the last loaded row, which loads the next rows.
    await eventually(async () => {
      await page.keyboard.press("Control+End");
      const row = await page.locator(":focus").evaluate(rowIndexOf);
      assert.equal(row, accounts.length + 1);
    });
    assert.equal(Number(await grid.getAttribute("aria-rowcount")), accounts.length + 1);
    const drawn = await grid.locator("tbody tr").count();
    assert.ok(drawn < 80, `${drawn} rows in the document`);
    await page.keyboard.press("c");
    const last = accounts.at(-1) as Account;
    await eventually(async () => assert.equal(await copied(visit), cnpj(last.cnpj)));
  });

  inBrowser("opens an account, tells why it is listed, copies, and walks on", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app#uf=SP&contact=email,phone");
    const contact = { require_email: true, require_phone: true };
    const [first, second] = await listed(visit, { filters: { ...SP.filters, contact } });
    const grid = page.getByRole("grid");
    await grid.locator("[data-row='0'] [data-column='0']").click();
    const drawer = page.getByRole("dialog");
    await drawer
      .getByText(cnpj(first?.cnpj as string))
      .first()
      .waitFor();
    await drawer.getByText(table.drawer.why).waitFor();
    const registry = drawer.getByRole("link", { name: table.drawer.registry });
    assert.ok((await registry.getAttribute("href"))?.endsWith(`?cnpj=${first?.cnpj}`));
    const mobiles = [first?.phone_1, first?.phone_2].filter((one) =>
      /^\+55..9.{8}$/.test(`${one}`),
    );
    const chats = drawer.getByRole("link", { name: "WhatsApp" });
    assert.deepEqual(
      await chats.evaluateAll((all) => all.map((one) => one.getAttribute("href"))),
      mobiles.map((one) => `https://wa.me/${String(one).slice(1)}`),
    );
    await drawer.getByText(String(first?.email)).first().waitFor();
    const copy = (what: string) => button(drawer, table.drawer.copy(what)).first();
    await copy(table.fields.email as string).click();
    await eventually(async () => assert.equal(await copied(visit), first?.email));
    await page.keyboard.press("j");
    await drawer
      .getByText(cnpj(second?.cnpj as string))
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    assert.equal(await page.locator(":focus").evaluate(rowIndexOf), 3, "the focus is in its row");
  });

  inBrowser("is the same for a colleague who opens the link", async (open) => {
    const visit = await open(ana);
    await visit.go("/app");
    await visit.page
      .getByLabel(find.prompt, { exact: true })
      .fill("restaurantes no estado de São Paulo");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("grid").waitFor();
    await button(visit.page, find.share).click();
    await visit.page.getByText(find.shared).waitFor();
    const link = await copied(visit);
    const colleague = await open(rui, { width: 1440 });
    await colleague.page.goto(link);
    await colleague.page.getByRole("grid").waitFor();
    const rows = (page: Visit["page"]) =>
      page.locator("[data-row] [data-column='0']").allInnerTexts();
    await eventually(async () =>
      assert.deepEqual(await rows(colleague.page), await rows(visit.page)),
    );
    assert.equal(await countOf(colleague), await countOf(visit));
    await colleague.page.waitForURL(visit.page.url());
  });

  inBrowser("is the same by the command that is shown", async (open) => {
    const visit = await open(ana);
    const key = await suite.served.key("enterprise");
    await visit.go("/app#uf=SP&contact=email");
    await button(visit.page, table.code.button).click();
    const command = await visit.page.getByRole("dialog").locator("pre").first().innerText();
    const body = /'(\{.*\})'/s.exec(command)?.[1];
    const path = /https?:\/\/[^/]+(\/[^\s'"]+)/.exec(command)?.[1];
    assert.ok(body !== undefined && path !== undefined, command);
    const answer = await fetch(suite.served.base + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body,
    });
    const found = (await answer.json()) as SearchPage;
    assert.equal(answer.status, 200, JSON.stringify(found));
    await shows(visit, found.total);
  });
});

/** Returns all accounts of a spec through the search of the console. */
async function listed(visit: Visit, spec: object): Promise<Account[]> {
  const output = { fields: ["cnpj", "legal_name", "email"] };
  const accounts: Account[] = [];
  let body: object = { spec: { ...spec, output }, limit: 500 };
  for (;;) {
    const page = await visit.send<SearchPage>("/accounts/search", body);
    accounts.push(...page.accounts);
    if (page.next_cursor === null) return accounts;
    body = { spec: page.spec, cursor: page.next_cursor };
  }
}

/** The code that runs in the page uses a few types of the DOM, which this program does not load. */
interface PageElement {
  closest(selector: string): { getAttribute(name: string): string } | null;
}

function rowIndexOf(element: unknown): number {
  const row = (element as PageElement).closest("[aria-rowindex]");
  return Number(row?.getAttribute("aria-rowindex"));
}
