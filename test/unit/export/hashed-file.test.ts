/**
 * Proves: the addon's writer writes the given bytes once and in order, in pieces of any size, and
 * reports their SHA-256, with each of its implementations. If a write fails, a later call and the
 * last call return its errno, and nothing is written after it. After closing, no descriptor is
 * left. The caller may change the bytes after a call. Does not prove: its speed (bench -- export).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type HashPath, openHashedFile } from "../../../native-index/napi/engine.ts";
import { writeWhole } from "../../../src/export/files/sink.ts";

const PATHS: readonly HashPath[] = ["fastest", "openssl", "portable"];
/** More than all buffers of a file hold. */
const BYTES = Buffer.alloc((5 << 20) + 12_345, "0123456789abcdef-");
/** A device of Linux that is always full. */
const FULL = "/dev/full";
const DESCRIPTORS = "/proc/self/fd";

let folder: string;
let path: string;
before(() => {
  folder = fs.mkdtempSync(join(tmpdir(), "peneira-hashed-"));
  path = join(folder, "file");
});
after(() => fs.rmSync(folder, { recursive: true }));

/**
 * Yields the pieces of the bytes. Their lengths come from a generator with a fixed seed: many are
 * small, and some fill several buffers.
 */
function* pieces(total: number, seed: number): Generator<Buffer> {
  let state = seed;
  for (let from = 0; from < total; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const most = [50, 5_000, 300_000, 1_200_000][state >>> 30] as number;
    const length = Math.min(total - from, (state % most) + 1);
    yield BYTES.subarray(from, from + length);
    from += length;
  }
}

/** Opens the path, runs work with a writer, and closes both. */
function withFile<Result>(
  place: string,
  hash: HashPath,
  work: (file: ReturnType<typeof openHashedFile>) => Result,
): Result {
  const fd = fs.openSync(place, "w");
  const file = openHashedFile(fd, hash);
  try {
    return work(file);
  } finally {
    file.close();
    fs.closeSync(fd);
  }
}

describe("openHashedFile", () => {
  it("writes pieces of any size in order, with the SHA-256 of each code", () => {
    for (const [seed, total] of [0, 1, 63, 1 << 18, (1 << 18) + 1, BYTES.length].entries()) {
      const wanted = BYTES.subarray(0, total);
      const sha256 = createHash("sha256").update(wanted).digest("hex");
      for (const hash of PATHS) {
        const end = withFile(path, hash, (file) => {
          for (const piece of pieces(total, seed)) assert.equal(file.write(piece), 0);
          return file.finish();
        });
        assert.equal(end.failure, 0);
        assert.equal(Buffer.from(end.sha256).toString("hex"), sha256, `${hash}, ${total} bytes`);
        assert.ok(fs.readFileSync(path).equals(wanted), `${total} bytes`);
      }
    }
  });

  it("copies the bytes before it returns", () => {
    const piece = Buffer.alloc(100_000);
    withFile(path, "fastest", (file) => {
      for (let i = 0; i < 60; i++) {
        file.write(piece.fill(7));
        piece.fill(8);
      }
      file.finish();
    });
    const written = fs.readFileSync(path);
    assert.equal(written.length, 6_000_000);
    assert.ok(written.every((byte) => byte === 7));
  });

  it("starts writeback of a large file while it is written", () => {
    const end = withFile(path, "fastest", (file) => {
      for (let i = 0; i < 9; i++) file.write(BYTES.subarray(0, 4 << 20));
      return file.finish();
    });
    assert.equal(end.startedBytes, 32 << 20);
  });

  it("reports a full disk by a later call and by the last one", (test) => {
    if (!fs.existsSync(FULL)) return test.skip("the system has no full device");
    const { ENOSPC } = constants.errno;
    withFile(FULL, "fastest", (file) => {
      let failure = 0;
      // A failed write on the other thread is reported at the latest when all buffers are full.
      for (let i = 0; i < 12 && failure === 0; i++)
        failure = file.write(BYTES.subarray(0, 1 << 18));
      assert.equal(failure, ENOSPC);
      assert.equal(file.write(BYTES), ENOSPC);
      assert.equal(file.finish().failure, ENOSPC);
    });
    const small = withFile(FULL, "fastest", (file) => {
      assert.equal(file.write(BYTES.subarray(0, 10)), 0, "no buffer is full");
      return file.finish();
    });
    assert.equal(small.failure, ENOSPC);
  });

  it("has no descriptor once it is closed, at any time", (test) => {
    if (!fs.existsSync(DESCRIPTORS)) return test.skip("the system lists no descriptors");
    const count = () => fs.readdirSync(DESCRIPTORS).length;
    const open = count();
    for (const length of [0, 100, BYTES.length]) {
      withFile(path, "fastest", (file) => {
        file.write(BYTES.subarray(0, length));
        file.close();
        assert.throws(() => file.write(BYTES), { code: "INVALID_ARGUMENT" });
        assert.throws(() => file.finish(), { code: "INVALID_ARGUMENT" });
      });
      assert.equal(count(), open);
    }
    assert.throws(() => openHashedFile(1_000_000), { code: "EBADF" });
  });

  it("writes to its own file if the caller's descriptor is closed and reused", () => {
    const fd = fs.openSync(path, "w");
    const file = openHashedFile(fd);
    fs.closeSync(fd);
    const other = join(folder, "other");
    const reused = fs.openSync(other, "w");
    file.write(BYTES);
    assert.equal(file.finish().failure, 0);
    fs.closeSync(reused);
    assert.equal(fs.statSync(other).size, 0);
    assert.ok(fs.readFileSync(path).equals(BYTES));
  });
});

describe("a full disk under writeWhole", () => {
  it("throws the error of Node's own write, and leaves no file", async (test) => {
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=2m", "none", folder]);
    if (mounted.status !== 0) return test.skip("a small file system can be mounted by root only");
    try {
      for (const total of [BYTES.length, (2 << 20) + 1]) {
        const work = writeWhole(path, async (write) => {
          for (const piece of pieces(total, total)) write(piece);
        });
        await assert.rejects(work, {
          ...{ code: "ENOSPC", errno: -constants.errno.ENOSPC, syscall: "write" },
          message: "ENOSPC: no space left on device, write",
        });
        assert.deepEqual(fs.readdirSync(folder), []);
      }
    } finally {
      spawnSync("umount", [folder]);
    }
  });
});
