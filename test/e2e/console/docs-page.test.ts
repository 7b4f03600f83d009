/**
 * Proves, in Chromium: the reference pages of a server write nothing to the console, request only
 * themselves, and obey their content security policy, so that an injected script or style does not
 * run. On a phone they do not scroll sideways. All links work, and the pages can be used by
 * keyboard. Without Chromium, the suite is skipped.
 * Does not prove how other browsers show them.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { type FakeServer, startFake, TRANSPORTS } from "../../support/http/fake.ts";

const CHROMIUM = "/usr/bin/chromium";
const skip = existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM}`;
const PAGES = ["/docs", "/docs/errors"];
const WIDTHS = { phone: 360, tablet: 800, desk: 1400 };

/** A page with all its requests and messages. */
interface Watched {
  readonly page: Page;
  readonly requests: string[];
  readonly messages: string[];
}

for (const transport of TRANSPORTS) {
  describe(`the reference pages over ${transport}`, { skip }, () => {
    let server: FakeServer;
    let browser: Browser;
    before(async () => {
      server = await startFake(transport);
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    });
    after(async () => {
      await browser.close();
      await server.close();
    });

    const watched = async (path: string, width = WIDTHS.desk): Promise<Watched> => {
      const page = await browser.newPage({ viewport: { width, height: 740 } });
      const seen: Watched = { page, requests: [], messages: [] };
      page.on("request", (request) => seen.requests.push(request.url()));
      page.on("console", (message) => seen.messages.push(message.text()));
      page.on("pageerror", (error) => seen.messages.push(error.message));
      const answer = await page.goto(server.base + path, { waitUntil: "networkidle" });
      assert.equal(answer?.status(), 200);
      return seen;
    };

    for (const path of PAGES) {
      it(`at ${path} log no errors, load nothing else, and fit every width`, async () => {
        for (const [name, width] of Object.entries(WIDTHS)) {
          const { page, requests, messages } = await watched(path, width);
          // Browsers request an icon by themselves; the page's policy blocks it.
          const others = requests.filter((url) => url !== server.base + path);
          assert.deepEqual(others, []);
          assert.deepEqual(messages, []);
          const scroll = await page.evaluate("document.documentElement.scrollWidth");
          assert.ok(Number(scroll) <= width, `${scroll} wide on a ${name} of ${width}`);
          await page.close();
        }
      });

      it(`at ${path} run no injected script and apply no injected style`, async () => {
        const { page, messages } = await watched(path);
        await page.evaluate(`{
          const script = document.createElement("script");
          script.textContent = "document.title = 'broken'";
          const style = document.createElement("style");
          style.textContent = "h1 { display: none }";
          const image = new Image();
          image.src = "/healthz";
          document.body.append(script, style, image);
        }`);
        assert.doesNotMatch(await page.title(), /broken/);
        assert.ok(await page.locator("h1").first().isVisible());
        assert.ok(messages.length >= 3, messages.join("\n"));
        assert.ok(messages.every((text) => /Content Security Policy/i.test(text)));
        await page.close();
      });

      it(`at ${path} have working links and can be used by keyboard`, async () => {
        const { page } = await watched(path);
        const links = await page
          .locator("a[href]")
          .evaluateAll((all) =>
            all.map((link) => (link as unknown as { readonly href: string }).href),
          );
        assert.ok(links.length > 20);
        for (const target of new Set(links.map((href) => href.replace(/#.*/, "")))) {
          assert.equal((await fetch(target)).status, 200, target);
        }
        const own = links.filter((href) => href.startsWith(`${server.base + path}#`));
        for (const href of own) {
          const id = href.slice(href.indexOf("#") + 1);
          assert.equal(await page.locator(`[id="${id}"]`).count(), 1, href);
        }
        await page.keyboard.press("Tab");
        assert.equal(
          await page.evaluate("document.activeElement.textContent"),
          "Skip to the content",
        );
        await page.keyboard.press("Enter");
        await page.waitForURL(/#content$/);
        await page.close();
      });
    }

    it("are styled: their policy allows their own style", async () => {
      const { page } = await watched("/docs");
      const display = await page.evaluate(
        "getComputedStyle(document.querySelector('.page')).display",
      );
      assert.equal(display, "grid");
      await page.close();
    });
  });
}
