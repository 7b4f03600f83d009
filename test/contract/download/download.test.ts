/**
 * Proves: a download writes exactly the listed files into a folder named after the month, or it
 * fails with a clear message and leaves none. It resumes after cuts, stalls, slow transfers,
 * refusals, ignored ranges, wrong lengths, and signals. Without options, it takes the newest
 * complete month and omits the files of partners. Does not prove: a share that changes
 * (campaign/twin/publication.test.ts), the real share (nothing here reaches it), a full disk
 * (e2e/download/process.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Interrupted } from "../../../src/download/downloaderror.ts";
import { downloadMonth } from "../../../src/download/month.ts";
import { checkSpace } from "../../../src/download/workfolder.ts";
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
  withShare,
} from "../../support/download/dumps.ts";
import type { Fault } from "../../support/download/webdav-server.ts";

let dumps: Dumps;
before(async () => {
  dumps = await makeDumps(400);
});
after(() => dumps.dispose());

describe("a download", () => {
  it("fetches the zips that an import needs, once", async () => {
    await withShare(dumps.first, async (share) => {
      const options = downloadOptions(share.url, dumps.root);
      const done = await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.equal(done.files, 27);
      assert.equal(done.token, "D61010");
      assert.equal(done.fetched_bytes, done.bytes);
      assert.ok(share.served.every(({ path }) => !path.includes("Socios")));
      const before = share.sent();
      const again = await downloadMonth(options);
      assert.equal(again.already, true);
      assert.equal(again.fetched_bytes, 0);
      assert.ok(share.sent() - before <= 27 * 4_096, "only the directories are looked at");
    });
  });

  it("fetches the partners on request, also later", async () => {
    await withShare(dumps.first, async (share) => {
      const options = downloadOptions(share.url, dumps.root);
      await downloadMonth(options);
      const before = share.sent(BIG);
      const done = await downloadMonth({ ...options, all: true });
      assert.equal(done.files, 37);
      await assertWhole(share, options.to, LABEL, true);
      assert.ok(share.sent(BIG) - before <= 4_096, "what is there is not fetched again");
    });
  });

  it("takes the newest complete month of a single release", async () => {
    await withShare(dumps.first, async (share) => {
      share.put("2026-12", "Simples.zip", share.bytesOf(LABEL, "Simples.zip"));
      await share.addFolder("2026-11", dumps.first);
      share.put("2026-11", "Simples.zip", await readFile(join(dumps.older, "Simples.zip")));
      const options = downloadOptions(share.url, dumps.root, { month: null });
      assert.equal((await downloadMonth(options)).month, LABEL);
      assert.match(options.messages.join("\n"), /2026-12 is not complete.*26 of 27.*missing/);
      assert.match(options.messages.join("\n"), /mixed: D61010 .*D60912 \(Simples\.zip\)/);
      assert.match(await refusal(downloadMonth({ ...options, month: "2026-12" })), /not complete/);
      assert.match(
        await refusal(downloadMonth({ ...options, month: "2026-11" })),
        /releases are mixed/,
      );
      assert.match(await refusal(downloadMonth({ ...options, month: "2019-01" })), /no folder at/);
      assertNothing(options.to, "2026-11");
      assertNothing(options.to, "2026-12");
    });
  });

  it("rejects a zip whose member does not match its name", async () => {
    await withShare(dumps.first, async (share) => {
      share.put(LABEL, "Cnaes.zip", share.bytesOf(LABEL, "Paises.zip"));
      const options = downloadOptions(share.url, dumps.root);
      assert.match(await refusal(downloadMonth(options)), /Cnaes\.zip holds .*PAISCSV/);
      share.put(LABEL, "Cnaes.zip", Buffer.alloc(5_000, "no zip "));
      assert.match(await refusal(downloadMonth(options)), /Cnaes\.zip .* is damaged at the share/);
      share.put(LABEL, "Cnaes.zip", Buffer.from("<!DOCTYPE html><title>Manutenção</title>"));
      assert.match(
        await refusal(downloadMonth(options)),
        /damaged at the share: it is a web page \(HTML\), not a zip\. Perhaps/,
      );
      assertNothing(options.to);
    });
  });
});

describe("network trouble", () => {
  it("resumes where the transfer broke", async () => {
    await withShare(dumps.first, async (share) => {
      const size = share.bytesOf(LABEL, BIG).length;
      share.plan = faultsFor(BIG, [
        cut(10_000),
        { kind: "stall", after: 7_000 },
        { kind: "drop" },
        { kind: "status", status: 500 },
        cut(1_000),
        { kind: "trickle", bytes: 1, everyMs: 20 },
      ]);
      const options = downloadOptions(share.url, dumps.root, { streams: 1 });
      await downloadMonth(options);
      await assertWhole(share, options.to);
      const gets = share.served.filter(
        ({ path, range }) => path.endsWith(BIG) && range?.endsWith("-"),
      );
      assert.deepEqual(gets.map(({ range, fault }) => [range, fault]).slice(0, 4), [
        ["bytes=10000-", "stall"],
        ["bytes=17000-", "drop"],
        ["bytes=17000-", "status"],
        ["bytes=17000-", "cut"],
      ]);
      // The download first reads the last 4,096 bytes of the file. Apart from these, only bytes in
      // flight during the slow transfer are sent twice.
      assert.ok(share.sent(BIG) <= size + 4_096 + 200, `${share.sent(BIG)} of ${size}`);
      assert.match(options.messages.join("\n"), /\(almost\) no bytes for 0\.1 s; trying again/);
    });
  });

  it("retries with fewer streams if the share reports too many", async () => {
    await withShare(dumps.first, async (share) => {
      let refused = 0;
      share.plan = ({ method, range }) => {
        if (method !== "GET" || range !== null || refused > 0) return null;
        refused++;
        return { kind: "status", status: 429, headers: { "retry-after": "30" } };
      };
      const options = downloadOptions(share.url, dumps.root, { streams: 3 });
      await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.match(options.messages.join("\n"), /answers 429; going on with 2 at the same time/);
    });
  });

  it("waits for the share's retry time up to a limit, and reports why it gave up", async () => {
    await withShare(dumps.first, async (share) => {
      const busy = (seconds: string): Fault => {
        return { kind: "status", status: 503, headers: { "retry-after": seconds } };
      };
      share.plan = faultsFor(BIG, [busy("1")]);
      const options = downloadOptions(share.url, dumps.root, { streams: 1 });
      const started = performance.now();
      await downloadMonth(options);
      assert.ok(performance.now() - started >= 1_000);
      const other = downloadOptions(share.url, dumps.root, { streams: 1 });
      share.plan = faultsFor(BIG, [busy("86400")]);
      assert.match(await refusal(downloadMonth(other)), /asks to come back in 1440 min/);
      share.plan = ({ path }) => (path.endsWith(BIG) ? { kind: "drop" } : null);
      assert.match(await refusal(downloadMonth(other)), /cut before an answer, 5 times in a row/);
      assertNothing(other.to);
      share.plan = () => null;
      await downloadMonth(other);
      await assertWhole(share, other.to);
    });
  });

  it("restarts from zero if the server lacks ranges, and reports it", async () => {
    await withShare(dumps.first, async (share) => {
      let cuts = 2;
      share.plan = ({ method, path, range }) => {
        if (method !== "GET") return null;
        if (path.endsWith(BIG) && range === null && cuts-- > 0) return cut(20_000);
        return { kind: "no-range" };
      };
      const options = downloadOptions(share.url, dumps.root, { streams: 1 });
      await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.match(options.messages.join("\n"), /does not answer ranges/);
      assert.match(
        options.messages.join("\n"),
        /Municipios\.zip: the share does not resume; beginning anew/,
      );
    });
  });

  it("ends with a readable error if lengths or ranges differ from the list", async () => {
    const faults: readonly [Fault, RegExp][] = [
      [{ kind: "length", by: 10 }, /bytes instead of/],
      [{ kind: "length", by: -10 }, /bytes instead of/],
      [{ kind: "status", status: 404 }, /answers 404 to what it lists/],
      [{ kind: "status", status: 418 }, /answers 418, which means nothing/],
      [{ kind: "status", status: 403 }, /does not let us in \(403\)/],
    ];
    await withShare(dumps.first, async (share) => {
      for (const [fault, words] of faults) {
        share.plan = faultsFor(BIG, Array(20).fill(fault));
        const options = downloadOptions(share.url, dumps.root);
        assert.match(await refusal(downloadMonth(options)), words);
        assertNothing(options.to);
      }
      share.plan = faultsFor(BIG, [cut(9_000), { kind: "shift", by: 5 }]);
      const settings = downloadOptions(share.url, dumps.root);
      await downloadMonth(settings);
      await assertWhole(share, settings.to);
      assert.match(settings.messages.join("\n"), /sends another range/);
    });
  });

  it("leaves resumable parts after a signal", async () => {
    await withShare(dumps.first, async (share) => {
      const control = new AbortController();
      share.plan = faultsFor(BIG, [{ kind: "stall", after: 30_000 }]);
      const options = downloadOptions(share.url, dumps.root, { streams: 1, stallMs: 60_000 });
      const work = downloadMonth({ ...options, signal: control.signal });
      const part = () => {
        const folder = join(options.to, `${LABEL}.part`);
        return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(BIG));
      };
      while (!part() || share.sent(BIG) < 34_000) await new Promise((done) => setTimeout(done, 5));
      await new Promise((done) => setTimeout(done, 50));
      control.abort(new Interrupted("SIGTERM"));
      await assert.rejects(work, Interrupted);
      assertNothing(options.to);
      await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.equal(share.served.findLast(({ path }) => path.endsWith(BIG))?.range, "bytes=30000-");
    });
  });
});

describe("disk space", () => {
  it("leaves no empty folder if it is missing", async () => {
    await withShare(dumps.first, async (share) => {
      const need = { folder: dumps.root, bytes: 2 ** 60, what: "the import" };
      const options = downloadOptions(share.url, dumps.root, { needs: () => [need] });
      assert.match(await refusal(downloadMonth(options)), /not enough for/);
      const left = () => readdirSync(options.to).filter((name) => !name.startsWith("."));
      assert.deepEqual(left(), []);
      // Files of the month that were downloaded before are kept.
      share.plan = faultsFor(BIG, Array(20).fill({ kind: "status", status: 403 }));
      await refusal(downloadMonth({ ...options, needs: () => [] }));
      assert.deepEqual(left(), [`${LABEL}.part`]);
    });
  });

  it("is reported before the download if it is missing", () => {
    const need = { folder: dumps.root, bytes: 2 ** 60, what: "the zips of 2026-10" };
    assert.throws(() => checkSpace([need]), /not enough for the zips of 2026-10 \(1153 PB\)/);
    assert.throws(
      () => checkSpace([need, { ...need, what: "the import" }]),
      /has .* free, which is not enough for the zips of 2026-10 .* and the import .* to spare/,
    );
    checkSpace([{ ...need, bytes: 1_000 }]);
  });
});
