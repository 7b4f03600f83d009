/**
 * Makes random calls of the stores. With the same seed, every database receives the same calls.
 * Output: the result of each call, which suites compare.
 * Invariant: names, times, and hashes come from the seed, so that two databases receive equal rows.
 */
import { AuditStore } from "../../../src/store/auditstore.ts";
import { type ClaimedExport, ExportStore } from "../../../src/store/exportstore.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { SearchStore } from "../../../src/store/searchstore.ts";
import type { StateDatabase } from "../../../src/store/statedatabase.ts";
import { UsageStore } from "../../../src/store/usagestore.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { seededRng } from "../spec/random.ts";

/** The tables that the calls change. */
export const TABLES = [
  ...["tenants", "keys", "users", "sessions", "exports", "idempotency", "quota", "usage"],
  ...[
    "lists",
    "list_blocks",
    "list_entries",
    "export_lists",
    "saved_searches",
    "kept_bytes",
    "audit",
  ],
];

const TEXTS = ["Ana", "ana", "Ángela & Filhos", "zé 'quote'", "日本", "_%", "Z"];

/** Makes calls of the stores of one database. */
export class StoreScript {
  readonly #random: () => number;
  readonly #keys: KeyStore;
  readonly #users: UserStore;
  readonly #exports: ExportStore;
  readonly #lists: ListStore;
  readonly #searches: SearchStore;
  readonly #usage: UsageStore;
  readonly #audit: AuditStore;
  #at = 1_700_000_000_000;

  constructor(database: StateDatabase, seed: number) {
    this.#random = seededRng(seed);
    this.#keys = new KeyStore(database);
    this.#users = new UserStore(database);
    this.#exports = new ExportStore(database);
    this.#lists = new ListStore(database);
    this.#searches = new SearchStore(database);
    this.#usage = new UsageStore(database);
    this.#audit = new AuditStore(database);
    for (const n of [0, 1, 2]) this.#keys.tenantId(`tenant ${n}`, `ten_${n}`, this.#at + n);
  }

  /** Makes the next call; returns its result. */
  step(): unknown {
    this.#at += 1 + this.#below(5_000);
    const calls = [
      () => this.#key(),
      () => this.#user(),
      () => this.#export(),
      () => this.#endedExport(),
      () => this.#list(),
      () => this.#search(),
      () => this.#useAndNote(),
      () => this.#read(),
    ];
    return (calls[this.#below(calls.length)] as () => unknown)();
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #id(prefix: string, of: number): string {
    return `${prefix}_${this.#below(of)}`;
  }

  #text(): string {
    return TEXTS[this.#below(TEXTS.length)] as string;
  }

  #bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.#below(256)));
  }

  #tenant(): string {
    return this.#id("ten", 3);
  }

  #key(): unknown {
    const id = this.#id("key", 12);
    const known = this.#keys.find(id);
    if (known === undefined) {
      const row = { id, tenantId: this.#tenant(), name: this.#text(), plan: "free" };
      const expiresAt = this.#below(2) === 0 ? null : this.#at + this.#below(1_000_000);
      this.#keys.insert({ ...row, hash: this.#bytes(32), createdAt: this.#at, expiresAt });
    } else {
      this.#keys.setDisabled(id, this.#below(2) === 0 ? null : this.#at);
      this.#keys.recordLastUse(new Map([[id, this.#at - this.#below(10_000)]]));
    }
    return [known, this.#keys.list(this.#tenant()), this.#keys.tenants()];
  }

  #user(): unknown {
    const id = this.#id("usr", 6);
    const password = { hash: this.#bytes(32), salt: this.#bytes(16), cost: "scrypt:2:1:1" };
    if (this.#users.find(id) === undefined) {
      const row = {
        id,
        tenantId: this.#tenant(),
        email: `${id}@example.com`,
        role: "owner",
      } as const;
      this.#users.insert({ ...row, password, createdAt: this.#at });
    }
    const stored = this.#users.password(id) as typeof password;
    const times = { createdAt: this.#at, seenAt: this.#at, expiresAt: this.#at + 9_000 };
    const session = { hash: password.hash, id: `ses_${this.#at}`, userId: id, ...times };
    const opened = this.#users.openSession({ ...session, kept: 0 }, stored);
    this.#users.endOldest(id, 2);
    if (this.#below(4) === 0) this.#users.sweep(this.#at, 5_000);
    return [opened, this.#users.sessionsOf(id), this.#users.list(), this.#users.planFacts("ten_0")];
  }

  #export(): unknown {
    const tenantId = this.#tenant();
    const id = `exp_${this.#at}`;
    const names = { format: "csv", compression: null, slug: "s", title: this.#text() };
    const snapshot = { snapshot: "2026-10", snapshotDate: "2026-10-01" };
    const place = { snapshotId: this.#id("snap", 2), snapshotPath: "/s" };
    const none = { since: null, sinceDate: null, sinceId: null, sincePath: null };
    const rest = { kinds: null, watch: null, sent: null, sentBytes: this.#below(2) * 7 };
    const charge = { keyId: "key_1", chargedDay: 3, chargedRows: this.#below(100) };
    const spec = JSON.stringify({ title: this.#text() });
    const key = this.#id("idem", 4);
    const made = { fingerprint: id, bodyHash: spec, exportId: id, createdAt: this.#at };
    return this.#exports.atomically(() => {
      const row = { id, tenantId, plan: "free", spec, ...names, ...snapshot, ...place };
      this.#exports.insert({ ...row, ...none, ...rest, ...charge, createdAt: this.#at });
      this.#exports.remember({ tenantId, key, ...made });
      return [this.#exports.find(id), this.#exports.remembered(tenantId, key)];
    });
  }

  #endedExport(): unknown {
    const next = this.#exports.candidates()[0];
    const row = next === undefined ? undefined : this.#exports.at(next.sequence);
    if (row === undefined) return null;
    const claimed = this.#exports.claim(row.id, this.#id("mem", 2)) ?? 0;
    const run = { id: row.id, token: claimed - (this.#below(9) === 0 ? 1 : 0) };
    const written = { rowsWritten: this.#below(9), rowsExpected: 9 };
    const progress = [this.#exports.progress({ ...run, ...written }), this.#exports.orphans()];
    const endings = [
      () => this.#exports.fail(run, "disk_full", this.#at),
      () => this.#exports.requeue(run, 1),
      () => this.#exports.remove(row.id),
      () => this.#finish(run),
    ];
    const ended = (endings[this.#below(endings.length)] as () => unknown)();
    const due = this.#exports.due(this.#at, 2);
    for (const { id } of due) this.#exports.expire(id, this.#at);
    const forgotten = this.#exports.forgetRecords(this.#at - 50_000, 3);
    const running = [this.#exports.runningOf(row.tenantId), this.#exports.heldBy("mem_1")];
    const bytes = this.#exports.storedBytes.of(row.tenantId);
    return [claimed, progress, running, ended, due, forgotten, bytes];
  }

  #finish(run: ClaimedExport): boolean {
    const file = { rowCount: this.#below(100), sizeBytes: this.#below(1_000), sha256: "ab" };
    return this.#exports.finish({
      ...run,
      ...file,
      endedAt: this.#at,
      expiresAt: this.#at + 30_000,
    });
  }

  #list(): unknown {
    const [tenantId, id] = [this.#tenant(), this.#id("lst", 4)];
    const row = { id, tenantId, name: this.#text(), kind: "accounts" } as const;
    const known = this.#lists.find(tenantId, id);
    if (known === undefined) {
      const ids = this.#lists.list(tenantId, Number.MAX_SAFE_INTEGER, 10).map((one) => one.id);
      const isGone = this.#below(2) === 0 && ids.length > 0;
      return [ids, isGone || this.#insert({ ...row, createdAt: this.#at })];
    }
    const [made] = this.#lists.stage([this.#bytes(8 * (1 + this.#below(4)))], this.#at);
    const change = { replaced: [], made: made === undefined ? [] : [made] };
    const changed = this.#lists.change(known, { ...change, entries: 3, changedAt: this.#at });
    const pin = { list: known.sequence, revision: known.revision + 1 };
    return [changed, Array.from(this.#lists.blocks(pin)), this.#lists.forget(this.#at)];
  }

  /**
   * Inserts a list with a new id, because each database refuses the id of a removed list with a
   * different message.
   */
  #insert(row: Parameters<ListStore["insert"]>[0]): boolean {
    return this.#lists.insert({ ...row, id: `${row.id}_${this.#at}` }, 5);
  }

  #search(): unknown {
    const tenantId = this.#tenant();
    const row = { id: `srch_${this.#at}`, tenantId, userId: null, name: this.#text() };
    const made = this.#searches.insert(
      {
        ...row,
        ...{ text: null, spec: JSON.stringify({ q: this.#text() }), snapshot: "2026-10" },
        ...{ total: this.#below(9), createdAt: this.#at },
      },
      6,
    );
    const listed = this.#searches.list(tenantId, 10);
    const oldest = listed.at(-1);
    if (oldest !== undefined && this.#below(3) === 0) this.#searches.remove(tenantId, oldest.id);
    const ids = listed.map(({ id }) => id);
    return [made, listed, this.#searches.known(tenantId, [...ids, "none"]).sort()];
  }

  #useAndNote(): unknown {
    const [tenantId, keyId] = [this.#tenant(), this.#id("key", 3)];
    const used = { requests: 1, accounts: this.#below(5), exportRows: 0 };
    this.#usage.add([{ tenantId, keyId, day: this.#below(3), ...used }]);
    const change = { actor: "server", action: "key.rename", tenantId, subject: keyId } as const;
    this.#audit.record({ at: this.#at, ...change, facts: {} as never });
    return [this.#usage.ofDay(tenantId, 1), this.#audit.list({ tenantId, limit: 5 })];
  }

  #read(): unknown {
    return [
      this.#usage.since(0),
      this.#exports.list(this.#tenant(), Number.MAX_SAFE_INTEGER, 5),
      this.#exports.queued(),
      this.#exports.quota.charged(this.#tenant(), 3),
    ];
  }
}
