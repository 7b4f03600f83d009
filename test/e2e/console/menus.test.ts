/**
 * Proves, wide and on a phone: axe-core finds no violation in any view with a menu open, nor in any
 * dialog that a menu entry or a button of a view opens. An open menu has the focus. Escape closes
 * it and returns the focus to its button. The rows of each view are shown before its menus are
 * searched. Each entry of the header's menus opens its view, switches the language or the theme,
 * or, last, signs out.
 * Does not prove: dialogs that need more than one step (axe.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Locator } from "playwright-core";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { type FilledView, fill, show } from "../../support/console/filled.ts";
import { button, consoleSuite } from "../../support/console/suite.ts";
import { englishWords as english, portugueseWords as words } from "../../support/console/words.ts";

const SIZES = [
  [1440, 900],
  [390, 844],
] as const;
const MENUS = "main [aria-haspopup=menu]:visible";
const HEADER_MENUS = ".header [aria-haspopup=menu]:visible";
/** Buttons of pages and records that may open a dialog. */
const BUTTONS = ":is(.page-actions, .record-actions, .found-actions) > button:visible";
const HAS_FOCUS = "document.querySelector('[role=menu]').contains(document.activeElement)";
/** Milliseconds to wait for a dialog. A dialog opens within a few frames or not at all. */
const DIALOG_MS = 400;
/** Views with a menu at every width. */
const WITH_MENUS = ["exports", "saved", "lists", "webhooks", "keys", "members", "a list"];

let ana: Person;
const { inBrowser } = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
  // Creates another member, because only the menu of another member has every entry.
  await served.user("bruno@example.com", "member");
});

/** The state of a test that visits one view. */
interface Tour {
  readonly visit: Visit;
  readonly view: FilledView;
  /** Menus and buttons that another view has shown, by the text of their entries. */
  readonly seen: Set<string>;
  readonly findings: string[];
}

/** Checks the page with all rules, and then its colors in dark mode too. */
async function check({ visit, view: { name }, findings }: Tour, what: string): Promise<void> {
  findings.push(...(await findingsOf(visit, `${name}, ${what}`, TAGS)));
  await visit.page.emulateMedia({ colorScheme: "dark" });
  findings.push(...(await findingsOf(visit, `${name}, ${what}, dark`, null)));
  await visit.page.emulateMedia({ colorScheme: "light" });
}

/** Checks the dialog that a click has opened, if it opened one. */
async function checkDialog(tour: Tour, what: string): Promise<void> {
  const dialog = tour.visit.page.locator("dialog[open]").first();
  await dialog.waitFor({ timeout: DIALOG_MS }).catch(() => undefined);
  if ((await dialog.count()) > 0) await check(tour, `dialog of ${what}`);
}

async function openMenu(menu: Locator): Promise<Locator> {
  await menu.click();
  const list = menu.page().getByRole("menu");
  await list.waitFor();
  return list;
}

const entriesOf = (list: Locator) => list.locator("[role^=menuitem]");

/** Checks a menu, and closes it. Returns its entries, or none if they were seen before. */
async function checkMenu(tour: Tour, menu: Locator): Promise<readonly string[]> {
  const { page } = tour.visit;
  const list = await openMenu(menu);
  const labels = await entriesOf(list).allInnerTexts();
  const isNew = !tour.seen.has(labels.join());
  tour.seen.add(labels.join());
  const label = (await menu.getAttribute("aria-label")) ?? "";
  assert.ok(await page.evaluate(HAS_FOCUS), label);
  if (isNew) await check(tour, `menu ${label}`);
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  assert.equal(await page.evaluate("document.activeElement.ariaLabel"), label);
  return isNew ? labels : [];
}

/** Opens every menu of a view, and clicks its entries. Returns the number of menus. */
async function tourMenus(tour: Tour): Promise<number> {
  const { visit, view } = tour;
  const { page } = visit;
  const count = await page.locator(MENUS).count();
  for (let at = 0; at < count; at++) {
    const menu = page.locator(MENUS).nth(at);
    for (const [index, text] of (await checkMenu(tour, menu)).entries()) {
      const entry = entriesOf(await openMenu(menu)).nth(index);
      if ((await entry.getAttribute("href")) === null) {
        await entry.click();
        await checkDialog(tour, text);
      }
      await show(visit, view);
    }
  }
  return count;
}

async function tourButtons(tour: Tour): Promise<void> {
  const { visit, view, seen } = tour;
  const { page } = visit;
  const buttons = page.locator(BUTTONS);
  const names = await buttons.evaluateAll((all) =>
    all.map((one) => one.ariaLabel ?? one.textContent ?? ""),
  );
  for (const [at, name] of names.entries()) {
    if (seen.has(name)) continue;
    seen.add(name);
    await buttons.nth(at).click();
    await checkDialog(tour, name);
    await show(visit, view);
    await eventually(async () => assert.ok((await buttons.count()) > at, name));
  }
}

/** Opens the header's menus, and chooses their entries. Entries that leave the page come last. */
async function tourHeader(tour: Tour): Promise<void> {
  const { page } = tour.visit;
  const menus = page.locator(HEADER_MENUS);
  const count = await menus.count();
  assert.ok(count >= 3, "language, theme, and account");
  for (let at = 0; at < count; at++) await checkMenu(tour, menus.nth(at));
  await tourViews(tour, menus.last());
  await tourLanguages(tour);
  await tourThemes(tour);
  const leaving = entriesOf(await openMenu(menus.last())).last();
  assert.equal((await leaving.innerText()).trim(), words.shell.signOut);
  await leaving.click();
  await button(page, words.shell.signIn.submit).waitFor();
  await check(tour, "signed out");
}

/** Opens a view with each entry of the account menu except the last, which signs out. */
async function tourViews({ visit: { page } }: Tour, account: Locator): Promise<void> {
  const labels = await entriesOf(await openMenu(account)).allInnerTexts();
  await page.keyboard.press("Escape");
  for (const [at, label] of labels.slice(0, -1).entries()) {
    await entriesOf(await openMenu(account))
      .nth(at)
      .click();
    const title = `${label.trim()} · ${words.shell.product}`;
    await eventually(async () => assert.equal(await page.title(), title));
    // The heading of the new view takes the focus, which closes a menu.
    await page.locator("main h1:focus").waitFor({ state: "attached" });
  }
}

async function tourLanguages(tour: Tour): Promise<void> {
  const { page } = tour.visit;
  for (const [menu, chosen, lang] of [
    [words.shell.language, words.shell.english, "en"],
    [english.shell.language, english.shell.portuguese, "pt-BR"],
  ] as const) {
    const list = await openMenu(button(page, menu));
    await list.getByRole("menuitemradio", { name: chosen, exact: true }).click();
    await page.locator(`html[lang=${lang}]`).waitFor();
    await check(tour, lang);
  }
}

async function tourThemes(tour: Tour): Promise<void> {
  const { page } = tour.visit;
  const { shell } = words;
  for (const [chosen, theme] of [
    [shell.themeLight, "light"],
    [shell.themeDark, "dark"],
    [shell.themeAuto, null],
  ] as const) {
    const list = await openMenu(button(page, shell.theme));
    await list.getByRole("menuitemradio", { name: chosen, exact: true }).click();
    assert.equal(await page.locator("html").getAttribute("data-theme"), theme);
    await check(tour, `theme ${theme}`);
  }
}

for (const [width, height] of SIZES) {
  describe(`${width} px wide`, () => {
    inBrowser("every menu and every dialog is free of findings", async (open) => {
      const visit = await open(ana, { width, height, before: AXE });
      const { views } = await fill(visit);
      const findings: string[] = [];
      const seen = new Set<string>();
      const lacking: string[] = [];
      for (const view of views) {
        const tour = { visit, view, seen, findings };
        await show(visit, view);
        const menus = await tourMenus(tour);
        if (menus === 0 && WITH_MENUS.includes(view.name)) lacking.push(view.name);
        await tourButtons(tour);
      }
      const [find] = views;
      assert.ok(find);
      await show(visit, find);
      await tourHeader({ visit, view: find, seen, findings });
      assert.deepEqual(lacking, []);
      assert.deepEqual(findings, []);
    });
  });
}
