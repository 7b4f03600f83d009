/**
 * Proves: the compute thread returns the same value, error, and charge as a direct call in the
 * server's thread, for valid and invalid sentences, lead queries, and specs with long lists. Small
 * bodies are processed in the server's thread, large bodies and all sentences in the compute
 * thread. If another file has taken a snapshot's path, the server's thread does the work. Tenants
 * are scheduled fairly. The compute thread supports every kind of work. Counts are moved to it, and
 * its files come back in shared memory.
 * Does not prove: how long it takes (bench/worst.bench.ts).
 */
import assert from "node:assert/strict";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { loadPlans } from "../../../../src/access/plans.ts";
import { ComputePool } from "../../../../src/cli/serving/computepool.ts";
import { AppError } from "../../../../src/errors.ts";
import { ANY_EXPORT } from "../../../../src/http/api/exports/changeexport.ts";
import { LEADS, prepareLeads } from "../../../../src/http/api/leads/leads-request.ts";
import { COMPARE_TABLES } from "../../../../src/http/api/search/compare-tables.ts";
import { COUNT } from "../../../../src/http/api/search/count.ts";
import { COUNT_TABLES, movedMemory } from "../../../../src/http/api/search/count-tables.ts";
import { prepareSearch, SEARCH } from "../../../../src/http/api/search/search-request.ts";
import { NORMALIZE } from "../../../../src/http/api/spec/spec.ts";
import { type SentenceTask, TRANSLATE } from "../../../../src/http/api/spec/translate.ts";
import {
  type Computation,
  type Compute,
  IN_CALL,
  type ReadPart,
} from "../../../../src/http/server/body.ts";
import type { QueryContext } from "../../../../src/http/server/service.ts";
import { compareInTurn, countInTurn } from "../../../../src/search/cross.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import type { FacetPair } from "../../../../src/spec/facets.ts";
import { useDescriptors } from "../../../../src/translate/activities/officialtexts.ts";
import { filesMatching, ROOT } from "../../../support/house/checkout.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";
import { hostileText, randomFrom, repeated, SHAPES } from "../../../support/translate/shapes.ts";

const { enterprise: plan } = loadPlans();

const many = (count: number, make: (at: number) => unknown) =>
  Array.from({ length: count }, (_, at) => make(at));

const LONG = {
  right: {
    industry: { cnae_any_of: many(9_000, (at) => ["5611-2/01", "C", "47"][at % 3]) },
    geo: { postal_code_prefix_any_of: many(9_000, (at) => String(99_999_999 - at)) },
    company: { registration_status_any_of: many(9_000, () => 2) },
  },
  wrong: {
    industry: { cnae_any_of: many(9_000, (at) => `9x1${at}`) },
    geo: { municipality_ibge_any_of: many(9_000, (at) => `9900001${at}`) },
  },
};

describe("the compute thread", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let pool: ComputePool;
  before(async () => {
    made = await makeSampleSnapshot(500, 22);
    segment = await openSegment(made.snapshot);
    pool = new ComputePool(() => [segment]);
  });
  after(async () => {
    await pool.close();
    segment.close();
    made.dispose();
  });

  const taskOf = (body: unknown): SentenceTask => ({
    body: Buffer.from(JSON.stringify(body)),
    ...{ plan, listsKnown: true, secondaryCnaeFull: true, lists: [] },
  });

  /** Runs a task. Returns its value or error, and its charge. */
  async function outcome<Value>(
    compute: Compute,
    work: Computation<SentenceTask, Value>,
    body: unknown,
    tenantId = "one",
  ) {
    const spent: number[] = [];
    const payer = { spend: (cost: number) => void spent.push(cost) };
    const context = { segment, payer, tenantId, size: 1 };
    try {
      const value = await compute.run(work, taskOf(body), context);
      return { spent, value: structuredClone(value) };
    } catch (error) {
      assert.ok(error instanceof AppError, String(error));
      const { code, message, errors, members, headers } = error;
      return { spent, refusal: { code, message, errors, members, headers } };
    }
  }

  async function agree(work: Computation<SentenceTask, unknown>, bodies: readonly unknown[]) {
    const refused: number[] = [];
    for (const body of bodies) {
      const wanted = await outcome(IN_CALL, work, body);
      assert.deepEqual(await outcome(pool, work, body), wanted);
      assert.ok(wanted.spent.length > 0 || "refusal" in wanted);
      if ("refusal" in wanted) refused.push(wanted.spent.length);
    }
    return refused.length;
  }

  it("translates sentences like the direct call", async () => {
    const random = randomFrom(8);
    const texts = [
      ...SHAPES.slice(0, 12).map((shape) => repeated(shape, 2_000)),
      ...many(40, () => hostileText(random)),
      ...["padarias em MG", "empresas de xyz", "", 7, "restaurantes na lista vip"],
    ];
    const bodies = texts.map((query_text) => ({ query_text }));
    assert.ok((await agree(TRANSLATE, bodies)) >= 2, "texts that are none are refused");
    await agree(LEADS, bodies);
  });

  it("reads lead queries like the direct call", async () => {
    const codes = segment.catalog.municipalities.flatMap(({ ibge }) => ibge ?? []);
    const specs = [
      { activities: ["padaria"], states: ["SP"], sizes: ["micro"] },
      { activities: many(90, (at) => `comércio de peças${" ".repeat(at)}`) },
      { cities: many(9_000, (at) => codes[at % codes.length]) },
      { cities: many(20, (at) => `Sao Jozé ${at}`) },
      { states: many(2_000, (at) => `${"a b ".repeat(25)}${at}`) },
    ];
    const bodies = specs.map((spec) => ({ spec: { kind: "lead_query", ...spec } }));
    assert.equal(await agree(LEADS, bodies), 2);
    assert.equal(await agree(NORMALIZE, bodies), 2);
  });

  it("reads long specs like the direct call, with every mistake and the charge", async () => {
    const bodies = Object.values(LONG).flatMap((filters) => [
      { spec: { filters } },
      { spec: { filters }, facets: ["uf", "no"] },
      { spec: { filters }, output: {}, limit: 5 },
    ]);
    for (const work of [SEARCH, COUNT, NORMALIZE, ANY_EXPORT]) {
      const refused = await agree(work as Computation<SentenceTask, unknown>, bodies);
      assert.ok(refused >= 3 && (refused < 6 || work !== SEARCH), `${refused} of ${work.name}`);
    }
    const [, wrong] = bodies;
    assert.match(JSON.stringify(await outcome(pool, COUNT, wrong)), /is not a facet/);
  });

  it("receives large bodies and all sentences, but no small body", () => {
    const names: string[] = [];
    const compute: Compute = {
      ...IN_CALL,
      run: (work, task, context) => {
        names.push(work.name);
        return IN_CALL.run(work, task, context);
      },
    };
    const call = (body: object) => {
      const service = { listed: null, compute, secondaryCnaeFull: false };
      const identity = { tenantId: "t" };
      const bytes = Buffer.from(JSON.stringify(body));
      return {
        service,
        body: bytes,
        plan,
        identity,
        spend: () => {},
      } as unknown as QueryContext<ReadPart>;
    };
    const small = { spec: { filters: { geo: { uf_any_of: ["SP"] } } } };
    assert.ok(!(prepareSearch(call(small), segment) instanceof Promise));
    assert.deepEqual(names, []);
    assert.ok(prepareSearch(call({ spec: { filters: LONG.right } }), segment));
    assert.ok(prepareLeads(call({ query_text: "padarias em MG" }), segment));
    assert.deepEqual(names, ["search", "leads"]);
  });

  it("schedules tenants fairly, not after sixty tasks of another one", async () => {
    const ended: string[] = [];
    const translate = async (tenantId: string) => {
      await outcome(pool, TRANSLATE, { query_text: "padarias em MG" }, tenantId);
      ended.push(tenantId);
    };
    await Promise.all([...many(60, () => translate("many")), translate("one")]);
    assert.ok(ended.indexOf("one") <= 3, ended.join());
  });

  it("translates with the current descriptors", async () => {
    const own = new ComputePool(() => [segment]);
    const body = { query_text: "vendas de xurupitas cintilantes em MG" };
    const without = await outcome(IN_CALL, TRANSLATE, body);
    useDescriptors([{ code: "5611201", texts: ["VENDAS DE XURUPITAS CINTILANTES"] }]);
    try {
      const wanted = await outcome(IN_CALL, TRANSLATE, body);
      assert.notDeepEqual(wanted, without);
      assert.deepEqual(await outcome(own, TRANSLATE, body), wanted);
    } finally {
      useDescriptors([]);
      await own.close();
    }
  });

  const payer = { spend: () => {} };
  const request = { names: ["uf", "municipality"] as const, pairs: [["uf", "mei"] as FacetPair] };
  const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

  /** Counts and makes tables or a file. `moved` is true if the counts have left this thread. */
  async function tables(compute: Compute, format: "csv" | "xlsx" | null) {
    const { spec } = await COUNT.run(taskOf({ spec: SP }), segment, payer);
    const codes = await countInTurn(segment, spec, request, "one");
    const context = { segment, payer, tenantId: "one", ...movedMemory([codes]) };
    const file = format && { format, spec, labels: "pt" as const, layout: "lines" as const };
    const bytes = await compute.run(COUNT_TABLES, { request, codes, file }, context);
    assert.ok(bytes.buffer instanceof SharedArrayBuffer);
    return { text: Buffer.from(bytes).toString("latin1"), moved: codes.pairs[0]?.length === 0 };
  }

  it("makes tables and files of counts like the direct call, and copies none", async () => {
    for (const format of [null, "csv", "xlsx"] as const) {
      const { text, moved } = await tables(IN_CALL, format);
      assert.ok(text.length > 100 && !moved);
      assert.deepEqual(await tables(pool, format), { text, moved: true });
    }
  });

  it("compares groups of two snapshots like the direct call", async () => {
    const other = await makeSampleSnapshot(300, 24);
    const second = await openSegment(other.snapshot);
    const own = new ComputePool(() => [segment, second]);
    try {
      const { spec } = await COUNT.run(taskOf({ spec: SP }), segment, payer);
      const groups = [segment, second, segment].map((one) => ({ segment: one, spec }));
      const names = ["uf", "municipality"] as const;
      const compare = async (compute: Compute, format: "csv" | null) => {
        const codes = await compareInTurn(segment, groups, null, { names, tenantId: "one" });
        const memory = movedMemory([...codes.groups, ...codes.bases, codes.whole]);
        const context = { segment, others: [second], payer, tenantId: "one", ...memory };
        const file = format && { format, labels: null, specs: groups.map(() => spec) };
        const task = { names, codes, snapshots: [0, 1, 0], file };
        return Buffer.from(await compute.run(COMPARE_TABLES, task, context)).toString();
      };
      for (const format of [null, "csv"] as const) {
        const wanted = await compare(IN_CALL, format);
        assert.match(wanted, /SP/);
        assert.equal(await compare(own, format), wanted);
      }
    } finally {
      await own.close();
      second.close();
      other.dispose();
    }
  });

  it("falls back to the direct call if another file has taken the path", async () => {
    const other = await makeSampleSnapshot(300, 23);
    const own = new ComputePool(() => []);
    try {
      const body = { query_text: "padarias em MG" };
      const wanted = await outcome(IN_CALL, TRANSLATE, body);
      const csv = await tables(IN_CALL, "csv");
      renameSync(made.snapshot, `${made.snapshot}.old`);
      renameSync(other.snapshot, made.snapshot);
      // The thread returns the memory that was moved to it.
      assert.deepEqual(await tables(own, "csv"), { ...csv, moved: true });
      let runs = 0;
      const counted: typeof TRANSLATE = {
        name: TRANSLATE.name,
        run: (...given) => {
          runs++;
          return TRANSLATE.run(...given);
        },
      };
      assert.deepEqual(await outcome(own, counted, body), wanted);
      renameSync(`${made.snapshot}.old`, made.snapshot);
      assert.deepEqual(await outcome(own, counted, body), wanted);
      assert.equal(runs, 1, "in the thread it is not this function that runs");
    } finally {
      await own.close();
      other.dispose();
    }
  });

  it("supports every kind of work of the program", () => {
    const worker = readFileSync(join(ROOT, "src/cli/serving/compute.worker.ts"), "utf8");
    const works = filesMatching(/^src\/.*\.ts$/).flatMap((file) =>
      [
        ...readFileSync(join(ROOT, file), "utf8").matchAll(/^export const (\w+): Computation</gm),
      ].map(([, name]) => name as string),
    );
    assert.ok(works.length >= 10, works.join());
    const table = worker.slice(worker.indexOf("const COMPUTATIONS"));
    for (const name of works) assert.match(table, new RegExp(`\\b${name}\\b`), name);
  });
});
