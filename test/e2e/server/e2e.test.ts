/**
 * Proves, over HTTP on both transports: a server's answers to seeded random specs equal those of a
 * linear scan. Compared are accounts, total, `has_more`, and pages joined by `next_cursor`. Both
 * transports, a second server, and another spelling of a spec return the same account bytes.
 * Explanations sum to the stored scores.
 * Does not prove: refusals and credentials (contract/http/*.test.ts), larger specs
 * (campaign/twin/engine.test.ts).
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSegment } from "../../../src/search/segment.ts";
import type { Catalog } from "../../../src/spec/catalog.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { tries } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import {
  type ServerProcess,
  startServerProcess,
  stopServerProcess,
} from "../../support/server/process.ts";
import { randomSpec, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

const SPECS = tries("served specs");

/** The members of a search answer that the tests check. */
interface Answered {
  readonly status: number;
  readonly spec: AccountQuerySpec;
  readonly accounts: readonly Record<string, unknown>[];
  readonly total: number;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

let sample: SampleSnapshot;
let twin: Twin;
let catalog: Catalog;

before(async () => {
  sample = await makeSampleSnapshot(3_000, 77);
  twin = new Twin(decodeSnapshot(sample.snapshot).rows);
  const segment = await openSegment(sample.snapshot);
  catalog = segment.catalog;
  segment.close();
});
after(() => sample.dispose());

function serve(transport: string, dataDir: string): Promise<ServerProcess> {
  const options = { snapshot: sample.snapshot, dataDir: join(sample.folder, dataDir), transport };
  return startServerProcess(options);
}

async function search({ base, key }: ServerProcess, body: object): Promise<Answered> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const options = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(`${base}/v1/accounts/search`, options);
  return { ...((await response.json()) as Answered), status: response.status };
}

/** Returns a random spec that is narrow enough for HTTP. */
function narrowSpec(rng: () => number): AccountQuerySpec {
  for (;;) {
    const spec = randomSpec(rng, catalog, twin.rows);
    const { industry, geo } = spec.filters;
    const filters = [industry.cnae_any_of, industry.text_hints, geo.uf_any_of];
    const places = [geo.municipality_ibge_any_of, geo.municipality_tom_any_of];
    if ([...filters, ...places].some((list) => list.length > 0)) return withCnpj(spec);
  }
}

function withCnpj(spec: AccountQuerySpec): AccountQuerySpec {
  return { ...spec, output: { ...spec.output, fields: ["cnpj", "score"] } };
}

const cnpjs = (accounts: Answered["accounts"]) => accounts.map(({ cnpj }) => cnpj);

function expected(spec: AccountQuerySpec): (string | undefined)[] {
  return twin.answer(spec).map((row) => twin.rows[row]?.cnpj as string);
}

/** Reads all pages by cursor, and returns the joined accounts. */
async function walk(server: ServerProcess, spec: AccountQuerySpec): Promise<unknown[]> {
  const joined: unknown[] = [];
  let answer = await search(server, { spec });
  joined.push(...cnpjs(answer.accounts));
  while (answer.has_more) {
    answer = await search(server, { spec: answer.spec, cursor: answer.next_cursor });
    assert.equal(answer.status, 200);
    joined.push(...cnpjs(answer.accounts));
  }
  assert.equal(answer.next_cursor, null);
  return joined;
}

for (const transport of ["uws", "node"]) {
  describe(`a served snapshot on ${transport}`, () => {
    let server: ServerProcess;
    before(async () => {
      server = await serve(transport, `state-${transport}`);
    });
    after(() => stopServerProcess(server));

    it(`answers ${SPECS} random specs like the linear scan`, async () => {
      const rng = seededRng(5);
      for (let i = 0; i < SPECS; i++) {
        const spec = narrowSpec(rng);
        const all = expected(spec);
        const answer = await search(server, { spec });
        const reported = JSON.stringify(spec);
        assert.equal(answer.status, 200, `${reported}: ${JSON.stringify(answer)}`);
        assert.deepEqual(cnpjs(answer.accounts), all.slice(0, spec.limit), reported);
        assert.equal(answer.total, all.length, reported);
        assert.equal(answer.has_more, all.length > spec.limit, reported);
        assert.deepEqual(answer.spec, spec, "a normalized spec comes back as it is");
      }
    });

    it("joins pages to the complete answer by cursor", async () => {
      const rng = seededRng(6);
      for (let i = 0; i < SPECS / 10; i++) {
        const spec = narrowSpec(rng);
        const limit = Math.max(3, Math.ceil(expected(spec).length / 12));
        assert.deepEqual(await walk(server, { ...spec, limit }), expected(spec));
      }
    });

    it("explains scores by parts that sum to the stored score", async () => {
      const filters = { geo: { uf_any_of: ["SP", "MG"] } };
      for (const strategy of ["balanced", "contactable", "newest", "established"] as const) {
        const spec = { filters, scoring: { strategy, random_seed: null } };
        const output = { include_explain: true, fields: ["cnpj"] };
        const { accounts } = await search(server, { spec, limit: 200, output });
        const stored = new Map(twin.rows.map((row) => [row.cnpj, row]));
        for (const { cnpj, explain } of accounts as { cnpj: string; explain: Explained }[]) {
          const row = stored.get(cnpj) as TwinRow;
          const score = strategy === "balanced" ? row.score : row[`score_${strategy}`];
          assert.equal(explain.score, score);
          assert.equal(
            Object.values(explain.parts).reduce((a, b) => a + b),
            score,
          );
          assert.equal(explain.matched.uf, row.uf);
        }
        assert.equal(accounts.length, 200);
      }
    });
  });
}

interface Explained {
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly matched: Readonly<Record<string, unknown>>;
}

describe("the same query", () => {
  it("returns the same account bytes on both transports and in another spelling", async () => {
    const uws = await serve("uws", "state-same-uws");
    const node = await serve("node", "state-same-node");
    const plain = {
      filters: { geo: { uf_any_of: ["MG", "SP"] }, company: { registration_status_any_of: [2] } },
      sort: [{ field: "started_on", direction: "desc" }],
    };
    const spelled = {
      sort: [{ direction: "desc", field: "started_on" }],
      kind: "account_query",
      filters: {
        company: { registration_status_any_of: ["02", 2] },
        geo: { uf_any_of: ["sp", "mg", "SP"] },
      },
    };
    const bytes = async (server: ServerProcess, spec: object) => {
      const { accounts, spec: normalized } = await search(server, { spec, limit: 500 });
      return JSON.stringify({ accounts, normalized });
    };
    const first = await bytes(uws, plain);
    assert(first.length > 10_000);
    assert.equal(await bytes(uws, spelled), first);
    assert.equal(await bytes(node, plain), first);
    assert.equal(await bytes(node, spelled), first);
    await Promise.all([stopServerProcess(uws), stopServerProcess(node)]);
  });
});
