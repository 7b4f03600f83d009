/**
 * Proves: a download gives exactly the bytes of one publication under the month's name, or clear
 * words and nothing under it, whatever a local share does: cuts, stalls, trickles, refusals,
 * ignored ranges, wrong lengths, replaced files; parts are resumed, and only parts of the same
 * publication; a finished month is only checked. Seeded random fault plans at the end.
 * Does not prove: the real share (nothing here reaches it), a full disk (download-process.test.ts).
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { downloadMonth } from "../src/download/month.ts";
import { checkSpace } from "../src/download/space.ts";
import { Interrupted } from "../src/download/trouble.ts";
import { CommandError } from "../src/errors.ts";
import {
  assertNothing,
  assertWhole,
  type Dumps,
  LABEL,
  makeDumps,
  shareOf,
  wishOf,
} from "./download-dumps.ts";
import { seededRng } from "./random-spec.ts";
import type { Fault, FaultPlan, WebdavShare } from "./webdav-server.ts";

const SEEDS = Number(process.env.PENEIRA_DOWNLOAD_SEEDS ?? 24);
const BIG = "Municipios.zip";

let dumps: Dumps;
before(async () => {
  dumps = await makeDumps(400);
});
after(() => dumps.dispose());

/** Runs a test with a share of the first release. */
async function withShare(work: (share: WebdavShare) => Promise<void>): Promise<void> {
  const share = await shareOf(dumps.first);
  try {
    await work(share);
  } finally {
    await share.stop();
  }
}

async function refusal(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof CommandError, String(error));
    return error.message;
  }
  assert.fail("nothing was refused");
}

/** The first requests for the bytes (not the tail) of a file get these faults, in turn. */
function faultsFor(name: string, faults: readonly (Fault | null)[]): FaultPlan {
  const left = [...faults];
  return ({ method, path, range }) => {
    const bytes = range === null || /-$/.test(range);
    return method === "GET" && path.endsWith(name) && bytes ? (left.shift() ?? null) : null;
  };
}

const cut = (after: number): Fault => ({ kind: "cut", after });

describe("a download", () => {
  it("fetches the zips that an import needs, once", async () => {
    await withShare(async (share) => {
      const wish = wishOf(share.url, dumps.root);
      const done = await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.equal(done.files, 27);
      assert.equal(done.token, "D61010");
      assert.equal(done.fetched_bytes, done.bytes);
      assert.ok(share.served.every(({ path }) => !path.includes("Socios")));
      const before = share.sent();
      const again = await downloadMonth(wish);
      assert.equal(again.already, true);
      assert.equal(again.fetched_bytes, 0);
      assert.ok(share.sent() - before <= 27 * 4_096, "only the directories are looked at");
    });
  });

  it("fetches the partners where they are asked for, also later", async () => {
    await withShare(async (share) => {
      const wish = wishOf(share.url, dumps.root);
      await downloadMonth(wish);
      const before = share.sent(BIG);
      const done = await downloadMonth({ ...wish, all: true });
      assert.equal(done.files, 37);
      await assertWhole(share, wish.to, LABEL, true);
      assert.ok(share.sent(BIG) - before <= 4_096, "what is there is not fetched again");
    });
  });

  it("takes the newest month that is complete and of one release", async () => {
    await withShare(async (share) => {
      share.put("2026-12", "Simples.zip", share.bytesOf(LABEL, "Simples.zip"));
      await share.addFolder("2026-11", dumps.first);
      share.put("2026-11", "Simples.zip", await readFile(join(dumps.older, "Simples.zip")));
      const wish = wishOf(share.url, dumps.root, { month: null });
      assert.equal((await downloadMonth(wish)).month, LABEL);
      assert.match(wish.said.join("\n"), /2026-12 is not complete.*26 of 27.*missing/);
      assert.match(wish.said.join("\n"), /mixed: D61010 .*D60912 \(Simples\.zip\)/);
      assert.match(await refusal(downloadMonth({ ...wish, month: "2026-12" })), /not complete/);
      assert.match(
        await refusal(downloadMonth({ ...wish, month: "2026-11" })),
        /releases are mixed/,
      );
      assert.match(await refusal(downloadMonth({ ...wish, month: "2019-01" })), /no folder at/);
      assertNothing(wish.to, "2026-11");
      assertNothing(wish.to, "2026-12");
    });
  });

  it("refuses a zip that holds another member than its name says", async () => {
    await withShare(async (share) => {
      share.put(LABEL, "Cnaes.zip", share.bytesOf(LABEL, "Paises.zip"));
      const wish = wishOf(share.url, dumps.root);
      assert.match(await refusal(downloadMonth(wish)), /Cnaes\.zip holds .*PAISCSV/);
      share.put(LABEL, "Cnaes.zip", Buffer.alloc(5_000, "no zip "));
      assert.match(await refusal(downloadMonth(wish)), /Cnaes\.zip .* is damaged at the share/);
      assertNothing(wish.to);
    });
  });
});

describe("trouble on the way", () => {
  it("is resumed where it happened", async () => {
    await withShare(async (share) => {
      const size = share.bytesOf(LABEL, BIG).length;
      share.plan = faultsFor(BIG, [
        cut(10_000),
        { kind: "stall", after: 7_000 },
        { kind: "drop" },
        { kind: "status", status: 500 },
        cut(1_000),
        { kind: "trickle", bytes: 1, everyMs: 20 },
      ]);
      const wish = wishOf(share.url, dumps.root, { streams: 1 });
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      const gets = share.served.filter(
        ({ path, range }) => path.endsWith(BIG) && range?.endsWith("-"),
      );
      assert.deepEqual(gets.map(({ range, fault }) => [range, fault]).slice(0, 4), [
        ["bytes=10000-", "stall"],
        ["bytes=17000-", "drop"],
        ["bytes=17000-", "status"],
        ["bytes=17000-", "cut"],
      ]);
      // The tail is read before; beyond that no byte comes twice but what a trickle had under way.
      assert.ok(share.sent(BIG) <= size + 4_096 + 200, `${share.sent(BIG)} of ${size}`);
      assert.match(wish.said.join("\n"), /\(almost\) no bytes for 0\.1 s; trying again/);
    });
  });

  it("of too many streams is answered with fewer", async () => {
    await withShare(async (share) => {
      let refused = 0;
      share.plan = ({ method, range }) => {
        if (method !== "GET" || range !== null || refused > 0) return null;
        refused++;
        return { kind: "status", status: 429, headers: { "retry-after": "30" } };
      };
      const wish = wishOf(share.url, dumps.root, { streams: 3 });
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.match(wish.said.join("\n"), /answers 429; going on with 2 at the same time/);
    });
  });

  it("that lasts waits as the share says, not for ever, and names both", async () => {
    await withShare(async (share) => {
      const busy = (seconds: string): Fault => {
        return { kind: "status", status: 503, headers: { "retry-after": seconds } };
      };
      share.plan = faultsFor(BIG, [busy("1")]);
      const wish = wishOf(share.url, dumps.root, { streams: 1 });
      const started = performance.now();
      await downloadMonth(wish);
      assert.ok(performance.now() - started >= 1_000);
      const other = wishOf(share.url, dumps.root, { streams: 1 });
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

  it("of a server without ranges begins anew, and says so", async () => {
    await withShare(async (share) => {
      let cuts = 2;
      share.plan = ({ method, path, range }) => {
        if (method !== "GET") return null;
        if (path.endsWith(BIG) && range === null && cuts-- > 0) return cut(20_000);
        return { kind: "no-range" };
      };
      const wish = wishOf(share.url, dumps.root, { streams: 1 });
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.match(wish.said.join("\n"), /does not answer ranges/);
      assert.match(
        wish.said.join("\n"),
        /Municipios\.zip: the share does not resume; beginning anew/,
      );
    });
  });

  it("of lengths and ranges that are not those of the list ends with words", async () => {
    const lies: readonly [Fault, RegExp][] = [
      [{ kind: "length", by: 10 }, /bytes instead of/],
      [{ kind: "length", by: -10 }, /bytes instead of/],
      [{ kind: "status", status: 404 }, /answers 404 to what it lists/],
      [{ kind: "status", status: 418 }, /answers 418, which means nothing/],
      [{ kind: "status", status: 403 }, /does not let us in \(403\)/],
    ];
    await withShare(async (share) => {
      for (const [fault, words] of lies) {
        share.plan = faultsFor(BIG, Array(20).fill(fault));
        const wish = wishOf(share.url, dumps.root);
        assert.match(await refusal(downloadMonth(wish)), words);
        assertNothing(wish.to);
      }
      share.plan = faultsFor(BIG, [cut(9_000), { kind: "shift", by: 5 }]);
      const wish = wishOf(share.url, dumps.root);
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.match(wish.said.join("\n"), /sends another range/);
    });
  });

  it("of a signal leaves parts that are resumed", async () => {
    await withShare(async (share) => {
      const control = new AbortController();
      share.plan = faultsFor(BIG, [{ kind: "stall", after: 30_000 }]);
      const wish = wishOf(share.url, dumps.root, { streams: 1, stallMs: 60_000 });
      const work = downloadMonth({ ...wish, signal: control.signal });
      const part = () => {
        const folder = join(wish.to, `${LABEL}.part`);
        return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(BIG));
      };
      while (!part() || share.sent(BIG) < 34_000) await new Promise((done) => setTimeout(done, 5));
      await new Promise((done) => setTimeout(done, 50));
      control.abort(new Interrupted("SIGTERM"));
      await assert.rejects(work, Interrupted);
      assertNothing(wish.to);
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.equal(share.served.findLast(({ path }) => path.endsWith(BIG))?.range, "bytes=30000-");
    });
  });
});

describe("another publication", () => {
  it("never gets the part of the one before, in the next run", async () => {
    await withShare(async (share) => {
      share.plan = faultsFor(BIG, [
        cut(30_000),
        ...Array(20).fill({ kind: "status", status: 403 }),
      ]);
      const wish = wishOf(share.url, dumps.root, { streams: 1 });
      await refusal(downloadMonth(wish));
      share.plan = () => null;
      await share.addFolder(LABEL, dumps.older);
      const from = share.served.length;
      const done = await downloadMonth(wish);
      assert.equal(done.token, "D60912");
      await assertWhole(share, wish.to);
      const ranges = share.served.slice(from).map(({ range }) => range);
      assert.ok(ranges.every((range) => range === null || /-\d+$/.test(range)));
    });
  });

  it("in the middle of a download throws the one before away", async () => {
    await withShare(async (share) => {
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
      const wish = wishOf(share.url, dumps.root);
      assert.equal((await downloadMonth(wish)).token, "D60912");
      await assertWhole(share, wish.to);
      assert.match(wish.said.join("\n"), /published anew or is damaged/);
    });
  });

  it("of one file, after all were fetched, is noticed", async () => {
    await withShare(async (share) => {
      let lists = 0;
      share.plan = ({ method, path }) => {
        if (method === "PROPFIND" && path === `${LABEL}/` && ++lists === 2) {
          share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
        }
        return null;
      };
      const wish = wishOf(share.url, dumps.root);
      const done = await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.equal(done.fetched_bytes, done.bytes + share.bytesOf(LABEL, BIG).length);
    });
  });

  it("with the same size, tag and date is told by the directories", async () => {
    await withShare(async (share) => {
      const file = share.months.get(LABEL)?.get(BIG);
      assert.ok(file !== undefined);
      const other = Buffer.from(file.content as Buffer);
      // The CRC-32 of the member stands in the central directory at the end.
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
      const wish = wishOf(share.url, dumps.root);
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.match(wish.said.join("\n"), /another zip than the one that was looked at before/);
    });
  });

  it("again and again is given up, with nothing kept", async () => {
    await withShare(async (share) => {
      share.plan = ({ method, path }) => {
        if (method === "GET") share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
        return method === "GET" && path === "" ? { kind: "drop" } : null;
      };
      const wish = wishOf(share.url, dumps.root);
      assert.match(await refusal(downloadMonth(wish)), /changed at the share .* 3 times/);
      assertNothing(wish.to);
    });
  });

  it("does not replace a finished month unless that is wanted", async () => {
    await withShare(async (share) => {
      const wish = wishOf(share.url, dumps.root);
      await downloadMonth(wish);
      share.put(LABEL, BIG, share.bytesOf(LABEL, BIG));
      assert.equal((await downloadMonth(wish)).already, true, "a new tag alone is no other zip");
      await share.addFolder(LABEL, dumps.older);
      const before = await readFile(join(wish.to, LABEL, BIG));
      assert.match(await refusal(downloadMonth(wish)), /another publication .*--replace/);
      assert.ok(before.equals(await readFile(join(wish.to, LABEL, BIG))));
      await downloadMonth({ ...wish, replace: true });
      await assertWhole(share, wish.to);
    });
  });
});

describe("a finished month", () => {
  it("is mended where it is damaged", async () => {
    await withShare(async (share) => {
      const wish = wishOf(share.url, dumps.root, { verify: true });
      await downloadMonth(wish);
      const path = join(wish.to, LABEL, BIG);
      const bytes = await readFile(path);
      bytes.writeUInt8(bytes.readUInt8(5_000) ^ 1, 5_000);
      await writeFile(path, bytes);
      assert.equal((await downloadMonth({ ...wish, verify: false })).already, true);
      const healed = await downloadMonth(wish);
      assert.equal(healed.fetched_bytes, bytes.length);
      await assertWhole(share, wish.to);
      await writeFile(path, bytes.subarray(0, 100));
      await downloadMonth({ ...wish, verify: false });
      await assertWhole(share, wish.to);
    });
  });

  it("that people made by hand is taken when it is the same, and not touched when not", async () => {
    await withShare(async (share) => {
      const wish = wishOf(share.url, dumps.root);
      await mkdir(join(wish.to, LABEL), { recursive: true });
      for (const [name, file] of share.months.get(LABEL) ?? []) {
        await writeFile(join(wish.to, LABEL, name), file.content as Buffer);
      }
      assert.equal((await downloadMonth(wish)).already, true);
      const other = join(dumps.older, BIG);
      await writeFile(join(wish.to, LABEL, BIG), await readFile(other));
      assert.match(await refusal(downloadMonth({ ...wish })), /another publication/);
      assert.ok((await readFile(other)).equals(await readFile(join(wish.to, LABEL, BIG))));
    });
  });
});

describe("a share without tags and dates", () => {
  it("is never resumed, and still comes whole", async () => {
    await withShare(async (share) => {
      for (const [name, file] of share.months.get(LABEL) ?? []) {
        share.months.get(LABEL)?.set(name, { ...file, etag: null, modified: null });
      }
      share.plan = faultsFor(BIG, [cut(9_000), cut(9_000)]);
      const wish = wishOf(share.url, dumps.root);
      await downloadMonth(wish);
      await assertWhole(share, wish.to);
      assert.ok(share.served.every(({ range }) => range === null || /-\d+$/.test(range)));
    });
  });
});

describe("room", () => {
  it("that is not there is told before", () => {
    const demand = { folder: dumps.root, bytes: 2 ** 60, what: "the zips of 2026-10" };
    assert.throws(() => checkSpace([demand]), /not enough for the zips of 2026-10 \(1153 PB\)/);
    assert.throws(
      () => checkSpace([demand, { ...demand, what: "the import" }]),
      /has .* free, which is not enough for the zips of 2026-10 .* and the import .* to spare/,
    );
    checkSpace([{ ...demand, bytes: 1_000 }]);
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

  /** A share that fails at random, and may be published anew at one request. */
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
      const wish = wishOf(share.url, dumps.root, { streams: 1 + (seed % 4), stallMs: 120 });
      const end = await downloadMonth(wish).then(
        () => "whole",
        (error: unknown) => {
          assert.ok(error instanceof CommandError, `${seed}: ${String(error)}`);
          return "refused";
        },
      );
      if (end === "whole") await assertWhole(share, wish.to);
      else assertNothing(wish.to);
      share.plan = () => null;
      const mixed = /mixed/.test(
        await downloadMonth({ ...wish, replace: true }).then(() => "", String),
      );
      if (mixed) assertNothing(wish.to);
      else await assertWhole(share, wish.to);
      return end;
    } finally {
      await share.stop();
    }
  }

  it("end with exactly the right bytes or with words", { timeout: 60_000 }, async () => {
    const seeds = Array.from({ length: SEEDS }, (_, index) => index + 1);
    const ends: string[] = [];
    const lane = async () => {
      for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
        ends.push(await campaign(seed));
      }
    };
    await Promise.all([lane(), lane(), lane(), lane()]);
    assert.ok(ends.includes("whole") && ends.includes("refused"), ends.join(" "));
  });
});

function anyFault(rng: () => number): Fault {
  const after = Math.floor(rng() * 50_000);
  const faults: readonly Fault[] = [
    { kind: "cut", after },
    { kind: "cut", after: Math.floor(rng() * 500) },
    { kind: "stall", after },
    { kind: "drop" },
    { kind: "status", status: 500 },
    { kind: "status", status: 503, headers: { "retry-after": "0" } },
    { kind: "no-range" },
    { kind: "length", by: rng() < 0.5 ? 7 : -7 },
    { kind: "shift", by: 3 },
  ];
  return faults[Math.floor(rng() * faults.length)] as Fault;
}
