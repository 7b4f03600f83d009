/**
 * Proves: axe-core finds no violation in any view with a menu open, nor in any dialog that an entry
 * of a menu or a button of a view opens, wide and on a phone. Each menu has its focus inside, and
 * Escape closes it and returns the focus to its button.
 * Does not prove: dialogs that need more than one step (axe.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Locator } from "playwright-core";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { arrive, fill } from "../../support/console/filled.ts";
import { consoleSuite } from "../../support/console/suite.ts";

const SIZES = [
  [1440, 900],
  [390, 844],
] as const;
const MENUS = "[aria-haspopup=menu]:visible";
/** Buttons of pages and records that may open a dialog. */
const BUTTONS = ":is(.page-actions, .record-actions, .found-actions) > button:visible";
const HAS_FOCUS = "document.querySelector('[role=menu]').contains(document.activeElement)";
/** A dialog comes within some frames, or none does. */
const DIALOG_MS = 400;
/** A view has its rows within this time, or has none. */
const GONE_MS = 10_000;

let ana: Person;
const { inBrowser } = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
  // Another member, whose menu has every entry.
  await served.user("bruno@example.com", "member");
});

/** A tour of one view. */
interface Tour {
  readonly visit: Visit;
  readonly name: string;
  readonly path: string;
  /** Menus and buttons that another view has shown, by the text of their entries. */
  readonly seen: Set<string>;
  readonly findings: string[];
}

/** Checks colors in the dark too. */
async function check({ visit, name, findings }: Tour, what: string): Promise<void> {
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

async function tourMenus(tour: Tour): Promise<void> {
  const { visit, path, seen } = tour;
  const { page } = visit;
  const count = await page.locator(MENUS).count();
  for (let at = 0; at < count; at++) {
    const menu = page.locator(MENUS).nth(at);
    const list = await openMenu(menu);
    const entries = list.locator("[role^=menuitem]");
    const labels = await entries.allInnerTexts();
    if (seen.has(labels.join())) {
      await page.keyboard.press("Escape");
      continue;
    }
    seen.add(labels.join());
    const label = (await menu.getAttribute("aria-label")) ?? "";
    assert.ok(await page.evaluate(HAS_FOCUS), label);
    await check(tour, `menu ${label}`);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    assert.equal(await page.evaluate("document.activeElement.ariaLabel"), label);
    for (const [index, text] of labels.entries()) {
      if ((await openMenu(menu)) && (await entries.nth(index).getAttribute("href")) === null) {
        await entries.nth(index).click();
        await checkDialog(tour, text);
      }
      await arrive(visit, path);
      if (!(await isThere(page.locator(MENUS).nth(at)))) return;
    }
  }
}

/** False if an entry has removed the last row of its view, and the row's menu with it. */
async function isThere(menu: Locator): Promise<boolean> {
  return menu.waitFor({ timeout: GONE_MS }).then(
    () => true,
    () => false,
  );
}

async function tourButtons(tour: Tour): Promise<void> {
  const { visit, path, seen } = tour;
  const { page } = visit;
  const texts = await page.locator(BUTTONS).allInnerTexts();
  for (const [at, text] of texts.entries()) {
    if (seen.has(text)) continue;
    seen.add(text);
    await page.locator(BUTTONS).nth(at).click();
    await checkDialog(tour, text);
    await arrive(visit, path);
    await eventually(async () => assert.ok((await page.locator(BUTTONS).count()) > at));
  }
}

for (const [width, height] of SIZES) {
  describe(`${width} px wide`, () => {
    inBrowser("every menu and every dialog is free of findings", async (open) => {
      const visit = await open(ana, { width, height, before: AXE });
      const { views } = await fill(visit);
      const findings: string[] = [];
      const seen = new Set<string>();
      for (const [name, path] of views) {
        const tour = { visit, name, path, seen, findings };
        await arrive(visit, path);
        await tourMenus(tour);
        await tourButtons(tour);
      }
      assert.ok(seen.size > 15, [...seen].join("; "));
      assert.deepEqual(findings, []);
    });
  });
}
