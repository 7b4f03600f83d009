/**
 * Proves, in Chromium at 1440, 1366, and 390 px and in both languages: no view is wider than its
 * window, and no column of filters scrolls sideways, with all groups of filters open and every view
 * filled. For an unknown address, a browser gets a page in its language with a link to the console,
 * and a program gets a problem document. `/` leads a browser to the console and a program to the
 * reference. An entry of a list shows name, city, status, activity, and phone. Every plan and every
 * limit has a name, and no view shows an id or the name of a field.
 * Does not prove: looks, dialogs (matrix.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PLAN_NAMES } from "../../../src/access/plannames.ts";
import { companyName } from "../../../src/console/web/find/table/values.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { arrive, fill, show } from "../../support/console/filled.ts";
import { consoleSuite } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const SIZES = [
  [1440, 900],
  [1366, 768],
  [390, 844],
] as const;
const LANGUAGES = ["pt-BR", "en-GB"] as const;

let ana: Person;
const suite = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
});
const { inBrowser } = suite;

/** Returns the elements that scroll sideways unintentionally. Tables may scroll sideways. */
const SIDEWAYS = `(() => {
  const regions = "[role=region][tabindex], section[aria-label][tabindex]";
  const meant = ".table-scroll, .enrich-scroll, pre, .scroll, " + regions;
  const wide = document.documentElement.scrollWidth - innerWidth;
  const found = wide > 0 ? ["the page: " + wide + " px"] : [];
  for (const one of document.querySelectorAll("main, main *, header, nav, dialog, dialog *")) {
    const { overflowX } = getComputedStyle(one);
    if (one.closest(meant) || !["auto", "scroll"].includes(overflowX)) continue;
    const more = one.scrollWidth - one.clientWidth;
    if (more > 0) found.push(one.className + ": " + more + " px");
  }
  return found;
})()`;

/** Ids, and names of fields and limits, which mean nothing to a person. */
const RAW = /\b((whk|eml|lst|exp|ssr|ntc)_[0-9a-f]{6,}|[0-9a-f]{12,}|[a-z]+(_[a-z0-9]+)+)\b/g;
/** Selects elements with text for programs, such as the first characters of a key. */
const FOR_PROGRAMS = "code, pre, .code, .mono";

/** Returns the internal names that a view shows to users. */
async function rawNames({ page }: Visit, place: string): Promise<string[]> {
  const text = (await page.evaluate(
    `(() => {
      const main = document.querySelector("main").cloneNode(true);
      for (const one of main.querySelectorAll("${FOR_PROGRAMS}")) one.remove();
      return [...main.querySelectorAll("*")].map((one) =>
        [...one.childNodes].map(({ nodeValue }) => nodeValue ?? "").join(" ")).join(" | ");
    })()`,
  )) as string;
  return [...text.matchAll(RAW)].map(([raw]) => `${place}: ${raw}`);
}

async function sideways({ page }: Visit, place: string): Promise<string[]> {
  await page.waitForLoadState("networkidle");
  return ((await page.evaluate(SIDEWAYS)) as string[]).map((one) => `${place}: ${one}`);
}

describe("every view", () => {
  for (const [width, height] of SIZES) {
    for (const locale of LANGUAGES) {
      inBrowser(`fits ${width} px, ${locale}`, async (open) => {
        const visit = await open(ana, { width, height, locale });
        const { page } = visit;
        const { views } = await fill(visit);
        const found: string[] = [];
        for (const view of views) {
          await show(visit, view);
          const { name } = view;
          found.push(...(await sideways(visit, name)), ...(await rawNames(visit, name)));
        }
        await page.goto("about:blank");
        await visit.go("/app#uf=SP");
        await page.locator(".count[aria-busy=false]").waitFor();
        const words = locale === "pt-BR" ? portugueseWords : englishWords;
        if (width < 1024) {
          const open = page.getByRole("button", { name: words.find.filters });
          await open.first().click();
        }
        const closed = page.locator(".group-toggle[aria-expanded=false]");
        while ((await closed.count()) > 0) await closed.first().click();
        found.push(...(await sideways(visit, "filters")));
        assert.deepEqual(found, []);
      });
    }
  }
});

describe("a list", () => {
  inBrowser("shows what its entries are", async (open) => {
    const visit = await open(ana);
    const { list, page: known } = await fill(visit);
    await visit.go(`/app/lists#${list.id}`);
    const entries = visit.page.locator(".lists-entries > li");
    const name = companyName(String(known.accounts[0]?.legal_name));
    await eventually(async () => {
      const texts = await entries.allInnerTexts();
      assert.ok(
        texts.some((text) => text.includes(name)),
        texts.join(" | "),
      );
      const absent = portugueseWords.lists.notInSnapshot;
      assert.ok(
        texts.some((text) => text.includes(absent)),
        texts.join(" | "),
      );
    });
    const link = visit.page.locator(".lists-entry a").filter({ hasText: name });
    await link.click();
    await visit.page.locator(".company").waitFor();
    await visit.page.setViewportSize({ width: 780, height: 700 });
    const room = await visit.page.evaluate(
      "document.querySelector('.header-end').getBoundingClientRect().left - " +
        "document.querySelector('.nav-advanced').getBoundingClientRect().right",
    );
    assert.ok(Number(room) >= 0, `the menu covers ${-Number(room)} px of the buttons next to it`);
  });
});

describe("the names of plans", () => {
  it("are words in both languages, each another one", () => {
    for (const { plans } of [portugueseWords, englishWords]) {
      const names = PLAN_NAMES.map((name) => plans.names[name]);
      assert.equal(new Set(names).size, PLAN_NAMES.length);
      for (const name of names) assert.match(name ?? "", /^\p{Lu}\p{Ll}+/u);
    }
  });

  inBrowser("stand in every view that shows a plan", async (open) => {
    for (const locale of LANGUAGES) {
      const visit = await open(ana, { locale });
      const { plan } = await visit.getJson<{ plan: string }>("/usage?days=1");
      const { plans } = locale === "pt-BR" ? portugueseWords : englishWords;
      const name = plans.names[plan] as string;
      await visit.send("/keys", { name: "CRM" });
      for (const view of ["account", "keys", "usage", "plans"]) {
        await arrive(visit, `/app/${view}`);
        // The view of plans marks the current one in the same heading.
        await visit.page
          .locator("main")
          .getByText(name)
          .filter({ visible: true })
          .first()
          .waitFor();
        const text = await visit.page.locator("main").innerText();
        const raw = PLAN_NAMES.filter((one) => new RegExp(`\\b${one}\\b`).test(text));
        // The view of plans contains the name of a setting, which includes "growth".
        assert.deepEqual(raw, view === "plans" ? ["growth"] : [], view);
      }
    }
  });
});

describe("the names of limits", () => {
  inBrowser("are words in both languages", async (open) => {
    const visit = await open(ana);
    const { limits } = await visit.getJson<{ limits: object }>("/usage?days=1");
    for (const { charts } of [portugueseWords, englishWords]) {
      for (const name of Object.keys(limits)) assert.ok(name in charts.usage.limitNames, name);
    }
  });
});

describe("an address", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const request = async (path: string, accept: string, method = "GET") => {
    const init = { method, headers: { accept }, redirect: "manual" } as const;
    return fetch(suite.served.base + path, init);
  };

  it("that is bare leads browsers to the console and programs to the reference", async () => {
    for (const [accept, to] of [
      [BROWSER, "/app"],
      ["*/*", "/docs"],
      ["application/json", "/docs"],
      ["application/json, text/html;q=0.5", "/docs"],
      ["text/html;q=0", "/docs"],
    ] as const) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await request("/", accept, method);
        const seen = [answer.status, answer.headers.get("location"), answer.headers.get("vary")];
        assert.deepEqual(seen, [302, to, "Accept"], accept);
      }
    }
  });

  it("that does not exist is a page for browsers, and a problem for programs", async () => {
    for (const path of ["/nada", "/app/nada", "/app/nada/mais", "/docs/nada"]) {
      const page = await request(path, BROWSER);
      assert.deepEqual([page.status, page.headers.get("vary")], [404, "Accept"], path);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      const text = await page.text();
      for (const part of ["não existe", "does not exist", 'href="/app"', 'lang="en"']) {
        assert.ok(text.includes(part), `${path}: ${part}`);
      }
      assert.ok(!text.includes("nada"), "nothing of the address is in the page");
      const head = await request(path, BROWSER, "HEAD");
      assert.deepEqual([head.status, await head.text()], [404, ""]);
      const problem = await request(path, "*/*");
      assert.equal(problem.headers.get("content-type"), "application/problem+json", path);
      assert.equal(((await problem.json()) as { code: string }).code, "not_found");
    }
    for (const path of ["/v1/nada", "/v1/console/nada", "/app/assets/nada.js", "/files/nada"]) {
      const answer = await request(path, BROWSER);
      assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/, path);
    }
  });

  inBrowser("that does not exist shows a person the way back", async (open) => {
    const visit = await open(ana, { width: 390, height: 844 });
    visit.expect(404);
    await visit.go("/app/nada");
    assert.deepEqual(await sideways(visit, "lost"), []);
    await visit.page.getByRole("link", { name: "Ir para o Peneira" }).click();
    await visit.page.locator(".find").waitFor();
  });

  inBrowser("of a garbled invitation says so", async (open) => {
    const visit = await open(null);
    visit.expect(401, 403, 422);
    await visit.go("/app#invite=nada");
    await visit.page.getByText(portugueseWords.members.joinFailed).first().waitFor();
  });
});
