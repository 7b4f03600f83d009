/**
 * Proves, on real files, when a server switches to a newer snapshot. It may appear in a folder or
 * replace the served file. A damaged, older, or incomplete file is never served. The log is
 * correct, and checks never overlap.
 * Does not prove: that requests continue meanwhile (the end-to-end suite does).
 */
import assert from "node:assert/strict";
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Reload } from "../../../src/cli/serving/reload.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { SnapshotForge } from "../../support/files/forge-snapshot.ts";
import {
  copyAged,
  flipBit,
  keepingTimes,
  overwrite,
  resize,
} from "../../support/files/hostile-file.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

describe("reload", () => {
  const folder = mkdtempSync(join(tmpdir(), "peneira-reload-"));
  const made: Record<string, string> = {};
  const samples: SampleSnapshot[] = [];
  before(async () => {
    for (const label of ["2026-08", "2026-09", "2026-10"]) {
      const sample = await makeSampleSnapshot(300, 1, label);
      samples.push(sample);
      made[label] = sample.snapshot;
    }
  });
  after(() => {
    for (const sample of samples) sample.dispose();
    rmSync(folder, { recursive: true });
  });

  /** Watches a path. Records the snapshots that were taken into use, and the log. */
  async function watched(path: string, first: string | null) {
    const taken: Segment[] = first === null ? [] : [await openSegment(first)];
    const lines: string[] = [];
    let dropped = 0;
    let looks = 0;
    const reload = new Reload({
      path,
      current: () => taken.at(-1) ?? null,
      latest: () => taken.at(-1) ?? null,
      load: (segment) => taken.push(segment) > 0,
      drop: () => dropped++,
      looked: async () => {
        looks++;
      },
      log: openLog("info", { write: (line) => lines.push(line) }),
      clock: systemClock,
    });
    const labels = () => taken.map(({ label }) => label);
    const logged = (words: string) =>
      lines.filter((line) => line.includes(words)).map((line) => JSON.parse(line));
    const close = async () => {
      await reload.stop();
      for (const segment of taken) segment.close();
    };
    return { reload, labels, lines, logged, close, dropped: () => dropped, looks: () => looks };
  }

  it("accepts newer files of a folder in any order, and no older or damaged one", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const of = (label: string) => join(place, `${label}.peneira`);
    copyFileSync(made["2026-09"] as string, of("2026-09"));
    const { reload, labels, lines, logged, close } = await watched(place, of("2026-09"));
    await reload.look();
    assert.deepEqual(labels(), ["2026-09"]);
    copyFileSync(made["2026-08"] as string, of("2026-08"));
    const whole = readFileSync(made["2026-10"] as string);
    writeFileSync(of("cut"), whole.subarray(0, whole.length - 1_000));
    const flipped = Buffer.from(whole);
    flipped[Math.floor(whole.length / 2)] = (flipped[Math.floor(whole.length / 2)] as number) ^ 1;
    writeFileSync(of("flipped"), flipped);
    writeFileSync(join(place, "2026-10.peneira.tmp"), whole);
    await reload.look();
    assert.deepEqual(labels(), ["2026-09"]);
    assert.equal(lines.filter((line) => line.includes("snapshot refused")).length, 2);
    await reload.look();
    assert.equal(lines.filter((line) => line.includes("snapshot refused")).length, 2);
    for (const { file, served, why, msg } of logged("refused")) {
      const words = file === of("flipped") ? /^block \d+ \(bytes \d+ to \d+\) has CRC-32C / : /cut/;
      assert.match(why, words);
      assert.deepEqual([served, msg], ["2026-09", "snapshot refused; what was served still is"]);
    }
    renameSync(join(place, "2026-10.peneira.tmp"), of("2026-10"));
    await Promise.all([reload.look(), reload.look(), reload.look()]);
    assert.deepEqual(labels(), ["2026-09", "2026-10"]);
    const [{ snapshot, replaced }] = logged("newer snapshot served");
    assert.deepEqual([snapshot, replaced], ["2026-10", "2026-09"]);
    await close();
  });

  it("is not kept busy by other writes in its folder", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const served = join(place, "served.peneira");
    copyFileSync(made["2026-09"] as string, served);
    for (const path of [served, place]) {
      const { reload, labels, close, looks } = await watched(path, served);
      reload.start();
      await reload.look();
      const before = looks();
      for (let at = 0; at < 200; at++) {
        appendFileSync(join(place, "2026-10.peneira.tmp"), "a line of an import\n");
        if (path === served) appendFileSync(join(place, "access.log"), "a line of a proxy\n");
        await sleep(1);
      }
      // One periodic check may run in this time.
      assert.ok(looks() - before <= 1, `${looks() - before} looks at ${path}`);
      if (path === place) {
        copyFileSync(made["2026-10"] as string, join(place, "2026-10.peneira"));
        while (labels().length < 2) await sleep(5);
      }
      await close();
    }
  });

  it("reports a slowly copied file once, and ignores an import's temporary file", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const of = (name: string) => join(place, name);
    copyFileSync(made["2026-09"] as string, of("2026-09.peneira"));
    const { reload, labels, logged, close } = await watched(place, of("2026-09.peneira"));
    const whole = readFileSync(made["2026-10"] as string);
    writeFileSync(of("2026-10.peneira.123.partial"), whole.subarray(0, 50_000));
    for (const part of [0.3, 0.5, 0.8]) {
      writeFileSync(of("2026-10.peneira"), whole.subarray(0, Math.floor(part * whole.length)));
      await reload.look();
    }
    const levels = () => logged("refused").map(({ level }) => level);
    assert.deepEqual(levels(), [50, 30, 30]);
    // Another bad file under the same path is logged again.
    renameSync(of("2026-10.peneira"), of("kept"));
    writeFileSync(of("2026-10.peneira"), whole.subarray(0, 40_000));
    await reload.look();
    assert.deepEqual(levels().slice(-2).sort(), [50, 50], "that one, and the one that was moved");
    writeFileSync(of("2026-10.peneira"), whole);
    await reload.look();
    assert.deepEqual(labels(), ["2026-09", "2026-10"]);
    await close();
  });

  it("rejects a newer file with forged metadata and valid checksums", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    copyFileSync(made["2026-09"] as string, join(place, "2026-09.peneira"));
    const { reload, labels, logged, close } = await watched(place, join(place, "2026-09.peneira"));
    const forge = new SnapshotForge(readFileSync(made["2026-10"] as string));
    const label = 'x"\r\nSet-Cookie: a=b';
    const changes = [{ label }, { label: {} }, { lookups: undefined }, { provenance: null }];
    for (const [i, change] of changes.entries()) {
      writeFileSync(join(place, `forged-${i}`), forge.withMeta({ ...forge.meta(), ...change }));
      await reload.look();
      const { why, msg } = logged("refused").at(-1);
      assert.match(
        why,
        new RegExp(`metadata are not a snapshot's \\(/${Object.keys(change)[0]} is`),
      );
      assert.equal(msg, "snapshot refused; what was served still is");
    }
    assert.deepEqual(labels(), ["2026-09"]);
    await close();
  });

  it("reports that nothing is served, and then the first snapshot", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const { reload, labels, logged, close } = await watched(place, null);
    writeFileSync(join(place, "junk"), "junk");
    await reload.look();
    const [{ served, msg }] = logged("refused");
    assert.deepEqual([served, msg], ["none", "snapshot refused; nothing is served"]);
    copyFileSync(made["2026-10"] as string, join(place, "2026-10.peneira"));
    await reload.look();
    assert.deepEqual(labels(), ["2026-10"]);
    assert.equal(logged("first snapshot served")[0]?.replaced, "none");
    await close();
  });

  it("waits until a file has stopped growing", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const of = (label: string) => join(place, `${label}.peneira`);
    copyFileSync(made["2026-09"] as string, of("2026-09"));
    const { reload, labels, lines, close } = await watched(place, of("2026-09"));
    const whole = readFileSync(made["2026-10"] as string);
    writeFileSync(of("2026-10"), whole.subarray(0, 1_000));
    const looking = reload.look();
    await new Promise((resolve) => setTimeout(resolve, 100));
    writeFileSync(of("2026-10"), whole);
    await looking;
    assert.deepEqual(labels(), ["2026-09", "2026-10"]);
    assert.equal(lines.filter((line) => line.includes("refused")).length, 0);
    await close();
  });

  it("drops a served file that was overwritten, and continues when it is whole", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const path = join(place, "served.peneira");
    copyFileSync(made["2026-10"] as string, path);
    const { reload, labels, lines, close, dropped } = await watched(path, path);
    const whole = readFileSync(made["2026-09"] as string);
    writeFileSync(path, whole.subarray(0, 5_000));
    await reload.look();
    assert.equal(dropped(), 1);
    assert.equal(lines.filter((line) => line.includes("was written over")).length, 1);
    assert.deepEqual(labels(), ["2026-10"]);
    writeFileSync(path, whole);
    await reload.look();
    assert.deepEqual(labels(), ["2026-10", "2026-09"]);
    await close();
  });

  it("survives a temporarily missing folder, and accepts nothing after stop", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    copyFileSync(made["2026-09"] as string, join(place, "2026-09.peneira"));
    const { reload, labels, lines, close } = await watched(place, join(place, "2026-09.peneira"));
    renameSync(place, `${place}-away`);
    await reload.look();
    await reload.look();
    assert.equal(lines.filter((line) => line.includes("cannot be looked at")).length, 1);
    renameSync(`${place}-away`, place);
    copyFileSync(made["2026-10"] as string, join(place, "2026-10.peneira"));
    await reload.look();
    assert.deepEqual(labels(), ["2026-09", "2026-10"]);
    copyFileSync(made["2026-09"] as string, join(place, "2026-11.peneira"));
    const looking = reload.look();
    await reload.stop();
    await looking;
    assert.deepEqual(labels(), ["2026-09", "2026-10"]);
    await close();
  });

  it("leaves a served file that was only touched to the scrubber", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const path = join(place, "served.peneira");
    copyAged(made["2026-10"] as string, path);
    const { reload, labels, lines, close, dropped } = await watched(path, path);
    keepingTimes(path, () => flipBit(path, 100_000, 1));
    await reload.look();
    utimesSync(path, 1, 1);
    await reload.look();
    renameSync(path, `${path}.away`);
    await reload.look();
    renameSync(`${path}.away`, path);
    await reload.look();
    assert.deepEqual([labels(), lines, dropped()], [["2026-10"], [], 0]);
    await close();
  });

  it("keeps serving while a bad file in its place is repaired in place", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const path = join(place, "served.peneira");
    copyAged(made["2026-10"] as string, path);
    const { reload, labels, logged, close, dropped } = await watched(path, path);
    copyAged(made["2026-09"] as string, `${path}.new`);
    flipBit(`${path}.new`, 100_000, 1);
    renameSync(`${path}.new`, path);
    await reload.look();
    resize(path, 1_000_000);
    await reload.look();
    resize(path, readFileSync(made["2026-09"] as string).length);
    await reload.look();
    assert.deepEqual([labels(), dropped(), logged("refused").length], [["2026-10"], 0, 3]);
    // Some copying programs repair a file in place and restore its mtime.
    keepingTimes(path, () => overwrite(path, 0, readFileSync(made["2026-09"] as string)));
    await reload.look();
    assert.deepEqual(labels(), ["2026-10", "2026-09"]);
    await close();
  });

  it("accepts any valid snapshot that replaces a named file, also an older one", async () => {
    const place = mkdtempSync(join(folder, "place-"));
    const path = join(place, "served.peneira");
    copyFileSync(made["2026-10"] as string, path);
    const { reload, labels, logged, close } = await watched(path, path);
    copyFileSync(made["2026-09"] as string, join(place, "other.peneira"));
    await reload.look();
    assert.deepEqual(labels(), ["2026-10"]);
    renameSync(join(place, "other.peneira"), path);
    await reload.look();
    assert.deepEqual(labels(), ["2026-10", "2026-09"]);
    assert.deepEqual(logged("newer"), []);
    const [{ snapshot, replaced }] = logged("older snapshot served");
    assert.deepEqual([snapshot, replaced], ["2026-09", "2026-10"]);
    await close();
  });
});
