/**
 * Calls the export routes of real servers, for the suites of exports. Returns answers, records, and
 * files, and the files that are expected.
 * Invariant: files are loaded by their signed links and without the key, as a browser does.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Keyring } from "../../../src/access/keyring.ts";
import { runExport } from "../../../src/cli/commands/export.ts";
import type { ExportFormat } from "../../../src/export/record.ts";
import { systemClock } from "../../../src/process/clock.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import type { SampleSnapshot } from "../sample/snapshot.ts";
import type { ServerProcess } from "../server/process.ts";

/** The members of an export that the tests check. */
export interface Exported {
  readonly export_id: string;
  readonly status: string;
  readonly format: ExportFormat;
  readonly row_count: number;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly expires_at: string;
  readonly download_url: string | null;
}

/** The answer to the creation of an export, or its error. */
export interface Created {
  readonly export: Exported;
  readonly spec: AccountQuerySpec;
  readonly code?: string;
}

/** An account whose fields are all text. */
export type Account = Readonly<Record<string, string | null>>;

/** A search in another order than the rows. The found names contain quotes and commas. */
export const SPEC = {
  filters: { geo: { uf_any_of: ["SP", "MG", "BA"] } },
  sort: [
    { field: "legal_name", direction: "desc" },
    { field: "started_on", direction: "asc" },
  ],
};

/** A client with one key. */
export class Client {
  readonly base: string;
  readonly #key: string;
  static #keys = 0;

  constructor(base: string, key: string) {
    this.base = base;
    this.#key = key;
  }

  get(path: string, method = "GET"): Promise<Response> {
    const headers = { authorization: `Bearer ${this.#key}` };
    return fetch(this.base + path, { method, headers, redirect: "manual" });
  }

  post(path: string, body: object, idempotencyKey = `e2e-${Client.#keys++}`): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      "content-type": "application/json",
      "idempotency-key": idempotencyKey,
    };
    return fetch(this.base + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  async create(body: object, idempotencyKey?: string): Promise<Created> {
    const answer = await this.post("/v1/exports", body, idempotencyKey);
    const created = (await answer.json()) as Created;
    assert.equal(answer.status, 201, JSON.stringify(created));
    return created;
  }

  /** Waits until an export ends. Its status must be `done`. */
  async done(id: string): Promise<Exported> {
    const answer = await this.get(`/v1/exports/${id}?wait=60&require=done`);
    const record = (await answer.json()) as Exported;
    assert.equal(answer.status, 200, JSON.stringify(record));
    return record;
  }

  /** Returns the signed link of an export that is done. */
  async link(id: string): Promise<string> {
    const answer = await this.get(`/v1/exports/${id}/download`);
    assert.equal(answer.status, 303);
    return answer.headers.get("location") as string;
  }

  /** Loads a file by its link, without the key. */
  async file(id: string): Promise<Buffer> {
    const answer = await fetch(this.base + (await this.link(id)));
    assert.equal(answer.status, 200);
    return Buffer.from(await answer.arrayBuffer());
  }

  /** Creates an export, waits for it, and downloads its file. */
  async exported(
    body: object,
  ): Promise<{ record: Exported; bytes: Buffer; spec: AccountQuerySpec }> {
    const created = await this.create(body);
    const record = await this.done(created.export.export_id);
    return { record, bytes: await this.file(record.export_id), spec: created.spec };
  }

  /** All accounts of a search, page after page. */
  async searched(spec: object): Promise<Account[]> {
    const accounts: Account[] = [];
    let body: object = { spec, limit: 400 };
    for (;;) {
      const answer = await this.post("/v1/accounts/search", body);
      assert.equal(answer.status, 200);
      const page = (await answer.json()) as {
        readonly accounts: Account[];
        readonly next_cursor: string | null;
        readonly spec: object;
      };
      accounts.push(...page.accounts);
      if (page.next_cursor === null) return accounts;
      body = { spec: page.spec, cursor: page.next_cursor };
    }
  }
}

/** Changes the keys of a data directory while its server runs, as the commands do. */
export function withKeyring<Value>(dataDir: string, work: (keyring: Keyring) => Value): Value {
  const database = openDatabase(dataDir);
  try {
    return work(new Keyring(new KeyStore(database), systemClock));
  } finally {
    database.close();
  }
}

/** A client with a new key of another tenant. */
export function otherClient(
  { base, dataDir }: ServerProcess,
  tenant: string,
  plan: string,
): Client {
  const { key } = withKeyring(dataDir, (keyring) => keyring.create({ tenant, plan, name: "e2e" }));
  return new Client(base, key);
}

/** SHA-256 in hex. */
export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
/** Names of all export files in a data directory. */
export const filesOf = (dataDir: string) => readdirSync(join(dataDir, "exports"));

/** Runs `peneira export` with the spec of a created export, and returns the output bytes. */
export async function written(
  sample: SampleSnapshot,
  spec: AccountQuerySpec,
  name: string,
): Promise<Buffer> {
  const input = join(sample.folder, `${name}.json`);
  const out = join(sample.folder, `${name}-out`);
  writeFileSync(input, JSON.stringify(spec));
  await runExport({ snapshot: sample.snapshot, spec: input, out });
  return readFileSync(out);
}
