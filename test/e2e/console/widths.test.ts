/**
 * Proves, in Chromium at 1440, 1366, and 390 px and in both languages: no view is wider than its
 * window, and no column of filters scrolls sideways. All groups of filters are open, and there are
 * lists, exports, and saved searches to show. An address that does not
 * exist is a page for a person in both languages, with a way back, and a problem document for a
 * program; `/` leads a browser to the console and a program to the reference. An entry of a list
 * shows name, city, status, activity, and phone. Every limit of a plan has a name.
 * Does not prove: looks; dialogs (matrix.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SearchPage } from "../../../src/console/web/app/answers.ts";
import type { AccountList } from "../../../src/console/web/app/listanswers.ts";
import { VIEW_NAMES } from "../../../src/console/web/app/router.ts";
import { companyName } from "../../../src/console/web/find/table/values.ts";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { consoleSuite } from "../../support/console/suite.ts";
import { englishWords, portugueseWords } from "../../support/console/words.ts";

const SIZES = [
  [1440, 900],
  [1366, 768],
  [390, 844],
] as const;
const LANGUAGES = ["pt-BR", "en-GB"] as const;
const AT_HASH: Readonly<Record<string, string>> = { help: "/app#/ajuda" };
const FILTERS = { filters: { geo: { uf_any_of: ["SP"] } } };

let ana: Person;
const suite = consoleSuite({ accounts: 3_000, seed: 6 }, async (served) => {
  ana = await served.user("ana@example.com");
});
const { inBrowser } = suite;

/** Elements that scroll sideways without being meant to: tables do, on purpose. */
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

async function sideways({ page }: Visit, place: string): Promise<string[]> {
  await page.waitForLoadState("networkidle");
  return ((await page.evaluate(SIDEWAYS)) as string[]).map((one) => `${place}: ${one}`);
}

let prepared = 0;

/** Makes something to show in every view. Returns a list with two entries, one not in the data. */
async function prepare(visit: Visit): Promise<{ list: AccountList; page: SearchPage }> {
  const spec = { ...FILTERS, output: { fields: ["cnpj", "legal_name", "municipality_name"] } };
  const page = await visit.send<SearchPage>("/accounts/search", { spec, limit: 1 });
  const { list } = await visit.send<{ list: AccountList }>("/lists", {
    name: `Clientes que não queremos contatar de novo antes de dezembro, ${++prepared}`,
  });
  const cnpjs = [page.accounts[0]?.cnpj as string, "11222333000181"];
  await visit.send(`/lists/${list.id}/entries`, { cnpjs });
  const output = { format: "xlsx", title: "Padarias com telefone e e-mail próprios em São Paulo" };
  await visit.send("/exports", { spec: FILTERS, output });
  const text = `restaurantes e lanchonetes com telefone celular em São Paulo ${prepared}`;
  await visit.send("/searches", { name: text, text, spec: FILTERS });
  return { list, page };
}

describe("every view", () => {
  for (const [width, height] of SIZES) {
    for (const locale of LANGUAGES) {
      inBrowser(`fits ${width} px, ${locale}`, async (open) => {
        const visit = await open(ana, { width, height, locale });
        const { page } = visit;
        const { list, page: known } = await prepare(visit);
        const found: string[] = [];
        const paths = VIEW_NAMES.filter((name) => name !== "company" && name !== "news").map(
          (name) => AT_HASH[name] ?? (name === "find" ? "/app" : `/app/${name}`),
        );
        const cnpj = known.accounts[0]?.cnpj as string;
        for (const path of [...paths, `/app#/empresa/${cnpj}`, `/app/lists#${list.id}`]) {
          // A change of the hash alone loads no page.
          await page.goto("about:blank");
          await visit.go(path);
          await page.locator("h1").first().waitFor({ state: "attached" });
          found.push(...(await sideways(visit, path)));
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
    const { list, page: known } = await prepare(visit);
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
  });
});

describe("the names of limits", () => {
  inBrowser("are words in both languages", async (open) => {
    const visit = await open(ana);
    const { limits } = await visit.ask<{ limits: object }>("/usage?days=1");
    for (const { charts } of [portugueseWords, englishWords]) {
      for (const name of Object.keys(limits)) assert.ok(name in charts.usage.limitNames, name);
    }
  });
});

describe("an address", () => {
  const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const ask = async (path: string, accept: string, method = "GET") => {
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
        const answer = await ask("/", accept, method);
        const seen = [answer.status, answer.headers.get("location"), answer.headers.get("vary")];
        assert.deepEqual(seen, [302, to, "Accept"], accept);
      }
    }
  });

  it("that does not exist is a page for browsers, and a problem for programs", async () => {
    for (const path of ["/nada", "/app/nada", "/app/nada/mais", "/docs/nada"]) {
      const page = await ask(path, BROWSER);
      assert.deepEqual([page.status, page.headers.get("vary")], [404, "Accept"], path);
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
      const text = await page.text();
      for (const part of ["não existe", "does not exist", 'href="/app"', 'lang="en"']) {
        assert.ok(text.includes(part), `${path}: ${part}`);
      }
      assert.ok(!text.includes("nada"), "nothing of the address is in the page");
      const head = await ask(path, BROWSER, "HEAD");
      assert.deepEqual([head.status, await head.text()], [404, ""]);
      const problem = await ask(path, "*/*");
      assert.equal(problem.headers.get("content-type"), "application/problem+json", path);
      assert.equal(((await problem.json()) as { code: string }).code, "not_found");
    }
    for (const path of ["/v1/nada", "/v1/console/nada", "/app/assets/nada.js", "/files/nada"]) {
      const answer = await ask(path, BROWSER);
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
