/**
 * Proves, with real servers on both transports: random specs that name random lists are searched,
 * counted, and exported over HTTP like the slow reference implementation with plain sets. The lists
 * include `exported`, which grows with each export. Compares accounts in order, totals, pages
 * joined by cursor, and the rows of files.
 * Does not prove orders and facets of such specs (campaign/twin/listed.test.ts), nor refusals
 * (contract/http/api/listed-search.test.ts).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSegment } from "../../../src/search/segment.ts";
import type { Catalog } from "../../../src/spec/catalog.ts";
import { readCnpj } from "../../../src/spec/cnpj/cnpj.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { withLists } from "../../support/lists/randomlists.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { contextWith } from "../../support/spec/catalog.ts";
import { Draw, randomSpecInput, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const ROUNDS = Math.ceil(tries("served specs") / 2);
const KINDS = ["accounts", "companies", "accounts"] as const;

let sample: SampleSnapshot;
let twin: Twin;
let catalog: Catalog;
/** CNPJs that lists accept. Some in the snapshot have wrong check digits. */
let sound: readonly string[];

before(async () => {
  sample = await makeSampleSnapshot(3_000, 78);
  twin = new Twin(decodeSnapshot(sample.snapshot).rows);
  sound = twin.rows.map(({ cnpj }) => String(cnpj)).filter((one) => readCnpj(one)?.checked);
  const segment = await openSegment(sample.snapshot);
  catalog = segment.catalog;
  segment.close();
});
after(() => sample.dispose());

interface Body {
  readonly list: { readonly id: string };
  readonly export: { readonly export_id: string };
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly total: number;
  readonly next_cursor: string | null;
  readonly spec: object;
}

/** The lists of a tenant, with sets of their expected entries. */
class Listed {
  readonly #server: ServerProcess;
  readonly #sets = new Map<string, Set<string>>([["exported", new Set()]]);
  readonly #kinds = new Map<string, string>();

  constructor(server: ServerProcess) {
    this.#server = server;
  }

  async send(path: string, body?: object, headers: object = {}): Promise<Body> {
    const answer = await fetch(this.#server.base + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${this.#server.key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.status < 300, `${path} ${JSON.stringify(body)}: ${answer.status} ${text}`);
    return (text.startsWith("{") ? JSON.parse(text) : { text }) as Body;
  }

  async make(): Promise<void> {
    for (const [number, kind] of KINDS.entries()) {
      const { list } = await this.send("/v1/lists", { name: `${kind} ${number}`, kind });
      this.#sets.set(list.id, new Set());
      this.#kinds.set(list.id, kind);
    }
  }

  async change(draw: Draw): Promise<void> {
    const [id, kind] = draw.of([...this.#kinds]);
    const set = this.#sets.get(id) as Set<string>;
    const removes = draw.chance(0.3);
    const cnpjs = Array.from({ length: draw.of([1, 20, 900]) }, () => {
      const cnpj = draw.of(sound);
      return kind === "companies" || draw.chance(0.2) ? cnpj.slice(0, 8) : cnpj;
    });
    for (const cnpj of cnpjs) {
      if (removes) set.delete(cnpj.slice(0, 12));
      else set.add(cnpj.slice(0, 12));
    }
    await this.send(`/v1/lists/${id}/entries${removes ? "/remove" : ""}`, { cnpjs });
  }

  named(draw: Draw): Record<string, string[]> {
    const one = () => draw.of([...this.#sets.keys()]);
    const some = () => draw.list(null, 2, one) as string[];
    const lists = draw.some([
      ["any_of", 0.5, some],
      ["exclude", 0.6, some],
    ]) as Record<string, string[]>;
    return Object.keys(lists).length > 0 ? lists : { exclude: ["exported"] };
  }

  /**
   * Returns the expected CNPJs. The reference implementation answers the spec without lists, which
   * are then applied row by row.
   */
  expected({ filters: { lists = {}, ...rest }, ...spec }: AccountQuerySpec): string[] {
    const rows = twin.answer({ ...spec, filters: rest, limit: 1e9 }).map((at) => twin.rows[at]);
    const inOne = (ids: readonly string[], cnpj: string) =>
      ids.some((id) => {
        const set = this.#sets.get(id) as Set<string>;
        return set.has(cnpj.slice(0, 12)) || set.has(cnpj.slice(0, 8));
      });
    return (rows as TwinRow[])
      .map(({ cnpj }) => String(cnpj))
      .filter((cnpj) => lists.any_of === undefined || inOne(lists.any_of, cnpj))
      .filter((cnpj) => lists.exclude === undefined || !inOne(lists.exclude, cnpj));
  }

  /** Exports a spec, and adds the accounts to the expected entries of the list `exported`. */
  async exported(spec: object, key: string): Promise<string[]> {
    const sent = { spec, output: { format: "csv", fields: ["cnpj"] } };
    const made = await this.send("/v1/exports", sent, { "idempotency-key": key });
    const path = `/v1/exports/${made.export.export_id}`;
    await this.send(`${path}?wait=60&require=done`);
    const file = (await this.send(`${path}/download`)) as unknown as { readonly text: string };
    // A line begins with the CNPJ, which the parts of the score may follow.
    const lines = file.text.split("\r\n").slice(1, -1);
    const held = lines.map((line) => line.slice(0, 14));
    const set = this.#sets.get("exported") as Set<string>;
    for (const cnpj of held) set.add(cnpj.slice(0, 12));
    return held;
  }

  get heldCount(): number {
    return this.#sets.get("exported")?.size ?? 0;
  }
}

/** Returns a normalized spec that is narrow enough for HTTP. */
function narrowSpec(draw: Draw, lists: object): AccountQuerySpec {
  for (;;) {
    const sent = withLists(randomSpecInput(draw, catalog, twin.rows), lists);
    const context = { ...contextWith({ catalog }), listsKnown: true };
    const { spec } = normalizeSpec(sent, context);
    const { industry, geo } = spec.filters;
    const filters = [industry.cnae_any_of, industry.text_hints, geo.uf_any_of];
    const places = [geo.municipality_ibge_any_of, geo.municipality_tom_any_of];
    if (![...filters, ...places].some((list) => list.length > 0)) continue;
    return { ...spec, output: { ...spec.output, fields: ["cnpj"] } };
  }
}

for (const transport of ["uws", "node"]) {
  describe(`specs with lists on ${transport}`, () => {
    let server: ServerProcess;
    before(async () => {
      const dataDir = join(sample.folder, `state-listed-${transport}`);
      server = await startServerProcess({ snapshot: sample.snapshot, dataDir, transport });
    });
    after(() => stopServerProcess(server));

    it("match the twin's answers while lists and exports grow", async () => {
      const draw = new Draw(seededRng(transport.length));
      const own = new Listed(server);
      await own.make();
      let some = 0;
      for (let round = 0; round < ROUNDS; round++) {
        if (round % 3 === 0) await own.change(draw);
        const spec = narrowSpec(draw, own.named(draw));
        const all = own.expected(spec);
        if (all.length > 0) some++;
        const reported = JSON.stringify(spec);
        const page = await own.send("/v1/accounts/search", { spec });
        const cnpjs = page.accounts.map(({ cnpj }) => cnpj);
        assert.deepEqual(cnpjs, all.slice(0, spec.limit), reported);
        assert.equal(page.total, all.length, reported);
        const { total } = await own.send("/v1/accounts/count", { spec });
        assert.equal(total, all.length, reported);
        if (page.next_cursor !== null) {
          const sent = { spec: page.spec, cursor: page.next_cursor };
          const next = await own.send("/v1/accounts/search", sent);
          const further = next.accounts.map(({ cnpj }) => cnpj);
          assert.deepEqual(further, all.slice(spec.limit, 2 * spec.limit), reported);
        }
        if (round % 4 !== 0) continue;
        const held = await own.exported({ ...spec, limit: 200 }, `round-${round}`);
        assert.deepEqual(held, all.slice(0, 200), reported);
      }
      assert.ok(some > ROUNDS / 4, `${some} of ${ROUNDS} specs found something`);
      assert.ok(own.heldCount > 20, `${own.heldCount} accounts were exported`);
    });
  });
}
