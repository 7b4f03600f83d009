/**
 * Kills and pauses three servers at random while they export. They share one PostgreSQL and one
 * store. A ledger records the answers that clients got.
 * Invariant: every choice comes from the seed, except the moments at which the machine schedules
 * the processes. A pause is longer than the lease. The ledger trusts no server: it compares each
 * file with the bytes of the first server, and counts rows of the state and objects of the store.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stateAddress } from "../../../src/store/postgres/address.ts";
import { openPostgres } from "../../../src/store/postgres/schema.ts";
import { sha256 } from "../../support/export/client.ts";
import { FAKE_KEYS, FakeS3 } from "../../support/export/fake-s3.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { TestPostgres } from "../../support/server/postgres-server.ts";
import {
  killServerProcess,
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { seededRng } from "../../support/spec/random.ts";

const SERVERS = 3;
/** Milliseconds of a pause. It is so long that other servers take over the work. */
const PAUSE_MS = 18_000;
const STATES = ["AC", "AL", "AM", "BA", "CE", "ES", "GO", "MA", "MG", "PE", "PR", "RJ", "RS", "SP"];

/** An export whose id a client has received, so that the fleet must complete it. */
interface Promised {
  readonly id: string;
  readonly uf: string;
}

interface ExportAnswer {
  readonly export: { readonly export_id: string };
}

interface Record {
  readonly status: string;
  readonly sha256: string;
  readonly error: { readonly code: string } | null;
}

/** Counts of a campaign. */
export interface FleetReport {
  readonly exports: number;
  readonly kills: number;
  readonly pauses: number;
  /** Number of answers with an error that is documented for a fleet with failures. */
  readonly refused: number;
}

/** Three servers and the database and store that they share. */
export class FleetCampaign {
  readonly #folder = mkdtempSync(join(tmpdir(), "peneira-fleet-"));
  readonly #random: () => number;
  readonly #promised = new Map<string, Promised>();
  readonly #servers: (ServerProcess | null)[] = [];
  #postgres!: TestPostgres;
  #store!: FakeS3;
  #sample!: SampleSnapshot;
  #key = "";
  #refused = 0;
  #ends = { kills: 0, pauses: 0 };

  private constructor(seed: number) {
    this.#random = seededRng(seed);
  }

  /** Starts everything. */
  static async start(seed: number, accounts: number): Promise<FleetCampaign> {
    const made = new FleetCampaign(seed);
    made.#sample = await makeSampleSnapshot(accounts, seed);
    [made.#postgres, made.#store] = await Promise.all([TestPostgres.start(), FakeS3.start()]);
    for (let at = 0; at < SERVERS; at++) await made.#begin(at);
    return made;
  }

  get #address(): string {
    return this.#postgres.address("fleet");
  }

  async #begin(at: number): Promise<void> {
    const settings = {
      PENEIRA_STATE_URL: this.#address,
      PENEIRA_FILES_URL: this.#store.address(),
      PENEIRA_FILES_ACCESS_KEY: FAKE_KEYS.accessKey,
      PENEIRA_FILES_SECRET_KEY: FAKE_KEYS.secretKey,
      PENEIRA_FILES_SERVE: "proxy",
    };
    const dataDir = join(this.#folder, `server-${at}`);
    const server = await startServerProcess({ snapshot: this.#sample.snapshot, dataDir, settings });
    if (server.key !== "") this.#key = server.key;
    this.#servers[at] = server;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }

  /** Creates exports on random servers, and repeats each request on a second server. */
  async create(count: number): Promise<void> {
    for (let made = 0; made < count; ) {
      const number = this.#promised.size;
      const key = `fleet-${number}`;
      // If neither request is answered, the export may still have been accepted, so both are
      // repeated.
      const uf = STATES[number % STATES.length] as string;
      const answers = await Promise.all(
        [this.#below(SERVERS), this.#below(SERVERS)].map((at) => this.#post(at, key, uf)),
      );
      const ids = new Set(answers.filter((id) => id !== null));
      assert.ok(ids.size <= 1, "one key gave two exports");
      for (const id of ids) {
        this.#promised.set(key, { id, uf });
        made++;
      }
      if (ids.size === 0) await sleep(200);
    }
  }

  async #post(at: number, key: string, uf: string): Promise<string | null> {
    const body = {
      spec: { filters: { geo: { uf_any_of: [uf] } } },
      output: { format: "csv", fields: ["cnpj", "legal_name"] },
    };
    const headers = { "content-type": "application/json", "idempotency-key": key };
    const answer = await this.#request(at, "/v1/exports", { method: "POST", body, headers });
    if (answer === null) return null;
    if (answer.status === 201) {
      return ((await answer.json()) as ExportAnswer).export.export_id;
    }
    const text = await answer.text();
    this.#refused++;
    const { status } = answer;
    assert.ok([429, 503].includes(status), `${status} for an export: ${text}`);
    return null;
  }

  /** Sends a request. Returns null if a killed or paused server does not answer. */
  async #request(
    at: number,
    path: string,
    {
      method = "GET",
      body,
      headers = {},
    }: { method?: string; body?: object; headers?: object } = {},
  ): Promise<Response | null> {
    const server = this.#servers[at];
    if (server === null || server === undefined) return null;
    try {
      return await fetch(server.base + path, {
        method,
        headers: { authorization: `Bearer ${this.#key}`, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(5_000),
        redirect: "manual",
      });
    } catch {
      return null;
    }
  }

  /** Kills a random server and starts it again, or pauses it for longer than its lease. */
  async harm(): Promise<void> {
    const at = this.#below(SERVERS);
    const server = this.#servers[at];
    assert(server !== null && server !== undefined);
    if (this.#below(2) === 0) {
      this.#ends.kills++;
      await killServerProcess(server);
      this.#servers[at] = null;
      await sleep(this.#below(4_000));
      await this.#begin(at);
      return;
    }
    this.#ends.pauses++;
    server.child.kill("SIGSTOP");
    await sleep(PAUSE_MS);
    server.child.kill("SIGCONT");
  }

  /** Waits until every export has ended. Returns a report. */
  async settle(patienceMs: number): Promise<FleetReport> {
    const failures: string[] = [];
    const until = performance.now() + patienceMs;
    for (const [key, { id, uf }] of this.#promised) {
      const record = await this.#ended(id, until);
      if (record.status === "failed") failures.push(record.error?.code ?? "");
      else await this.#checkFile(id, record);
      assert.equal(await this.#post(0, key, uf), id, "a key lost its export");
    }
    assert.deepEqual(failures, [], "exports failed");
    this.#checkState();
    return { exports: this.#promised.size, ...this.#ends, refused: this.#refused };
  }

  async #ended(id: string, until: number): Promise<Record> {
    for (let at = 0; performance.now() < until; at = (at + 1) % SERVERS) {
      const answer = await this.#request(at, `/v1/exports/${id}?wait=2`);
      if (answer === null) continue;
      assert.equal(answer.status, 200, `an export is ${answer.status}`);
      const record = (await answer.json()) as Record;
      if (record.status === "done" || record.status === "failed") return record;
    }
    assert.fail(`the export ${id} has not ended`);
  }

  /** Checks that every server returns the file whose hash is in the export's record. */
  async #checkFile(id: string, record: Record): Promise<void> {
    for (let at = 0; at < SERVERS; at++) {
      const link = await this.#request(at, `/v1/exports/${id}/download`);
      assert.equal(link?.status, 303);
      const file = await this.#request(at, link?.headers.get("location") ?? "");
      assert.equal(file?.status, 200);
      const bytes = Buffer.from((await file?.arrayBuffer()) ?? new ArrayBuffer(0));
      assert.equal(sha256(bytes), record.sha256);
    }
  }

  /**
   * Checks that nothing is duplicated or left over: there is one row for each key, one object for
   * each file, and no block of a render that has ended.
   */
  #checkState(): void {
    const database = openPostgres(stateAddress(this.#address));
    try {
      const count = (sql: string) => database.prepare<[], number>(sql).pluck().get() ?? 0;
      assert.equal(count("SELECT count(*) FROM exports"), this.#promised.size);
      const done = count("SELECT count(*) FROM exports WHERE state = 'done'");
      assert.equal(this.#store.objects.size, done);
      assert.equal(count("SELECT count(*) FROM exports WHERE state = 'running'"), 0);
      assert.equal(
        count("SELECT count(*) FROM exported_entries") -
          count("SELECT count(*) FROM exported_blocks"),
        0,
      );
    } finally {
      database.close();
    }
  }

  /** Stops the servers as an operator does, and removes everything. */
  async end(): Promise<void> {
    for (const server of this.#servers) {
      if (server === null) continue;
      server.child.kill("SIGCONT");
      await stopServerProcess(server);
    }
    await this.#store?.close();
    await this.#postgres?.remove();
    this.#sample?.dispose();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
