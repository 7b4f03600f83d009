/**
 * Proves: a month downloads completely from any kind of listing, at any depth below the configured
 * address. If an address is unreachable or lacks the month or a part, the next address is used. If
 * a share rejects every request, the message names the probable cause and how to fix it. A
 * month that is not published yet is distinguished from a share that moved. With seeded random
 * faults in all of these, the result is the right bytes or no file.
 * Does not prove: proxies (proxied.test.ts), hostile listings (unit/download/listing.test.ts).
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { downloadMonth, sourcesContextOf } from "../../../src/download/month.ts";
import { listMonth, listMonths } from "../../../src/download/months.ts";
import { CommandError } from "../../../src/errors.ts";
import {
  assertNothing,
  assertWhole,
  BIG,
  cut,
  type Dumps,
  downloadOptions,
  faultsFor,
  LABEL,
  makeDumps,
  refusal,
} from "../../support/download/dumps.ts";
import { anyFault, inTime } from "../../support/download/faults.ts";
import { type ShareOptions, WebdavShare } from "../../support/download/webdav-server.ts";
import { tries } from "../../support/run/scale.ts";
import { seededRng } from "../../support/spec/random.ts";

let dumps: Dumps;
before(async () => {
  dumps = await makeDumps(400);
});
after(() => dumps.dispose());

/** Runs a test with a share of one month. */
async function withMirror(
  options: ShareOptions,
  work: (share: WebdavShare) => Promise<void>,
): Promise<void> {
  const share = await new WebdavShare(options).start();
  await share.addFolder(LABEL, dumps.first);
  await work(share).finally(() => share.stop());
}

const dated = (label: string) => `${label}-12`;
const CNPJ = "Dados/Cadastros/CNPJ";
const DECOYS = ["Dados/Arrecadacao/2026-11", "Outros", "Dados/Cadastros/Imoveis/2026-12"];

/**
 * Kinds of servers to download from. The last element, if any, is appended to the server's URL to
 * give the configured address.
 */
const PLACES: readonly (readonly [what: string, options: ShareOptions, tail?: string])[] = [
  ["a page of Apache", { form: "apache", root: "/dados/" }],
  ["a page of nginx, folders with a day", { form: "nginx", root: "/a%20b/", folderOf: dated }],
  ["a page of Caddy", { form: "caddy", root: "/" }],
  ["a page of Python's server, which knows no ranges", { form: "python", root: "/" }],
  ["a page whose months lie deeper", { form: "nginx", root: "/", base: CNPJ, decoys: DECOYS }],
  ["a bucket", { form: "bucket", root: "/" }],
  ["a bucket by the path", { form: "bucket", root: "/cnpj/" }],
  ["a prefix of a bucket by its path", { form: "bucket", root: "/", base: "a b/c" }, "a%20b/c/"],
  ["a prefix below a bucket by its path", { form: "bucket", root: "/buck/", base: "x/y" }, "x/y/"],
  ["a prefix of a bucket by its query", { form: "bucket", root: "/", base: "q" }, "?prefix=q/"],
  ["a bucket whose months lie deeper", { form: "bucket", root: "/", base: CNPJ, decoys: DECOYS }],
  ["a root share whose months lie deeper", { base: CNPJ, decoys: DECOYS }],
  ["a share with days in the names of its folders", { folderOf: dated }],
  ["the folder of one month", { form: "apache", root: "/" }, `${LABEL}/`],
];

describe("downloads a complete month from", () => {
  for (const [what, options, tail = ""] of PLACES) {
    it(what, async () => {
      const root = options.root === "/a%20b/" ? "/a b/" : options.root;
      await withMirror({ ...options, ...(root === undefined ? {} : { root }) }, async (share) => {
        share.plan = faultsFor(BIG, [cut(20_000), { kind: "drop" }]);
        const options = downloadOptions(share.url.replace("/a b/", "/a%20b/") + tail, dumps.root);
        const done = await downloadMonth(options);
        await assertWhole(share, options.to);
        assert.equal(done.token, "D61010");
        assert.equal(done.host, new URL(share.url).host);
        assert.equal((await downloadMonth({ ...options, replace: true })).fetched_bytes, 0);
        const record = readFileSync(join(options.to, LABEL, "download.json"), "utf8");
        assert.equal(JSON.parse(record).host, done.host);
        assert.doesNotMatch(record, /Tok3n|https?:/);
      });
    });
  }

  it("an nginx list in JSON", async () => {
    await withMirror({ form: "nginx", root: "/" }, async (share) => {
      share.listing = (_, html) => {
        const names = [...html.matchAll(/<a href="([^"]+)">/g)].map(([, name = ""]) => name);
        const rows = names
          .filter((name) => name !== "../")
          .map((name) => ({
            name: decodeURIComponent(name.replace(/\/$/, "")),
            type: name.endsWith("/") ? "directory" : "file",
          }));
        return JSON.stringify(rows);
      };
      const options = downloadOptions(share.url, dumps.root);
      await downloadMonth(options);
      await assertWhole(share, options.to);
    });
  });

  it("a browser's link, with the folder in its query", async () => {
    for (const member of ["dir", "path"]) {
      await withMirror({ base: CNPJ, decoys: DECOYS }, async (share) => {
        const { origin } = new URL(share.url);
        const query = `${member}=${encodeURIComponent(`/${CNPJ}`)}`;
        const options = downloadOptions(`${origin}/index.php/s/Tok3n?${query}`, dumps.root);
        await downloadMonth(options);
        await assertWhole(share, options.to);
        assert.doesNotMatch(options.messages.join("\n"), /the months are in/);
      });
    }
  });

  it("a local folder, a single month of it, and a link in it", async () => {
    const root = join(dumps.root, "a folder");
    mkdirSync(root);
    symlinkSync(dumps.first, join(root, LABEL));
    await withMirror({}, async (share) => {
      for (const path of [root, join(root, LABEL)]) {
        const options = downloadOptions(pathToFileURL(path).href, dumps.root);
        const done = await downloadMonth(options);
        await assertWhole(share, options.to);
        assert.equal(done.host, "this machine");
      }
    });
    rmSync(join(root, LABEL));
    const gone = downloadOptions(pathToFileURL(root).href, dumps.root);
    assert.match(await refusal(downloadMonth(gone)), /no months at .*a folder/);
    const nowhere = downloadOptions("file:///no/such/folder", dumps.root);
    assert.match(await refusal(downloadMonth(nowhere)), /no folder \/no\/such\/folder\/\. Check/);
  });
});

describe("a month that changes during a download from a page", () => {
  it("is detected by size, tag, or date", async () => {
    await withMirror({ form: "nginx", root: "/" }, async (share) => {
      const older = readFileSync(join(dumps.older, BIG));
      let gets = 0;
      share.plan = ({ method, path, range }) => {
        const first = method === "GET" && range === null && path.endsWith(BIG) && gets++ === 0;
        if (first) share.put(LABEL, BIG, older);
        return null;
      };
      const options = downloadOptions(share.url, dumps.root);
      assert.match(await refusal(downloadMonth(options)), /releases are mixed/);
      assertNothing(options.to);
    });
  });

  it("reports a listed file that is missing, and downloads without HEAD", async () => {
    await withMirror({ form: "apache", root: "/" }, async (share) => {
      share.plan = ({ method, path }) => {
        const status = path.endsWith("Simples.zip") ? 404 : 405;
        return method === "HEAD" ? { kind: "status", status } : null;
      };
      const options = downloadOptions(share.url, dumps.root);
      assert.match(
        await refusal(downloadMonth(options)),
        /1 of 27 zips is missing \(Simples\.zip\)/,
      );
      share.plan = ({ method }) => (method === "HEAD" ? { kind: "status", status: 405 } : null);
      await downloadMonth(options);
      await assertWhole(share, options.to);
    });
  });
});

describe("several addresses", () => {
  it("are tried in order, and the reason for leaving one is reported", async () => {
    await withMirror({ form: "nginx", root: "/" }, async (second) => {
      await withMirror({}, async (first) => {
        const urls = [first.url, second.url];
        const options = downloadOptions(urls, dumps.root, { month: null });
        await downloadMonth(options);
        assert.equal(second.served.length, 0, "nobody asks the second without a reason");
        await second.addFolder("2026-11", dumps.first);
        const cases: readonly [string, () => void, string | null, RegExp][] = [
          ["cannot be reached", () => (first.plan = () => ({ kind: "drop" })), LABEL, /5 times/],
          ["has not the month", () => (first.plan = () => null), "2026-11", /not published/],
          [
            "has not all of it",
            () => first.months.get(LABEL)?.delete("Simples.zip"),
            LABEL,
            /not complete.*Simples/,
          ],
          ["has none", () => first.months.clear(), null, /no months at/],
        ];
        for (const [what, happen, month, words] of cases) {
          happen();
          const other = downloadOptions(urls, dumps.root, { month });
          const done = await downloadMonth(other);
          assert.equal(done.host, new URL(second.url).host, what);
          await assertWhole(second, other.to, done.month);
          assert.match(other.messages.join("\n"), words, what);
          assert.match(other.messages.join("\n"), /Going on with http:\/\/127/, what);
        }
      });
    });
  });

  it("skip a dead one after its first failure, which is reported once", async () => {
    await withMirror({ form: "nginx", root: "/" }, async (second) => {
      await withMirror({}, async (first) => {
        await second.addFolder("2026-09", dumps.older);
        first.plan = () => ({ kind: "status", status: 403 });
        const options = downloadOptions([first.url, second.url], dumps.root);
        const context = sourcesContextOf(options);
        for (const label of await listMonths(context)) await listMonth(context, label, false);
        assert.deepEqual(
          first.served.map(({ method }) => method),
          ["PROPFIND", "GET"],
          "once, in both ways",
        );
        assert.equal(options.messages.filter((text) => text.includes("Going on with")).length, 1);
        // If two sources fail, both reasons are reported.
        second.plan = first.plan;
        const other = sourcesContextOf(downloadOptions([first.url, second.url], dumps.root));
        const requested = () => first.served.length + second.served.length;
        const reasons = await refusal(listMonths(other));
        const before = requested();
        assert.equal(await refusal(listMonths(other)), reasons);
        assert.equal(requested(), before);
      });
    });
  });

  it("never mix files if one fails midway", async () => {
    await withMirror({ form: "apache", root: "/" }, async (second) => {
      await withMirror({}, async (first) => {
        await second.addFolder(LABEL, dumps.older);
        first.plan = ({ method, path, range }) => {
          const dead = method === "GET" && range === null && path.endsWith(BIG);
          return dead ? { kind: "status", status: 403 } : null;
        };
        const options = downloadOptions([first.url, second.url], dumps.root);
        const done = await downloadMonth(options);
        assert.equal(done.token, "D60912");
        await assertWhole(second, options.to);
      });
    });
  });

  it("are all named if all fail", async () => {
    await withMirror({}, async (first) => {
      first.plan = () => ({ kind: "status", status: 404 });
      const options = downloadOptions([first.url, "http://127.0.0.1:9/"], dumps.root);
      const words = await refusal(downloadMonth(options));
      assert.match(words, /None of the 2 addresses will do:\n- 127.*no folder.*404[\s\S]*bad port/);
      await assert.rejects(listMonths(sourcesContextOf(options)), /None of the 2 addresses/);
    });
  });
});

describe("a share that rejects the client from the start", () => {
  const faults = [
    { kind: "drop" },
    { kind: "stall", after: 0 },
    { kind: "status", status: 403 },
    { kind: "status", status: 451 },
  ] as const;

  it("is reported as reachable from elsewhere, with a remedy", async () => {
    for (const fault of faults) {
      await withMirror({}, async (share) => {
        share.plan = () => fault;
        const words = await refusal(
          downloadMonth(downloadOptions(share.url, dumps.root, { stallMs: 60 })),
        );
        assert.match(words, /turns away where you ask from.*outside Brazil and in many clouds/);
        assert.match(words, /proxy in Brazil.*download\.proxy.*mirror.*--url.*ssh and rsync/);
        assert.match(words, /docs\/load\.md, From outside Brazil/);
        assert.doesNotMatch(words, /Run the command again later/);
      });
    }
  });

  it("is not reported so if it has answered before", async () => {
    await withMirror({}, async (share) => {
      share.plan = ({ path }) => (path === `${LABEL}/` ? { kind: "drop" } : null);
      const words = await refusal(downloadMonth(downloadOptions(share.url, dumps.root)));
      assert.match(words, /Run the command again later/);
      assert.doesNotMatch(words, /Brazil/);
    });
  });
});

describe("a missing month", () => {
  it("is distinguished from a share that moved", async () => {
    for (const options of [{}, { form: "nginx", root: "/x/" }, { form: "bucket", root: "/" }]) {
      await withMirror(options as ShareOptions, async (share) => {
        await share.addFolder("2026-09", dumps.older);
        const send = (month: string) =>
          refusal(downloadMonth(downloadOptions(share.url, dumps.root, { month })));
        assert.match(
          await send("2027-01"),
          /^2027-01 is not published; the newest is 2026-10 \(127/,
        );
        assert.match(
          await send("2019-01"),
          /no folder at .* 2 months there go from 2026-09 to 2026-10/,
        );
        share.months.clear();
        assert.match(await send("2027-01"), /no months at .*moved before: look for its new link/);
      });
    }
  });

  it("resolves to the later of two dated folders", async () => {
    await withMirror({ form: "apache", root: "/" }, async (share) => {
      const files = share.months.get(LABEL) as Map<string, never>;
      share.months.clear();
      for (const name of [`${LABEL}-09`, `${LABEL}-30`, `${LABEL}-31b`])
        share.months.set(name, files);
      const month = await listMonth(
        sourcesContextOf(downloadOptions(share.url, dumps.root)),
        LABEL,
        false,
      );
      assert.ok(month.files.every(({ url }) => url.pathname.startsWith(`/${LABEL}-30/`)));
    });
  });
});

describe("random faults of every kind of source", () => {
  const kinds = PLACES.filter(([, , tail]) => tail === undefined).map(([, options]) => options);

  async function play(seed: number): Promise<string> {
    const rng = seededRng(seed);
    const pick = () => {
      const { root = "/public.php/dav/files/Tok3n/", ...options } = kinds[
        Math.floor(rng() * kinds.length)
      ] as ShareOptions;
      return { ...options, root: root.replace("%20", "") };
    };
    const shares = await Promise.all(
      (rng() < 0.5 ? [pick()] : [pick(), pick()]).map((one) => new WebdavShare(one).start()),
    );
    try {
      const months = [dumps.first, rng() < 0.5 ? dumps.older : dumps.first];
      for (const [index, share] of shares.entries()) {
        await share.addFolder(LABEL, months[index] as string);
        if (rng() < 0.2) share.months.get(LABEL)?.delete("Simples.zip");
        const rate = rng() * 0.5;
        share.plan = () => (rng() < rate ? anyFault(rng) : null);
      }
      const urls = shares.map(({ url }) => url);
      const options = downloadOptions(urls, dumps.root, {
        streams: 1 + (seed % 3),
        stallMs: 120,
        verify: true,
      });
      try {
        const { host } = await downloadMonth(options);
        const share = shares.find(({ url }) => new URL(url).host === host);
        await assertWhole(share as WebdavShare, options.to);
        return "whole";
      } catch (error) {
        assert.ok(error instanceof CommandError, `${seed}: ${String(error)}`);
        assertNothing(options.to);
        return "refused";
      } finally {
        rmSync(options.to, { recursive: true, force: true });
      }
    } finally {
      await Promise.all(shares.map((share) => share.stop()));
    }
  }

  it("end with the right bytes or with a readable error", { timeout: 3_600_000 }, async () => {
    const seeds = Array.from({ length: tries("download faults") }, (_, index) => index + 1);
    const ends: string[] = [];
    const lane = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        ends.push(await inTime(seed, play(seed)));
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    assert.ok(ends.includes("whole") && ends.includes("refused"), ends.join(" "));
  });
});
