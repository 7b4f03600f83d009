/**
 * Proves: files of two publications never mix. If a month is republished before, during, or after
 * its download, wholly or in part, the new month is downloaded, or the download fails with a
 * message. A finished month is only checked, repaired where damaged, and replaced only on request.
 * The last tests use seeded random fault plans.
 * Does not prove: single faults (contract/download/download.test.ts), kill -9
 * (e2e/download/process.test.ts).
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { downloadMonth } from "../../../src/download/month.ts";
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
  shareOf,
  withShare,
} from "../../support/download/dumps.ts";
import { anyFault, inTime } from "../../support/download/faults.ts";
import type { FaultPlan } from "../../support/download/webdav-server.ts";
import { tries } from "../../support/run/scale.ts";
import { seededRng } from "../../support/spec/random.ts";

const SEEDS = tries("download faults");

let dumps: Dumps;
before(async () => {
  dumps = await makeDumps(400);
});
after(() => dumps.dispose());

describe("a republished month", () => {
  it("never mixes with a part of the earlier publication in the next run", async () => {
    await withShare(dumps.first, async (share) => {
      share.plan = faultsFor(BIG, [
        cut(30_000),
        ...Array(20).fill({ kind: "status", status: 403 }),
      ]);
      const options = downloadOptions(share.url, dumps.root, { streams: 1 });
      await refusal(downloadMonth(options));
      share.plan = () => null;
      await share.addFolder(LABEL, dumps.older);
      const from = share.served.length;
      const done = await downloadMonth(options);
      assert.equal(done.token, "D60912");
      await assertWhole(share, options.to);
      const ranges = share.served.slice(from).map(({ range }) => range);
      assert.ok(ranges.every((range) => range === null || /-\d+$/.test(range)));
    });
  });

  it("discards the earlier publication in the middle of a download", async () => {
    await withShare(dumps.first, async (share) => {
      const older = await Promise.all(
        readdirSync(dumps.older).map(async (name) => {
          return [name, await readFile(join(dumps.older, name))] as const;
        }),
      );
      let gets = 0;
      share.plan = ({ method, range }) => {
        if (method === "GET" && range === null && ++gets === 12) {
          for (const [name, content] of older) share.put(LABEL, name, content);
        }
        return null;
      };
      const options = downloadOptions(share.url, dumps.root);
      assert.equal((await downloadMonth(options)).token, "D60912");
      await assertWhole(share, options.to);
      assert.match(options.messages.join("\n"), /published anew or is damaged/);
    });
  });

  it("is detected if one file changes after all were fetched", async () => {
    await withShare(dumps.first, async (share) => {
      let lists = 0;
      share.plan = ({ method, path }) => {
        if (method === "PROPFIND" && path === `${LABEL}/` && ++lists === 2) {
          share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
        }
        return null;
      };
      const options = downloadOptions(share.url, dumps.root);
      const done = await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.equal(done.fetched_bytes, done.bytes + share.bytesOf(LABEL, BIG).length);
    });
  });

  it("is detected by the zip directories if size, tag, and date are equal", async () => {
    await withShare(dumps.first, async (share) => {
      const file = share.months.get(LABEL)?.get(BIG);
      assert.ok(file !== undefined);
      const other = Buffer.from(file.content as Buffer);
      // The member's CRC-32 is in the central directory at the end.
      const directory = other.lastIndexOf(Buffer.from("PK\x01\x02"));
      other.writeUInt32LE(12345, directory + 16);
      let swapped = false;
      share.plan = ({ method, path, range }) => {
        if (method === "GET" && range === null && path.endsWith(BIG) && !swapped) {
          swapped = true;
          share.months.get(LABEL)?.set(BIG, { ...file, content: other });
        }
        return null;
      };
      const options = downloadOptions(share.url, dumps.root);
      await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.match(
        options.messages.join("\n"),
        /another zip than the one that was looked at before/,
      );
    });
  });

  it("is given up after repeated changes, and nothing is kept", async () => {
    await withShare(dumps.first, async (share) => {
      share.plan = ({ method, path }) => {
        if (method === "GET") share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
        return method === "GET" && path === "" ? { kind: "drop" } : null;
      };
      const options = downloadOptions(share.url, dumps.root);
      assert.match(await refusal(downloadMonth(options)), /changed at the share .* 3 times/);
      assertNothing(options.to);
    });
  });

  it("does not replace a finished month unless requested", async () => {
    await withShare(dumps.first, async (share) => {
      const options = downloadOptions(share.url, dumps.root);
      await downloadMonth(options);
      share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
      assert.equal((await downloadMonth(options)).already, true, "a new tag alone is no other zip");
      await share.addFolder(LABEL, dumps.older);
      const before = await readFile(join(options.to, LABEL, BIG));
      assert.match(await refusal(downloadMonth(options)), /another publication .*--replace/);
      assert.ok(before.equals(await readFile(join(options.to, LABEL, BIG))));
      await downloadMonth({ ...options, replace: true });
      await assertWhole(share, options.to);
    });
  });
});

describe("a finished month", () => {
  it("is repaired where it is damaged", async () => {
    await withShare(dumps.first, async (share) => {
      const options = downloadOptions(share.url, dumps.root, { verify: true });
      await downloadMonth(options);
      const path = join(options.to, LABEL, BIG);
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
      await writeFile(path, bytes);
      assert.equal((await downloadMonth({ ...options, verify: false })).already, true);
      const healed = await downloadMonth(options);
      assert.equal(healed.fetched_bytes, bytes.length);
      await assertWhole(share, options.to);
      await writeFile(path, bytes.subarray(0, 100));
      await downloadMonth({ ...options, verify: false });
      await assertWhole(share, options.to);
    });
  });

  it("is adopted if made by hand and identical, else left untouched", async () => {
    await withShare(dumps.first, async (share) => {
      const options = downloadOptions(share.url, dumps.root);
      await mkdir(join(options.to, LABEL), { recursive: true });
      for (const [name, file] of share.months.get(LABEL) ?? []) {
        await writeFile(join(options.to, LABEL, name), file.content as Buffer);
      }
      assert.equal((await downloadMonth(options)).already, true);
      const other = join(dumps.older, BIG);
      await writeFile(join(options.to, LABEL, BIG), await readFile(other));
      assert.match(await refusal(downloadMonth({ ...options })), /another publication/);
      assert.ok((await readFile(other)).equals(await readFile(join(options.to, LABEL, BIG))));
    });
  });
});

describe("a share without ETags and dates", () => {
  it("is never resumed, and still downloads completely", async () => {
    await withShare(dumps.first, async (share) => {
      for (const [name, file] of share.months.get(LABEL) ?? []) {
        share.months.get(LABEL)?.set(name, { ...file, etag: null, modified: null });
      }
      share.plan = faultsFor(BIG, [cut(9_000), cut(9_000)]);
      const options = downloadOptions(share.url, dumps.root);
      await downloadMonth(options);
      await assertWhole(share, options.to);
      assert.ok(share.served.every(({ range }) => range === null || /-\d+$/.test(range)));
    });
  });
});

describe("random faults", () => {
  const publications = new Map<string, ReadonlyMap<string, Buffer>>();
  before(async () => {
    for (const folder of [dumps.first, dumps.older]) {
      const files = new Map<string, Buffer>();
      for (const name of readdirSync(folder)) files.set(name, await readFile(join(folder, name)));
      publications.set(folder, files);
    }
  });

  /** Returns a plan of random faults. During one request, the month may be published again. */
  function chaos(seed: number): FaultPlan {
    const rng = seededRng(seed);
    const rate = rng() * 0.5;
    const replaceAt = rng() < 0.5 ? Math.floor(rng() * 90) : -1;
    const partly = rng() < 0.3;
    let requests = 0;
    return (_, share) => {
      if (requests++ === replaceAt) {
        for (const [name, content] of publications.get(dumps.older) ?? []) {
          if (!partly || rng() < 0.5) share.put(LABEL, name, content);
        }
      }
      return rng() < rate ? anyFault(rng) : null;
    };
  }

  async function campaign(seed: number): Promise<string> {
    const share = await shareOf(dumps.first);
    try {
      share.plan = chaos(seed);
      const options = downloadOptions(share.url, dumps.root, {
        streams: 1 + (seed % 4),
        stallMs: 120,
      });
      const end = await downloadMonth(options).then(
        () => "whole",
        (error: unknown) => {
          assert.ok(error instanceof CommandError, `${seed}: ${String(error)}`);
          return "refused";
        },
      );
      if (end === "whole") await assertWhole(share, options.to);
      else assertNothing(options.to);
      share.plan = () => null;
      const mixed = /mixed/.test(
        await downloadMonth({ ...options, replace: true }).then(() => "", String),
      );
      if (mixed) assertNothing(options.to);
      else await assertWhole(share, options.to);
      return end;
    } finally {
      await share.stop();
    }
  }

  it("end with exactly the right bytes or with a readable error", async () => {
    const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
    const ends: string[] = [];
    const lane = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        ends.push(await inTime(seed, campaign(seed)));
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    assert.ok(ends.includes("whole") && ends.includes("refused"), ends.join(" "));
  });
});
