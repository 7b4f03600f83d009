/**
 * Clients that keep sending requests while a server is changed or stopped. They count the answers
 * of each kind and record every failure as text.
 * Invariant: each request ends as a checked answer, as a connection that the server never accepted,
 * or as a failure. Nothing is sent again.
 */
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runExport } from "../../../src/cli/commands/export.ts";
import { openSegment } from "../../../src/search/segment.ts";
import type { Account, Created, Exported } from "../export/client.ts";
import { sha256 } from "../export/client.ts";
import type { SampleSnapshot } from "../sample/snapshot.ts";

/** A search that matches most of a sample. Each page has rows from the whole file. */
export const STEADY_SPEC = {
  filters: { geo: { uf_any_of: ["SP", "MG", "BA", "RJ", "PR"] } },
  sort: [{ field: "legal_name", direction: "asc" }],
};

/** The expected answers of one snapshot. */
export interface Expected {
  readonly label: string;
  /** CNPJs of every match, in order. */
  readonly cnpjs: readonly string[];
}

/** An answer. */
export interface Reply {
  readonly status: number;
  readonly connection: string;
  readonly body: Buffer;
}

/** The members of a page that are checked. */
interface Page {
  readonly snapshot: string;
  readonly spec: object;
  readonly accounts: readonly Account[];
  readonly total: number;
  readonly next_cursor: string | null;
}

/** Reads the expected answers from a snapshot file. */
export async function expectedOf(sample: SampleSnapshot): Promise<Expected> {
  const { label, close } = await openSegment(sample.snapshot);
  close();
  const spec = { ...STEADY_SPEC, output: { format: "jsonl" } };
  const lines = (await exportedBytes(sample, spec, "expected")).toString().trim().split("\n");
  return { label, cnpjs: lines.map((line) => (JSON.parse(line) as { cnpj: string }).cnpj) };
}

/** Returns the bytes that `peneira export` writes for a spec. */
export async function exportedBytes(sample: SampleSnapshot, spec: object, name: string) {
  const input = join(sample.folder, `${name}.json`);
  const out = join(sample.folder, name);
  writeFileSync(input, JSON.stringify(spec));
  rmSync(out, { force: true });
  await runExport({ snapshot: sample.snapshot, spec: input, out });
  return readFileSync(out);
}

/** Clients that use one server. */
export class SteadyLoad {
  readonly failures: string[] = [];
  readonly answered: Record<string, number> = {};
  /**
   * Exports that the server acknowledged, by id, each with the label of its snapshot and its
   * normalized spec.
   */
  readonly exports = new Map<string, { readonly label: string; readonly spec: object }>();
  /** Refused connections. */
  refused = 0;
  /**
   * Number of new connections that were reset without an answer during the stop. The operating
   * system had accepted them, but the server had not, when the port was closed.
   */
  untaken = 0;
  /** True after the server has received the signal to stop. */
  stopping = false;
  /** If true, every client ends after its next answer. */
  over = false;
  readonly #base: string;
  readonly #key: string;
  readonly #expected: ReadonlyMap<string, Expected>;
  readonly #agent = new Agent({ keepAlive: true });
  #exportKeys = 0;

  constructor(base: string, key: string, expected: readonly Expected[]) {
    this.#base = base;
    this.#key = key;
    this.#expected = new Map(expected.map((one) => [one.label, one]));
  }

  /** Requests first pages until the end. All rows of a page must belong to one snapshot. */
  async search(fresh = false): Promise<void> {
    while (!this.over) {
      const body = { spec: STEADY_SPEC, limit: 50, facets: ["uf"] };
      const page = await this.#page("search", body, fresh);
      if (page === null) return;
      this.#checkRows(page, 0);
    }
  }

  /**
   * Reads all pages by cursor, slowly, and repeats this until the end. The pages must contain each
   * row of one snapshot exactly once.
   */
  async walk(pauseMs: number): Promise<void> {
    while (!this.over) {
      let page = await this.#page("walk", { spec: STEADY_SPEC, limit: 40 });
      const label = page?.snapshot;
      for (let row = 0; page !== null; ) {
        if (page.snapshot !== label) this.#fail("walk", `${label} went on as ${page.snapshot}`);
        this.#checkRows(page, row);
        row += page.accounts.length;
        if (page.next_cursor === null) {
          if (row !== page.total) this.#fail("walk", `ended after ${row} of ${page.total} rows`);
          this.answered.walks = (this.answered.walks ?? 0) + 1;
          break;
        }
        await sleep(pauseMs);
        page = await this.#page("walk", { spec: page.spec, cursor: page.next_cursor });
      }
      if (page === null) return;
    }
  }

  /** Counts until the end. */
  async count(pauseMs: number): Promise<void> {
    while (!this.over) {
      const reply = await this.send("count", "/v1/accounts/count", { spec: STEADY_SPEC });
      if (reply === null) return;
      const { snapshot, total } = JSON.parse(String(reply.body)) as Page;
      const expected = this.#expected.get(snapshot)?.cnpjs.length;
      if (total !== expected) this.#fail("count", `${snapshot}: ${total}, not ${expected}`);
      await sleep(pauseMs);
    }
  }

  /** Creates exports until the end; `checkExports` verifies them. */
  async export(pauseMs: number): Promise<void> {
    while (!this.over) {
      const created = await this.create();
      if (created === null) return;
      await this.send("wait", `/v1/exports/${created}?wait=10`);
      await sleep(pauseMs);
    }
  }

  /** Creates one export. Returns its id, or null if the server refused. */
  async create(): Promise<string | null> {
    const body = { spec: STEADY_SPEC, output: { format: "csv" } };
    const reply = await this.send("export", "/v1/exports", body);
    if (reply === null || reply.status >= 400) return null;
    const created = JSON.parse(String(reply.body)) as Created & { readonly snapshot: string };
    const { export_id: id } = created.export;
    this.exports.set(id, { label: created.snapshot, spec: created.spec });
    return id;
  }

  /** Sends a request and counts its outcome. Returns null if the connection was refused. */
  async send(kind: string, path: string, body?: object, fresh = false): Promise<Reply | null> {
    try {
      const reply = await this.#send(path, body, fresh);
      if (reply === null) this.refused++;
      else if (reply.status >= 400) this.#fail(kind, `${reply.status} ${reply.body}`);
      else this.answered[kind] = (this.answered[kind] ?? 0) + 1;
      return reply;
    } catch (error) {
      this.#fail(kind, String(error));
      return null;
    }
  }

  /** Compares the file of every export with the command's output for the same snapshot. */
  async checkExports(samples: ReadonlyMap<string, SampleSnapshot>): Promise<void> {
    const hashes = new Map<string, string>();
    for (const [id, { label, spec }] of this.exports) {
      const key = label + JSON.stringify(spec);
      const known = hashes.get(key);
      const sample = samples.get(label) as SampleSnapshot;
      const expected = known ?? sha256(await exportedBytes(sample, spec, "checked"));
      hashes.set(key, expected);
      const reply = await this.send("checked", `/v1/exports/${id}?wait=60`);
      const record = JSON.parse(String(reply?.body)) as Exported;
      assert.deepEqual([record.status, record.sha256], ["done", expected], `${id} of ${label}`);
    }
  }

  /** Closes open connections. */
  close(): void {
    this.#agent.destroy();
  }

  async #page(kind: string, body: object, fresh = false): Promise<Page | null> {
    const reply = await this.send(kind, "/v1/accounts/search", body, fresh);
    if (reply === null || reply.status !== 200) return null;
    return JSON.parse(String(reply.body)) as Page;
  }

  #checkRows({ snapshot, accounts, total }: Page, first: number): void {
    const expected = this.#expected.get(snapshot)?.cnpjs ?? [];
    const rows = expected.slice(first, first + accounts.length).join();
    const same = rows === accounts.map(({ cnpj }) => cnpj).join() && total === expected.length;
    if (!same) this.#fail("rows", `a page of ${snapshot} from row ${first} holds other rows`);
  }

  #fail(kind: string, why: string): void {
    this.failures.push(`${kind}: ${why}`);
  }

  #send(path: string, body: object | undefined, fresh: boolean): Promise<Reply | null> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(path === "/v1/exports" ? { "idempotency-key": `${process.pid}-${this.#next()}` } : {}),
    };
    const method = body === undefined ? "GET" : "POST";
    const agent = fresh ? new Agent() : this.#agent;
    return new Promise((resolve, reject) => {
      const sent = request(this.#base + path, { method, headers, agent }, (answer) => {
        read(answer).then(resolve, reject);
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        const untaken = error.code === "ECONNRESET" && !sent.reusedSocket && this.stopping;
        if (untaken) this.untaken++;
        if (untaken || error.code === "ECONNREFUSED") resolve(null);
        else reject(new Error(`${sent.reusedSocket ? "kept" : "new"} connection: ${error}`));
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  #next(): string {
    return `${Date.now()}-${this.#exportKeys++}`;
  }
}

async function read(answer: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const connection = answer.headers.connection ?? "";
  return { status: answer.statusCode ?? 0, connection, body: Buffer.concat(chunks) };
}
