/**
 * Proves that the pictures of the documents can be taken: each view is reached, in English and in
 * the colors and size of the picture. Each picture exists and is small enough to load. With
 * RENEW_PICTURES=1, the test takes the pictures again. Does not prove that a picture is current.
 * The pictures are taken again before a release.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { Person, Visit, VisitOptions } from "../../support/console/browser.ts";
import { button, consoleSuite } from "../../support/console/suite.ts";
import { englishWords as words } from "../../support/console/words.ts";
import { ROOT } from "../../support/house/checkout.ts";

const FOLDER = join(ROOT, "src/console/screenshots");
const BYTES_MAX = 100_000;
const QUALITY = 70;
const SENTENCE = "restaurants in SP, RJ and MG with a phone";

let ana: Person;
const { inBrowser } = consoleSuite({ accounts: 60_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
});

/** A picture: its window, and the steps that lead to its view. */
interface Picture {
  readonly options: VisitOptions;
  readonly arrive: (visit: Visit) => Promise<void>;
}

async function searched(visit: Visit): Promise<void> {
  await visit.go("/app");
  await visit.page.getByLabel(words.find.prompt, { exact: true }).fill(SENTENCE);
  await visit.page.keyboard.press("Enter");
  await visit.page.getByRole("grid").waitFor();
  await visit.page.locator(".meaning").waitFor();
}

const WIDE = { width: 1440, height: 900, locale: "en-GB" } as const;
const PICTURES: Readonly<Record<string, Picture>> = {
  find: { options: WIDE, arrive: searched },
  account: {
    options: WIDE,
    async arrive(visit) {
      await searched(visit);
      await visit.page.locator("[data-row='0'] [data-column='0']").click();
      await visit.page.getByRole("dialog").getByText(words.table.drawer.why).waitFor();
    },
  },
  export: {
    options: WIDE,
    async arrive(visit) {
      await searched(visit);
      await button(visit.page.locator(".found"), words.commands.button).click();
      await visit.page.getByRole("dialog").locator(".export-sum strong").waitFor();
    },
  },
  "start-dark": {
    options: { ...WIDE, dark: true },
    async arrive(visit) {
      await visit.go("/app");
      await visit.page.locator('.overview[data-busy="false"][data-blank="false"]').waitFor();
    },
  },
  phone: {
    options: { width: 390, height: 844, locale: "en-GB" },
    arrive: searched,
  },
};

async function take({ page, context }: Visit, file: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  const client = await context.newCDPSession(page);
  const shot = await client.send("Page.captureScreenshot", { format: "webp", quality: QUALITY });
  writeFileSync(file, Buffer.from(shot.data, "base64"));
  await client.detach();
}

describe("the pictures of the documents", () => {
  for (const [name, { options, arrive }] of Object.entries(PICTURES)) {
    inBrowser(`show ${name}`, async (open) => {
      const visit = await open(ana, options);
      await arrive(visit);
      const file = join(FOLDER, `${name}.webp`);
      if (process.env.RENEW_PICTURES === "1") await take(visit, file);
      const bytes = readFileSync(file);
      assert.equal(bytes.subarray(8, 12).toString(), "WEBP", file);
      assert.ok(bytes.length < BYTES_MAX, `${file}: ${bytes.length} bytes`);
      const pages = name === "find" ? ["README.md", "README.pt-BR.md"] : ["docs/console.md"];
      for (const page of pages) {
        const text = readFileSync(join(ROOT, page), "utf8");
        assert.ok(text.includes(`screenshots/${name}.webp`), `${name} is in ${page}`);
      }
    });
  }
});
