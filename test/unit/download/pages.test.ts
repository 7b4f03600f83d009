/**
 * Proves: listing pages of web servers and of buckets are parsed by their links, for any columns. A
 * hostile page is rejected or yields nothing, in time proportional to its size. A damaged page is
 * read as far as possible, and its links never lead outside the folder. Links copied from a browser
 * become addresses.
 * Does not prove: a whole month (contract/download/mirrors.test.ts).
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readShare } from "../../../src/download/address.ts";
import { parseIndexPage, parseJsonIndex } from "../../../src/download/listings/indexpage.ts";
import {
  isBucketPage,
  ListingFault,
  parseBucketPage,
  parseMultistatus,
} from "../../../src/download/listings/xml.ts";
import { checkShare } from "../../../src/settings/settingvalue.ts";
import {
  bucketXml,
  davEntry,
  indexPage,
  multistatus,
  PAGE_FORMS,
  type SharedEntry,
} from "../../support/download/listing-pages.ts";
import { tries } from "../../support/run/scale.ts";
import { seededRng } from "../../support/spec/random.ts";

const FOLDER = new URL("https://h.example/a%20b/cnpj/");
const ENTRIES: readonly SharedEntry[] = [
  { name: "2026-10", bytes: null, etag: null, modified: null },
  { name: "a & <b>.txt", bytes: 3, etag: null, modified: null },
  {
    name: "Estabelecimentos0.zip",
    bytes: 5,
    etag: '"e"',
    modified: "Mon, 12 Oct 2026 01:02:03 GMT",
  },
];
const namesOf = (html: string) => {
  return (parseIndexPage(html, FOLDER) ?? []).map(({ name, folder }) =>
    folder ? `${name}/` : name,
  );
};

describe("the page of a web server", () => {
  it("lists the folder's entries, and nothing else", () => {
    for (const form of PAGE_FORMS) {
      const html = indexPage(form, "/a b/cnpj/", ENTRIES);
      assert.deepEqual(namesOf(html), ["2026-10/", "a & <b>.txt", "Estabelecimentos0.zip"], form);
    }
    for (const form of PAGE_FORMS.filter((one) => one !== "caddy")) {
      assert.deepEqual(parseIndexPage(indexPage(form, "/", []), FOLDER), [], `${form}, empty`);
    }
  });

  it("is parsed as browsers parse links", () => {
    const cases: readonly [html: string, names: string[]][] = [
      ['<a href="x.zip">x</a>', ["x.zip"]],
      ["<A CLASS=b HREF=x.zip>x</A>", ["x.zip"]],
      ["<a\nhref = 'x.zip' title='>'>x</a>", ["x.zip"]],
      ['<a data-href="y.zip" href="x.zip">', ["x.zip"]],
      ['<a href="./x.zip"><a href="/a%20b/cnpj/y.zip">', ["x.zip", "y.zip"]],
      ['<a href="https://h.example/a%20b/cnpj/z.zip">', ["z.zip"]],
      ['<a href="a&amp;b&#46;zip"><a href="c&#x2e;zip">', ["a&b.zip", "c.zip"]],
      ['<a href="x"><a href="x/">', ["x/"]],
      ['<a href="x.zip?a=1"><a href="#x"><a href="?C=N">', []],
      ['<a href="../x.zip"><a href="/x.zip"><a href="d/x.zip">', []],
      ['<a href="%2e%2e/"><a href="..%2fx"><a href="%2e%2e%2f"><a href="a%5cb"><a href=".">', []],
      ['<a href="//h.other/a%20b/cnpj/x.zip"><a href="http://h.example/a%20b/cnpj/x.zip">', []],
      ['<a href="https://u@h.example/a%20b/cnpj/x.zip"><a href="javascript:x">', []],
      ['<a href="file:///a%20b/cnpj/x.zip"><a href="data:x"><a href="%ff"><a href="a%00b">', []],
      ['<!-- <a href="x.zip"> --><script><a href="y.zip"></script><style><a href="z.zip">', []],
      ['<abbr href="x.zip"><a name="x.zip"><link href="y.zip">', []],
      ["<a href=", []],
    ];
    for (const [html, names] of cases) assert.deepEqual(namesOf(html), names, html);
  });

  it("is rejected if it lists nothing, and requested again if truncated", () => {
    assert.equal(parseIndexPage("<html><body>Sign in</body></html>", FOLDER), null);
    const cut = indexPage("nginx", "/", ENTRIES).slice(0, -20);
    assert.throws(() => parseIndexPage(cut, FOLDER), /ends in the middle/);
    const many = Array.from({ length: 20_001 }, (_, index) => `<a href="${index}">`).join("");
    assert.throws(() => parseIndexPage(many, FOLDER), /too many files/);
  });

  it("of eight million odd characters takes no longer than others", () => {
    const started = performance.now();
    for (const piece of [
      "<",
      "<a ",
      '<a "',
      "<a href=",
      "<!--",
      "<script>",
      "</title ",
      "&#1;",
      '<a b="<',
    ]) {
      namesOf(piece.repeat(8e6 / piece.length));
    }
    assert.ok(performance.now() - started < 20_000);
  });
});

describe("a list in JSON", () => {
  const listed = (value: unknown) =>
    (parseJsonIndex(typeof value === "string" ? value : JSON.stringify(value), FOLDER) ?? []).map(
      ({ name, folder }) => (folder ? `${name}/` : name),
    );

  it("of nginx or Caddy lists the folder's entries", () => {
    const nginx = [
      { name: "2026-10", type: "directory", mtime: "Mon, 12 Oct 2026 01:02:03 GMT" },
      { name: "a & <b>.zip", type: "file", size: 5 },
    ];
    assert.deepEqual(listed(nginx), ["2026-10/", "a & <b>.zip"]);
    const caddy = [
      { name: "2026-10/", size: 4096, url: "./2026-10/", is_dir: true },
      { name: "Simples.zip", size: 5, url: "./Simples.zip", is_dir: false },
    ];
    assert.deepEqual(listed(caddy), ["2026-10/", "Simples.zip"]);
    assert.deepEqual(parseJsonIndex(" [\n] ", FOLDER), []);
  });

  it("lists no name that leads outside the folder, and is rejected if it is no list", () => {
    const names = ["..", ".", "", "../x.zip", "a/b.zip", "a\\b", "a\0b", "/etc/passwd", 5, null];
    assert.deepEqual(listed([...names.map((name) => ({ name, type: "file" })), 5, null, "x"]), []);
    for (const other of ["", "<html>[", "{}", '"[]"', "[1]"]) {
      assert.equal(parseJsonIndex(other, FOLDER), null, other);
    }
    assert.throws(() => parseJsonIndex('[{"name":"2026-1', FOLDER), /ends in the middle/);
    assert.throws(() => parseJsonIndex("[{name:1}]", FOLDER), /not valid JSON/);
    const many = Array.from({ length: 20_001 }, (_, index) => ({ name: `${index}` }));
    assert.throws(() => listed(many), /too many files/);
  });
});

describe("the page of a bucket", () => {
  it("lists files and folders below the prefix, and the next page", () => {
    for (const coded of ["", "&encoding-type=url"]) {
      const query = new URLSearchParams(`prefix=a b/${coded}`);
      const text = bucketXml(query, ENTRIES);
      assert.ok(isBucketPage(text));
      assert.deepEqual(parseBucketPage(text, "a b/"), {
        next: null,
        entries: [ENTRIES[0], ENTRIES[1], ENTRIES[2]].map((one) => ({
          ...one,
          folder: one?.bytes === null,
        })),
      });
    }
    const many = Array.from({ length: 25 }, (_, index) => ({ ...ENTRIES[1], name: `f${index}` }));
    const first = parseBucketPage(bucketXml(new URLSearchParams(), many as SharedEntry[]), "");
    assert.deepEqual([first.entries.length, first.next], [10, "token 10"]);
  });

  it("is rejected if hostile, and entries outside its folder are ignored", () => {
    const page = (inner: string) => `<ListBucketResult>${inner}</ListBucketResult>`;
    const file = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
    const keys = ["p/..", "p/.", "p/", "p/a/b", "q/a", "../p/a", "p/../a", "", "p/ok"].map(file);
    const { entries } = parseBucketPage(page(keys.join("")), "p/");
    assert.deepEqual(
      entries.map(({ name }) => name),
      ["ok"],
    );
    const hostile: readonly [string, RegExp][] = [
      ['<!DOCTYPE x [<!ENTITY a "b">]><ListBucketResult/>', /document type/],
      [page("&boom;"), /unknown entity/],
      [page("<a>".repeat(30) + "</a>".repeat(30)), /too deeply/],
      [page(file("a").repeat(20_001)), /too much/],
      [page("<IsTruncated>true</IsTruncated>"), /does not say where/],
      ["<Error><Code>AccessDenied</Code></Error>", /not a bucket/],
      [page("").slice(0, -8), /broken|middle/],
      ["<ListBucketResult>", /middle/],
      [`${page("")}${page("")}`, /more than one root/],
      ["", /middle/],
    ];
    for (const [text, words] of hostile) assert.throws(() => parseBucketPage(text, ""), words);
  });
});

describe("random damage", () => {
  it("of a listing never leads outside its folder, and fails only with a readable error", () => {
    const dav = multistatus(ENTRIES.map((one) => davEntry(`/a b/cnpj/${one.name}`, one)).join(""));
    const xml = bucketXml(new URLSearchParams("prefix=p/&encoding-type=url"), ENTRIES);
    const pages = PAGE_FORMS.map((form) => indexPage(form, "/a b/cnpj/", ENTRIES));
    const pieces = [
      "<",
      ">",
      '"',
      "'",
      "&",
      "/",
      "../",
      "%2e",
      "%2f",
      "&#47;",
      "<a href=",
      "<!--",
      "]]>",
    ];
    const rng = seededRng(7);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(rng() * of.length)] as T;
    for (let round = 0; round < tries("download faults") * 200; round++) {
      let text = pick([...pages, dav, xml]);
      for (let count = 1 + Math.floor(rng() * 4); count > 0; count--) {
        const at = Math.floor(rng() * text.length);
        text = text.slice(0, at) + pick(pieces) + text.slice(at + Math.floor(rng() * 9));
      }
      try {
        const names = [
          ...(parseIndexPage(text, FOLDER) ?? []),
          ...(isBucketPage(text) ? parseBucketPage(text, "p/").entries : []),
        ].map(({ name }) => name);
        for (const name of names) assert.ok(name !== "" && !/^\.\.?$|\//.test(name), name);
        if (text.includes("multistatus")) parseMultistatus(text);
      } catch (error) {
        assert.ok(error instanceof ListingFault, `${String(error)}: ${text}`);
      }
    }
  });
});

describe("an address", () => {
  const dav = "https://h.example/public.php/dav/files/Yggd8/";
  const links: readonly [link: string, root: string, prefix?: string][] = [
    ["https://h.example/s/Yggd8?dir=/Dados/Cadastros/CNPJ", `${dav}Dados/Cadastros/CNPJ/`],
    ["https://h.example/index.php/s/Yggd8?path=%2FDados%2Fa%20b%2F", `${dav}Dados/a%20b/`],
    ["https://h.example/index.php/s/Yggd8?dir=/&openfile=true", dav],
    ["https://h.example/index.php/s/Yggd8/download?path=%2FDados&files=x.zip", `${dav}Dados/`],
    ["https://h.example/sub/index.php/s/Yggd8?dir=.", dav.replace("/public", "/sub/public")],
    [`${dav}?dir=/Dados`, `${dav}Dados/`],
    ["https://b.example/?prefix=cnpj/", "https://b.example/", "cnpj/"],
    ["https://m.example/cnpj", "https://m.example/cnpj/"],
    ["file:///mnt/a%20b", "file:///mnt/a%20b/"],
  ];
  it("is parsed from what people copy", () => {
    for (const [link, root, prefix = null] of links) {
      assert.equal(checkShare(link), null, link);
      const share = readShare(link);
      assert.deepEqual([share.root.href, share.prefix], [root, prefix], link);
    }
  });

  it("is rejected if it would be misread", () => {
    for (const link of [
      "https://h.example/?a=1",
      "https://h.example/s/Yggd8?dir=/a/../../b",
      "https://h.example/s/Yggd8?dir=/a%5C..%5Cb",
      "https://h.example/x?prefix=a&b=1",
      "file://host/share",
      "file:///mnt?x=1",
      "/mnt/cnpj",
      "s3://bucket/cnpj",
    ]) {
      assert.match(String(checkShare(link)), /an http\(s\) address .* or a file:\/\/ folder/, link);
    }
  });
});
