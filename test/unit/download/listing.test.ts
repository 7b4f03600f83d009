/**
 * Proves: listings of a share are parsed with any XML prefixes and encodings, and rejected if
 * hostile. Only files with expected names are used. Both forms of a share's address work.
 * Credentials are not sent to another host, and redirects to one are refused. An untrusted
 * certificate is reported with a message. A share's retry times are understood. To list the members
 * of a 5 GB zip, only its end is read.
 * Does not prove: a whole month (contract/download/download.test.ts).
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { readShare, urlBelow } from "../../../src/download/address.ts";
import { ShareClient } from "../../../src/download/client.ts";
import { retryAfter } from "../../../src/download/downloaderror.ts";
import { ListingFault, parseMultistatus } from "../../../src/download/listings/xml.ts";
import { sourcesContextOf } from "../../../src/download/month.ts";
import { listMonth, listMonths } from "../../../src/download/months.ts";
import { sizeText, waitText } from "../../../src/download/words.ts";
import { readZipElsewhere } from "../../../src/dump/directory.ts";
import { CommandError } from "../../../src/errors.ts";
import { SETTINGS } from "../../../src/settings/settings.ts";
import { readSetting } from "../../../src/settings/settingvalue.ts";
import { downloadOptions } from "../../support/download/dumps.ts";
import { multistatus } from "../../support/download/listing-pages.ts";
import { WebdavShare } from "../../support/download/webdav-server.ts";

let root = "";
before(() => {
  root = mkdtempSync(join(tmpdir(), "download-listing-"));
});
after(() => rmSync(root, { recursive: true, force: true }));

const entry = (href: string, props: string, status = "HTTP/1.1 200 OK") =>
  `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop>` +
  `<d:status>${status}</d:status></d:propstat></d:response>`;

describe("a multistatus", () => {
  it("is parsed with any prefix, and only found properties count", () => {
    const text =
      '<?xml version="1.0"?><!-- a > b --><multistatus xmlns="DAV:" xmlns:x="urn:x">\n' +
      "<response><href>/a%20b/</href><propstat><prop><resourcetype><collection/></resourcetype>" +
      "<x:getetag>no</x:getetag><getcontentlength/></prop><status>HTTP/2 200</status></propstat>" +
      "<propstat><prop><getetag>&quot;no&quot;</getetag></prop>" +
      "<status>HTTP/1.1 404 Not Found</status></propstat></response>" +
      '<Z:response xmlns:Z="DAV:"><Z:href><![CDATA[/c&d]]></Z:href><Z:propstat><Z:prop>' +
      "<Z:getcontentlength>7007687931</Z:getcontentlength><Z:getetag>&#34;e&#x22;</Z:getetag>" +
      "<Z:getlastmodified>Sun, 09 Aug 2026 10:00:00 GMT</Z:getlastmodified></Z:prop>" +
      "<Z:status>HTTP/1.1 200 OK</Z:status></Z:propstat></Z:response></multistatus>";
    assert.deepEqual(parseMultistatus(text), [
      { href: "/a%20b/", folder: true, bytes: null, etag: null, modified: null },
      {
        href: "/c&d",
        folder: false,
        bytes: 7_007_687_931,
        etag: '"e"',
        modified: "Sun, 09 Aug 2026 10:00:00 GMT",
      },
    ]);
  });

  it("is rejected if it is hostile or no listing", () => {
    const many = entry("/a", "").repeat(20_001);
    const hostile: readonly [string, RegExp][] = [
      ['<!DOCTYPE x [<!ENTITY a "b">]><d:multistatus xmlns:d="DAV:"/>', /document type/],
      [multistatus(entry("&boom;", "")), /unknown entity &boom;/],
      [multistatus(entry("&", "")), /an & in it begins no entity/],
      [multistatus(entry("/a", "<a>".repeat(30) + "</a>".repeat(30))), /too deeply/],
      [multistatus(many), /too many files/],
      [multistatus(entry("", "")), /no address/],
      ["<html><body>Sign in</body></html>", /not a multistatus/],
      ['<d:multistatus xmlns:d="urn:other"/>', /not a multistatus/],
      ["", /ends in the middle/],
      [multistatus(entry("/a", "")).slice(0, -20), /broken|middle/],
      [multistatus("</d:response>"), /closes nothing/],
      [multistatus("<a b=<>></a>"), /broken/],
      ["words", /outside/],
    ];
    for (const [text, words] of hostile) {
      assert.throws(
        () => parseMultistatus(text),
        (error: unknown) => {
          assert.ok(error instanceof ListingFault, String(error));
          assert.match(error.message, words);
          return true;
        },
      );
    }
  });

  it("of eight million odd characters is rejected quickly", () => {
    const started = performance.now();
    for (const text of ["<".repeat(8e6), `<a ${"b ".repeat(4e6)}`, `<a ${'b="" '.repeat(1.6e6)}`]) {
      assert.throws(() => parseMultistatus(text), ListingFault);
    }
    assert.ok(performance.now() - started < 5_000);
  });
});

describe("a share", () => {
  /** Starts a share that has two months, and calls `work` with it. */
  async function withShare(
    options: ConstructorParameters<typeof WebdavShare>[0],
    work: (share: WebdavShare) => Promise<void>,
  ): Promise<void> {
    const share = await new WebdavShare(options).start();
    for (const label of ["2026-09", "2026-10"]) {
      for (const name of ["Empresas0.zip", "SIMPLES.zip", "Socios0.zip", "Outros.zip"]) {
        share.put(label, name, Buffer.alloc(1_000));
      }
    }
    await work(share).finally(() => share.stop());
  }

  const monthsOf = (url: string) => listMonths(sourcesContextOf(downloadOptions(url, root)));

  it("lists its months and what a month lacks, and ignores unrelated entries", async () => {
    await withShare({}, async (share) => {
      assert.deepEqual(await monthsOf(share.url), ["2026-10", "2026-09"]);
      const month = await listMonth(
        sourcesContextOf(downloadOptions(share.url, root)),
        "2026-10",
        false,
      );
      assert.deepEqual(
        month.files.map(({ name, url }) => [name, url.pathname.split("/").at(-1)]),
        [
          ["Empresas0.zip", "Empresas0.zip"],
          ["Simples.zip", "SIMPLES.zip"],
        ],
      );
      assert.equal(month.missing.length, 25);
      assert.ok(month.missing.includes("Estabelecimentos9.zip"));
    });
  });

  it("receives the user only if its address contains one", async () => {
    const options = { user: "Tok3n", root: "/public.php/webdav/" };
    await withShare(options, async (share) => {
      assert.deepEqual(await monthsOf(share.url), ["2026-10", "2026-09"]);
      await assert.rejects(monthsOf(share.url.replace("Tok3n@", "")), /does not let us in \(401\)/);
    });
  });

  it("reports that its address moved, or that it is invalid", async () => {
    await withShare({}, async (share) => {
      await assert.rejects(monthsOf(`${share.url}gone/`), /moved before.*download\.url/);
      share.plan = () => ({ kind: "body", body: "<html>", status: 200 });
      await assert.rejects(monthsOf(share.url), /is no WebDAV folder \(it answers 200\)/);
      share.plan = () => ({ kind: "body", body: "x".repeat(9 * 2 ** 20) });
      // Parsing megabytes takes time on a busy machine. The timeout is long, because nothing is
      // expected to stall.
      const long = listMonths(
        sourcesContextOf(downloadOptions(share.url, root, { stallMs: 60_000 })),
      );
      await assert.rejects(long, /cannot be used: it is too long/);
      share.plan = () => null;
      share.listing = (_, entries) => multistatus(entries + entries);
      const context = sourcesContextOf(downloadOptions(share.url, root));
      await assert.rejects(listMonth(context, "2026-10", false), {
        name: "CommandError",
        message:
          /^http:\/\/127.*\/ lists Empresas0\.zip twice in 2026-10: as Empresas0\.zip and as Emp/,
      });
    });
  });

  it("cannot lead outside its folder", async () => {
    await withShare({}, async (share) => {
      const { pathname } = new URL(share.url);
      const folder = "<d:resourcetype><d:collection/></d:resourcetype>";
      share.listing = () =>
        multistatus(
          ["../2026-01/", "%2e%2e/2026-02/", "a/2026-03/", "http://x.example/2026-04/", "%ff/"]
            .concat("/2026-05/", "2026-06%2f..%2f", "2026-07/")
            .map((href) => entry(href.startsWith("/") ? href : pathname + href, folder))
            .join(""),
        );
      assert.deepEqual(await monthsOf(share.url), ["2026-07"]);
    });
  });

  it("is followed to its own host only", async () => {
    await withShare({}, async (share) => {
      const to = (location: string) => {
        share.plan = ({ path }) =>
          path === "" ? { kind: "status", status: 301, headers: { location } } : null;
      };
      to(`${share.url}2026-10/`);
      assert.deepEqual(await monthsOf(share.url), []);
      to("http://other.example/");
      await assert.rejects(
        monthsOf(share.url),
        /redirects to http:\/\/other\.example\/.*not followed/,
      );
      to("http://other.example/x?token=sesame#sesame");
      await assert.rejects(monthsOf(share.url), ({ message }: Error) => {
        return /redirects to http:\/\/other\.example\/x\?…, which/.test(message);
      });
      to("");
      await assert.rejects(monthsOf(share.url), /redirects to nowhere/);
      to(share.url);
      await assert.rejects(monthsOf(share.url), /redirects in a circle/);
    });
  });

  it("is not retried with an untrusted certificate", async () => {
    const [key, cert] = [join(root, "key.pem"), join(root, "cert.pem")];
    const subject = ["-subj", "/CN=127.0.0.1", "-days", "2", "-nodes"];
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-keyout", key, "-out", cert, ...subject];
    execFileSync("openssl", made, { stdio: "ignore" });
    const tls = { key: readFileSync(key), cert: readFileSync(cert) };
    await withShare({ tls }, async (share) => {
      await assert.rejects(monthsOf(share.url), (error: unknown) => {
        assert.ok(error instanceof CommandError);
        assert.match(error.message, /certificate or encryption of 127\.0\.0\.1:\d+ is refused/);
        assert.match(error.message, /NODE_EXTRA_CA_CERTS/);
        return true;
      });
      const plain = share.url.replace("https:", "http:");
      await assert.rejects(monthsOf(plain), CommandError);
    });
  });
});

describe("an address", () => {
  it("may be a browser's link", () => {
    const root = "https://h.example/public.php/dav/files/Yggd8/";
    for (const link of [
      "https://h.example/s/Yggd8",
      "https://h.example/index.php/s/Yggd8/",
      "https://h.example/public.php/dav/files/Yggd8",
    ]) {
      assert.equal(readShare(link).root.href, root);
    }
    const older = readShare("https://Yggd8@h.example/public.php/webdav/");
    assert.equal(older.root.href, "https://h.example/public.php/webdav/");
    assert.equal(older.authorization, `Basic ${Buffer.from("Yggd8:").toString("base64")}`);
    assert.equal(
      urlBelow(older, ["2026-10", "a b.zip"], false).pathname,
      "/public.php/webdav/2026-10/a%20b.zip",
    );
  });

  it("is validated like a setting", () => {
    const row = SETTINGS["download.url"];
    assert.deepEqual(readSetting(row, row.fallback), { value: row.fallback });
    for (const text of [
      "ftp://h/",
      "h.example",
      "https://a:b@h/",
      "https://h/?a=1",
      "https://h/#a",
    ]) {
      assert.match(JSON.stringify(readSetting(row, text)), /expected.*http\(s\) address/);
    }
  });

  it("that does not answer is reported with the reason", async () => {
    const share = await new WebdavShare().start();
    const { url } = share;
    await share.stop();
    const asking = { method: "GET", headers: {}, signal: new AbortController().signal } as const;
    const send = (address: string) => {
      const client = new ShareClient(readShare(address), 500);
      return client.request({ ...asking, url: readShare(address).root });
    };
    await assert.rejects(send(url), /the connection was refused/);
    await assert.rejects(send("http://nobody.invalid/"), /\(DNS\)/);
    await assert.rejects(
      send("http://127.0.0.1:9/"),
      /cannot be asked: bad port; .* Serve the mirror at another/,
    );
  });
});

describe("texts and numbers", () => {
  it("format waits and sizes", () => {
    const now = Date.parse("2026-10-10T10:00:00Z");
    assert.equal(retryAfter("120", now), 120_000);
    assert.equal(retryAfter("Sat, 10 Oct 2026 10:01:00 GMT", now), 60_000);
    assert.equal(retryAfter("Sat, 10 Oct 2026 09:00:00 GMT", now), 0);
    assert.equal(retryAfter("soon", now), 0);
    assert.equal(retryAfter(null, now), 0);
    assert.deepEqual([0, 999, 1_000, 999_499, 7_690_000_000].map(sizeText), [
      "0 bytes",
      "999 bytes",
      "1.00 kB",
      "999 kB",
      "7.69 GB",
    ]);
    assert.deepEqual([400, 30_000, 900_000].map(waitText), ["0.4 s", "30 s", "15 min"]);
  });
});

describe("the directory of a zip over 4 GiB", () => {
  it("is read from the tail, in the registry's ZIP64 form", async () => {
    const path = join(root, "Estabelecimentos0.zip");
    const bytes = await writeSparseZip(path, 5 * 2 ** 30);
    const share = await new WebdavShare().start();
    const requested: [number, number][] = [];
    const handle = await open(path, "r");
    const member = await readZipElsewhere(bytes, async (offset, length) => {
      requested.push([offset, length]);
      const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
      return buffer;
    });
    await handle.close();
    assert.deepEqual(member, {
      member: "K3241.K03200Y0.D61010.ESTABELE",
      packedBytes: 5 * 2 ** 30,
      bytes: 5 * 2 ** 30,
      crc: 7,
    });
    assert.ok(requested.every(([offset]) => offset > bytes - 70_000));
    await share.addLarge("2026-10", root);
    const range = await fetch(`${share.url}2026-10/Estabelecimentos0.zip`, {
      headers: { range: `bytes=${bytes - 22}-` },
    });
    assert.equal((await range.arrayBuffer()).byteLength, 22);
    await share.stop();
    await rm(path);
  });
});

/** Writes a ZIP64 file with one stored member of zeros, which takes no disk blocks. */
async function writeSparseZip(path: string, size: number): Promise<number> {
  const name = Buffer.from("K3241.K03200Y0.D61010.ESTABELE");
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(name.length, 26);
  name.copy(local, 30);
  const central = Buffer.alloc(46 + name.length + 20);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt32LE(7, 16);
  central.writeUInt32LE(0xffffffff, 20);
  central.writeUInt32LE(0xffffffff, 24);
  central.writeUInt16LE(name.length, 28);
  central.writeUInt16LE(20, 30);
  name.copy(central, 46);
  const extra = 46 + name.length;
  central.writeUInt16LE(1, extra);
  central.writeUInt16LE(16, extra + 2);
  central.writeBigUInt64LE(BigInt(size), extra + 4);
  central.writeBigUInt64LE(BigInt(size), extra + 12);
  const start = local.length + size;
  const end64 = Buffer.alloc(56);
  end64.writeUInt32LE(0x06064b50, 0);
  end64.writeBigUInt64LE(44n, 4);
  end64.writeBigUInt64LE(1n, 24);
  end64.writeBigUInt64LE(1n, 32);
  end64.writeBigUInt64LE(BigInt(central.length), 40);
  end64.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + central.length), 8);
  locator.writeUInt32LE(1, 16);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.fill(0xff, 8, 20);
  const handle = await open(path, "w");
  await handle.write(local, 0, local.length, 0);
  const tail = Buffer.concat([central, end64, locator, end]);
  await handle.write(tail, 0, tail.length, start);
  await handle.close();
  return start + tail.length;
}
