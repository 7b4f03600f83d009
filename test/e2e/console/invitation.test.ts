/**
 * Proves, in Chromium against a real server and in both languages: an owner invites a user by
 * e-mail and gets a link, which is shown once. The invited user chooses a password and is signed
 * in. This also works after a restart of the server, and if another user is signed in. The link
 * then stops working and says so. An invitation can be withdrawn. Axe finds nothing on the page,
 * wide and on a phone, light and dark.
 * Does not prove: which requests the server refuses (contract/console/invitations.test.ts).
 */
import assert from "node:assert/strict";
import { describe } from "node:test";
import { AXE, findingsOf, TAGS } from "../../support/console/axe.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { button, consoleSuite, copied, entry, heading } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const CHOSEN = "nine lamps on a river";
const LANGUAGES = [
  ["pt", "pt-BR", portugueseWords],
  ["en", "en-US", englishWords],
] as const;

let ana: Person;
const suite = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});
const { inBrowser } = suite;

/** Invites a user. Returns the path of the link, without the server's address. */
async function invited(visit: Visit, words: typeof portugueseWords, email: string) {
  const { page } = visit;
  const { members, shell } = words;
  await visit.go("/app/members");
  await button(page, members.add).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(members.email).fill(email);
  await button(dialog, members.addSubmit).click();
  await dialog.getByText(members.linkTitle).waitFor();
  const mail = await dialog.getByRole("link", { name: members.mail }).getAttribute("href");
  assert.ok(mail?.startsWith(`mailto:${email}?subject=`), String(mail));
  await button(dialog, shell.copy).last().click();
  await eventually(async () => assert.match(await copied(visit), /#invite=/));
  const link = await copied(visit);
  assert.ok(decodeURIComponent(String(mail)).includes(link));
  await button(dialog, members.linkDone).click();
  const row = page.getByRole("row").filter({ hasText: email });
  const state = row.getByText(members.states.invited, { exact: true });
  await state.and(page.locator(":visible")).waitFor();
  assert.ok(!(await page.content()).includes("#invite="), "it is shown once");
  return link;
}

for (const [language, locale, words] of LANGUAGES) {
  const { members, find, shell } = words;
  describe(`an invitation, ${language}`, () => {
    inBrowser("lets its reader choose a password and sign in", async (open) => {
      const email = `lia-${language}@example.com`;
      const owner = await open(ana, { locale });
      const path = new URL(await invited(owner, words, email)).pathname;
      const hash = new URL(await copied(owner)).hash;
      assert.equal(path, "/app");
      if (language === "pt") await suite.served.restart();
      const guest = await open(null, { locale });
      guest.expect(401, 422);
      await guest.page.goto(`${suite.served.base}/app${hash}`);
      await heading(guest, members.joinTitle).waitFor();
      await guest.page.getByText(email, { exact: true }).waitFor();
      // The tenant has no chosen name, so the page shows none. It must not show "default".
      await guest.page.getByText(members.joinLead(null), { exact: true }).waitFor();
      await guest.page.reload();
      const box = guest.page.getByLabel(members.password, { exact: true });
      await box.fill("short");
      await button(guest.page, members.joinSubmit).click();
      await guest.page.locator(".field-error").waitFor();
      await box.fill("password1234");
      await button(guest.page, members.joinSubmit).click();
      await guest.page.getByText(shell.mistakes.unfit_password).waitFor();
      await box.fill(CHOSEN);
      await guest.page.keyboard.press("Enter");
      await heading(guest, find.title).waitFor();
      assert.equal(new URL(guest.page.url()).hash, "");
      const late = await open(null, { locale });
      late.expect(401);
      await late.page.goto(`${suite.served.base}/app${hash}`);
      await late.page.getByText(members.joinFailedText).waitFor();
      await button(late.page, members.joinSignIn).click();
      await late.page.getByLabel(shell.signIn.email).fill(email);
      await late.page.getByLabel(shell.signIn.password, { exact: true }).fill(CHOSEN);
      await button(late.page, shell.signIn.submit).click();
      await heading(late, find.title).waitFor();
    });
  });
}

describe("an invitation", () => {
  const { members } = portugueseWords;

  inBrowser("is taken back, and its link then opens nothing", async (open) => {
    const owner = await open(ana);
    const link = await invited(owner, portugueseWords, "leo@example.com");
    await button(owner.page, members.actions("leo@example.com")).click();
    await entry(owner, members.uninvite).click();
    await button(owner.page.getByRole("dialog"), members.uninvite).click();
    await owner.page.getByText("leo@example.com").first().waitFor({ state: "detached" });
    const guest = await open(null);
    guest.expect(401);
    await guest.page.goto(link);
    await guest.page.getByText(members.joinFailedText).waitFor();
  });

  inBrowser("opens over another session, pasted into its page", async (open) => {
    const owner = await open(ana);
    const link = await invited(owner, portugueseWords, "mia@example.com");
    await owner.page.goto(link);
    await heading(owner, members.joinTitle).waitFor();
    await owner.page.getByText("mia@example.com").waitFor();
  });

  for (const width of [1440, 390]) {
    inBrowser(`is free of findings, ${width} px wide`, async (open) => {
      const owner = await open(ana);
      const link = await invited(owner, portugueseWords, `axe${width}@example.com`);
      const guest = await open(null, { width, before: AXE });
      guest.expect(401);
      for (const [name, address] of [
        ["joining", link],
        ["a link that does not work", link.replace(/.{9}$/, "AAAAAAAAA")],
      ] as const) {
        await guest.page.goto("about:blank");
        await guest.page.goto(address);
        await guest.page.locator(".signin-form .button").last().waitFor();
        assert.deepEqual(await findingsOf(guest, `${name}, light`, TAGS), []);
        await guest.page.emulateMedia({ colorScheme: "dark" });
        assert.deepEqual(await findingsOf(guest, `${name}, dark`, null), []);
        await guest.page.emulateMedia({ colorScheme: "light" });
      }
    });
  }
});
