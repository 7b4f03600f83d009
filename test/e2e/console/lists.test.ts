/**
 * Proves, in Chromium against a real server: a list is created, and filled by pasting and from CSV
 * and XLSX files. The result shows the server's counts, the reason of every rejected line, and
 * restored leading zeros. A search is limited to a list or excludes one, by the form and by the
 * address. Rows, one company, and a whole search are added to a list, and rows in a list are
 * marked. A list is renamed, emptied, and deleted. All of this is checked at four widths, light and
 * dark, in both languages, and axe finds nothing.
 * Does not prove: which texts are CNPJs (unit/lists/upload), nor which rows a list has (the suites
 * of campaign/twin).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import { number } from "../../../src/console/web/app/format.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import {
  button,
  consoleSuite,
  countOf,
  dropFile,
  entry,
  heading,
  shows,
} from "../../support/console/suite.ts";
import { englishWords as english, portugueseWords as words } from "../../support/console/words.ts";
import { text as cellOf, workbook } from "../../support/lists/workbooks.ts";

const { commands, lists, shell } = words;
const SPEC = {
  filters: { geo: { uf_any_of: ["SP"] }, company: { registration_status_any_of: [2] } },
};
const HASH = "#uf=SP&status=2";

let ana: Person;
const suite = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
});
const { inBrowser } = suite;

async function found(visit: Visit, limit: number): Promise<SearchPage> {
  return visit.send<SearchPage>("/accounts/search", { spec: SPEC, limit });
}

/** Returns the lists that users have created, newest first. */
async function all(visit: Visit): Promise<AccountList[]> {
  const { lists: every } = await visit.getJson<{ lists: AccountList[] }>("/lists");
  return every.filter(({ read_only }) => !read_only);
}

async function submitSentence({ page }: Visit, sentence: string): Promise<void> {
  await page.getByRole("combobox", { name: words.find.prompt }).fill(sentence);
  await page.keyboard.press("Enter");
}

/** Asserts that every rejected text is on a single line. */
async function onOneLine({ page }: Visit): Promise<void> {
  const lines = await page.locator(".lists-refused td:nth-child(2)").evaluateAll((cells) =>
    cells.map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return range.getClientRects().length;
    }),
  );
  assert.deepEqual([...new Set(lines)], [1]);
}

/** Waits until a number in the result has the expected value. The number is found by its label. */
function counted({ page }: Visit, term: string, value: number): Promise<void> {
  const line = page.locator(".lists-outcome dl > div").filter({ hasText: term });
  return eventually(async () => {
    assert.equal(await line.locator("b").textContent(), number(value));
  });
}

describe("lists", () => {
  inBrowser("begin with the one that the server keeps, which nobody changes", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/lists");
    await page.getByText(lists.empty).waitFor();
    const lines = page.locator(".lists-record");
    assert.deepEqual(await lines.locator("h2").allTextContents(), [lists.exported]);
    assert.equal(await button(page, lists.addTo(lists.exported)).count(), 0);
    await button(page, lists.menu(lists.exported)).click();
    const offered = await page.getByRole("menuitem").allTextContents();
    assert.deepEqual(offered, [commands.saveButton, lists.searchIn, lists.searchWithout]);
    await page.keyboard.press("Escape");
    await button(page, lists.openNamed(lists.exported)).click();
    await heading(visit, lists.exported).waitFor();
    await page.getByText(lists.exportedEmpty).waitFor();
    assert.equal(await button(page, lists.add).count(), 0);
  });

  inBrowser("are made, and filled by pasting and from a file", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const { accounts } = await found(visit, 6);
    const [a, b, c, d] = accounts.map(({ cnpj }) => cnpj) as [string, string, string, string];
    await visit.go("/app/lists");
    await page.getByText(lists.empty).waitFor();
    const kept = page.locator(".lists-record").filter({ hasText: lists.exported });
    await kept.getByText(lists.entries(0), { exact: true }).waitFor();
    assert.equal(await kept.locator("time").count(), 0, "nothing was exported, so nothing changed");
    await button(page, lists.create).click();
    const save = button(page.getByRole("dialog"), shell.save);
    await save.click();
    await page.getByText(lists.nameMissing).waitFor();
    await page.getByText(lists.pasteMissing).waitFor();
    await page.getByLabel(lists.name, { exact: true }).fill("Clientes");
    await page
      .getByLabel(lists.paste, { exact: true })
      .fill(`${a}\n${b}\n${a}\nnada\n11.222.333/0001-80\n9168704000142`);
    await save.click();
    for (const [term, value] of [
      [lists.read, 6],
      [lists.added, 2],
      [lists.repeated, 1],
      [lists.refused, 3],
    ] as const) {
      await counted(visit, term, value);
    }
    const refused = page.locator(".lists-refused tbody tr");
    assert.deepEqual(await refused.locator("td:first-child").allTextContents(), ["4", "5", "6"]);
    await onOneLine(visit);
    const shown = (await refused.allTextContents()).join(" ");
    for (const reason of ["not_a_number", "wrong_check_digits", "lost_zeros"] as const) {
      assert.ok(shown.includes(lists.reasons[reason]), reason);
    }
    await button(page, lists.fillZeros).click();
    await counted(visit, lists.added, 1);
    await counted(visit, lists.alreadyThere, 2);
    await counted(visit, lists.notInSnapshot, 1);
    await button(page, lists.addMore).click();
    await dropFile(visit, ".lists-paste", `Nome;CNPJ\nUm;${c}\nDois;${d}\n`, "a.csv");
    assert.match(await page.locator(".lists-file").inputValue(), /a\.csv$/);
    await button(page, lists.submit).click();
    await counted(visit, lists.added, 2);
    await button(page, lists.addMore).click();
    await page.getByRole("radio", { name: lists.hows.file }).check();
    const rows = [
      [cellOf("Nome"), cellOf("CNPJ")],
      [cellOf("Um"), cellOf(c)],
      [null, cellOf("?")],
    ];
    const sheets = [
      { name: "Clientes de 2026", rows },
      { name: "Notas", rows: [] },
    ];
    // The name of the file and the browser's media type must not matter.
    await page
      .locator(".lists-file")
      .setInputFiles({ name: "a.bin", mimeType: "", buffer: await workbook(sheets) });
    await button(page, lists.submit).click();
    await counted(visit, lists.alreadyThere, 1);
    await page.getByText(lists.sheet("Clientes de 2026", 1)).waitFor();
    assert.deepEqual(await refused.locator("td:first-child").allTextContents(), ["B3"]);
    await button(page, lists.done).click();
    await page.getByText(lists.entries(5)).waitFor();
  });

  inBrowser("are not made of a file that holds none", async (open) => {
    const visit = await open(ana);
    visit.expect(422);
    const { page } = visit;
    const before = await all(visit);
    await visit.go("/app/lists");
    await button(page, lists.create).click();
    await page.getByLabel(lists.name, { exact: true }).fill("Vazia");
    await page.getByRole("radio", { name: lists.hows.file }).check();
    const buffer = Buffer.from("Nome;Cidade\nUm;Recife\nDois;Olinda\n");
    await page
      .locator(".lists-file")
      .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer });
    await button(page.getByRole("dialog"), shell.save).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    assert.deepEqual(
      (await all(visit)).map(({ id }) => id),
      before.map(({ id }) => id),
    );
    assert.equal(await page.locator(".lists-record").count(), before.length + 1);
  });

  inBrowser("keep a search to them and out of them, in the address too", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const [list] = (await all(visit)) as [AccountList];
    const total = (await found(visit, 1)).total as number;
    await visit.go(`/app${HASH}`);
    await shows(visit, total);
    const group = page.getByRole("button", { name: words.find.groups.lists });
    // The lists must be visible without scrolling, below the activities at the top of the form.
    assert.ok(((await group.boundingBox())?.y ?? 900) < 500, "the lists are in sight");
    await group.click();
    const box = page.getByRole("checkbox", { name: lists.hideExported });
    await box.check();
    assert.match(page.url(), /not_in_lists=exported/);
    await shows(visit, total);
    // The user's choice of lists is kept if a later sentence names no lists.
    await submitSentence(visit, "empresas ativas em São Paulo com e-mail");
    await page.waitForURL(/email/);
    assert.match(page.url(), /not_in_lists=exported/);
    assert.ok(await box.isChecked());
    assert.equal(await page.locator(".meaning-edited").count(), 0);
    await page.goBack();
    await shows(visit, total);
    await box.uncheck();
    await shows(visit, total);
    await page.getByRole("combobox", { name: lists.any }).fill("Cli");
    await page.getByRole("option", { name: "Clientes" }).click();
    await shows(visit, 4);
    assert.match(page.url(), new RegExp(`in_lists=${list.id}`));
    await page
      .getByRole("grid")
      .getByRole("img", { name: /Clientes/ })
      .first()
      .waitFor();
    await visit.go(`/app${HASH}&not_in_lists=${list.id}`);
    await shows(visit, total - 4);
    await visit.go("/app/lists");
    await button(page, lists.menu("Clientes")).click();
    await entry(visit, lists.searchIn).click();
    await shows(visit, 4);
  });

  inBrowser("are named by a sentence, and by no other one", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    const [list] = (await all(visit)) as [AccountList];
    await visit.go(`/app${HASH}`);
    await submitSentence(visit, "empresas em São Paulo que não estão na lista Clientes");
    await page.waitForURL(new RegExp(`not_in_lists=${list.id}`));
    await submitSentence(visit, "empresas em São Paulo que ainda não exportei");
    await page.waitForURL(/not_in_lists=exported/);
    assert.ok(!page.url().includes(list.id));
    await submitSentence(visit, "empresas em São Paulo com e-mail");
    await page.waitForURL(/email/);
    assert.ok(!page.url().includes("_lists="), page.url());
  });

  inBrowser("take rows, one company and a whole search", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go(`/app${HASH}`);
    const total = Number((await countOf(visit)).replaceAll(/\D/g, ""));
    const picks = page.locator(".table-pick");
    await picks.nth(5).click();
    await picks.nth(8).click({ modifiers: ["Shift"] });
    await page.getByText(lists.selected(4)).waitFor();
    // Space on the keyboard selects the row of the focused cell.
    await page.locator('[data-row="9"] [data-column="1"]').focus();
    await page.keyboard.press("Space");
    await page.getByText(lists.selected(5)).waitFor();
    await button(page.locator(".table-picked"), lists.addToList).click();
    await button(page.getByRole("dialog"), lists.submit).click();
    await page.getByText(lists.addedToast("5", "Clientes")).waitFor();
    assert.equal((await all(visit))[0]?.entries, 10);
    await page.keyboard.press("Escape");
    await button(page.locator(".found-actions"), lists.button).click();
    await page.getByLabel(lists.which).selectOption({ label: lists.fresh });
    await page.getByLabel(lists.name, { exact: true }).fill("Paulistas");
    await button(page.getByRole("dialog"), lists.submit).click();
    await page.getByText(lists.addedToast(number(total), "Paulistas")).waitFor();
    assert.equal((await all(visit))[0]?.entries, total);
    const [account] = (await found(visit, 1)).accounts;
    await visit.go(`/app#/empresa/${account?.cnpj}`);
    await button(page, shell.removeChip("Paulistas")).click();
    await page.getByText(lists.takenOut("Paulistas")).waitFor();
    await eventually(async () => {
      const chips = await page.locator(".lists-of .chip-label").allTextContents();
      assert.deepEqual(chips, ["Clientes"]);
    });
    assert.equal((await all(visit))[0]?.entries, total - 1);
  });

  inBrowser("are renamed, emptied and deleted", async (open) => {
    const visit = await open(ana);
    const { page } = visit;
    await visit.go("/app/lists");
    await button(page, lists.menu("Paulistas")).click();
    await entry(visit, lists.rename).click();
    await page.getByLabel(lists.name, { exact: true }).fill("De São Paulo");
    await button(page.getByRole("dialog"), shell.save).click();
    await button(page, lists.openNamed("Clientes")).click();
    await heading(visit, "Clientes").waitFor();
    const entries = page.locator(".lists-entries > li");
    await eventually(async () => assert.equal(await entries.count(), 10));
    await entries.first().getByRole("button").click();
    await eventually(async () => assert.equal(await entries.count(), 9));
    await page.goBack();
    await button(page, lists.menu("De São Paulo")).click();
    await entry(visit, lists.remove).click();
    await button(page.getByRole("dialog"), lists.remove).click();
    await page.getByText(lists.removed).waitFor();
    assert.deepEqual(
      (await all(visit)).map(({ name, entries: held }) => [name, held]),
      [["Clientes", 9]],
    );
  });

  inBrowser("can be used at every width, light and dark, in both languages", async (open) => {
    for (const [width, height, dark, locale] of [
      [1440, 900, false, "pt-BR"],
      [1366, 768, true, "en-GB"],
      [1024, 768, false, "en-GB"],
      [390, 844, true, "pt-BR"],
    ] as const) {
      const visit = await open(ana, { width, height, dark, locale });
      const { page } = visit;
      const own = locale === "pt-BR" ? words : english;
      await visit.go("/app/lists");
      await button(page, own.lists.addTo("Clientes")).click();
      await page.getByLabel(own.lists.paste, { exact: true }).fill("x\n11222333");
      await button(page, own.lists.submit).click();
      await page.locator(".lists-refused").waitFor();
      await page.evaluate(AXE);
      assert.deepEqual(await findingsOf(visit, "outcome", TAGS), []);
      await button(page, own.lists.done).click();
      await button(page, own.lists.openNamed("Clientes")).click();
      await page.locator(".lists-entries > li").first().waitFor();
      await page.evaluate(AXE);
      assert.deepEqual(await findingsOf(visit, "entries", TAGS), []);
      await visit.go(`/app${HASH}`);
      await page.locator(".table-pick").first().click();
      await page.getByText(own.lists.selected(1)).waitFor();
      await page.evaluate(AXE);
      assert.deepEqual(await findingsOf(visit, "selection", TAGS), []);
      const wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.equal(wide, 0, `${width}: nothing is wider than the window`);
    }
  });
});
