/**
 * Proves: over both transports, an account is reported as listed exactly if a linear scan finds it,
 * for matching and other accounts of random specs. Exactly the filters that the account meets are
 * reported as met. Values that the plan does not include are not shown.
 * Does not prove: the parts of a score (their sum is checked in test/campaign/twin/engine.test.ts).
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { loadPlans } from "../../../src/access/plans.ts";
import { alone, reasonsOf, setParts } from "../../../src/console/filters.ts";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import type { AccountQuerySpec } from "../../../src/spec/schema.ts";
import {
  type ConsoleServer,
  type Person,
  pointersIn,
  startConsole,
} from "../../support/console/data.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { MATRIX } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { Draw, randomSpecInput, seededRng } from "../../support/spec/random.ts";
import { Twin, type TwinRow } from "../../support/twin.ts";

describe("POST /v1/console/accounts/explain", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let twin: Twin;
  before(async () => {
    made = await makeSampleSnapshot(2_000, 62);
    segment = await openSegment(made.snapshot);
    twin = new Twin(decodeSnapshot(made.snapshot).rows);
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  const cnpjOf = (row: number) => (twin.rows[row] as TwinRow).cnpj as string;

  /** Returns, for each filter of the spec, the rows that match this filter alone. */
  function rowsByPart(spec: AccountQuerySpec): ReadonlyMap<string, ReadonlySet<number>> {
    return new Map(
      setParts(spec.filters).map((part) => {
        const filters = alone(spec.filters, part);
        return [part, new Set(twin.answer({ ...spec, filters }))];
      }),
    );
  }

  for (const transport of MATRIX) {
    describe(`over ${transport}`, () => {
      let server: ConsoleServer;
      let person: Person;
      let free: Person;
      let noPlaces: Person;
      before(async () => {
        const plans = loadPlans();
        const fields = plans.growth.fields.filter((name) => !/^(uf|cnae|postal)/.test(name));
        const bounded = { ...plans, growth: { ...plans.growth, fields } };
        server = await startConsole(transport, { engine: ENGINE, plans: bounded });
        server.load(segment);
        person = await server.person();
        free = await server.person("free");
        noPlaces = await server.person("growth");
      });
      after(() => server.close());

      it("agrees with a linear scan, for matching and other accounts", async () => {
        const draw = new Draw(seededRng(6_201));
        const seen = { listed: 0, unlisted: 0 };
        for (let i = 0; i < 24; i++) {
          const sent = randomSpecInput(draw, segment.catalog, twin.rows);
          const { json: explored } = await person.post("/explore", { spec: sent });
          const spec = explored.spec as AccountQuerySpec;
          const answer = twin.answer(spec);
          const byPart = rowsByPart(spec);
          const rows = [...answer.slice(0, 2), ...answer.slice(-1), (i * 97) % 2_000, 0, 1_999];
          for (const row of new Set(rows)) {
            const question = { spec, cnpj: cnpjOf(row) };
            const { status, json } = await person.post("/accounts/explain", question);
            assert.equal(status, 200);
            assert.equal(json.account.cnpj, cnpjOf(row));
            assert.equal(json.listed, answer.includes(row), JSON.stringify(spec.filters));
            seen[json.listed ? "listed" : "unlisted"]++;
            checkParts(spec, (name) => byPart.get(name)?.has(row) === true, json);
          }
        }
        assert.ok(seen.listed > 20 && seen.unlisted > 20, JSON.stringify(seen));
      });

      function checkParts(
        spec: AccountQuerySpec,
        met: (name: string) => boolean,
        { listed, explain }: { listed: boolean; explain: Record<string, never> },
      ) {
        const parts = setParts(spec.filters);
        const unmet = parts.filter((part) => !met(part));
        assert.deepEqual(explain.unmet, unmet);
        assert.equal(listed, unmet.length === 0);
        for (const part of unmet) {
          for (const name of reasonsOf(part)) assert.ok(!(name in (explain.matched ?? {})), name);
        }
        const scores: number[] = Object.values(explain.parts ?? {});
        assert.equal(
          scores.reduce((all, score) => all + score, 0),
          explain.score,
        );
      }

      it("shows only that contacts exist, and hides them from a free plan", async () => {
        const row = twin.rows.findIndex(({ email, phone_1 }) => email !== null && phone_1 !== null);
        const { email, phone_1: phone } = twin.rows[row] as TwinRow;
        const contact = { require_email: true, require_phone: true, require_any_contact: true };
        const question = { spec: { filters: { contact } }, cnpj: cnpjOf(row) };
        const { text, json } = await free.post("/accounts/explain", question);
        assert.equal(json.listed, true);
        assert.deepEqual(json.explain.matched, { email: true, phone: true, any_contact: true });
        assert.ok(!text.includes(String(email)) && !text.includes(String(phone)), text);
        assert.ok(!("email" in json.account) && !("phone_1" in json.account));
        assert.equal((await person.post("/accounts/explain", question)).json.account.email, email);
      });

      it("names the searched phone and e-mail", async () => {
        const row = twin.rows.findIndex(({ email, phone_2 }) => email !== null && phone_2 !== null);
        const { email, phone_1, phone_2 } = twin.rows[row] as TwinRow;
        const unknown = "+5599987654321";
        const explained = async (contact: object) => {
          const question = { spec: { filters: { contact } }, cnpj: cnpjOf(row) };
          const { json } = await person.post("/accounts/explain", question);
          return json.explain.matched;
        };
        const email_any_of = ["nobody@example.com", String(email).toUpperCase()];
        assert.deepEqual(await explained({ phone_any_of: [unknown, phone_2], email_any_of }), {
          phone_number: phone_2,
          email_address: String(email).toLowerCase(),
        });
        const both = await explained({ phone_any_of: [phone_2, phone_1] });
        assert.deepEqual(both, { phone_number: phone_1 });
        assert.deepEqual(await explained({ phone_any_of: [unknown] }), {});
        const answer = await person.post("/accounts/search", {
          spec: {
            filters: { contact: { phone_any_of: [phone_2] } },
            output: { include_explain: true },
          },
        });
        const accounts: { explain: { matched: object } }[] = answer.json.accounts;
        assert.ok(accounts.length > 0);
        for (const { explain } of accounts) {
          assert.deepEqual(explain.matched, { phone_number: phone_2 });
        }
      });

      it("shows only that other hidden values match", async () => {
        const row = twin.rows.findIndex(
          ({ postal_code: code, uf }) => code !== null && uf !== "EX",
        );
        const { uf, postal_code: code, cnae_primary: cnae } = twin.rows[row] as TwinRow;
        const filters = {
          geo: { uf_any_of: [uf], postal_code_prefix_any_of: [String(code).slice(0, 2)] },
          industry: { cnae_any_of: [cnae] },
        };
        const question = { spec: { filters }, cnpj: cnpjOf(row) };
        const { json } = await noPlaces.post("/accounts/explain", question);
        assert.deepEqual(json.explain.matched, { cnae: true, uf: true, postal_code: true });
        const all = await person.post("/accounts/explain", question);
        assert.equal(all.json.explain.matched.uf, uf);
        assert.equal(all.json.explain.matched.postal_code, code);
      });

      it("accepts a CNPJ in any spelling, and answers 404 for an unknown one", async () => {
        const cnpj = cnpjOf(7);
        const pretty = cnpj.replace(/^(..)(...)(...)(....)(..)$/, "$1.$2.$3/$4-$5");
        const found = await person.post("/accounts/explain", { spec: {}, cnpj: pretty });
        assert.equal(found.json.account.cnpj, cnpj);
        assert.equal(found.json.listed, true);
        const tag = found.headers.get("etag") ?? "";
        const question = { spec: {}, cnpj };
        const again = await person.post("/accounts/explain", question, { "If-None-Match": tag });
        assert.equal(again.status, 304);
        const none = await person.post("/accounts/explain", { spec: {}, cnpj: "11222333000181" });
        assert.deepEqual([none.status, none.json.code], [404, "not_found"]);
      });

      it("reports all mistakes together", async () => {
        const spec = { filters: { geo: { uf_any_of: ["XX"] } }, limit: 0 };
        const wrong = await person.post("/accounts/explain", { spec, cnpj: "123", extra: 1 });
        assert.deepEqual([wrong.status, wrong.json.code], [422, "invalid_request"]);
        const places = ["/cnpj", "/extra", "/spec/filters/geo/uf_any_of/0", "/spec/limit"];
        assert.deepEqual(pointersIn(wrong), places);
        const empty = await person.post("/accounts/explain", {});
        assert.deepEqual(pointersIn(empty), ["/cnpj", "/spec"]);
      });
    });
  }
});
