/**
 * Proves that finished export files are stored, read whole and in part, and removed in the same way
 * on the local disk and in an object store. For the object store, also proves that no fault leaves
 * an incomplete object, that uploads are retried, and that cleaning up removes only objects that
 * belong to no export.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, read, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { ObjectStore, StoreFault } from "../../../src/download/store/objectstore.ts";
import { DiskFiles } from "../../../src/export/files/diskfiles.ts";
import {
  type ExportFiles,
  FilesUnavailable,
  type FinishedFile,
  type OpenedFile,
} from "../../../src/export/files/exportfiles.ts";
import { ExportFolder } from "../../../src/export/files/folder.ts";
import { type KnownExports, StoredFiles } from "../../../src/export/files/storedfiles.ts";
import { readStoreAddress } from "../../../src/files/objectaddress.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openLog } from "../../../src/process/log.ts";
import { FAKE_KEYS, FakeS3, type Fault } from "../../support/export/fake-s3.ts";

const PART = 5 << 20;
const LOG = openLog("silent");
const readBytes = promisify(read);

interface Place {
  readonly dataDir: string;
  readonly folder: ExportFolder;
  readonly files: ExportFiles;
}

type Row = NonNullable<ReturnType<KnownExports["find"]>>;

const opened: { close(): Promise<void> }[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

after(() => {
  for (const one of folders) rmSync(one, { recursive: true, force: true });
});

function newFolder(): { dataDir: string; folder: ExportFolder } {
  const dataDir = mkdtempSync(join(tmpdir(), "files-"));
  folders.push(dataDir);
  return { dataDir, folder: new ExportFolder(dataDir) };
}

function onDisk(): Place {
  const { dataDir, folder } = newFolder();
  return { dataDir, folder, files: new DiskFiles(folder) };
}

interface StoreChoice {
  readonly serve?: "redirect" | "proxy";
  readonly retrySeconds?: number;
  readonly stallMs?: number;
  readonly rows?: Map<string, Row>;
  readonly owner?: string;
  readonly waitMs?: number;
  readonly nowMs?: () => number;
}

function onStore(
  fake: FakeS3,
  { serve = "proxy", retrySeconds = 10, stallMs = 2_000, rows, owner, waitMs, nowMs }: StoreChoice,
): Omit<Place, "files"> & { files: StoredFiles; store: ObjectStore } {
  const { dataDir, folder } = newFolder();
  const place = readStoreAddress(fake.address());
  assert.ok(place !== null);
  const more = nowMs === undefined ? {} : { nowMs };
  const store = new ObjectStore({ place, keys: FAKE_KEYS, stallMs, partBytes: PART, ...more });
  const known: KnownExports = {
    find: (id) => rows?.get(id),
    done: () => [...(rows?.values() ?? [])].filter(({ state }) => state === "done"),
  };
  const files = new StoredFiles({
    ...{ store, folder, known, serve, retrySeconds, owners: [owner ?? "this installation"] },
    ...{ clock: systemClock, log: LOG, pace: { waitMs: waitMs ?? 20, waitMaxMs: 50 } },
  });
  opened.push(files);
  return { dataDir, folder, files, store };
}

function render({ folder }: Place, bytes: Buffer): FinishedFile {
  const id = `exp_${randomBytes(16).toString("hex")}`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = { id, format: "csv", compression: null, sizeBytes: bytes.length, sha256 };
  writeFileSync(folder.pathOf(file), bytes);
  return file;
}

const NEVER = new AbortController().signal;

function wanted(offset: number, length: number) {
  const disposition = `attachment; filename="a b.csv"; filename*=UTF-8''caf%C3%A9.csv`;
  return { method: "GET", offset, length, type: "text/csv", disposition, seconds: 60 } as const;
}

async function bytesOf(file: OpenedFile, offset: number, length: number): Promise<Buffer> {
  if (file.kind === "disk") {
    const { buffer } = await readBytes(file.descriptor, Buffer.alloc(length), 0, length, offset);
    return Buffer.from(buffer);
  }
  if (file.kind === "stream") return Buffer.concat(await file.bytes.toArray());
  const range = `bytes=${offset}-${offset + length - 1}`;
  const answer = await fetch(file.address, { headers: { range } });
  assert.equal(answer.status, 206, await answer.clone().text());
  return Buffer.from(await answer.arrayBuffer());
}

const isMissing = { code: "ENOENT" };

describe("finished files", () => {
  let fake: FakeS3;
  beforeEach(async () => {
    fake = await FakeS3.start();
    opened.push(fake);
  });

  const places: readonly (readonly [string, () => Place])[] = [
    ["on the disk", onDisk],
    ["on a store, by redirect", () => onStore(fake, { serve: "redirect" })],
    ["on a store, through the server", () => onStore(fake, { serve: "proxy" })],
  ];
  for (const [name, open] of places) {
    describe(name, () => {
      for (const size of [1, 70_000, 11 << 20]) {
        it(`are read as they were put, ${size} bytes`, async () => {
          const place = open();
          const bytes = randomBytes(size);
          const file = render(place, bytes);
          await place.files.put(file, NEVER);
          place.files.settle(file);
          assert.equal(place.files.isLost(file), false);
          const ranges = [
            [0, size],
            [Math.floor(size / 2), Math.ceil(size / 4)],
            [size - 1, 1],
          ] as const;
          for (const [offset, length] of ranges) {
            const one = await place.files.open(file, wanted(offset, length));
            const read = await bytesOf(one, offset, length);
            assert.deepEqual(read, bytes.subarray(offset, offset + length));
          }
        });
      }

      it("are gone after they were removed", async () => {
        const place = open();
        const file = render(place, randomBytes(1_000));
        await place.files.put(file, NEVER);
        place.files.settle(file);
        place.files.remove(file);
        await eventually(() => fake.objects.size === 0);
        assert.deepEqual(readdirSync(join(place.dataDir, "exports")), []);
        await assert.rejects(place.files.open(file, wanted(0, 1_000)), isMissing);
        place.files.remove(file);
      });

      it("are put twice without harm", async () => {
        const place = open();
        const bytes = randomBytes(20_000);
        const file = render(place, bytes);
        await place.files.put(file, NEVER);
        await place.files.put(file, NEVER);
        place.files.settle(file);
        const one = await place.files.open(file, wanted(0, bytes.length));
        assert.deepEqual(await bytesOf(one, 0, bytes.length), bytes);
      });

      it("of another export do not exist", async () => {
        const place = open();
        const file = render(place, randomBytes(10));
        await place.files.put(file, NEVER);
        const other = { ...file, id: `exp_${randomBytes(16).toString("hex")}` };
        await assert.rejects(place.files.open(other, wanted(0, 10)), isMissing);
      });
    });
  }

  it("leave the disk only when their export is done", async () => {
    const place = onStore(fake, {});
    const file = render(place, randomBytes(10));
    await place.files.put(file, NEVER);
    assert.equal(readdirSync(join(place.dataDir, "exports")).length, 1);
    place.files.settle(file);
    assert.equal(readdirSync(join(place.dataDir, "exports")).length, 0);
  });

  it("have one object for one content, signed with its hash", async () => {
    const place = onStore(fake, {});
    const file = render(place, randomBytes(10));
    await place.files.put(file, NEVER);
    assert.deepEqual([...fake.objects.keys()], [`peneira/exports/${file.id}/${file.sha256}.csv`]);
    const put = fake.seen.find(({ method }) => method === "PUT");
    assert.equal(put?.headers["x-amz-content-sha256"], file.sha256);
    assert.equal(put?.headers["content-length"], "10");
    assert.equal(put?.headers["transfer-encoding"], undefined);
    assert.equal(put?.headers["if-none-match"], "*");
  });

  const faults: readonly (readonly [string, (times: number) => Fault])[] = [
    ["503", (times: number) => (times < 5 ? { status: 503, code: "SlowDown" } : undefined)],
    ["a cut before", (times: number) => (times < 5 ? { cut: "before" } : undefined)],
    ["a cut in the middle", (times: number) => (times < 5 ? { cut: "middle" } : undefined)],
    ["a cut after the work", (times: number) => (times < 2 ? { cut: "after" } : undefined)],
    [
      "no answer for longer than the stall",
      (times: number) => {
        return times < 1 ? { slowMs: 1_500 } : undefined;
      },
    ],
  ];
  for (const [name, faultOf] of faults) {
    for (const size of [100, 11 << 20]) {
      it(`survive ${name}, ${size} bytes`, async () => {
        const place = onStore(fake, { stallMs: 500 });
        const file = render(place, randomBytes(size));
        let times = 0;
        fake.fault = ({ method }): Fault => {
          return method === "PUT" || method === "POST" ? faultOf(times++) : undefined;
        };
        await place.files.put(file, NEVER);
        const [object] = fake.objects.values();
        assert.equal(fake.objects.size, 1);
        assert.deepEqual(object?.bytes, readFileSync(place.folder.pathOf(file)));
        assert.ok(times > 1);
      });
    }
  }

  it("follow a redirect of the store, signed again", async () => {
    const other = await FakeS3.start();
    opened.push(other);
    const place = onStore(fake, {});
    const file = render(place, randomBytes(100));
    fake.fault = () => ({ redirectTo: other.endpoint });
    await place.files.put(file, NEVER);
    assert.equal(other.objects.size, 1);
    assert.equal(fake.objects.size, 0);
  });

  it("are stored by a machine whose clock is wrong by an hour", async () => {
    const place = onStore(fake, { serve: "redirect", nowMs: () => Date.now() - 3_600_000 });
    const bytes = randomBytes(100);
    const file = render(place, bytes);
    await place.files.put(file, NEVER);
    place.files.settle(file);
    const one = await place.files.open(file, wanted(0, 100));
    assert.deepEqual(await bytesOf(one, 0, 100), bytes);
  });

  it("are given up after the set time, and no object has their name", async () => {
    const place = onStore(fake, { retrySeconds: 1 });
    const file = render(place, randomBytes(100));
    fake.fault = () => ({ status: 503, code: "ServiceUnavailable" });
    await assert.rejects(place.files.put(file, NEVER), FilesUnavailable);
    assert.equal(fake.objects.size, 0);
  });

  for (const size of [100, 11 << 20]) {
    it(`are refused if the disk has changed them, ${size} bytes`, async () => {
      const place = onStore(fake, { retrySeconds: 1 });
      const bytes = randomBytes(size);
      const file = render(place, bytes);
      bytes[size - 1] = (bytes[size - 1] ?? 0) ^ 1;
      writeFileSync(place.folder.pathOf(file), bytes);
      await assert.rejects(place.files.put(file, NEVER));
      assert.equal(fake.objects.size, 0);
      assert.equal(fake.uploads.size, 0);
    });
  }

  it("end their upload when the export is deleted", async () => {
    const place = onStore(fake, { retrySeconds: 60 });
    const file = render(place, randomBytes(11 << 20));
    fake.fault = ({ query }) => (query.has("partNumber") ? { slowMs: 400 } : undefined);
    const ended = new AbortController();
    const put = place.files.put(file, ended.signal);
    await eventually(() => fake.uploads.size === 1);
    ended.abort();
    await assert.rejects(put, { name: "AbortError" });
    await eventually(() => fake.uploads.size === 0);
    assert.equal(fake.objects.size, 0);
  });

  it("are not taken from an object with other bytes under their key", async () => {
    const place = onStore(fake, {});
    const file = render(place, randomBytes(100));
    fake.plant(`peneira/exports/${file.id}/${file.sha256}.csv`, randomBytes(99));
    await place.files.put(file, NEVER);
    const [object] = fake.objects.values();
    assert.deepEqual(object?.bytes, readFileSync(place.folder.pathOf(file)));
  });

  it("have an address that ends, and that only reads this file", async () => {
    const place = onStore(fake, { serve: "redirect" });
    const file = render(place, randomBytes(100));
    await place.files.put(file, NEVER);
    place.files.settle(file);
    const one = await place.files.open(file, { ...wanted(0, 100), seconds: 1 });
    assert.ok(one.kind === "redirect");
    const answer = await fetch(one.address);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/csv");
    assert.equal(answer.headers.get("content-disposition"), wanted(0, 1).disposition);
    await answer.arrayBuffer();
    assert.equal((await fetch(one.address, { method: "DELETE" })).status, 403);
    assert.equal((await fetch(one.address.replace(file.sha256, "0".repeat(64)))).status, 403);
    assert.equal((await fetch(one.address.replace("Expires=1", "Expires=9"))).status, 403);
    await sleep(2_100);
    assert.equal((await fetch(one.address)).status, 403);
  });

  it("are unavailable while the store is away, with its state", async () => {
    const place = onStore(fake, {});
    const file = render(place, randomBytes(100));
    await place.files.put(file, NEVER);
    place.files.settle(file);
    const answers: [string, boolean][] = [];
    const target = readStoreAddress(fake.address());
    assert.ok(target !== null);
    const onAnswer = (operation: string, ok: boolean) => answers.push([operation, ok]);
    const store = new ObjectStore({ place: target, keys: FAKE_KEYS, onAnswer });
    opened.push(store);
    await store.probe();
    fake.fault = () => ({ cut: "before" });
    await assert.rejects(place.files.open(file, wanted(0, 100)), FilesUnavailable);
    await assert.rejects(store.probe(), StoreFault);
    fake.fault = () => ({ status: 403, code: "InvalidAccessKeyId" });
    await assert.rejects(store.probe(), /403 InvalidAccessKeyId/);
    assert.deepEqual(answers, [
      ["probe", true],
      ["probe", false],
      ["probe", false],
    ]);
  });

  it("that were on the disk before the store move there", async () => {
    const rows = new Map<string, Row>();
    const place = onStore(fake, { rows });
    const bytes = randomBytes(100);
    const file = render(place, bytes);
    rows.set(file.id, { ...file, state: "done", expiredAt: null });
    const one = await place.files.open(file, wanted(0, 100));
    assert.equal(one.kind, "disk");
    assert.deepEqual(await bytesOf(one, 0, 100), bytes);
    place.files.start();
    await eventually(() => readdirSync(join(place.dataDir, "exports")).length === 0);
    assert.equal((await place.files.open(file, wanted(0, 100))).kind, "stream");
  });
});

describe("a sweep of the store", () => {
  const DAY = 86_400_000;
  let fake: FakeS3;
  beforeEach(async () => {
    fake = await FakeS3.start();
    opened.push(fake);
  });

  async function putAs(place: Place, rows: Map<string, Row>, state: string | null, more = {}) {
    const file = render(place, randomBytes(50));
    await place.files.put(file, NEVER);
    if (state !== null) rows.set(file.id, { ...file, state, expiredAt: null, ...more });
    return `peneira/exports/${file.id}/${file.sha256}.csv`;
  }

  it("removes old objects that no export needs, and nothing else", async () => {
    const rows = new Map<string, Row>();
    const place = onStore(fake, { rows });
    const stays = [
      await putAs(place, rows, "done"),
      await putAs(place, rows, "running", { sha256: null }),
      await putAs(place, rows, "queued", { sha256: null }),
    ];
    const goes = [
      await putAs(place, rows, null),
      await putAs(place, rows, "failed"),
      await putAs(place, rows, "done", { expiredAt: 1 }),
      await putAs(place, rows, "done", { sha256: "0".repeat(64) }),
    ];
    const foreign = `peneira/exports/exp_${"a".repeat(32)}/${"b".repeat(64)}.csv`;
    fake.plant(foreign, Buffer.from("x"), { owner: "another installation" });
    fake.plant("peneira/exports/readme.txt", Buffer.from("x"));
    fake.plant("other/file", Buffer.from("x"));
    const others = [foreign, "peneira/exports/readme.txt", "other/file"];
    // Acts as another process of the same installation, which has stored none of the files.
    const sweeping = onStore(fake, { rows });
    await sweeping.files.sweepNow();
    assert.equal(fake.objects.size, stays.length + goes.length + others.length);
    fake.age(DAY);
    await sweeping.files.sweepNow();
    assert.deepEqual([...fake.objects.keys()].sort(), [...stays, ...others].sort());
    assert.equal(sweeping.files.state().swept, goes.length);
  });

  it("removes nothing of a listing that lags", async () => {
    const rows = new Map<string, Row>();
    fake.listingLag = 2;
    const place = onStore(fake, { rows });
    const key = await putAs(place, rows, "done");
    await place.files.sweepNow();
    assert.deepEqual([...fake.objects.keys()], [key]);
  });

  it("removes uploads of a day ago", async () => {
    const place = onStore(fake, {});
    const id = `exp_${"c".repeat(32)}`;
    const key = `peneira/exports/${id}/${"d".repeat(64)}.csv`;
    fake.uploads.set("old", {
      key,
      headers: {},
      parts: new Map(),
      startedMs: Date.now() - 2 * DAY,
    });
    fake.uploads.set("new", { key, headers: {}, parts: new Map(), startedMs: Date.now() });
    const other = { key: "other/file", headers: {}, parts: new Map(), startedMs: 0 };
    fake.uploads.set("other", other);
    await place.files.sweepNow();
    assert.deepEqual([...fake.uploads.keys()], ["new", "other"]);
  });

  it("fails without harm while the store is away", async () => {
    const rows = new Map<string, Row>();
    const place = onStore(fake, { rows });
    await putAs(place, rows, null);
    fake.age(DAY);
    fake.fault = () => ({ status: 503, code: "SlowDown" });
    await onStore(fake, { rows }).files.sweepNow();
    assert.equal(fake.objects.size, 1);
  });
});

async function eventually(holds: () => boolean): Promise<void> {
  for (let times = 0; times < 200 && !holds(); times++) await sleep(20);
  assert.ok(holds());
}
