/**
 * Proves, with a real snapshot on both transports: leads are the accounts that a search with the
 * shown spec finds, in its order. With one lead per company, the lead is the company's first
 * account. All pages together have every lead once, for any page size. A cursor of another request
 * is rejected with the right code. The members of a lead depend on the plan. Words and reasons
 * agree with the account. Large pages are streamed and equal small ones. Leads have the 304
 * answers, usage, and cost of a search.
 * Does not prove: the meaning of sentences (unit/translate/*.test.ts), which lead queries are
 * accepted (contract/spec/leadquery.test.ts), nor that a company's first account is right
 * (campaign/twin/companies.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { RateLimits } from "../../../../src/access/limits.ts";
import { ageInWords, LEAD_FIELDS, LEAD_WORDS } from "../../../../src/http/api/leads/lead.ts";
import { systemClock } from "../../../../src/process/clock.ts";
import { establishments, suggest } from "../../../../src/search/finding.ts";
import { ownershipOf } from "../../../../src/search/owners.ts";
import * as searcher from "../../../../src/search/searcher.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../../../src/spec/schema.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

type Lead = Readonly<Record<string, unknown>> & { readonly cnpj: string };

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly code?: string;
  readonly spec: AccountQuerySpec;
  readonly translation?: {
    readonly spec: AccountQuerySpec;
    readonly explain: unknown;
    readonly doubts: readonly { readonly query_text: string; readonly matches: number }[];
  };
  readonly leads: readonly Lead[];
  readonly accounts: readonly Lead[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly total: number;
  readonly errors?: readonly { readonly pointer: string }[];
}

const engine = { ...searcher, establishments, ownershipOf, suggest };
const FLAT = { kind: "lead_query", regions: ["Sudeste"], sizes: ["micro", "pequena"] };
const BODIES: readonly Readonly<Record<string, unknown>>[] = [
  { spec: FLAT },
  { spec: { ...FLAT, sort: ["newest"], has_email: true, status: [] } },
  { spec: { kind: "lead_query", activities: ["G"], mei: false, sort: "name" } },
  { query_text: "restaurantes em São Paulo" },
  { query_text: "lojas de roupas no Nordeste com telefone, exceto MEI" },
  { query_text: "restaurants in the southeast with email" },
];
const rootOf = (cnpj: string) => cnpj.slice(0, 8);
const cnpjsOf = (leads: readonly Lead[]) => leads.map(({ cnpj }) => cnpj);

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(12_000, 77);
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Returns the body, changed to request every establishment or one per company. */
function withCompanies(body: Readonly<Record<string, unknown>>, one: boolean) {
  if (body.spec === undefined) return { ...body, one_per_company: one };
  return { ...body, spec: { ...(body.spec as object), one_per_company: one } };
}

for (const transport of MATRIX) {
  describe(`leads over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine, segment: () => segment });
    });
    after(() => server.close());

    async function post(
      path: string,
      body: object,
      { key = server.keys.enterprise, headers = {} } = {},
    ): Promise<Page> {
      const answer = await fetchDocumented(server.base + path, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
        body: JSON.stringify(body),
      });
      const text = await answer.text();
      const page = (text === "" ? {} : JSON.parse(text)) as Page;
      return { ...page, status: answer.status, headers: answer.headers };
    }
    const send = (body: object, by = {}) => post("/v1/leads", body, by);
    const search = (spec: AccountQuerySpec, limit = 50_000) =>
      post("/v1/accounts/search", { spec, limit });

    async function walk(body: object, limit: number): Promise<string[]> {
      const seen: string[] = [];
      let page = await send({ ...body, limit });
      for (;;) {
        assert.equal(page.status, 200, JSON.stringify(page.errors));
        seen.push(...cnpjsOf(page.leads));
        assert.equal(page.next_cursor === null, !page.has_more);
        if (page.next_cursor === null) return seen;
        assert.equal(page.leads.length, limit);
        page = await send({ ...body, limit, cursor: page.next_cursor });
      }
    }

    for (const [at, body] of BODIES.entries()) {
      it(`finds what a search with the shown spec finds (${at})`, async () => {
        const every = await send({ ...withCompanies(body, false), limit: 50_000 });
        assert.equal(every.status, 200, JSON.stringify(every));
        const found = await search(every.spec);
        assert.deepEqual(cnpjsOf(every.leads), cnpjsOf(found.accounts));
        assert.equal(every.total, found.total);
        assert.ok(every.leads.length > 0, "there is something to compare");
        const firsts = cnpjsOf(found.accounts).filter(
          (cnpj, i, all) => all.findIndex((other) => rootOf(other) === rootOf(cnpj)) === i,
        );
        const one = await send({ ...body, limit: 50_000 });
        assert.deepEqual(cnpjsOf(one.leads), firsts);
        assert.deepEqual(one.spec, every.spec);
      });

      it(`returns every lead once, page after page (${at})`, async () => {
        for (const one of [true, false]) {
          const requested = withCompanies(body, one);
          const whole = cnpjsOf((await send({ ...requested, limit: 50_000 })).leads);
          const size = Math.max(1, Math.ceil(whole.length / 5));
          assert.deepEqual(await walk(requested, size), whole);
        }
      });
    }

    it("explains a sentence in the requested language, else in its own", async () => {
      const body = { query_text: "restaurantes em São Paulo" };
      const translation = async (contact: object) => {
        const { explain, filters } = (await post("/v1/leads/translate", { ...body, ...contact }))
          .spec;
        const { detail } = explain.assumptions.at(-1) as { readonly detail: string };
        return { detail, filters };
      };
      const own = await translation({});
      const english = await translation({ language: "en" });
      assert.equal(own.detail, "Somente empresas ativas.");
      assert.equal(english.detail, "Active companies only.");
      assert.deepEqual(english.filters, own.filters);
      assert.deepEqual(await translation({ language: "pt" }), own);
    });

    it("shows the doubts of a sentence, each with a text that finds its matches", async () => {
      const text = "sou contador em Campinas, quero restaurantes com telefone";
      const { translation } = await send({ query_text: text });
      const [doubt, ...others] = translation?.doubts ?? [];
      assert.ok(doubt !== undefined && others.length === 0, JSON.stringify(translation?.doubts));
      const other = await send({ query_text: doubt.query_text });
      assert.deepEqual(other.spec.filters.geo.municipality_ibge_any_of, ["3509502"]);
      assert.equal(other.total, doubt.matches);
      const plain = await send({ query_text: "restaurantes em Campinas" });
      assert.deepEqual(plain.translation?.doubts, []);
    });

    it("explains a sentence as the translation does", async () => {
      for (const body of BODIES.filter(({ query_text: text }) => text !== undefined)) {
        const { spec, translation } = await send(body);
        const translated = await post("/v1/leads/translate", body);
        assert.deepEqual(translation?.spec, translated.spec);
        const { contact, ...others } = spec.filters;
        const { contact: answered, ...rest } = translated.spec.filters;
        assert.deepEqual(others, rest);
        const spoken =
          answered.require_email || answered.require_phone || answered.require_any_contact;
        assert.equal(contact.require_any_contact, answered.require_any_contact || !spoken);
        const account = await search(translated.spec, 1);
        assert.equal(account.status, 200);
      }
    });

    it("excludes companies without any contact", async () => {
      const { leads } = await send({ spec: FLAT, limit: 50_000 });
      for (const { email, phones } of leads) {
        assert.ok(email !== null || (phones as string[]).length > 0);
      }
      const all = await send({ spec: { ...FLAT, has_email: false }, limit: 50_000 });
      assert.ok(all.leads.some(({ email, phones }) => email === null && `${phones}` === ""));
    });

    it("includes companies without contact if the sentence mentions it", async () => {
      for (const how of ["sem telefone", "sem telefone nem e-mail", "com ou sem telefone"]) {
        const { spec } = await send({ query_text: `restaurantes em São Paulo ${how}` });
        assert.equal(spec.filters.contact.require_any_contact, false, how);
      }
      const { spec } = await send({ query_text: "restaurantes em São Paulo" });
      assert.equal(spec.filters.contact.require_any_contact, true);
    });

    it("rejects a cursor if the request has changed", async () => {
      const text = "restaurantes em São Paulo";
      const { next_cursor: cursor } = await send({ query_text: text, limit: 1 });
      const { next_cursor: flat } = await send({ spec: FLAT, limit: 1 });
      const codes = async (body: object) => (await send(body)).code;
      assert.equal(await codes({ query_text: text, cursor }), undefined);
      assert.equal(await codes({ query_text: "  Restaurantes, em são paulo", cursor }), undefined);
      for (const [changed, mark] of [
        [{ query_text: "padarias em São Paulo" }, cursor],
        [{ query_text: text, one_per_company: false }, cursor],
        [{ spec: { ...FLAT, sizes: ["micro"] } }, flat],
        [{ spec: { ...FLAT, one_per_company: false } }, flat],
      ] as const) {
        assert.equal(await codes({ ...changed, cursor: mark }), "cursor_mismatch");
      }
      const other = { key: server.keys.scale };
      assert.equal((await send({ spec: FLAT, cursor: flat }, other)).code, "invalid_cursor");
      const { spec } = await send({ spec: FLAT, limit: 1 });
      const moved = await post("/v1/accounts/search", { spec, cursor: flat });
      assert.equal(moved.code, "invalid_cursor", "a cursor of leads is none of accounts");
    });

    it("has the members that the plan allows, with texts that agree with the account", async () => {
      const { leads, spec } = await send({ spec: FLAT, limit: 200 });
      const free = await send({ spec: FLAT, limit: 100 }, { key: server.keys.free });
      const contact = ["email", "phones"];
      assert.deepEqual(Object.keys(leads[0] ?? {}), [...LEAD_FIELDS, ...Object.keys(LEAD_WORDS)]);
      assert.deepEqual(
        Object.keys(free.leads[0] ?? {}),
        Object.keys(leads[0] ?? {}).filter((name) => !contact.includes(name)),
      );
      const output = {
        include_explain: true,
        fields: ["cnpj", "started_on", "phone_1", "phone_2"],
      };
      const explained = await post("/v1/accounts/search", { spec, limit: 500, output });
      const byCnpj = new Map(explained.accounts.map((account) => [account.cnpj, account]));
      for (const lead of leads) {
        const account = byCnpj.get(lead.cnpj) as Lead & {
          explain: { score: number; parts: object };
        };
        assert.equal(lead.cnpj_root, rootOf(lead.cnpj));
        assert.equal(lead.score, account.explain.score);
        assert.deepEqual(
          lead.phones,
          [account.phone_1, account.phone_2].filter((phone) => phone !== null),
        );
        const points = (lead.score_reasons as string[]).map((reason) =>
          Number((reason.split(": ")[1] ?? "").replace("−", "-")),
        );
        assert.equal(
          points.reduce((sum, one) => sum + one, 0),
          lead.score,
        );
        assert.ok(
          points.every((one, i) => i === 0 || Math.abs(points[i - 1] ?? 0) >= Math.abs(one)),
        );
        assert.equal(
          lead.age,
          ageInWords(account.started_on as string, segment.snapshotDate, "pt"),
        );
        assert.match(String(lead.size), /empresa|porte/);
      }
      const english = await send({
        query_text: "restaurants in the southeast with email",
        limit: 3,
      });
      assert.match(String(english.leads[0]?.size), /company|sizes|informed/);
    });

    it("streams large pages, which equal the small ones", async () => {
      const body = { spec: { kind: "lead_query", regions: ["Sudeste", "Sul"] } };
      const large = await send({ ...body, limit: 50_000 });
      assert.ok(large.leads.length > 600, `${large.leads.length} leads are too few to stream`);
      assert.equal(large.headers.get("content-length"), null);
      const small: Lead[] = [];
      let page = await send({ ...body, limit: 500 });
      small.push(...page.leads);
      while (page.next_cursor !== null) {
        page = await send({ ...body, limit: 500, cursor: page.next_cursor });
        small.push(...page.leads);
      }
      assert.deepEqual(small, large.leads);
    });

    it("answers 304 for a tag of the same page, and another tag for another page", async () => {
      const first = await send({ spec: FLAT, limit: 2 });
      const tag = first.headers.get("etag") ?? "";
      const known = { headers: { "if-none-match": tag } };
      assert.equal((await send({ spec: FLAT, limit: 2 }, known)).status, 304);
      const cursor = first.next_cursor;
      assert.equal((await send({ spec: FLAT, limit: 2, cursor }, known)).status, 200);
      const every = withCompanies({ spec: FLAT }, false);
      assert.equal((await send({ ...every, limit: 2 }, known)).status, 200);
    });

    it("counts the leads as accounts read", async () => {
      const read = async () => {
        const headers = { authorization: `Bearer ${server.keys.growth}` };
        const answer = await fetchDocumented(`${server.base}/v1/status`, { headers });
        const { usage } = (await answer.json()) as {
          readonly usage: { readonly today: { readonly accounts: number } };
        };
        return usage.today.accounts;
      };
      const earlier = await read();
      await send({ spec: FLAT, limit: 7 }, { key: server.keys.growth });
      assert.equal((await read()) - earlier, 7);
    });

    it("costs as much as a search of the same limit", async () => {
      const rateLimits = new RateLimits(systemClock);
      const server = await startFake(transport, {
        engine,
        segment: () => segment,
        rateLimits,
      });
      const costs: number[] = [];
      const spend = rateLimits.spend.bind(rateLimits);
      rateLimits.spend = (keyId, plan, cost, paid) => {
        costs.push(cost - (paid ?? 0));
        spend(keyId, plan, cost, paid);
      };
      try {
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${server.keys.enterprise}`,
        };
        const body = JSON.stringify({ spec: FLAT, limit: 20_000 });
        const init = { method: "POST", headers, body };
        assert.equal((await fetchDocumented(`${server.base}/v1/leads`, init)).status, 200);
        assert.deepEqual(costs, [1, 20]);
      } finally {
        await server.close();
      }
    });
  });
}
