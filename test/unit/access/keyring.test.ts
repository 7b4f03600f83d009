/**
 * Proves how keys work, on a real database with a manual clock: their states, rotation with
 * overlap, and messages to people. A key is cached for at most 50 ms, look-ups are counted, and
 * times of use are written in batches. A created key is parsed back. Changing one character makes
 * it invalid without a look-up. The stored form lacks the secret.
 * Does not prove: randomness, nor anything about HTTP (contract/http/server/auth.test.ts).
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { Keyring, keyIdOf, makeKey, parseKey } from "../../../src/access/keyring.ts";
import { AppError, CommandError } from "../../../src/errors.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { Ledger } from "../../../src/process/ledger.ts";
import { COMMAND_LINE } from "../../../src/store/auditstore.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { SqliteDatabase } from "../../../src/store/sqlite.ts";
import { refuseWrites } from "../../support/server/refused-writes.ts";

const START_MS = Date.UTC(2026, 10, 21);

/** Counts look-ups, so that a test can see which requests reached the database. */
class CountingStore extends KeyStore {
  finds = 0;
  versions = 0;
  override version() {
    this.versions++;
    return super.version();
  }
  override find(id: string) {
    this.finds++;
    return super.find(id);
  }
}

let directory: string;
let database: SqliteDatabase;
let clock: ManualClock;
let store: CountingStore;
let keyring: Keyring;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "peneira-keys-"));
  database = openDatabase(directory);
  clock = manualClock(START_MS);
  store = new CountingStore(database);
  keyring = new Keyring(store, clock);
});

afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

const input = { tenant: "acme", plan: "growth", name: "crm" };
const bearer = (key: string) => `Bearer ${key}`;
const codeOf = (authorization: string | undefined): string => {
  try {
    keyring.authenticate(authorization);
    return "ok";
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error.code;
  }
};

describe("authenticate", () => {
  it("identifies the caller", () => {
    const { key, keyId } = keyring.create(input);
    const identity = keyring.authenticate(bearer(key));
    assert.equal(identity.keyId, keyId);
    assert.equal(identity.plan, "growth");
    const other = keyring.create({ ...input, name: "other" });
    assert.equal(keyring.authenticate(bearer(other.key)).tenantId, identity.tenantId);
    const foreign = keyring.create({ ...input, tenant: "other" });
    assert.notEqual(keyring.authenticate(bearer(foreign.key)).tenantId, identity.tenantId);
  });

  it("rejects a key of another data directory", () => {
    const elsewhere = mkdtempSync(join(tmpdir(), "peneira-keys-"));
    const other = openDatabase(elsewhere);
    const { key } = new Keyring(new KeyStore(other), clock).create(input);
    other.close();
    rmSync(elsewhere, { recursive: true });
    assert.equal(codeOf(bearer(key)), "authentication_invalid");
  });

  it("rejects the secret of one key with the id of another", () => {
    const mine = keyring.create(input);
    database
      .prepare("UPDATE keys SET hash = @hash, checksum = blob_checksum(@hash) WHERE id = @id")
      .run({ hash: Buffer.alloc(32, 7), id: mine.keyId });
    assert.equal(codeOf(bearer(mine.key)), "authentication_invalid");
  });

  it("queries nothing for a mistyped key, and once for a known one", () => {
    const { key } = keyring.create(input);
    for (let at = 5; at < key.length; at++) {
      codeOf(bearer(key.slice(0, at) + (key[at] === "0" ? "1" : "0") + key.slice(at + 1)));
    }
    for (const text of [
      "",
      "pnr_",
      key.slice(1),
      `${key}0`,
      key.toUpperCase(),
      "x".repeat(8_000),
    ]) {
      codeOf(bearer(text));
    }
    assert.deepEqual([store.finds, store.versions], [0, 0]);
    for (let times = 0; times < 100; times++) assert.equal(codeOf(bearer(key)), "ok");
    assert.equal(store.finds, 1);
  });

  it("sees changes of another process after 50 ms, and of this process immediately", () => {
    const { key, keyId } = keyring.create(input);
    assert.equal(codeOf(bearer(key)), "ok");
    const other = openDatabase(directory);
    new KeyStore(other).setDisabled(keyId, 1);
    other.close();
    clock.advance(49);
    assert.equal(codeOf(bearer(key)), "ok");
    clock.advance(1);
    assert.equal(codeOf(bearer(key)), "authentication_disabled");
    keyring.enable(keyring.pick({ id: keyId }));
    assert.equal(codeOf(bearer(key)), "ok");
    keyring.disable(keyring.pick({ id: keyId }));
    assert.equal(codeOf(bearer(key)), "authentication_disabled");
  });
});

describe("a key's expiry", () => {
  it("disables a key at its time and not before", () => {
    const { key, keyId, expiresAt } = keyring.create({ ...input, expiresAt: START_MS + 1_000 });
    assert.equal(expiresAt, START_MS + 1_000);
    clock.advance(999);
    assert.equal(codeOf(bearer(key)), "ok");
    clock.advance(1);
    assert.equal(codeOf(bearer(key)), "authentication_disabled");
    assert.equal(keyring.list()[0]?.state, "expired");
    keyring.expire(keyring.pick({ id: keyId }), START_MS + 5_000);
    assert.equal(codeOf(bearer(key)), "ok");
    keyring.expire(keyring.pick({ id: keyId }), null);
    clock.advance(86_400_000_000);
    assert.equal(codeOf(bearer(key)), "ok");
    keyring.expire(keyring.pick({ id: keyId }), clock.nowMs());
    assert.equal(codeOf(bearer(key)), "authentication_disabled");
  });

  it("does not apply to the key that replaces it", () => {
    const old = keyring.create({ ...input, expiresAt: START_MS + 1_000 });
    const lasting = keyring.rotate(keyring.pick({ id: old.keyId }), 0);
    assert.equal(keyring.pick({ id: lasting.keyId }).expiresAt, null);
    const ending = keyring.rotate(keyring.pick({ id: lasting.keyId }), 0, START_MS + 7_000);
    assert.equal(keyring.pick({ id: ending.keyId }).expiresAt, START_MS + 7_000);
  });
});

describe("rename", () => {
  it("changes the plan of one key, or of a tenant's console and all its keys", () => {
    const [first, second] = [keyring.create(input), keyring.create({ ...input, name: "two" })];
    const other = keyring.create({ ...input, tenant: "other" });
    const planOf = ({ key }: { readonly key: string }) =>
      keyring.authenticate(`Bearer ${key}`).plan;
    keyring.setPlan(keyring.pick({ id: first.keyId }), "free");
    assert.deepEqual([first, second, other].map(planOf), ["free", "growth", "growth"]);
    assert.deepEqual(keyring.setTenantPlan("acme", "free"), [second.keyId]);
    assert.deepEqual([first, second, other].map(planOf), ["free", "free", "growth"]);
    assert.deepEqual(keyring.setTenantPlan("acme", "free"), []);
    assert.throws(() => keyring.setTenantPlan("absent", "free"), CommandError);
  });

  it("sets another name, and rejects one that would break a list", () => {
    const { keyId } = keyring.create(input);
    keyring.rename(keyring.pick({ id: keyId }), "billing");
    assert.equal(keyring.pick({ name: "billing" }).id, keyId);
    const refused: [string, RegExp][] = [
      ["a\nb", /the name has the invisible character U\+000A \(position 2\)/],
      ["x".repeat(101), /up to 100/],
    ];
    for (const [name, words] of refused) {
      assert.throws(() => keyring.rename(keyring.pick({ id: keyId }), name), words);
    }
  });
});

describe("rotate", () => {
  it("returns a key of the same tenant, plan, and name, and ends the old one immediately", () => {
    const old = keyring.create(input);
    const fresh = keyring.rotate(keyring.pick({ id: old.keyId }), 0);
    assert.deepEqual([fresh.tenant, fresh.plan, fresh.name], ["acme", "growth", "crm"]);
    assert.equal(codeOf(bearer(old.key)), "authentication_disabled");
    assert.equal(codeOf(bearer(fresh.key)), "ok");
    assert.throws(() => keyring.enable(keyring.pick({ id: old.keyId })), /has expired/);
  });

  it("accepts the old key during the overlap and not a millisecond longer", () => {
    const old = keyring.create(input);
    keyring.rotate(keyring.pick({ id: old.keyId }), 1_000);
    clock.advance(999);
    assert.equal(codeOf(bearer(old.key)), "ok");
    clock.advance(1);
    assert.equal(codeOf(bearer(old.key)), "authentication_disabled");
  });

  it("never postpones an earlier expiry", () => {
    const old = keyring.create(input);
    keyring.rotate(keyring.pick({ id: old.keyId }), 1_000);
    const again = keyring.rotate(keyring.pick({ id: old.keyId }), 60_000);
    assert.equal(again.oldExpiresAt, START_MS + 1_000);
    assert.equal(keyring.pick({ id: old.keyId }).expiresAt, START_MS + 1_000);
  });
});

function escaped(text: string): string {
  return text.replaceAll("+", "\\+");
}

describe("create", () => {
  it("rejects a wrong request with every mistake", () => {
    const wrong = { tenant: " ", plan: "gold", name: "a\u0007b" };
    assert.throws(
      () => keyring.create(wrong),
      (error: unknown) => {
        assert.ok(error instanceof CommandError);
        assert.equal(error.exitCode, 2);
        for (const part of ["tenant", "name", "free, starter"]) {
          assert.ok(error.message.includes(part));
        }
        return true;
      },
    );
    assert.equal(keyring.list().length, 0);
  });

  it("rejects tenants that look like another one, with the position", () => {
    for (const [tenant, place] of [
      ["acme ", "U+0020, position 5"],
      [" acme", "U+0020, position 1"],
      ["ac\u00a0me", "U+00A0, position 3"],
      ["ac  me", "U+0020, position 4"],
      ["acme\u2003", "U+2003, position 5"],
    ] as const) {
      assert.throws(() => keyring.create({ ...input, tenant }), {
        message: RegExp(escaped(place)),
      });
      assert.throws(() => keyring.createTenant(tenant), { message: RegExp(escaped(place)) });
    }
    assert.throws(() => keyring.createTenant("\u2800"), /U\+2800 \(position 1\)/);
    assert.equal(keyring.createTenant("Padaria do Zé").tenant, "Padaria do Zé");
  });

  it("creates a first key only if no key exists", () => {
    assert.notEqual(keyring.createFirst(input), null);
    assert.equal(keyring.createFirst(input), null);
    assert.equal(keyring.list().length, 1);
  });

  it("leaves no secret in any file of the data directory", () => {
    const { key } = keyring.create(input);
    keyring.authenticate(bearer(key));
    keyring.flushUsed();
    for (const name of readdirSync(directory)) {
      const bytes = readFileSync(join(directory, name), "latin1");
      assert.ok(!bytes.includes(key.slice(17, 40)), `the secret is in ${name}`);
    }
  });
});

describe("pick", () => {
  it("finds by id, by whole key, and by tenant and name, and reports ambiguous matches", () => {
    const first = keyring.create(input);
    const second = keyring.create({ ...input, name: "second" });
    assert.equal(keyring.pick({ id: first.keyId }).id, first.keyId);
    assert.equal(keyring.pick({ id: second.key }).id, second.keyId);
    assert.equal(keyring.pick({ tenant: "acme", name: "second" }).id, second.keyId);
    assert.throws(() => keyring.pick({ tenant: "acme" }), /2 keys fit/);
    assert.throws(() => keyring.pick({ name: "none" }), /no such key/);
    assert.throws(() => keyring.pick({}), /Name the key/);
  });
});

describe("flushUsed", () => {
  it("writes the last-use time once, and never inside a request", () => {
    const { key, keyId } = keyring.create(input);
    keyring.authenticate(bearer(key));
    clock.advance(5_000);
    keyring.authenticate(bearer(key));
    assert.equal(keyring.pick({ id: keyId }).lastUsedAt, null);
    keyring.flushUsed();
    assert.equal(keyring.pick({ id: keyId }).lastUsedAt, START_MS + 5_000);
    const written = database.prepare("SELECT total_changes() AS n").get() as { n: number };
    keyring.flushUsed();
    assert.deepEqual(database.prepare("SELECT total_changes() AS n").get(), written);
  });

  it("writes the uses of other threads, and loses nothing if a write fails", () => {
    const ledger = Ledger.open();
    const store = new KeyStore(database);
    const [own, other] = [0, 1].map((slot) => {
      const joined = Ledger.join(ledger.id, slot);
      return new Keyring(store, clock, COMMAND_LINE, { ledger: joined });
    }) as [Keyring, Keyring];
    const { key, keyId } = own.create(input);
    other.authenticate(bearer(key));
    const allow = refuseWrites(database);
    assert.throws(() => own.flushUsed());
    allow();
    assert.equal(own.pick({ id: keyId }).lastUsedAt, null);
    own.flushUsed();
    assert.equal(own.pick({ id: keyId }).lastUsedAt, START_MS);
    ledger.close();
  });
});

describe("makeKey", () => {
  it("returns distinct keys of the documented form", () => {
    const keys = Array.from({ length: 1_000 }, () => makeKey().key);
    for (const key of keys) assert.match(key, /^pnr_[0-9a-f]{12}_[0-9a-f]{56}$/);
    assert.equal(new Set(keys).size, keys.length);
  });

  it("stores the SHA-256 of 192 secret bits", () => {
    const { key, hash } = makeKey();
    const secret = key.slice(17, 17 + 48);
    assert.deepEqual(hash, createHash("sha256").update(secret).digest());
  });

  it("ends in the CRC-32 of everything before", () => {
    if (typeof crc32 !== "function") return;
    const { key } = makeKey();
    assert.equal(Number.parseInt(key.slice(-8), 16), crc32(key.slice(0, -8)));
  });
});

describe("parseKey", () => {
  it("reads what makeKey makes", () => {
    const { key, id, hash } = makeKey();
    assert.deepEqual(parseKey(key), { id, hash });
  });

  it("rejects every key with one character changed", () => {
    const { key } = makeKey();
    for (let at = 0; at < key.length; at++) {
      for (const letter of "0123456789abcdefABCDEF_ ") {
        if (key[at] === letter) continue;
        assert.equal(parseKey(key.slice(0, at) + letter + key.slice(at + 1)), null, `at ${at}`);
      }
    }
  });

  it("rejects two swapped neighbors", () => {
    const { key } = makeKey();
    for (let at = 4; at + 1 < key.length; at++) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2);
      if (swapped !== key) assert.equal(parseKey(swapped), null);
    }
  });

  it("rejects any other text and never throws", () => {
    fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => parseKey(text) === null));
    const { key } = makeKey();
    for (const text of ["", key.slice(1), `${key}0`, ` ${key}`, `${key}\n`, key.toUpperCase()]) {
      assert.equal(parseKey(text), null);
    }
  });
});

describe("keyIdOf", () => {
  it("accepts an id or a whole key and nothing else", () => {
    const { key, id } = makeKey();
    assert.equal(keyIdOf(id), id);
    assert.equal(keyIdOf(key), id);
    assert.equal(keyIdOf("acme"), null);
  });
});
