/**
 * Proves, on both transports: in a translation and in a lead search, a sentence can name the
 * sender's own lists. Its counts are those of an equivalent spec. The spec that the answer shows
 * can be searched without changes. The names of another tenant's lists do not match. When a list is
 * renamed, changed, or removed, the same bytes get an answer that reflects this.
 * Does not prove: which sentences name lists (contract/translate/namedlists.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../../src/search/segment.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../../support/sample/snapshot.ts";

interface Lists {
  readonly any_of?: readonly string[];
  readonly exclude?: readonly string[];
}

interface Spec {
  readonly filters: { readonly lists?: Lists };
  readonly explain: { readonly unmapped_constraints: readonly { readonly code: string }[] };
}

interface Body {
  readonly list: { readonly id: string };
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly leads: readonly object[];
  readonly matches: number;
  readonly total: number;
  readonly code: string;
  readonly spec: Spec;
}

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(2_000, 7, "2026-10");
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

const SENTENCE = "empresas de São Paulo SP com telefone que não estão na lista Clientes";
const WITHOUT = "empresas de São Paulo SP com telefone";

for (const transport of MATRIX) {
  describe(`lists in sentences over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport, { engine: ENGINE, segment: () => segment });
    });
    after(() => server.close());

    async function send(path: string, sent: unknown, tenant = "enterprise", method = "POST") {
      const answer = await fetchDocumented(server.base + path, {
        method,
        headers: {
          authorization: `Bearer ${server.keys[tenant as "free"]}`,
          "content-type": "application/json",
        },
        ...(method === "DELETE" ? {} : { body: JSON.stringify(sent) }),
      });
      const text = await answer.text();
      const etag = answer.headers.get("etag");
      return { status: answer.status, etag, ...(JSON.parse(text || "{}") as Body) };
    }
    const translated = (text: string, tenant?: string) =>
      send("/v1/leads/translate", { query_text: text }, tenant);
    const led = (text: string) => send("/v1/leads", { query_text: text, limit: 5 });
    const leftOf = ({ spec }: Body) => spec.explain.unmapped_constraints.map(({ code }) => code);

    it("return their tenant's current lists for identical bytes", async () => {
      const plain = await translated(WITHOUT);
      assert.ok(plain.matches > 10);
      for (let again = 0; again < 3; again++) {
        assert.deepEqual(leftOf(await translated(SENTENCE)), ["list"]);
        assert.equal((await led(SENTENCE)).code, "translation_uncertain");
      }
      const { id } = (await send("/v1/lists", { name: "Clientes" })).list;
      const { accounts } = await send("/v1/accounts/search", { spec: plain.spec, limit: 7 });
      const cnpjs = accounts.map(({ cnpj }) => cnpj);
      const tags = new Set<string | null>();
      for (const [at, cnpj] of cnpjs.entries()) {
        await send(`/v1/lists/${id}/entries`, { cnpjs: [cnpj] });
        const found = await translated(SENTENCE);
        assert.deepEqual([found.spec.filters.lists, leftOf(found)], [{ exclude: [id] }, []]);
        assert.equal(found.matches, plain.matches - at - 1);
        const counted = await send("/v1/accounts/count", { spec: found.spec });
        assert.equal(counted.total, found.matches);
        const leads = await led(SENTENCE);
        assert.equal(leads.status, 200, JSON.stringify(leads));
        assert.deepEqual(leads.spec.filters.lists, { exclude: [id] });
        tags.add(leads.etag);
      }
      assert.equal(tags.size, cnpjs.length, "each change makes another answer");
      const within = await translated(SENTENCE.replace("não ", ""));
      assert.deepEqual(
        [within.spec.filters.lists, within.matches],
        [{ any_of: [id] }, cnpjs.length],
      );
      const other = await translated(SENTENCE, "starter");
      assert.deepEqual([other.spec.filters.lists, leftOf(other)], [undefined, ["list"]]);
      await send(`/v1/lists/${id}`, { name: "Antigos" }, "enterprise", "PATCH");
      assert.deepEqual(leftOf(await translated(SENTENCE)), ["list"]);
      assert.equal((await led(SENTENCE)).code, "translation_uncertain");
      const renamed = await led(SENTENCE.replace("Clientes", "antigos"));
      assert.deepEqual(renamed.spec.filters.lists, { exclude: [id] });
      await send(`/v1/lists/${id}`, null, "enterprise", "DELETE");
      assert.deepEqual(leftOf(await translated(SENTENCE.replace("Clientes", "antigos"))), ["list"]);
    });

    it("recognize exported accounts, initially none", async () => {
      const plain = await translated(WITHOUT);
      const found = await translated(`${WITHOUT} que ainda não exportei`);
      assert.deepEqual(found.spec.filters.lists, { exclude: ["exported"] });
      assert.equal(found.matches, plain.matches);
      assert.equal((await translated(`${WITHOUT} que já exportei`)).matches, 0);
    });
  });
}
