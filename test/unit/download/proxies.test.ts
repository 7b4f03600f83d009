/**
 * Proves how the proxy of an address is chosen: by the setting, the environment variables, and
 * NO_PROXY. A user and password are accepted only from the environment, rejected elsewhere with
 * advice, and never printed.
 * Does not prove: transfers (contract/download/proxied.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { asLines } from "../../../src/cli/support/config.ts";
import { bypasses, proxyRules } from "../../../src/download/proxy.ts";
import { loadConfig } from "../../../src/settings/config.ts";

describe("NO_PROXY", () => {
  const cases: readonly [list: string, url: string, named: boolean][] = [
    ["", "https://a.example/", false],
    ["*", "https://a.example/", true],
    ["a.example", "https://a.example/", true],
    ["A.Example", "https://a.example./", true],
    ["example", "https://a.example/", true],
    [".example", "https://a.example/", true],
    ["*.example", "https://a.example/", true],
    [".example", "https://example/", true],
    ["ample", "https://a.example/", false],
    ["b.example, a.example", "https://a.example/", true],
    ["b.example a.example", "https://a.example/", true],
    ["a.example:443", "https://a.example/", true],
    ["a.example:8443", "https://a.example/", false],
    ["a.example:8443", "https://a.example:8443/", true],
    ["a.example:80", "http://a.example/", true],
    ["10.1.2.3", "http://10.1.2.3/", true],
    ["1.2.3", "http://10.1.2.3/", false],
    ["10.1.2.3:81", "http://10.1.2.3/", false],
    ["10.0.0.0/8", "http://10.1.2.3/", true],
    ["10.0.0.0/8", "http://11.1.2.3/", false],
    ["10.0.0.0/33", "http://10.0.0.0/", false],
    ["10.0.0.0/8", "http://10.example/", false],
    ["0.0.0.0/0", "http://10.1.2.3/", true],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["[fd00::]/8", "http://[fd12::1]/", true],
    ["fd12::1", "http://[fd12:0::1]/", true],
    ["[fd12::1]", "http://[fd12::1]/", true],
    ["[fd12::1]:80", "http://[fd12::1]/", true],
    ["[fd12::1]:81", "http://[fd12::1]/", false],
    ["/", "http://a.example/", false],
    [":80", "http://a.example/", false],
    [".", "http://a.example/", false],
  ];
  it("is parsed like in curl", () => {
    for (const [list, url, named] of cases) {
      assert.equal(bypasses(list, new URL(url)), named, `${list} ${url}`);
    }
  });
});

describe("the proxy of an address", () => {
  type Variables = Readonly<Record<string, string>>;
  const cases: readonly [string | null, Variables, url: string, proxy: string | null][] = [
    [null, {}, "https://h/", null],
    [null, { HTTPS_PROXY: "http://p:1" }, "https://h/", "p:1"],
    [null, { HTTPS_PROXY: "http://p:1" }, "http://h/", null],
    [null, { https_proxy: "http://q:1", HTTPS_PROXY: "http://p:1" }, "https://h/", "q:1"],
    [null, { http_proxy: "p:3128" }, "http://h/", "p:3128"],
    [null, { HTTP_PROXY: "http://p" }, "http://h/", "p:80"],
    [null, { ALL_PROXY: "socks5h://p" }, "https://h/", "p:1080"],
    [null, { ALL_PROXY: "socks5://[::1]:9" }, "https://h/", "[::1]:9"],
    [null, { ALL_PROXY: "http://p:1", HTTPS_PROXY: "https://q" }, "https://h/", "q:443"],
    [null, { HTTPS_PROXY: "  " }, "https://h/", null],
    [null, { HTTP_PROXY: "http://p:1" }, "http://localhost:8/", null],
    [null, { HTTP_PROXY: "http://p:1" }, "http://127.0.0.1:8/", null],
    [null, { HTTP_PROXY: "http://p:1", ALL_PROXY: "http://p:1" }, "file:///x", null],
    [null, { HTTPS_PROXY: "http://p:1", NO_PROXY: "h" }, "https://h/", null],
    [null, { HTTPS_PROXY: "http://p:1", no_proxy: "h", NO_PROXY: "x" }, "https://h/", null],
    ["http://s:2", { HTTPS_PROXY: "http://p:1" }, "https://h/", "s:2"],
    ["http://s:2", { NO_PROXY: "h" }, "https://h/", null],
    ["http://s:2", {}, "http://127.0.0.1/", "s:2"],
    ["http://s:2", {}, "file:///x", null],
    ["direct", { HTTPS_PROXY: "http://p:1" }, "https://h/", null],
  ];
  it("follows the setting, then the variable of its scheme, then ALL_PROXY", () => {
    for (const [setting, environment, url, proxy] of cases) {
      const found = proxyRules(setting, environment)(new URL(url));
      assert.equal(found?.name ?? null, proxy, JSON.stringify([setting, environment, url]));
    }
  });

  it("keeps its credentials for the proxy", () => {
    const rules = proxyRules(null, { HTTPS_PROXY: "http://us%20er:p%3Ass@p:1" });
    const proxy = rules(new URL("https://h/"));
    assert.deepEqual(proxy?.credentials(), { user: "us er", password: "p:ss" });
    assert.doesNotMatch(inspect(proxy, { depth: 9, showHidden: true }), /us( |%20)er|p(%3A|:)ss/);
    assert.doesNotMatch(JSON.stringify(proxy), /us( |%20)er|p(%3A|:)ss/);
  });

  it("is named without its value if a variable is misspelled", () => {
    for (const value of [
      "ftp://u:sesame@p",
      "http://u:sesame@",
      "socks4://u:sesame@p:1",
      "u:%:x",
    ]) {
      assert.throws(
        () => proxyRules(null, { https_proxy: value }),
        ({ message }: Error) =>
          /^https_proxy must be http:/.test(message) && !/sesame/.test(message),
      );
    }
  });
});

describe("the settings", () => {
  const secret = "http://user:sesame@p:1";

  it("accept a password from the environment, and print it nowhere", () => {
    const config = loadConfig({ environment: { PENEIRA_DOWNLOAD_PROXY: secret } });
    assert.equal(config.get("download.proxy"), secret);
    assert.doesNotMatch(asLines(config.settings), /sesame/);
  });

  it("reject one anywhere else, with the variable", () => {
    const folder = mkdtempSync(join(tmpdir(), "proxies-"));
    const file = join(folder, "peneira.json");
    for (const proxy of [secret, "socks5h://user@p"]) {
      writeFileSync(file, JSON.stringify({ download: { proxy } }));
      for (const inputs of [{ file }, { flags: { "download.proxy": proxy } }]) {
        assert.throws(
          () => loadConfig(inputs),
          ({ message }: Error) =>
            /download\.proxy must not hold a user or password/.test(message) &&
            /set PENEIRA_DOWNLOAD_PROXY instead/.test(message) &&
            !/sesame/.test(message),
        );
      }
    }
    rmSync(folder, { recursive: true });
    for (const proxy of [
      "ftp://u:sesame@p",
      "http://p/path",
      "u:sesame@p",
      `http://${"u".repeat(256)}@p`,
    ]) {
      assert.throws(
        () => loadConfig({ environment: { PENEIRA_DOWNLOAD_PROXY: proxy } }),
        ({ message }: Error) =>
          /download\.proxy must be .*socks5h/.test(message) && !/sesame/.test(message),
      );
    }
  });

  it("name the flag as written, and nothing of a query", () => {
    for (const address of ["https://h/x?token=sesame&b=c", "https://h/x#sesame", "//h?sesame"]) {
      assert.throws(
        () => loadConfig({ flags: { "download.url": `https://a/ ${address}` } }),
        ({ message }: Error) =>
          /\n- --url: download\.url must be an http/.test(message) &&
          (address.startsWith("//") || !/sesame/.test(message)),
      );
    }
    const flags = { "download.proxy": "ftp://p", "download.streams": "x", data_dir: "" };
    assert.throws(() => loadConfig({ flags }), {
      message:
        /--proxy: download\.proxy must[\s\S]*--streams: download\.streams must[\s\S]*--data-dir:/,
    });
  });

  it("accept one address or several, and never show a password of one", () => {
    const urlOf = (value: unknown) => {
      const folder = mkdtempSync(join(tmpdir(), "proxies-"));
      writeFileSync(join(folder, "c.json"), JSON.stringify({ download: { url: value } }));
      try {
        return loadConfig({ file: join(folder, "c.json") }).get("download.url");
      } finally {
        rmSync(folder, { recursive: true });
      }
    };
    assert.equal(urlOf("https://a/"), "https://a/");
    assert.deepEqual(urlOf(["https://a/", "file:///b"]), ["https://a/", "file:///b"]);
    const flags = { "download.url": "https://a/ https://b/s/Tok3n?dir=/x" };
    assert.deepEqual(loadConfig({ flags }).get("download.url"), flags["download.url"].split(" "));
    for (const wrong of [[], [1], ["https://a/", "https://u:sesame@b/"], "", "file://host/x"]) {
      assert.throws(
        () => urlOf(wrong),
        ({ message }: Error) =>
          /download\.url must be an http/.test(message) && !/sesame/.test(message),
      );
    }
  });
});
