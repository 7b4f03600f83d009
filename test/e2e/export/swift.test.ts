/**
 * Proves against a real server that checks signatures (OpenStack Swift with s3api): files are
 * uploaded whole and in parts, read by presigned addresses and in ranges, listed, and removed. A
 * wrong key is refused. Skipped where Swift's packages are not installed.
 */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { AwsV4Signer } from "aws4fetch";
import { ObjectStore } from "../../../src/download/store/objectstore.ts";
import { readStoreAddress } from "../../../src/files/objectaddress.ts";
import { SWIFT_KEYS, type Swift, startSwift } from "../../support/export/swift.ts";

const PART = 5 << 20;
const BUCKET = "peneira-test";

let swift: Swift | null = null;
let folder: string;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "swift-test-"));
  swift = await startSwift(folder);
});
after(async () => {
  await swift?.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(secretKey: string = SWIFT_KEYS.secretKey): ObjectStore {
  const place = readStoreAddress(swift?.address(BUCKET) ?? "");
  assert.ok(place !== null);
  return new ObjectStore({ place, keys: { ...SWIFT_KEYS, secretKey }, partBytes: PART });
}

async function makeBucket(store: ObjectStore): Promise<void> {
  const signer = new AwsV4Signer({
    ...{ url: `${store.place.endpoint.href}${BUCKET}`, method: "PUT", service: "s3" },
    ...{ region: "us-east-1", accessKeyId: SWIFT_KEYS.accessKey },
    secretAccessKey: SWIFT_KEYS.secretKey,
  });
  const { url, headers } = await signer.sign();
  assert.equal((await fetch(url, { method: "PUT", headers })).status, 200);
}

describe("OpenStack Swift", () => {
  it("keeps and serves files, and refuses what is not signed right", async (test) => {
    if (swift === null) return test.skip("skipped: the packages of Swift are not installed");
    const store = open();
    await makeBucket(store);
    await store.probe();
    await assert.rejects(open("wrong").probe(), /403 SignatureDoesNotMatch/);
    const path = join(folder, "file");
    for (const size of [1_000, 12 << 20]) {
      const bytes = randomBytes(size);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      writeFileSync(path, bytes);
      const file = { path, sizeBytes: size, sha256 };
      const key = `peneira/exports/exp_${size}/${sha256}.csv`;
      const headers = { type: "application/octet-stream", metadata: { sha256, owner: "x" } };
      await store.put(key, file, headers);
      await store.put(key, file, headers);
      await assert.rejects(store.put(`${key}2`, { ...file, sha256: "0".repeat(64) }, headers));
      assert.equal(await store.head(`${key}2`), null);
      const found = await store.head(key);
      assert.deepEqual([found?.sizeBytes, found?.metadata.sha256], [size, sha256]);
      const part = await store.get(key, { offset: 10, length: 20 }, undefined, found?.tag);
      assert.deepEqual(Buffer.concat((await part?.toArray()) ?? []), bytes.subarray(10, 30));
      const disposition = `attachment; filename="a b.csv"; filename*=UTF-8''caf%C3%A9.csv`;
      const named = { "content-disposition": disposition, "content-type": "text/csv" };
      const address = await store.presign("GET", key, { seconds: 60, headers: named });
      const answer = await fetch(address, { headers: { range: "bytes=5-9" } });
      assert.equal(answer.status, 206);
      assert.equal(answer.headers.get("content-disposition"), disposition);
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes.subarray(5, 10));
      assert.equal((await fetch(address.replace("Expires=60", "Expires=61"))).status, 403);
      const head = await store.presign("HEAD", key, { seconds: 60, headers: named });
      assert.equal((await fetch(head, { method: "HEAD" })).status, 200);
    }
    const keys: string[] = [];
    for await (const { key } of store.list("peneira/")) keys.push(key);
    assert.equal(keys.length, 2);
    assert.deepEqual(await store.uploads("peneira/"), []);
    for (const key of keys) await store.remove(key);
    for await (const { key } of store.list("peneira/")) assert.fail(key);
    await store.close();
  });
});
