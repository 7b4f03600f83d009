/**
 * Proves: CONTACTS, the section with the rows of each contact, has every e-mail and phone with its
 * rows. Its bytes are the same for any number of threads and of buffered rows. The rows of a value
 * equal those of a full scan, alone and with other clauses. This holds for known and unknown
 * values, values shared by few or by thousands, in upper and lower case, and two addresses with one
 * hash. Corrupt bytes with valid checksums are rejected or yield existing rows, and nothing is read
 * outside them. A file without CONTACTS reports this.
 * Does not prove: which spellings of a value are parsed (unit/spec/contacts.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type Clause, type NativeSegment, openSegment } from "../../../native-index/napi/engine.ts";
import {
  type FixtureRow,
  randomRows,
  seededRandom,
} from "../../support/native-index/fixture-rows.ts";
import { openForged, startOfPart } from "../../support/native-index/forged-region.ts";
import { matchesOf } from "../../support/native-index/query-twin.ts";
import { Region } from "../../support/native-index/region-decode.ts";
import { type Fixture, writeFixture } from "../../support/native-index/region-fixture.ts";
import { tries } from "../../support/run/scale.ts";

const ROUNDS = tries("kernel queries");
const MAGIC = "PNCONTAC";
/** More rows than one chunk has. */
const ROWS = 70_000;
const FEW = 3_000;
/** Two addresses with the same hash, found by search. */
const COLLIDING = ["n5subqxq7hvve", "ygds2ht3nhgjh"].map((local) => `${local}@example.com`);

const folder = mkdtempSync(path.join(tmpdir(), "peneira-contacts-"));
let fixture: Fixture;
let segment: NativeSegment;

before(async () => {
  fixture = await writeFixture(path.join(folder, "rows"), contactRows(3, ROWS));
  segment = openSegment(fixture.path, fixture.directory);
});
after(() => {
  segment.close();
  rmSync(folder, { recursive: true });
});

/** Returns rows, some of which share a contact with one other row, and some with thousands. */
function contactRows(seed: number, count: number): FixtureRow[] {
  const random = seededRandom(seed);
  const below = (end: number) => Math.floor(random() * end);
  const number = () => BigInt(`55${11 + below(9)}${draw([9e8, 3e7, 2e6]) + below(count / 4)}`);
  const draw = <Value>(values: readonly Value[]) => values[below(values.length)] as Value;
  const phone = () => (random() < 0.1 ? 551133334444n : number());
  const email = () =>
    draw([
      `ana${below(count)}@example.com`,
      `Ana${below(count)}@Example.com`,
      `loja${below(count / 3)}@example.com.br`,
      "contador@example.com",
      draw(COLLIDING),
    ]);
  return randomRows(seed, count).map((row) => {
    const first = random() < 0.7 ? phone() : null;
    const second = random() < 0.3 ? (random() < 0.3 ? first : phone()) : null;
    const address = random() < 0.7 ? email() : null;
    return { ...row, phone_1: first, phone_2: second, email: address };
  });
}

function rowsOf(of: NativeSegment, clauses: Clause[]): number[] {
  const order = [{ key: "score", descending: true }] as const;
  const page = { clauses, order, method: "rank", seed: 0n, afterRow: -1, limit: ROWS } as const;
  return [...of.select(page).rows];
}

const phonesClause = (of: NativeSegment, phones: readonly bigint[]): Clause => {
  return {
    kind: "rows",
    lists: [of.phoneRows(Float64Array.from(phones, Number))],
    negated: false,
  };
};
const emailsClause = (of: NativeSegment, emails: readonly string[]): Clause => {
  return { kind: "rows", lists: [of.emailRows(emails)], negated: false };
};

/** Rows that a full scan finds. */
function expected(rows: readonly FixtureRow[], meets: (row: FixtureRow) => boolean): number[] {
  return rows.flatMap((row, at) => (meets(row) ? [at] : []));
}
const hasPhone = (phones: readonly bigint[]) => {
  const wanted = new Set<unknown>(phones);
  return ({ phone_1, phone_2 }: FixtureRow) => wanted.has(phone_1) || wanted.has(phone_2);
};
const hasEmail = (emails: readonly string[]) => {
  const wanted = new Set(emails);
  return ({ email }: FixtureRow) => wanted.has(String(email).toLowerCase());
};

/** Draws contacts of random rows, and sometimes contacts that no row has. */
function drawn(random: () => number, count: number) {
  const row = () => fixture.rows[Math.floor(random() * ROWS)] as FixtureRow;
  const phones = Array.from({ length: count }, () => row().phone_1 ?? row().phone_2 ?? 551155n);
  const emails = Array.from({ length: count }, () =>
    (row().email ?? "nobody@example.com").toLowerCase(),
  );
  return { phones: [...new Set(phones)], emails: [...new Set(emails)] };
}

describe("contacts", () => {
  it("match the rows that a full scan finds", () => {
    assert.ok(segment.hasContacts);
    const random = seededRandom(8);
    let most = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const count = round % 9 === 0 ? 200 : 1 + Math.floor(random() * 3);
      const { phones, emails } = drawn(random, count);
      const byPhone = expected(fixture.rows, hasPhone(phones));
      const byEmail = expected(fixture.rows, hasEmail(emails));
      assert.deepEqual(rowsOf(segment, [phonesClause(segment, phones)]), byPhone);
      assert.deepEqual(rowsOf(segment, [emailsClause(segment, emails)]), byEmail);
      most = Math.max(most, byPhone.length, byEmail.length);
    }
    assert.ok(most > 4_096, `${most} rows: a chunk of them is a bitset`);
  });

  it("keep the rows of two addresses with the same hash apart", () => {
    const [left, right] = COLLIDING as [string, string];
    for (const one of [[left], [right], [left, right]]) {
      const rows = expected(fixture.rows, hasEmail(one));
      assert.ok(rows.length > 1_000);
      assert.deepEqual(rowsOf(segment, [emailsClause(segment, one)]), rows);
    }
  });

  it("return no rows for a contact that no row has", () => {
    assert.deepEqual(rowsOf(segment, [emailsClause(segment, [])]), []);
    assert.deepEqual(rowsOf(segment, [emailsClause(segment, ["", "a".repeat(300)])]), []);
    assert.deepEqual(rowsOf(segment, [phonesClause(segment, [0n, 2n ** 53n - 1n])]), []);
    for (const wrong of [-1, Number.NaN, 2 ** 60]) {
      assert.throws(() => segment.phoneRows(Float64Array.of(wrong)), { code: "INVALID_ARGUMENT" });
    }
  });

  it("combine with other clauses and are counted", () => {
    const random = seededRandom(9);
    for (let round = 0; round < ROUNDS; round++) {
      const any = [{ dimension: "uf", codes: Uint32Array.of(round % 6) }] as const;
      const state: Clause[] = [{ kind: "posting", any, negated: round % 4 === 0 }];
      const { phones, emails } = drawn(random, 9);
      const isWanted = { phone: hasPhone(phones), email: hasEmail(emails) };
      const inState = matchesOf(fixture.rows, state);
      for (const kind of ["phone", "email"] as const) {
        const own =
          kind === "phone" ? phonesClause(segment, phones) : emailsClause(segment, emails);
        const wanted = inState.filter((row) => isWanted[kind](fixture.rows[row] as FixtureRow));
        assert.deepEqual(rowsOf(segment, [...state, own]), wanted);
        assert.equal(segment.count([...state, own]), wanted.length);
      }
    }
  });

  it("produce the same bytes for any number of threads and any buffer size", async () => {
    const rows = contactRows(5, FEW);
    const files = [{ threads: 1 }, { threads: 3 }, { threads: 2, rowsHeld: 7 }];
    const parts = [];
    for (const [at, options] of files.entries()) {
      const made = await writeFixture(path.join(folder, `made${at}`), rows, options);
      parts.push(made.directory.digests);
    }
    assert.deepEqual(parts[1], parts[0]);
    assert.deepEqual(parts[2], parts[0]);
  });

  it("are empty for a snapshot without rows or without contacts", async () => {
    const bare = randomRows(2, 9).map((row) => {
      return { ...row, email: null, phone_1: null, phone_2: null };
    });
    for (const [at, rows] of [[], bare].entries()) {
      const { path: file, directory } = await writeFixture(path.join(folder, `bare${at}`), rows);
      const empty = openSegment(file, directory);
      assert.ok(empty.hasContacts);
      assert.equal(empty.emailRows(["contador@example.com"]).size, 0);
      assert.equal(empty.phoneRows(Float64Array.of(551133334444)).size, 0);
      empty.close();
    }
  });
});

describe("corrupt bytes in CONTACTS", () => {
  let few: Fixture;
  let region: Region;
  let start = 0;
  let forged = 0;
  before(async () => {
    few = await writeFixture(path.join(folder, "few"), contactRows(4, FEW));
    region = new Region(few.path, few.directory);
    start = startOfPart(region, MAGIC);
  });
  const open = (change: (bytes: Buffer) => void) =>
    openForged({ fixture: few, region }, path.join(folder, `${forged++ % 4}`), change);
  const DAMAGED = { code: "SNAPSHOT_DAMAGED" };
  /** Returns the offset of a number in the header for the second kind, phones. */
  const ofPhones = (at: number) => start + 32 + 24 + at;
  const lookUp = (of: NativeSegment) => of.phoneRows(Float64Array.of(551133334444));

  it("are ignored if the section's name or version differs", () => {
    for (const forge of [
      (bytes: Buffer) => bytes.write("PNFUTURE", start, "latin1"),
      (bytes: Buffer) => bytes.writeUInt32LE(77, start + 8),
    ]) {
      const other = open(forge);
      assert.equal(other.hasContacts, false);
      assert.equal(lookUp(other).size, 0);
      assert.equal(other.emailRows(["contador@example.com"]).size, 0);
      other.close();
    }
  });

  it("are rejected on open if numbers point outside the section", () => {
    for (const length of [0n, 31n, 33n, 79n, 1n << 40n, (1n << 64n) - 1n]) {
      assert.throws(() => open((bytes) => bytes.writeBigUInt64LE(length, start + 24)), DAMAGED);
    }
    for (const at of [0, 8]) {
      for (const value of [1n << 40n, (1n << 64n) - 1n]) {
        assert.throws(() => open((b) => b.writeBigUInt64LE(value, ofPhones(at))), DAMAGED);
      }
    }
    for (const at of [16, 20]) {
      for (const value of [77, 0xffffffff]) {
        assert.throws(() => open((b) => b.writeUInt32LE(value, ofPhones(at))), DAMAGED);
      }
    }
  });

  it("are rejected on use if starts or entries are invalid", () => {
    const header = region.file.subarray(start);
    const starts = start + Number(header.readBigUInt64LE(32 + 24 + 8));
    const entries = start + Number(header.readBigUInt64LE(32 + 24));
    const [count, bits] = [header.readUInt32LE(32 + 24 + 16), header.readUInt32LE(32 + 24 + 20)];
    for (const value of [count + 1, 0xffffffff]) {
      const other = open((bytes) => {
        for (let at = 0; at <= 1 << bits; at++) bytes.writeUInt32LE(value, starts + 4 * at);
      });
      assert.throws(() => lookUp(other), DAMAGED);
      other.close();
    }
    const everyEntry = (change: (bytes: Buffer, at: number) => void) => (bytes: Buffer) => {
      for (let at = entries; at < entries + 5 * count; at += 5) change(bytes, at);
    };
    for (const forge of [
      // Marks each entry as having the same value as the entry before it, which the first entry of
      // a bucket cannot have.
      everyEntry((bytes, at) => bytes.fill(0xff, at, at + 5)),
      // Sets in each entry the row 4,095, the largest number in the twelve bits that 3,000 rows
      // need.
      everyEntry((bytes, at) => bytes.writeUInt16LE(bytes.readUInt16LE(at) | 0xfff, at)),
    ]) {
      const other = open(forge);
      assert.throws(() => lookUp(other), DAMAGED);
      other.close();
    }
  });

  it("are rejected or yield existing rows for random damage", () => {
    const random = seededRandom(12);
    const length = Number(region.file.readBigUInt64LE(start + 24));
    for (let round = 0; round < ROUNDS; round++) {
      let other: NativeSegment | null = null;
      try {
        other = open((bytes) => {
          for (let i = 0; i < 40; i++) {
            bytes[start + 32 + Math.floor(random() * (length - 32))] = Math.floor(random() * 256);
          }
        });
        const { emails, phones } = drawn(random, 40);
        for (const list of [
          other.emailRows([...emails, "contador@example.com"]),
          other.phoneRows(Float64Array.from([...phones, 551133334444n], Number)),
        ]) {
          assert.ok(list.end <= FEW);
        }
      } catch (error) {
        assert.equal((error as { code?: string }).code, "SNAPSHOT_DAMAGED");
      } finally {
        other?.close();
      }
    }
  });
});
