/**
 * Proves, on both transports: the pages of the list of exports together have every export of the
 * tenant once, newest first. This holds for any page size, even if exports are created or deleted
 * meanwhile. Cursors are rejected if any bit is altered, for another tenant or endpoint, or with a
 * larger limit. The Link header leads to the next page. Does not prove: the order in SQLite (the
 * exporter is a model here; exportstore has its own suite).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { LIST_LIMIT_MAX } from "../../../../src/export/listcursor.ts";
import { bitsFlipped } from "../../../support/export/flipped.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

const EXPORTS = 23;
const SP = { filters: { geo: { uf_any_of: ["SP"] } } };

interface Page {
  readonly status: number;
  readonly link: string | null;
  readonly code?: string;
  readonly exports: readonly { readonly export_id: string; readonly status: string }[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

type Tenant = "free" | "starter" | "enterprise";

async function list(
  server: FakeServer,
  path: string,
  tenant: Tenant = "enterprise",
): Promise<Page> {
  const headers = { authorization: `Bearer ${server.keys[tenant]}` };
  const answer = await fetchDocumented(server.base + path, { headers });
  const link = answer.headers.get("link");
  return { ...((await answer.json()) as Page), status: answer.status, link };
}

let keys = 0;
async function create(server: FakeServer, tenant: Tenant = "enterprise"): Promise<string> {
  const answer = await fetchDocumented(`${server.base}/v1/exports`, {
    method: "POST",
    body: JSON.stringify({ spec: SP, output: { format: "csv" } }),
    headers: {
      "content-type": "application/json",
      "idempotency-key": `list-${keys++}`,
      authorization: `Bearer ${server.keys[tenant]}`,
    },
  });
  const body = (await answer.json()) as { readonly export: { readonly export_id: string } };
  return body.export.export_id;
}

const idsOf = ({ exports }: Page) => exports.map(({ export_id: id }) => id);

for (const transport of MATRIX) {
  describe(`the list of exports over ${transport}`, () => {
    let server: FakeServer;
    /** Newest first. */
    let mine: string[];
    let theirs: string[];
    before(async () => {
      server = await startFake(transport);
      mine = [];
      theirs = [];
      for (let i = 0; i < EXPORTS; i++) {
        mine.unshift(await create(server));
        if (i % 3 === 0) theirs.unshift(await create(server, "starter"));
      }
      server.exporter.run(mine[1] as string);
      server.exporter.finish(mine[2] as string, Buffer.from("x"));
      server.exporter.finish(mine[3] as string, Buffer.from("x"), 0);
      server.exporter.fail(mine[4] as string, "write_failed");
    });
    after(() => server.close());

    /** Reads all pages by the cursor in the body. Calls `between` after each page. */
    const walk = async (limit: number, between: (page: Page) => unknown = () => {}) => {
      const pages: Page[] = [];
      for (let path = `/v1/exports?limit=${limit}`; ; ) {
        const page = await list(server, path);
        assert.equal(page.status, 200);
        pages.push(page);
        await between(page);
        if (page.next_cursor === null) return pages;
        path = `/v1/exports?cursor=${page.next_cursor}`;
      }
    };

    for (const limit of [1, 2, 7, EXPORTS - 1, EXPORTS, EXPORTS + 1, LIST_LIMIT_MAX]) {
      it(`yields every export once, newest first, in pages of ${limit}`, async () => {
        const pages = await walk(limit);
        assert.equal(pages.length, Math.ceil(EXPORTS / limit));
        assert.deepEqual(pages.flatMap(idsOf), mine);
        for (const [at, page] of pages.entries()) {
          const more = at < pages.length - 1;
          assert.equal(page.has_more, more);
          assert.equal(page.next_cursor !== null, more);
          const next = `</v1/exports?limit=${limit}&cursor=${page.next_cursor}>; rel="next"`;
          assert.equal(page.link, more ? next : null);
        }
      });
    }

    it("defaults to pages of 50, with only the tenant's exports", async () => {
      assert.deepEqual(idsOf(await list(server, "/v1/exports")), mine);
      assert.deepEqual(idsOf(await list(server, "/v1/exports", "starter")), theirs);
      const none = await list(server, "/v1/exports", "free");
      assert.deepEqual([none.exports, none.next_cursor, none.has_more], [[], null, false]);
      const many = await startFake(transport);
      for (let i = 0; i < 51; i++) await create(many);
      const page = await list(many, "/v1/exports");
      assert.deepEqual([page.exports.length, page.has_more], [50, true]);
      await many.close();
    });

    it("shows each export as a read does, expired ones without a link", async () => {
      const { exports } = await list(server, "/v1/exports?limit=5");
      assert.deepEqual(
        exports.map(({ status }) => status),
        ["queued", "running", "done", "done", "failed"],
      );
      for (const [at, record] of exports.entries()) {
        const headers = { authorization: `Bearer ${server.keys.enterprise}` };
        const read = await fetch(`${server.base}/v1/exports/${record.export_id}`, { headers });
        if (at === 3) assert.equal(read.status, 410);
        else assert.deepEqual(await read.json(), record);
      }
      const links = exports.map((record) => (record as Record<string, unknown>).download_url);
      const third = `/v1/exports/${exports[2]?.export_id}/download`;
      assert.deepEqual(links, [null, null, third, null, null]);
    });

    it("can be followed by the Link header alone", async () => {
      const seen: string[] = [];
      for (let path: string | undefined = "/v1/exports?limit=4"; path !== undefined; ) {
        const page: Page = await list(server, path);
        seen.push(...idsOf(page));
        path = /^<([^>]+)>; rel="next"$/.exec(page.link ?? "")?.[1];
      }
      assert.deepEqual(seen, mine);
    });

    it("accepts and keeps a smaller limit, and rejects a larger one", async () => {
      const first = await list(server, "/v1/exports?limit=6");
      const second = await list(server, `/v1/exports?limit=4&cursor=${first.next_cursor}`);
      assert.deepEqual(idsOf(second), mine.slice(6, 10));
      const third = await list(server, `/v1/exports?cursor=${second.next_cursor}`);
      assert.deepEqual(idsOf(third), mine.slice(10, 14));
      const same = await list(server, `/v1/exports?limit=4&cursor=${second.next_cursor}`);
      assert.deepEqual(idsOf(same), mine.slice(10, 14));
      for (const [limit, cursor] of [
        [7, first.next_cursor],
        [200, first.next_cursor],
        [5, second.next_cursor],
      ]) {
        const larger = await list(server, `/v1/exports?limit=${limit}&cursor=${cursor}`);
        assert.deepEqual([larger.status, larger.code], [422, "invalid_request"]);
        assert.equal(larger.exports, undefined);
      }
    });

    it("rejects a cursor of another tenant", async () => {
      const { next_cursor: cursor } = await list(server, "/v1/exports?limit=3");
      for (const tenant of ["free", "starter"] as const) {
        const answer = await list(server, `/v1/exports?cursor=${cursor}`, tenant);
        assert.deepEqual([answer.status, answer.code], [422, "invalid_cursor"]);
      }
    });

    it("rejects a cursor that is flipped in any bit, cut, lengthened, or respelled", async () => {
      const { next_cursor: cursor } = await list(server, "/v1/exports?limit=3");
      assert.ok(cursor !== null && cursor.length <= 512);
      const wrong = [cursor.slice(1), cursor.slice(0, -1), `${cursor}A`, `${cursor}%3D`];
      wrong.push(` ${cursor}`, `${cursor}%0A`, cursor.toLowerCase());
      const all = [...bitsFlipped(cursor), ...wrong.map((one) => one.replace(" ", "%20"))];
      assert.equal(all.length, 42 * 8 + 7);
      const answers = await Promise.all(
        all.map((altered) => list(server, `/v1/exports?cursor=${altered}`)),
      );
      for (const { status, code } of answers) {
        assert.deepEqual([status, code], [422, "invalid_cursor"]);
      }
    });

    it("rejects search cursors, and searches reject its cursors", async () => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${server.keys.enterprise}`,
      };
      const search = async (body: object) => {
        const options = { method: "POST", headers, body: JSON.stringify({ spec: SP, ...body }) };
        return (await (await fetch(`${server.base}/v1/accounts/search`, options)).json()) as Page;
      };
      const { next_cursor: ofSearch } = await search({ limit: 3 });
      const { next_cursor: ofList } = await list(server, "/v1/exports?limit=3");
      assert.equal((await search({ cursor: ofList })).code, "invalid_cursor");
      assert.equal((await list(server, `/v1/exports?cursor=${ofSearch}`)).code, "invalid_cursor");
    });

    it("stays complete if exports are created and deleted during a walk", async () => {
      const before = [...mine];
      const added: string[] = [];
      const removed = before[20] as string;
      let rounds = 0;
      const pages = await walk(5, async ({ exports }) => {
        added.unshift(await create(server));
        if (rounds++ === 0) {
          // Deletes the last export of this page, to which the cursor points, and the one after it.
          for (const id of [exports.at(-1)?.export_id, removed]) {
            const headers = { authorization: `Bearer ${server.keys.enterprise}` };
            await fetch(`${server.base}/v1/exports/${id}`, { method: "DELETE", headers });
          }
        }
      });
      assert.deepEqual(
        pages.flatMap(idsOf),
        before.filter((id) => id !== removed),
      );
      const left = before.filter((id) => id !== removed && id !== before[4]);
      assert.deepEqual(idsOf(await list(server, "/v1/exports")), [...added, ...left]);
    });
  });
}
