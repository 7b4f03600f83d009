/**
 * Runs suites that use the console in Chromium: starts the console, and runs tests that open
 * visits, which are pages in separate browser sessions.
 * Invariant: every visit is closed when its test ends, and fails the test if anything unexpected
 * happened. Without a browser, the tests are skipped with a message.
 */
import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import type { Browser, Locator, Page } from "playwright-core";
import { number } from "../../../src/console/web/app/format.ts";
import {
  CHROMIUM,
  type ConsoleOptions,
  eventually,
  openBrowser,
  type Person,
  ServedConsole,
  Visit,
  type VisitOptions,
} from "./browser.ts";

/** Opens a visit. The person is signed in; null opens an anonymous visit. */
export type Opener = (person: Person | null, options?: VisitOptions) => Promise<Visit>;

/** A running console and the browser that uses it. */
export interface ConsoleSuite {
  readonly served: ServedConsole;
  /** A test in the browser. */
  inBrowser(
    this: void,
    name: string,
    run: (open: Opener, report: (text: string) => void) => Promise<void>,
  ): void;
}

/** Serves a console before the tests of a file; `prepare` makes its users. */
export function consoleSuite(
  options: ConsoleOptions,
  prepare: (served: ServedConsole) => Promise<void>,
): ConsoleSuite {
  let served: ServedConsole;
  let browser: Browser | undefined;
  before(async () => {
    browser = await openBrowser();
    served = await ServedConsole.start(options);
    await prepare(served);
  });
  after(async () => {
    await browser?.close();
    await served.stop();
  });
  return {
    get served() {
      return served;
    },
    inBrowser(name, run) {
      it(name, async (test) => {
        if (browser === undefined) return test.skip(`there is no browser at ${CHROMIUM}`);
        await withVisits(browser, served, (open) => run(open, (text) => test.diagnostic(text)));
      });
    },
  };
}

async function withVisits(
  browser: Browser,
  served: ServedConsole,
  run: (open: Opener) => Promise<void>,
): Promise<void> {
  const visits: Visit[] = [];
  try {
    await run(async (person, options = {}) => {
      const visit = await Visit.open(browser, served.base, options);
      visits.push(visit);
      return person === null ? visit : await visit.signedIn(person);
    });
    for (const visit of visits) visit.quiet();
  } finally {
    for (const visit of visits) await visit.context.close();
  }
}

/** The heading of a view. */
export function heading({ page }: Visit, name: string): Locator {
  return page.getByRole("heading", { level: 1, name, exact: true });
}

/** A button by its name. */
export function button(scope: Page | Locator, name: string): Locator {
  return scope.getByRole("button", { name, exact: true });
}

/** An entry of the open menu. */
export function entry({ page }: Visit, name: string): Locator {
  return page.getByRole("menuitem", { name, exact: true });
}

/** Waits until the displayed number of matches is current, and returns its text. */
export async function countOf({ page }: Visit): Promise<string> {
  await page.locator(".count[aria-busy=false]").waitFor();
  return (await page.locator(".count-total strong").textContent()) ?? "";
}

/** Waits until the large count equals `total`. */
export async function shows(visit: Visit, total: number): Promise<void> {
  await eventually(async () => assert.equal(await countOf(visit), number(total)));
}

/** Returns the text that the page copied last. */
export async function copied({ page }: Visit): Promise<string> {
  return String(await page.evaluate("globalThis.lastCopied"));
}

/** Drops a text file on the first element that matches the selector `onto`. */
export async function dropFile(
  { page }: Visit,
  onto: string,
  text: string,
  name: string,
): Promise<void> {
  await page.evaluate(
    `(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      for (const type of ["dragover", "drop"]) {
        document.querySelector(${JSON.stringify(onto)}).dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
      }
    })()`,
  );
}
