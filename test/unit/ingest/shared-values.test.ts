/**
 * Proves: for each account, the number of companies that share its e-mail or phone equals a manual
 * count. A company that has a value in several rows, or in both of its phones, counts once. The
 * addon and the reference implementation produce the same bytes. An import in many partitions
 * writes the same numbers that a reader of the snapshot counts.
 * Does not prove that the join spills every value (native-join.test.ts compares it).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { SLOTS } from "../../../native-index/builder/record.ts";
import { writeSample } from "../../../src/dump/sample/release.ts";
import { CORRECTION_BYTES, countNatively } from "../../../src/ingest/shared-values.ts";
import { bucketBytes, readBucket, type SpillFile, SpillWriter } from "../../../src/ingest/spill.ts";
import { MiniWorkspace } from "../../support/dump/mini.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { countHere, spillValue } from "../../support/ingest/shared-values.ts";
import { seededRandom } from "../../support/native-index/fixture-rows.ts";
import type { TwinRow, TwinValue } from "../../support/twin.ts";

const space = new MiniWorkspace();
after(() => space.dispose());

const PARTITIONS = 3;
const RANGES = 4;
const BUCKETS = 5;

/** An e-mail or phone of a row. */
interface Value {
  readonly text: string;
  readonly slot: number;
  readonly root: number;
  readonly partition: number;
  readonly range: number;
  readonly offset: number;
}

/** Returns random values, many of them shared. Some e-mails and phones have equal bytes. */
function randomValues(count: number): Value[] {
  const random = seededRandom(4);
  const below = (end: number) => Math.floor(random() * end);
  const slots = [SLOTS.email_shared, SLOTS.phone_1_shared, SLOTS.phone_2_shared];
  return Array.from({ length: count }, (_, offset) => {
    const text = String(below(below(400) + 1)).padStart(8, "0");
    const root = below(300);
    const slot = slots[below(3)] as number;
    return { text, slot, root, partition: root % PARTITIONS, range: below(RANGES), offset };
  });
}

function spilled(values: readonly Value[]): SpillFile[] {
  return Array.from({ length: PARTITIONS }, (_, partition) => {
    const writer = new SpillWriter(space.path(`values-${partition}`), BUCKETS, 512);
    for (const value of values.filter((one) => one.partition === partition)) {
      spillValue(writer, Buffer.from(value.text), { ...value, buckets: BUCKETS });
    }
    return writer.close();
  });
}

/** Returns the corrections of all ranges as strings, in no defined order. */
function correctionsOf(files: readonly SpillFile[]): string[] {
  return files.flatMap((file) =>
    Array.from({ length: RANGES }, (_, range) => {
      const bytes = Buffer.alloc(bucketBytes(file, range));
      readBucket(file, range, bytes, 0);
      return Array.from({ length: bytes.length / CORRECTION_BYTES }, (_, i) => {
        const numbers = [0, 4, 8, 12].map((at) => bytes.readUInt32LE(i * CORRECTION_BYTES + at));
        return [range, ...numbers].join(" ");
      });
    }).flat(),
  );
}

/** Groups companies by value. An e-mail and a phone with equal bytes are distinct. */
function companiesOf(values: readonly (readonly [key: string, company: string | number])[]) {
  const companies = new Map<string, Set<string | number>>();
  for (const [key, company] of values) {
    companies.set(key, (companies.get(key) ?? new Set()).add(company));
  }
  return companies;
}

describe("counting shared values", () => {
  it("yields the number of companies of every value that several share", () => {
    const values = randomValues(6_000);
    const keyOf = ({ text, slot }: Value) => `${slot === SLOTS.email_shared} ${text}`;
    const companies = companiesOf(values.map((one) => [keyOf(one), one.root]));
    const files = spilled(values);
    const corrections = Array.from({ length: BUCKETS }, (_, bucket) => {
      const paths = [space.path("here"), space.path(`native-${bucket}`)] as const;
      const task = { bucket, ahead: 1, values: files, ranges: RANGES, slotBytes: 512 };
      const here = countHere({ ...task, path: paths[0] });
      const native = countNatively({ ...task, path: paths[1] });
      assert.deepEqual(Uint32Array.from(native.counts), here.counts);
      assert.ok(readFileSync(paths[0]).equals(readFileSync(paths[1])), `bucket ${bucket}`);
      return native.corrections;
    });
    const expected = values.flatMap((one) => {
      const count = companies.get(keyOf(one))?.size ?? 0;
      const { range, partition, offset, slot } = one;
      return count === 1 ? [] : [[range, partition, offset, slot, count].join(" ")];
    });
    assert.ok(expected.length > 1_000 && expected.length < values.length);
    assert.deepEqual(correctionsOf(corrections).sort(), expected.sort());
  });
});

describe("an import in many partitions", () => {
  it("writes the counts that the finished snapshot confirms", async () => {
    const folder = join(space.folder, "dump-2026-08");
    await writeSample({ folder, establishments: 4_000, seed: 3, label: "2026-08" });
    const { out } = await space.import(folder, "counted.peneira", { partitionBytes: 60_000 });
    const { rows } = decodeSnapshot(out);
    const phones = ["phone_1", "phone_2"] as const;
    const byEmail = companiesOf(valuesOf(rows, ["email"]));
    const byPhone = companiesOf(valuesOf(rows, phones));
    const active = rows.filter((row) => row.registration_status === 2);
    const size = (set: Map<string, Set<unknown>>, value: TwinValue) =>
      value === null ? null : (set.get(String(value))?.size ?? 0);
    let shared = 0;
    for (const row of rows) {
      const own = active.filter(({ cnpj_root: root }) => root === row.cnpj_root);
      assert.equal(row.establishments, own.length);
      assert.equal(row.email_shared, size(byEmail, row.email));
      for (const phone of phones) assert.equal(row[`${phone}_shared`], size(byPhone, row[phone]));
      if (Number(row.email_shared) > 1 || Number(row.phone_1_shared) > 1) shared++;
      assert.equal(row.email_own_domain === null, row.email === null);
      if (/@(gmail\.com|superig\.com\.br)$/.test(String(row.email))) {
        assert.equal(row.email_own_domain, false);
      }
    }
    assert.ok(shared > 0, "some are shared");
  });
});

function valuesOf(rows: readonly TwinRow[], fields: readonly ("email" | "phone_1" | "phone_2")[]) {
  return rows.flatMap((row) =>
    fields.flatMap((field) => {
      return row[field] === null ? [] : [[String(row[field]), String(row.cnpj_root)] as const];
    }),
  );
}
