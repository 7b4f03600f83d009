/**
 * Proves: all scripts that one user can load have less than 130 KB as sent. The first page requests
 * few and small files, each once and compressed, and a second visit requests none of them. The page
 * is painted within 300 ms on this machine, measured after the browser has started a process for
 * it. In no view does content shift while it loads.
 * Does not prove the time on other machines and networks; the sizes and numbers of requests
 * indicate it.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { eventually, type Person, type Visit } from "../../support/console/browser.ts";
import { consoleSuite } from "../../support/console/suite.ts";
import { ROOT } from "../../support/house/checkout.ts";

const DIST = join(ROOT, "dist/console");
const SCRIPTS_MAX = 130_000;
/** Maximum number of requests: page, style sheet, font, scripts, and the requests of the view. */
const REQUESTS_MAX = 20;
const FIRST_BYTES_MAX = 150_000;
const PAINT_MS = 300;
const NOT_ASKED = new RegExp(
  "https?://(www\\.w3\\.org|mapsvg\\.com|creativecommons\\.org|wa\\.me|www\\.google\\.com/maps|" +
    "solucoes\\.receita\\.fazenda\\.gov\\.br)\\b",
  "g",
);
const VIEWS = [
  ...["", "/lists", "/exports", "/saved", "/keys", "/usage", "/members", "/audit", "/account"],
];

/** Sums the layout shifts without user input. */
const WATCH_SHIFTS = `
  globalThis.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      const named = (node) => node?.className || node?.nodeName;
      const moved = entry.sources.map(({ node }) => {
        return named(node?.parentElement) + " > " + named(node);
      });
      globalThis.shifts.push(entry.value.toFixed(4) + " " + moved.join(", "));
    }
  }).observe({ type: "layout-shift", buffered: true });`;

let ana: Person;
const { inBrowser } = consoleSuite({}, async (served) => {
  ana = await served.user("ana@example.com");
});

describe("the files of the console", () => {
  it("contain less than 130 KB of scripts in either language, all views together", (test) => {
    const scripts = readdirSync(DIST).filter((name) => name.endsWith(".js"));
    for (const [language, other] of [
      ["pt", "en"],
      ["en", "pt"],
    ]) {
      // No user loads the texts of both languages.
      const foreign = new RegExp(`^(later-)?${other}-`);
      const loadable = scripts.filter((name) => !foreign.test(name));
      assert.equal(loadable.length, scripts.length - 2);
      const sizes = loadable.map((name) => statSync(join(DIST, `${name}.br`)).size);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      test.diagnostic(`${language}: ${loadable.length} scripts, ${total} bytes`);
      assert.ok(total < SCRIPTS_MAX, `${language}: ${total} bytes of compressed scripts`);
    }
  });

  it("reference no other host", () => {
    for (const name of readdirSync(DIST)) {
      if (!/\.(js|css|html)$/.test(name)) continue;
      // These addresses in the sources are exempt. Names of XML namespaces and the credit of the
      // map's outlines are never requested. Links to chat, map, and registry open in another tab
      // when the user clicks them.
      const text = readFileSync(join(DIST, name), "utf8").replaceAll(NOT_ASKED, "");
      assert.equal(/https?:\/\/[a-z]/.exec(text)?.[0], undefined, name);
    }
  });
});

describe("a first visit", () => {
  inBrowser(
    "asks for few and small files, each once, and a second one for none of them",
    async (open, report) => {
      const visit = await open(ana);
      const first = await loaded(visit);
      const assets = first.filter(({ url }) => url.includes("/assets/"));
      // Styles in the page count like a file.
      const styles = /<style>(.*?)<\/style>/s.exec(readFileSync(join(DIST, "page.html"), "utf8"));
      const inPage = brotliCompressSync(styles?.[1] as string).length;
      const bytes = assets.reduce((sum, one) => sum + one.bytes, inPage);
      report(`${first.length} requests, ${bytes} bytes of ${assets.length} files and the page`);
      for (const one of first) report(`${one.bytes} ${new URL(one.url).pathname}`);
      assert.ok(first.length <= REQUESTS_MAX, visit.requests.join("\n"));
      assert.ok(bytes < FIRST_BYTES_MAX, `${bytes} bytes`);
      assert.equal(new Set(assets.map(({ url }) => url)).size, assets.length, "each once");
      for (const { url, encoding } of assets) {
        assert.equal(encoding, url.endsWith(".woff2") ? "" : "br", url);
      }
      const second = await loaded(visit);
      assert.deepEqual(
        second.filter(({ url, cached }) => url.includes("/assets/") && !cached),
        [],
      );
    },
  );

  inBrowser(`is painted within ${PAINT_MS} ms`, async (open, report) => {
    const times: number[] = [];
    // The best of several measurements counts, because other suites run on the same machine.
    for (let turn = 0; turn < 6; turn++) {
      const visit = await open(ana);
      await emptyPage(visit);
      await loaded(visit);
      const paint = await visit.page.evaluate(
        "performance.getEntriesByName('first-contentful-paint')[0].startTime",
      );
      times.push(Number(paint));
      // Without this, the pages of earlier rounds would use the processor during a measurement.
      await visit.context.close();
    }
    report(`first paint after ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
    assert.ok(Math.min(...times) < PAINT_MS, times.join(" "));
  });

  for (const width of [1440, 390]) {
    inBrowser(`moves nothing while it loads, ${width} px wide`, async (open) => {
      const options = { width, before: WATCH_SHIFTS };
      const visit = await open(ana, options);
      const shifts: Record<string, unknown> = {};
      const hash = "#uf=SP&status=2";
      for (const view of [...VIEWS, hash]) {
        await visit.go(`/app${view}`);
        await visit.page.locator("h1").first().waitFor();
        await visit.page.waitForLoadState("networkidle");
        const moved = (await visit.page.evaluate("globalThis.shifts")) as string[];
        if (moved.length > 0) shifts[view] = moved;
      }
      assert.deepEqual(shifts, {});
    });
  }
});

interface Loaded {
  readonly url: string;
  readonly bytes: number;
  readonly encoding: string;
  readonly cached: boolean;
}

/**
 * Opens an empty page that is isolated like the console. For the first isolated page
 * (Cross-Origin-Opener-Policy), Chromium starts a process, which takes 216 to 344 ms of the empty
 * page's paint. On the same machine, the console itself takes 140 to 248 ms, and the test measures
 * only that.
 */
async function emptyPage(visit: Visit): Promise<void> {
  const headers = { "Cross-Origin-Opener-Policy": "same-origin" };
  await visit.page.route("**/app/empty", (route) =>
    route.fulfill({ contentType: "text/html", headers, body: "<!doctype html><p>Peneira" }),
  );
  await visit.go("/app/empty");
}

/** Loads the start page, and returns everything that it loads. */
async function loaded(visit: Visit): Promise<Loaded[]> {
  const client = await visit.context.newCDPSession(visit.page);
  await client.send("Network.enable");
  const answers = new Map<string, Loaded>();
  client.on("Network.responseReceived", ({ requestId, response }) => {
    const headers = new Headers(response.headers as Record<string, string>);
    answers.set(requestId, {
      url: response.url,
      bytes: 0,
      encoding: headers.get("content-encoding") ?? "",
      cached: response.fromDiskCache === true,
    });
  });
  client.on("Network.requestServedFromCache", ({ requestId }) => {
    const known = answers.get(requestId);
    if (known !== undefined) answers.set(requestId, { ...known, cached: true });
  });
  client.on("Network.loadingFinished", ({ requestId, encodedDataLength: bytes }) => {
    const known = answers.get(requestId);
    if (known !== undefined) {
      answers.set(requestId, { ...known, bytes, cached: known.cached || bytes === 0 });
    }
  });
  await visit.go();
  await visit.page.waitForLoadState("networkidle");
  await eventually(async () => assert.ok(answers.size > 0));
  await client.detach();
  return [...answers.values()].filter(({ url }) => url.startsWith("http"));
}
