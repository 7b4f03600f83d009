/**
 * Proves: over both transports, the catalog names every code that a filter accepts, with the number
 * of accounts that a linear scan finds. Its suggested words are few, and each occurs once. The
 * catalog is sent compressed if the client accepts this, and not sent if the client already has it.
 * Does not prove: that the words are useful, because only people can judge that.
 */

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import { sectionOfCnae } from "../../../src/spec/catalog.ts";
import { normalizeSpec } from "../../../src/spec/normalize.ts";
import { type ConsoleServer, type Person, startConsole } from "../../support/console/data.ts";
import { decodeSnapshot } from "../../support/formats/decode.ts";
import { MATRIX } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";
import { contextWith } from "../../support/spec/catalog.ts";
import type { TwinRow } from "../../support/twin.ts";

interface Counted {
  readonly code: string;
  readonly description: string | null;
  readonly accounts: number;
}
interface Catalog {
  readonly snapshot: string;
  readonly activities: (Counted & { readonly terms: string[] })[];
  readonly prefixes: Counted[];
  readonly municipalities: {
    ibge: string;
    tom: string;
    name: string;
    uf: string;
    accounts: number;
  }[];
  readonly states: { uf: string; name: string; accounts: number }[];
  readonly legal_natures: Counted[];
  readonly examples: Readonly<Record<"pt" | "en", string[]>>;
}

describe("GET /v1/console/catalog", () => {
  let made: SampleSnapshot;
  let segment: Segment;
  let rows: readonly TwinRow[];
  before(async () => {
    made = await makeSampleSnapshot(3_000, 63);
    segment = await openSegment(made.snapshot);
    rows = decodeSnapshot(made.snapshot).rows;
  });
  after(() => {
    segment.close();
    made.dispose();
  });

  /** Counts rows by the value that `of` returns. */
  function scan(of: (row: TwinRow) => unknown): Map<unknown, number> {
    const counts = new Map<unknown, number>();
    for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
    return counts;
  }

  for (const transport of MATRIX) {
    describe(`over ${transport}`, () => {
      let server: ConsoleServer;
      let person: Person;
      let catalog: Catalog;
      before(async () => {
        server = await startConsole(transport, { engine: ENGINE });
        server.load(segment);
        person = await server.person();
        catalog = (await person.get("/catalog")).json;
      });
      after(() => server.close());

      it("counts activities and their groups", () => {
        const cnae = scan((row) => row.cnae_primary);
        assert.equal(catalog.snapshot, segment.label);
        assert.equal(catalog.activities.length, segment.catalog.cnaeCodes.length);
        for (const { code, accounts } of catalog.activities) {
          assert.equal(accounts, cnae.get(code.replace(/\D/g, "")) ?? 0, code);
        }
        const section = scan((row) => sectionOfCnae((row.cnae_primary as string) ?? ""));
        for (const { code, accounts } of catalog.prefixes) {
          const begins = (row: TwinRow) => {
            const digits = (row.cnae_primary ?? "") as string;
            return digits !== "8888888" && digits.startsWith(code.replace("-", ""));
          };
          const wanted = /[A-Z]/.test(code) ? (section.get(code) ?? 0) : rows.filter(begins).length;
          assert.equal(accounts, wanted, code);
        }
        assert.equal(catalog.prefixes.filter(({ code }) => /^[A-U]$/.test(code)).length, 21);
      });

      it("counts places and legal natures", () => {
        const places = scan((row) => row.municipality_ibge);
        const states = scan((row) => row.uf);
        const natures = scan((row) => row.legal_nature);
        for (const { ibge, accounts, name } of catalog.municipalities) {
          if (ibge !== "") assert.equal(accounts, places.get(ibge) ?? 0, name);
        }
        assert.equal(catalog.states.length, 28);
        for (const { uf, accounts } of catalog.states) assert.equal(accounts, states.get(uf) ?? 0);
        for (const { code, accounts } of catalog.legal_natures) {
          assert.equal(accounts, natures.get(code) ?? 0, code);
        }
        const [town] = catalog.municipalities.filter(({ ibge }) => ibge === "3550308");
        assert.deepEqual([town?.name, town?.uf, town?.tom], ["São Paulo", "SP", "7107"]);
      });

      it("has three sentences of each language that find something", async () => {
        for (const sentences of [catalog.examples.pt, catalog.examples.en]) {
          assert.equal(new Set(sentences).size, 3);
          for (const text of sentences) {
            const { status, json } = await person.post("/translate", { query_text: text });
            assert.equal(status, 200, text);
            assert.ok(json.matches > 0, text);
            const { municipality_ibge_any_of: cities, uf_any_of: states } = json.spec.filters.geo;
            assert.equal(cities.length + states.length, 1, text);
          }
        }
        const stated = catalog.examples.pt.join("; ");
        assert.match(stated, /\b(no Rio de Janeiro|na Bahia|no Paraná)/, stated);
        assert.doesNotMatch(stated, /\bem (Rio de Janeiro|Bahia|Paraná)/, stated);
      });

      it("names exactly the codes that a spec accepts", () => {
        const filters = {
          industry: { cnae_any_of: catalog.activities.map(({ code }) => code) },
          geo: {
            uf_any_of: catalog.states.map(({ uf }) => uf),
            municipality_ibge_any_of: catalog.municipalities.flatMap(({ ibge }) => ibge || []),
          },
          company: { legal_nature_any_of: catalog.legal_natures.map(({ code }) => code) },
        };
        const context = contextWith({ catalog: segment.catalog });
        normalizeSpec({ filters }, context);
        for (const { code } of catalog.prefixes) {
          const spelled = code.replace("-", "");
          const { spec } = normalizeSpec(
            { filters: { industry: { cnae_any_of: [spelled] } } },
            context,
          );
          assert.ok(spec.filters.industry.cnae_any_of.length > 0, code);
        }
      });

      it("has few, common words, each once", () => {
        const bakery = catalog.activities.find(({ code }) => code === "4721-1/02");
        assert.ok(bakery?.terms.includes("panificadora"), String(bakery?.terms));
        for (const { code, terms } of catalog.activities) {
          assert.ok(terms.length <= 25, code);
          assert.equal(new Set(terms).size, terms.length, code);
        }
        const named = catalog.activities.filter(({ terms }) => terms.length > 0).length;
        assert.ok(named / catalog.activities.length > 0.95, `${named} activities have words`);
      });

      it("is sent compressed, the same in every encoding, and 304 if unchanged", async () => {
        const forms = await Promise.all(
          ["br", "gzip", "identity", "br;q=0, gzip"].map((coding) =>
            person.get("/catalog", { "Accept-Encoding": coding }),
          ),
        );
        const codings = forms.map(({ headers }) => headers.get("content-encoding"));
        assert.deepEqual(codings, ["br", "gzip", null, "gzip"]);
        for (const { text, headers } of forms) {
          assert.equal(text, forms[0]?.text);
          assert.equal(headers.get("vary"), "Accept-Encoding");
          assert.equal(headers.get("cache-control"), "private, no-cache");
        }
        const tag = forms[0]?.headers.get("etag") ?? "";
        const again = await person.get("/catalog", { "If-None-Match": tag });
        assert.deepEqual([again.status, again.text], [304, ""]);
        assert.equal(again.headers.get("cache-control"), "private, no-cache");
      });

      it("is built once for any number of concurrent requests", async () => {
        server.load({ ...segment, snapshotId: "0123456789abcdef" });
        const answers = await Promise.all([1, 2, 3].map(() => person.get("/catalog")));
        for (const { status, text } of answers) {
          assert.equal(status, 200);
          assert.equal(text, answers[0]?.text);
        }
        server.load(segment);
      });
    });
  }
});
