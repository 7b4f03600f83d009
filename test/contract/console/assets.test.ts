/**
 * Proves, on both transports: the console's page and its files arrive complete, in an encoding that
 * the client accepts, with their headers. ETags avoid repeated transfers. No other file is served.
 * A server without a built console reports this, and a server with an incomplete console does not
 * start. Does not prove: how the page behaves (the suites in a browser).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { Assets, acceptedEncoding, VIEWS } from "../../../src/console/assets.ts";
import { VIEW_NAMES } from "../../../src/console/web/app/router.ts";
import { CommandError } from "../../../src/errors.ts";
import { SessionAuth } from "../../../src/http/server/session-auth.ts";
import {
  type ConsoleAnswer,
  type ConsoleServer,
  startConsole,
} from "../../support/console/fake.ts";
import { TRANSPORTS } from "../../support/http/fake.ts";

const STYLE = ".header{height:52px}";
const PAGE = `<!doctype html><style>${STYLE}</style>${"<title>Peneira</title>".repeat(20)}`;
/** The Content-Security-Policy source that allows exactly these styles (CSP3, section 6.7.3.3). */
const STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;
const SCRIPT = "console.log('ação');".repeat(5_000);
/** Bytes that are not text. */
const FONT = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256));

const folder = mkdtempSync(join(tmpdir(), "peneira-assets-"));
after(() => rmSync(folder, { recursive: true }));

function writeConsole(place: string): void {
  mkdirSync(place, { recursive: true });
  const files: Record<string, { bytes: number; encodings: string[] }> = {};
  for (const [name, content, coded] of [
    ["page.html", PAGE, true],
    ["main-ABC123.js", SCRIPT, true],
    ["plex-XYZ.woff2", FONT, false],
  ] as const) {
    const bytes = Buffer.from(content as string);
    writeFileSync(join(place, name), bytes);
    if (coded) writeFileSync(join(place, `${name}.br`), brotliCompressSync(bytes));
    if (coded) writeFileSync(join(place, `${name}.gzip`), gzipSync(bytes));
    files[name] = { bytes: bytes.length, encodings: coded ? ["br", "gzip"] : [] };
  }
  writeFileSync(join(place, "manifest.json"), JSON.stringify({ files }));
  writeFileSync(join(place, "secret.txt"), "not for anybody");
}

const bytesOf = ({ text }: ConsoleAnswer): Buffer => Buffer.from(text, "latin1");

/** Headers that are in every answer, with values that may differ. */
const USUAL = ["date", "content-length", "x-request-id", "etag", "connection"];

for (const transport of TRANSPORTS) {
  describe(`the files of the console over ${transport}`, () => {
    let server: ConsoleServer;
    before(async () => {
      writeConsole(folder);
      server = await startConsole(transport, { folder });
    });
    after(() => server.close());

    const get = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
      server.send({ method, path, headers });
    const rest = ({ headers }: ConsoleAnswer) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !USUAL.includes(name)));

    it("include a page with all its headers", async () => {
      const got = await get("/app");
      assert.equal(got.status, 200);
      assert.equal(bytesOf(got).toString(), PAGE);
      assert.deepEqual(rest(got), {
        "content-type": "text/html; charset=utf-8",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "content-security-policy":
          `default-src 'none'; script-src 'self'; style-src 'self' ${STYLE_HASH}; ` +
          "font-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; " +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy":
          "accelerometer=(), camera=(), clipboard-read=(), clipboard-write=(self), " +
          "display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), " +
          "midi=(), payment=(), usb=()",
        "cache-control": "no-cache",
        vary: "Accept-Encoding",
      });
    });

    it("make browsers use HTTPS except on loopback", async () => {
      const away = await get("/app", { host: "peneira.example" });
      assert.equal(away.headers["strict-transport-security"], "max-age=31536000");
      const insecure = await startConsole(transport, { folder, insecureHttp: true });
      const got = await insecure.send({
        method: "GET",
        path: "/app",
        headers: { host: "box.lan" },
      });
      assert.equal(got.headers["strict-transport-security"], undefined);
      await insecure.close();
    });

    it("are cached by browsers", async () => {
      const script = await get("/app/assets/main-ABC123.js");
      assert.equal(bytesOf(script).toString(), SCRIPT);
      assert.equal(script.headers["content-type"], "text/javascript; charset=utf-8");
      assert.equal(script.headers["cache-control"], "public, max-age=31536000, immutable");
      assert.equal(script.headers.vary, "Accept-Encoding");
      const font = await get("/app/assets/plex-XYZ.woff2", { "accept-encoding": "br, gzip" });
      assert.ok(bytesOf(font).equals(FONT));
      assert.equal(font.headers["content-type"], "font/woff2");
      assert.deepEqual(
        [font.headers.vary, font.headers["content-encoding"]],
        [undefined, undefined],
      );
    });

    it("are sent in an accepted encoding, each with its own tag", async () => {
      const tags = new Set<string>();
      for (const [accepted, form] of [
        ["gzip, deflate, br, zstd", "br"],
        ["gzip", "gzip"],
        ["br;q=0, *", "gzip"],
        ["deflate", undefined],
        ["identity", undefined],
        ["", undefined],
      ] as const) {
        for (const path of ["/app", "/app/assets/main-ABC123.js"]) {
          const got = await get(path, { "accept-encoding": accepted });
          assert.equal(got.headers["content-encoding"], form, accepted);
          const bytes = bytesOf(got);
          assert.equal(bytes.length, Number(got.headers["content-length"]));
          const plain =
            form === "br" ? brotliDecompressSync(bytes) : form ? gunzipSync(bytes) : bytes;
          assert.equal(plain.toString(), path === "/app" ? PAGE : SCRIPT);
          tags.add(got.headers.etag ?? "");
        }
      }
      assert.equal(tags.size, 6);
    });

    it("are not sent again to a client that has them", async () => {
      const headers = { "accept-encoding": "br" };
      const { headers: first } = await get("/app/assets/main-ABC123.js", headers);
      const known = { ...headers, "if-none-match": first.etag ?? "" };
      const again = await get("/app/assets/main-ABC123.js", known);
      assert.deepEqual([again.status, again.text], [304, ""]);
      assert.equal(again.headers["cache-control"], first["cache-control"]);
      assert.equal(again.headers.vary, "Accept-Encoding");
      const plain = await get("/app/assets/main-ABC123.js", { "if-none-match": first.etag ?? "" });
      assert.equal(plain.status, 200, "the tag of another form");
      const head = await get("/app", {}, "HEAD");
      assert.deepEqual([head.status, head.text], [200, ""]);
      assert.equal(head.headers["content-length"], String(Buffer.byteLength(PAGE)));
    });

    it("return the same page for every view, and for no other path", async () => {
      // These views have no path of their own. The first page shows companies and the help by the
      // hash of the address.
      const paths = VIEW_NAMES.filter((name) => !["find", "company", "help"].includes(name));
      assert.deepEqual([...VIEWS].sort(), paths.sort());
      for (const view of VIEWS) {
        assert.equal((await get(`/app/${view}?a=b`)).text, PAGE);
      }
      const slash = await get("/app/");
      assert.deepEqual([slash.status, slash.headers.location], [308, "/app"]);
      for (const path of [
        "/app/nope",
        "/app/find/x",
        "/app/assets",
        "/app/assets/",
        "/app/assets/page.html",
        "/app/assets/manifest.json",
        "/app/assets/secret.txt",
        "/app/assets/main-ABC123.js.br",
        "/app/assets/main-abc123.js",
        "/app/assets/main-ABC123.js/x",
        "/app/assets/../secret.txt",
        "/app/assets/..%2fsecret.txt",
        "/app/assets/%2e%2e/secret.txt",
        "/app/assets/%2e%2e%5csecret.txt",
        "/app/assets/..;/secret.txt",
        "/app/assets/%00",
        "/app/assets/__proto__",
        "/app/assets/constructor",
        "/app/..%2f..%2fetc%2fpasswd",
        "/app/assets//etc/passwd",
      ]) {
        const got = await get(path);
        assert.equal(got.status, 404, `${path}: ${got.status}`);
        assert.equal(got.headers["content-type"], "application/problem+json");
        assert.ok(!got.text.includes("not for anybody"));
      }
      const posted = await server.send({ method: "POST", path: "/app", body: {} });
      assert.deepEqual([posted.status, posted.headers.allow], [405, "GET, HEAD, OPTIONS"]);
    });

    it("are reported as missing if they were not built", async () => {
      const bare = await startConsole(transport);
      for (const path of ["/app", "/app/keys", "/app/assets/main-ABC123.js"]) {
        const got = await bare.send({ method: "GET", path });
        assert.equal(got.status, 404);
        assert.match(got.text, /node build\.mjs console/);
      }
      await bare.close();
    });
  });
}

describe("Assets", () => {
  it("rejects an incomplete console", () => {
    const sessionAuth = new SessionAuth({ sessions: { find: () => null }, insecureHttp: false });
    const place = join(folder, "broken");
    writeConsole(place);
    rmSync(join(place, "main-ABC123.js.br"));
    assert.throws(() => new Assets(place, sessionAuth), CommandError);
    writeConsole(place);
    writeFileSync(join(place, "manifest.json"), "{");
    assert.throws(() => new Assets(place, sessionAuth), /not whole/);
  });
});

describe("acceptedEncoding", () => {
  it("chooses the smallest encoding that the client accepts", () => {
    const forms = ["identity", "br", "gzip"] as const;
    const cases: readonly [string | undefined, string][] = [
      [undefined, "identity"],
      ["", "identity"],
      ["*", "br"],
      ["br;q=0.5, gzip;q=1.0", "gzip"],
      ["BR", "br"],
      ["br;q=0", "identity"],
      ["br;q=x, gzip", "gzip"],
      ["gzip;q=0.001", "gzip"],
      ["identity;q=0", "identity"],
      ["identity;q=1, br;q=0.1", "identity"],
      ["x-gzip, compress", "identity"],
      [",,;q=1,", "identity"],
    ];
    for (const [accepted, wanted] of cases) {
      assert.equal(acceptedEncoding(accepted, forms), wanted, String(accepted));
    }
    assert.equal(acceptedEncoding("br, gzip", ["identity"]), "identity");
  });
});
