/**
 * Proves, in Chromium against a real server and in both languages: the tasks on the help page can
 * be done as described. The page has a picture of each task, with content and small enough to load.
 * Every view has a link to the page. With RENEW_PICTURES=1, the test takes the pictures.
 * Does not prove: that a picture is current. The pictures are taken again before a release.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import { cnpj as cnpjText } from "../../../src/console/web/app/format.ts";
import { TASK_NAMES, type TaskName } from "../../../src/console/web/strings/en/help.ts";
import type { Person, Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, heading } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";
import { ROOT } from "../../support/house/checkout.ts";

const PICTURES = join(ROOT, "src/console/web/help/pictures");
const PICTURE_BYTES_MAX = 60_000;
const SIZE = { width: 1280, height: 720 };
/** Scale of the pictures, which the page shows at 960 × 540. */
const SCALE = 0.75;
type Words = typeof englishWords;
const LANGUAGES = [
  ["pt", "pt-BR", portugueseWords],
  ["en", "en-US", englishWords],
] as const;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

/** The steps of each task. Each task continues from the end of the one before. */
type Step = (visit: Visit, words: Words) => Promise<void>;

async function someone(visit: Visit): Promise<{ cnpj: string; name: string }> {
  const spec = { filters: { geo: { uf_any_of: ["SP"] } } };
  const page = await visit.send<SearchPage>("/accounts/search", { spec, limit: 50 });
  const found = page.accounts.find(({ legal_name: name }) =>
    /^\p{L}{8,} \p{L}{5,} /u.test(`${name}`),
  );
  assert.ok(found !== undefined, "somebody has a name of long words");
  return { cnpj: String(found.cnpj), name: String(found.legal_name) };
}

const box = ({ page }: Visit, words: Words) => page.getByLabel(words.find.prompt, { exact: true });
const dialog = ({ page }: Visit) => page.getByRole("dialog");

const STEPS: Readonly<Partial<Record<TaskName, Step>>> = {
  async name(visit, words) {
    const { cnpj, name } = await someone(visit);
    await visit.go("/app");
    // The first word is typed with one wrong letter.
    await box(visit, words).fill(`${name.slice(0, 4)}x${name.slice(5)}`);
    await visit.page
      .getByRole("option")
      .filter({ hasText: cnpjText(cnpj) })
      .waitFor();
  },
  async cnpj(visit, words) {
    const { cnpj, name } = await someone(visit);
    await visit.go("/app");
    await box(visit, words).fill(cnpjText(cnpj));
    await button(visit.page, words.find.promptSubmit).click();
    // The heading of a company page is the CNPJ until the account is loaded.
    await visit.page
      .locator("main h1")
      .filter({ hasText: new RegExp(name, "i") })
      .waitFor();
    await visit.page.getByText(cnpjText(cnpj)).first().waitFor();
  },
  async sentence(visit) {
    await visit.go("/app");
    await visit.page.locator(".overview-examples button").first().click();
    await visit.page.getByRole("grid").waitFor();
    await visit.page.locator(".meaning").waitFor();
  },
  async narrow(visit, words) {
    const box = visit.page.getByLabel(words.find.mobile, { exact: true });
    await box.scrollIntoViewIfNeeded();
    await box.check();
    await visit.page.waitForURL(/mobile/);
    await visit.page.locator(".count[aria-busy=false]").waitFor();
  },
  async excel(visit, words) {
    await visit.go("/app#uf=SP&contact=email");
    await visit.page.getByRole("grid").waitFor();
    await button(visit.page.locator(".found"), words.commands.button).click();
    const limit = dialog(visit).getByLabel(words.exports.limit, { exact: true });
    await limit.fill("500");
    await dialog(visit).locator(".export-sum strong").waitFor();
    await limit.scrollIntoViewIfNeeded();
  },
  async crm(visit, words) {
    await dialog(visit).getByRole("radio", { name: "CSV" }).check();
    await dialog(visit).getByLabel(words.exports.layout).selectOption("pipedrive");
    await dialog(visit).locator(".export-layout .field-hint").scrollIntoViewIfNeeded();
  },
  async save(visit, words) {
    await visit.page.keyboard.press("Escape");
    await button(visit.page, words.commands.saveButton).click();
    await dialog(visit).getByLabel(words.commands.saveName).fill("SP, e-mail");
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("link", { name: words.shell.viewsShort.saved }).click();
    await visit.page.getByRole("heading", { name: "SP, e-mail" }).first().waitFor();
  },
};

async function take({ page, context }: Visit, file: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  const client = await context.newCDPSession(page);
  const clip = { x: 0, y: 0, ...SIZE, scale: SCALE };
  const shot = await client.send("Page.captureScreenshot", { format: "webp", quality: 60, clip });
  writeFileSync(file, Buffer.from(shot.data, "base64"));
  await client.detach();
}

for (const [language, locale, words] of LANGUAGES) {
  describe(`the tasks of the help page, ${language}`, () => {
    inBrowser("can be done as it says, and have pictures", async (open) => {
      const visit = await open(ana, { ...SIZE, locale });
      for (const name of TASK_NAMES) {
        const step = STEPS[name];
        assert.equal(step !== undefined, words.help.tasks[name].picture !== undefined, name);
        if (step === undefined) continue;
        await step(visit, words);
        const file = join(PICTURES, `${language}-${name}.webp`);
        if (process.env.RENEW_PICTURES === "1") await take(visit, file);
        const bytes = readFileSync(file);
        assert.equal(bytes.subarray(8, 12).toString(), "WEBP", file);
        assert.ok(bytes.length < PICTURE_BYTES_MAX, `${file}: ${bytes.length} bytes`);
      }
    });

    inBrowser("are reached from any view, step by step", async (open) => {
      const visit = await open(ana, { ...SIZE, locale });
      await visit.go("/app/exports");
      await visit.page.getByRole("link", { name: words.shell.views.help }).click();
      await heading(visit, words.shell.views.help).waitFor();
      assert.equal(new URL(visit.page.url()).hash, "#/ajuda");
      for (const name of TASK_NAMES) {
        const { title } = words.help.tasks[name];
        await button(visit.page, title).click();
        await visit.page.locator(`#help-${name}:focus`).waitFor();
      }
      for (const picture of await visit.page.locator(".help-task img").all()) {
        await picture.scrollIntoViewIfNeeded();
        const width = () => picture.evaluate((one) => (one as unknown as Sized).naturalWidth);
        while ((await width()) === 0) await visit.page.waitForTimeout(50);
      }
      await visit.page.goBack();
      await heading(visit, words.exports.historyTitle).waitFor();
    });
  });
}

/** Options of a picture. */
interface Sized {
  readonly naturalWidth: number;
}
