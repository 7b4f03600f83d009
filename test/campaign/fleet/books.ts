/**
 * Records every promise that a fleet makes to its clients, outside of the fleet: exports,
 * idempotency keys, pages, and quotas. Input: the work of clients. Output: violations.
 * Invariant: an answer is binding when it arrives. For one search, all files have the same content,
 * and so have all joined pages, regardless of the server and the time. Files and joined pages have
 * the same number of accounts.
 */
import { sha256 } from "../../support/export/client.ts";
import type { FleetClient } from "./client.ts";
import type { FleetGround } from "./ground.ts";

/** States whose accounts the campaign searches, one search for each. */
const STATES = ["AC", "AL", "AM", "BA", "CE", "ES", "GO", "MA", "MG", "PE", "PR", "RJ", "RS", "SP"];
const PAGE = 200;

interface Record {
  readonly status: string;
  readonly sha256: string;
  readonly row_count: number;
  readonly snapshot: string;
  readonly error: { readonly code: string } | null;
}

interface Page {
  readonly snapshot: string;
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly next_cursor: string | null;
}

/** Ledger of a fleet. */
export class FleetBooks {
  readonly violations: string[] = [];
  readonly #client: FleetClient;
  /** Ids of exports by idempotency key. */
  readonly #ids = new Map<string, string>();
  /** Content of each file and of each sequence of pages, by its name and search. */
  readonly #contents = new Map<string, string>();
  /** Milliseconds from the creation of an export to its end. */
  readonly tookMs: number[] = [];
  walks = 0;
  #rows = 0;

  constructor(client: FleetClient) {
    this.#client = client;
  }

  /** Number of exports that were created. `compare` checks that all of them are done. */
  get exports(): number {
    return this.#ids.size;
  }

  /** Returns the state that search `number` filters by. */
  static state(number: number): string {
    return STATES[number % STATES.length] as string;
  }

  #check(isRight: boolean, what: string): void {
    if (!isRight) this.violations.push(what);
  }

  /** Creates an export, twice at the same time, waits for its end, and reads its file. */
  async export(number: number): Promise<void> {
    const key = `fleet-${number}`;
    const began = performance.now();
    const ids = await Promise.all([this.#create(key, number), this.#create(key, number)]);
    this.#check(ids[0] === ids[1], `${key} gave ${ids.join(" and ")}`);
    const [id] = ids;
    this.#ids.set(key, id);
    const record = await this.#ended(id);
    this.tookMs.push(performance.now() - began);
    if (record.status !== "done") {
      this.violations.push(`${id} failed: ${record.error?.code}`);
      return;
    }
    const { location } = await this.#client.until(`/v1/exports/${id}/download`, {}, [303]);
    const { body } = await this.#client.until(location, {}, [200]);
    this.#check(sha256(body) === record.sha256, `the file of ${id} has other bytes`);
    this.#rows += record.row_count;
    const searched = `${FleetBooks.state(number)} in ${record.snapshot}`;
    this.#same(`file of ${searched}`, record.sha256);
    this.#same(`rows of ${searched}`, String(record.row_count));
  }

  async #create(key: string, number: number): Promise<string> {
    const body = {
      spec: { filters: { geo: { uf_any_of: [FleetBooks.state(number)] } } },
      output: { format: "csv", fields: ["cnpj", "legal_name"] },
    };
    const request = { method: "POST", body, headers: { "idempotency-key": key } } as const;
    const answer = await this.#client.until("/v1/exports", request, [201]);
    const made = JSON.parse(answer.body.toString()) as { export: { export_id: string } };
    return made.export.export_id;
  }

  async #ended(id: string): Promise<Record> {
    for (;;) {
      const answer = await this.#client.until(`/v1/exports/${id}?wait=20`, {}, [200]);
      const record = JSON.parse(answer.body.toString()) as Record;
      if (record.status === "done" || record.status === "failed") return record;
    }
  }

  /** Reads all pages of a search, and compares their content with earlier readings. */
  async walk(number: number): Promise<void> {
    const state = FleetBooks.state(number);
    const spec = { filters: { geo: { uf_any_of: [state] } } };
    const found: string[] = [];
    const months = new Set<string>();
    for (let cursor: string | null = null; ; ) {
      const body: object = { spec, ...(cursor === null ? { limit: PAGE } : { cursor }) };
      const request = { method: "POST", body } as const;
      const answer = await this.#client.until("/v1/accounts/search", request, [200]);
      const page = JSON.parse(answer.body.toString()) as Page;
      months.add(page.snapshot);
      found.push(...page.accounts.map(({ cnpj }) => cnpj));
      cursor = page.next_cursor;
      if (cursor === null) break;
    }
    this.walks++;
    this.#check(months.size === 1, `pages of one walk are of ${[...months].join(" and ")}`);
    const searched = `${state} in ${[...months].join()}`;
    this.#same(`pages of ${searched}`, sha256(Buffer.from(found.join())));
    this.#same(`rows of ${searched}`, String(found.length));
  }

  #same(what: string, content: string): void {
    const known = this.#contents.get(what) ?? content;
    this.#contents.set(what, known);
    this.#check(known === content, `${what}: ${content}, before ${known}`);
  }

  /** Compares the database and the store with the recorded promises. All work must have ended. */
  compare(ground: FleetGround): void {
    const count = (sql: string) => Number(ground.query(sql)[0] ?? Number.NaN);
    const equal = (what: string, actual: number, expected: number) =>
      this.#check(actual === expected, `${what}: ${actual}, not ${expected}`);
    equal("exports", count("SELECT count(*) FROM exports"), this.#ids.size);
    equal("keys", count("SELECT count(*) FROM idempotency"), this.#ids.size);
    equal("unfinished", count("SELECT count(*) FROM exports WHERE state <> 'done'"), 0);
    equal("objects", ground.store.objects.size, this.#ids.size);
    const wanted = new Set(this.#ids.values());
    const stored = new Set([...ground.store.objects.keys()].map((key) => key.split("/").at(-2)));
    const missing = [...wanted].filter((id) => !stored.has(id));
    this.#check(missing.length === 0, `objects that are missing: ${missing.join(" ")}`);
    equal("quota", count("SELECT coalesce(sum(charged_rows), 0) FROM quota"), this.#rows);
    const blocks =
      "SELECT (SELECT count(*) FROM exported_entries) - (SELECT count(*) FROM exported_blocks)";
    equal("blocks of ended renders", count(blocks), 0);
    equal("live members", count("SELECT count(*) FROM members"), ground.running.length);
  }
}
