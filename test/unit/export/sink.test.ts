/**
 * Proves: a file appears only when it is complete and all of its bytes are on the disk, with its
 * true size and SHA-256. If any system call fails, or the producer aborts at any point, no file is
 * left and no descriptor stays open. The failure is thrown unchanged. These tests make calls fail
 * in the writer on this thread; hashed-file.test.ts does so for the addon's writer.
 * Does not prove that the disk keeps the promise of fsync; the power cuts of the crash tests do.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  type DiskCalls,
  temporaryName,
  writeNew,
  writeWhole,
} from "../../../src/export/files/sink.ts";
import { failureOf } from "../../../src/export/queue/rendertask.ts";
import { type PlainCalls, plainDisk } from "../../support/export/plain-writer.ts";

type Call = keyof PlainCalls;
const SYSTEM: PlainCalls = fs;
const CALLS: readonly Call[] = [
  ...(["openSync", "writeSync", "fsyncSync", "closeSync"] as const),
  ...(["renameSync", "unlinkSync"] as const),
];
/** Several chunks, and a remainder smaller than a chunk. */
const BYTES = Buffer.alloc((3 << 20) + 4_567, "0123456789abcdef-");
const DESCRIPTORS = "/proc/self/fd";

let folder: string;
let path: string;
before(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-sink-"));
  path = join(folder, "export.csv");
});
after(() => fs.rmSync(folder, { recursive: true }));

/** Wraps the system calls. Each first calls `report` with its name and running number. */
function watched(report: (name: Call, number: number) => void): DiskCalls {
  let number = 0;
  const watch =
    (name: Call) =>
    (...parameters: unknown[]) => {
      report(name, number++);
      return (SYSTEM[name] as (...given: unknown[]) => unknown)(...parameters);
    };
  const calls = Object.fromEntries(CALLS.map((name) => [name, watch(name)]));
  return plainDisk(calls as unknown as PlainCalls);
}

function failing(name: Call, code: string): DiskCalls {
  return watched((called) => {
    if (called === name) throw Object.assign(new Error(code), { code });
  });
}

function openDescriptors(): number {
  return fs.existsSync(DESCRIPTORS) ? fs.readdirSync(DESCRIPTORS).length : 0;
}

/** Writes BYTES in pieces, one larger than a chunk. A turn of the event loop follows each. */
async function fill(write: (bytes: Uint8Array) => void): Promise<void> {
  for (const [from, to] of [
    [0, 10],
    [10, 700_000],
    [700_000, 3_000_000],
    [3_000_000, 1e9],
  ]) {
    write(BYTES.subarray(from, to));
    await new Promise(setImmediate);
  }
}

/** Runs work, and asserts that it leaves the folder and the process unchanged. */
async function leavesNothing(work: () => Promise<unknown>, wanted: assert.AssertPredicate) {
  const entries = fs.readdirSync(folder);
  const descriptors = openDescriptors();
  await assert.rejects(work, wanted);
  assert.deepEqual(fs.readdirSync(folder), entries);
  assert.equal(openDescriptors(), descriptors);
}

describe("writeWhole", () => {
  it("writes up to its byte limit, and no byte beyond", async () => {
    const disks = [undefined, plainDisk()];
    for (const disk of disks) {
      const { sizeBytes } = await writeWhole(path, fill, disk, BYTES.byteLength);
      assert.equal(sizeBytes, BYTES.byteLength);
      fs.unlinkSync(path);
    }
    let written = 0;
    const counted = plainDisk({
      ...fs,
      writeSync: ((...given: Parameters<typeof fs.writeSync>) => {
        const count = fs.writeSync(...given);
        written += count;
        return count;
      }) as typeof fs.writeSync,
    });
    for (const most of [BYTES.byteLength - 1, 1_500_000, 0]) {
      written = 0;
      const isRefused = (error: unknown) => failureOf(error) === "quota_exceeded";
      await leavesNothing(() => writeWhole(path + most, fill, counted, most), isRefused);
      assert.ok(written <= most, `${written} of ${most} bytes`);
      await leavesNothing(() => writeWhole(path + most, fill, undefined, most), isRefused);
    }
  });

  it("makes a private file with the reported size and SHA-256", async () => {
    const done = await writeWhole(path, fill);
    const sha256 = createHash("sha256").update(BYTES).digest("hex");
    assert.deepEqual(done, { filled: undefined, sizeBytes: BYTES.length, sha256 });
    assert.ok(fs.readFileSync(path).equals(BYTES));
    assert.equal(fs.statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(fs.readdirSync(folder), ["export.csv"]);
    fs.rmSync(path);
  });

  it("makes a new file only if none has appeared meanwhile", async () => {
    const made = await writeNew(path, fill);
    assert.equal(made.sizeBytes, BYTES.byteLength);
    assert.deepEqual(fs.readdirSync(folder), ["export.csv"]);
    fs.rmSync(path);
    const late = async (write: (bytes: Uint8Array) => void) => {
      await fill(write);
      fs.writeFileSync(path, "another program's");
    };
    await assert.rejects(writeNew(path, late), { code: "EEXIST" });
    assert.equal(fs.readFileSync(path, "utf8"), "another program's");
    assert.deepEqual(fs.readdirSync(folder), ["export.csv"]);
    fs.rmSync(path);
  });

  it("makes an empty file of no bytes", async () => {
    const done = await writeWhole(path, async () => "nothing");
    assert.deepEqual([done.filled, done.sizeBytes], ["nothing", 0]);
    assert.equal(fs.statSync(path).size, 0);
    fs.rmSync(path);
  });

  it("makes the path appear after fsync, and syncs the folder after that", async () => {
    const calls: string[] = [];
    const disk = watched((name) => {
      calls.push(`${name}${fs.existsSync(path) ? " there" : ""}`);
      const temporary = fs.readdirSync(folder).filter((entry) => entry !== "export.csv");
      for (const entry of temporary) assert.match(entry, /^export\.csv\.[0-9a-f]{16}\.tmp$/);
    });
    await writeWhole(path, fill, disk);
    fs.rmSync(path);
    const opening = ["openSync", ...calls.filter((call) => call === "writeSync")];
    assert.ok(opening.length > 4);
    assert.deepEqual(calls, [
      ...opening,
      ...["fsyncSync", "closeSync", "renameSync"],
      ...["openSync there", "fsyncSync there", "closeSync there"],
    ]);
  });

  it("leaves no file for any failing call, once or from then on", async () => {
    let count = 0;
    await writeWhole(
      path,
      fill,
      watched(() => count++),
    );
    fs.rmSync(path);
    assert.ok(count > 10);
    for (let broken = 0; broken < count; broken++) {
      for (const sticky of [false, true]) {
        const failure = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
        const disk = watched((name, number) => {
          const giving = name === "closeSync" || name === "unlinkSync";
          if (number === broken || (sticky && number > broken && !giving)) throw failure;
        });
        // If the test makes a close fail, the descriptor is still open. `closing` then closes it,
        // as Linux does.
        const closes = { ...disk, closeSync: closing(disk) };
        await leavesNothing(
          () => writeWhole(path, fill, closes),
          (error) => error === failure,
        );
      }
    }
  });

  it("leaves no file if the producer aborts, before or after its first bytes", async () => {
    for (const pieces of [0, 1, 3]) {
      const refusal = new Error("given up");
      const work = async (write: (bytes: Uint8Array) => void) => {
        for (let i = 0; i < pieces; i++) write(BYTES);
        throw refusal;
      };
      await leavesNothing(
        () => writeWhole(path, work),
        (error) => error === refusal,
      );
    }
  });

  it("never tries fsync twice", async () => {
    let syncs = 0;
    const disk = watched((name) => {
      if (name !== "fsyncSync") return;
      syncs++;
      throw Object.assign(new Error("i/o error"), { code: "EIO" });
    });
    await leavesNothing(() => writeWhole(path, fill, disk), { code: "EIO" });
    assert.equal(syncs, 1);
  });

  it("leaves an older file of the name unchanged until the new one is complete", async () => {
    fs.writeFileSync(path, "older");
    for (const name of ["writeSync", "fsyncSync", "renameSync"] as const) {
      await leavesNothing(() => writeWhole(path, fill, failing(name, "EIO")), { code: "EIO" });
      assert.equal(fs.readFileSync(path, "utf8"), "older");
    }
    await writeWhole(path, fill);
    assert.ok(fs.readFileSync(path).equals(BYTES));
    fs.rmSync(path);
  });

  it("is refused by a folder of its name and by a missing folder", async () => {
    fs.mkdirSync(path);
    await leavesNothing(() => writeWhole(path, fill), { code: "EISDIR" });
    fs.rmdirSync(path);
    const nowhere = join(folder, "nowhere", "export.csv");
    await leavesNothing(() => writeWhole(nowhere, fill), { code: "ENOENT" });
  });

  it("writes all bytes although the kernel takes few of them at a time", async () => {
    let writes = 0;
    const stingy = plainDisk({
      ...fs,
      writeSync: ((fd: number, bytes: Uint8Array, from: number, length: number) =>
        fs.writeSync(
          fd,
          bytes,
          from,
          Math.min(length, 1 + ((writes++ * 7919) % 400_000)),
        )) as typeof fs.writeSync,
    });
    const { sizeBytes } = await writeWhole(path, fill, stingy);
    assert.equal(sizeBytes, BYTES.length);
    assert.ok(fs.readFileSync(path).equals(BYTES));
    assert.ok(writes > 10);
    fs.rmSync(path);
  });

  it("does not retain the given bytes", async () => {
    await writeWhole(path, async (write) => {
      for (const length of [5, 1 << 20, 900_000, 2 << 20]) {
        const given = Buffer.alloc(length, 1);
        write(given);
        given.fill(2);
      }
    });
    assert.ok(fs.readFileSync(path).every((byte) => byte === 1));
    fs.rmSync(path);
  });
});

describe("temporaryName", () => {
  it("is in the folder of the path and different each time", () => {
    const names = new Set(Array.from({ length: 50 }, () => temporaryName("/folder/a.csv")));
    assert.equal(names.size, 50);
    for (const name of names) assert.match(name, /^\/folder\/a\.csv\.[0-9a-f]{16}\.tmp$/);
  });
});

/** Makes a failing close free the descriptor anyway, as on Linux. */
function closing(disk: DiskCalls): DiskCalls["closeSync"] {
  return (fd) => {
    try {
      disk.closeSync(fd);
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  };
}
