/**
 * Proves, on both transports: the routes that find accounts by name and list a company's
 * establishments answer as the OpenAPI document states, with mistakes, ETags, pages, and plans.
 * Does not prove: which accounts match (the engine is a fake here; unit/native-index/find.test.ts
 * and contract/search/finding.test.ts do).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, fakeSegment, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

interface Problem {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}
interface Found {
  readonly suggestions: readonly { match: string; account: Record<string, unknown> }[];
  readonly number: object | null;
}
interface Company {
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
  readonly total: number;
}

for (const transport of MATRIX) {
  describe(`finding over ${transport}`, () => {
    let server: FakeServer;
    before(async () => {
      server = await startFake(transport);
    });
    after(() => server.close());

    const get = (
      path: string,
      headers: Record<string, string> = {},
      plan: "enterprise" | "free" = "enterprise",
    ) =>
      fetchDocumented(server.base + path, {
        headers: { authorization: `Bearer ${server.keys[plan]}`, ...headers },
      });
    const mistakes = async (path: string) => {
      const answer = await get(path);
      assert.equal(answer.status, 422, path);
      const { errors = [] } = (await answer.json()) as Problem;
      return errors.map(({ pointer, code }) => `${pointer} ${code}`);
    };

    it("returns matches, in one state if given, ten or as many as requested", async () => {
      const found = (await (await get("/v1/accounts/suggest?q=Empresa%20I")).json()) as Found;
      assert.equal(found.suggestions.length, 10);
      assert.equal(found.suggestions[0]?.match, "name_start");
      assert.equal(found.number, null);
      const path = "/v1/accounts/suggest?q=empresa&limit=3&uf=rj";
      const some = (await (await get(path)).json()) as Found;
      assert.deepEqual(
        some.suggestions.map(({ account }) => account.uf),
        ["RJ", "RJ", "RJ"],
      );
    });

    it("reads full-width letters as plain ones", async () => {
      const send = async (text: string) => {
        const path = `/v1/accounts/suggest?q=${encodeURIComponent(text)}`;
        return (await (await get(path)).json()) as Found;
      };
      const wide = "\uff25\uff4d\uff50\uff52\uff45\uff53\uff41\u3000\uff29";
      const [found, plain] = [await send(wide), await send("Empresa I")];
      assert.equal(found.suggestions.length, 10);
      assert.deepEqual(found.suggestions, plain.suggestions);
    });

    it("searches by phone and e-mail only under a plan that offers them", async () => {
      const send = (path: string, members: object, plan: "enterprise" | "free") =>
        fetchDocumented(server.base + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${server.keys[plan]}`,
            "content-type": "application/json",
          },
          body: JSON.stringify({ spec: { filters: { contact: members } } }),
        });
      const value = { phone_any_of: "(61) 98620-9575", email_any_of: "Ana@Example.com" };
      for (const member of ["phone_any_of", "email_any_of"] as const) {
        for (const route of ["accounts/search", "accounts/count", "spec/normalize"]) {
          const contact = { [member]: [value[member]] };
          assert.equal((await send(`/v1/${route}`, contact, "enterprise")).status, 200, route);
          const refused = await send(`/v1/${route}`, contact, "free");
          assert.equal(refused.status, 422, route);
          const { code, errors = [] } = (await refused.json()) as Problem;
          assert.equal(code, "field_not_allowed");
          assert.deepEqual(
            errors.map(({ pointer }) => pointer),
            [`/spec/filters/contact/${member}`],
          );
        }
      }
    });

    it("shows no field outside the plan or the finder", async () => {
      const answer = await get("/v1/accounts/suggest?q=empresa&limit=1", {}, "free");
      const { suggestions } = (await answer.json()) as Found;
      const names = Object.keys(suggestions[0]?.account ?? {});
      assert.ok(names.includes("cnpj") && !names.includes("email"), String(names));
    });

    it("reports every mistake of the query", async () => {
      const suggest = "/v1/accounts/suggest";
      assert.deepEqual(await mistakes(suggest), ["/query/q missing"]);
      assert.deepEqual(await mistakes(`${suggest}?q=a&limit=21&uf=xx&colour=red`), [
        "/query/colour unknown_parameter",
      ]);
      assert.deepEqual(await mistakes(`${suggest}?q=--&limit=21&uf=xx`), [
        "/query/q not_searchable",
        "/query/limit out_of_range",
        "/query/uf unknown_uf",
      ]);
      const long = [`a`.repeat(201), Array.from({ length: 33 }, () => "a").join("%20")];
      for (const text of long) {
        assert.deepEqual(await mistakes(`${suggest}?q=${text}`), ["/query/q not_searchable"]);
      }
    });

    it("answers 304 only for the tag of the same query", async () => {
      const suggest = "/v1/accounts/suggest?q=empresa";
      const company = "/v1/companies/10000000?limit=2";
      const paths = [suggest, `${suggest}&uf=SP`, `${suggest}&limit=2`, company];
      const tags = await Promise.all(
        paths.map(async (path) => (await get(path)).headers.get("etag") ?? ""),
      );
      assert.equal(new Set(tags).size, paths.length);
      for (const [i, path] of paths.entries()) {
        const again = await get(path, { "if-none-match": tags[i] as string });
        assert.equal(again.status, 304);
        assert.equal((await get(path, { "if-none-match": '"x"' })).status, 200);
      }
    });

    it("walks a company's establishments by cursor and by Link, each once", async () => {
      const seen: string[] = [];
      let path: string | null = "/v1/companies/10.000.000?limit=150";
      while (path !== null) {
        const answer: Response = await get(path);
        const page = (await answer.json()) as Company;
        assert.equal(page.total, 500);
        seen.push(...page.accounts.map(({ cnpj }) => cnpj));
        const link = answer.headers.get("link");
        assert.equal(link !== null, page.has_more);
        assert.equal(page.next_cursor !== null, page.has_more);
        path = link === null ? null : (/^<([^>]+)>; rel="next"$/.exec(link)?.[1] as string);
        if (path !== null) assert.ok(path.endsWith(`&cursor=${page.next_cursor}`));
      }
      assert.equal(new Set(seen).size, 500);
      assert.equal(seen.length, 500);
    });

    it("shows owners and owned companies, page by page", async () => {
      interface Owned {
        readonly owners: { readonly total: number };
        readonly owns: { companies: { cnpj_root: string }[]; total: number; next: string | null };
      }
      const company = "/v1/companies/10000000?limit=2";
      const first = await get(company);
      const { owners, owns } = (await first.json()) as Owned;
      assert.equal(owners.total, 0);
      assert.deepEqual(
        owns.companies.map(({ cnpj_root: root }) => root),
        ["10000001", "10000002"],
      );
      assert.deepEqual([owns.total, owns.next], [3, "10000002"]);
      const second = await get(`${company}&owns_after=${owns.next}`);
      const rest = (await second.json()) as Owned;
      assert.deepEqual(
        rest.owns.companies.map(({ cnpj_root: root }) => root),
        ["10000003"],
      );
      assert.equal(rest.owns.next, null);
      assert.notEqual(first.headers.get("etag"), second.headers.get("etag"));
      assert.deepEqual(await mistakes(`${company}&owns_after=1&owners_after=x`), [
        "/query/owners_after invalid_cnpj_root",
        "/query/owns_after invalid_cnpj_root",
      ]);
    });

    it("rejects an invalid root, an unknown one, and wrong cursors", async () => {
      const company = "/v1/companies/10000000";
      assert.deepEqual(await mistakes("/v1/companies/11222333000181"), [
        "/path/root invalid_cnpj_root",
      ]);
      assert.deepEqual(await mistakes(`${company}?limit=0`), ["/query/limit out_of_range"]);
      assert.equal((await get("/v1/companies/9999ZZZZ")).status, 404);
      const { next_cursor: cursor } = (await (await get(`${company}?limit=1`)).json()) as Company;
      const refusal = async (path: string) => ((await (await get(path)).json()) as Problem).code;
      assert.equal(await refusal(`${company}?cursor=x`), "invalid_cursor");
      assert.equal(await refusal(`/v1/companies/10000001?cursor=${cursor}`), "cursor_mismatch");
      const other = await get(`${company}?cursor=${cursor}`, {}, "free");
      assert.equal(((await other.json()) as Problem).code, "invalid_cursor");
      server.load(fakeSegment("2026-11", "0".repeat(16)));
      assert.equal(await refusal(`${company}?cursor=${cursor}`), "cursor_expired");
      server.load(null);
      assert.equal((await get(company)).status, 503);
      assert.equal((await get("/v1/accounts/suggest?q=a")).status, 503);
      server.load(fakeSegment());
    });
  });
}
