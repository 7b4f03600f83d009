/**
 * Proves, on both transports: the lists' tenant, and no other, can name them in the spec of a query
 * for changes (in a body or an address) and of an export with `since`. The pages together equal the
 * same query without lists, filtered by a set. The spec that the answer shows contains ids. If a
 * list changes, cursors become invalid with a message, and a request with the same Idempotency-Key
 * counts as a different request.
 * Does not prove: random specs and lists (campaign/twin/listed-changes.test.ts), nor files
 * (contract/export/changes.test.ts).
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openSegment } from "../../../../src/search/segment.ts";
import { type MonthPair, makePair } from "../../../support/changes/pair.ts";
import {
  answered,
  type ChangesServer,
  refused,
  startChanges,
} from "../../../support/changes/server.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { MATRIX } from "../../../support/run/scale.ts";

interface Made {
  readonly list: { readonly id: string };
  readonly export: { readonly export_id: string };
  readonly code: string;
}

let pair: MonthPair;
const folder = mkdtempSync(join(tmpdir(), "peneira-listed-changes-"));
before(async () => {
  pair = await makePair({ seed: 91, accounts: 500 });
  for (const label of ["2026-09", "2026-10"]) {
    copyFileSync(join(pair.folder, label), join(folder, `${label}.peneira`));
  }
});
after(() => {
  pair.dispose();
  rmSync(folder, { recursive: true });
});

for (const transport of MATRIX) {
  describe(`changes of specs with lists over ${transport}`, () => {
    let changes: ChangesServer;
    before(async () => {
      const current = await openSegment(join(folder, "2026-10.peneira"));
      changes = await startChanges({ transport, folder, current });
    });
    after(async () => {
      await changes.close();
      await changes.lists.close();
      changes.months.close();
      changes.registry.close();
    });

    async function make(
      path: string,
      sent: object,
      { key = "", tenant = "enterprise" }: { key?: string; tenant?: "enterprise" | "free" } = {},
    ) {
      const answer = await fetchDocumented(changes.server.base + path, {
        method: "POST",
        headers: {
          authorization: `Bearer ${changes.server.keys[tenant]}`,
          "content-type": "application/json",
          ...(key === "" ? {} : { "idempotency-key": key }),
        },
        body: JSON.stringify(sent),
      });
      return { status: answer.status, body: (await answer.json()) as Made };
    }

    const send = (spec: object, more: object = {}) =>
      changes.post({ since: "2026-09", spec, limit: 7, ...more });

    async function listOf(cnpjs: readonly string[]): Promise<string> {
      const { id } = (await make("/v1/lists", { name: randomUUID() })).body.list;
      await make(`/v1/lists/${id}/entries`, { cnpjs });
      return id;
    }

    async function walked(spec: object): Promise<string[]> {
      const cnpjs: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page = await answered(await send(spec, cursor === null ? {} : { cursor }));
        cnpjs.push(...page.changes.map(({ cnpj }) => String(cnpj)));
        assert.deepEqual(page.spec.filters, {
          ...page.spec.filters,
          ...(spec as Filtered).filters,
        });
        if (page.next_cursor === null) return cnpjs;
        cursor = page.next_cursor;
      }
    }

    interface Filtered {
      readonly filters: object;
    }

    it("match the lists, page by page, until a list changes", async () => {
      const all = await walked({ filters: {} });
      const roots = [...new Set(all.slice(0, 25).map((cnpj) => cnpj.slice(0, 8)))];
      const id = await listOf(roots);
      const inList = (cnpj: string) => roots.includes(cnpj.slice(0, 8));
      const within = { filters: { lists: { any_of: [id] } } };
      const without = { filters: { lists: { exclude: [id] } } };
      assert.deepEqual(await walked(within), all.filter(inList));
      const rest = all.filter((cnpj) => !inList(cnpj));
      assert.deepEqual(await walked(without), rest);
      assert.ok(rest.length > 20 && all.filter(inList).length > 20);
      assert.deepEqual(await walked({ filters: { lists: { any_of: ["exported"] } } }), []);
      const first = await answered(await send(without));
      const [gone = ""] = rest.map((cnpj) => cnpj.slice(0, 8));
      await make(`/v1/lists/${id}/entries`, { cnpjs: [gone] });
      const late = await refused(await send(without, { cursor: first.next_cursor }), 422);
      assert.equal(late.code, "cursor_mismatch");
      assert.match(late.detail, /a list that it names has changed since/);
      const query = { since: "2026-09", spec: JSON.stringify(without), limit: "500" };
      const page = await answered(await changes.get(query));
      assert.deepEqual(
        page.changes.map(({ cnpj }) => cnpj),
        rest.filter((cnpj) => !cnpj.startsWith(gone)),
      );
    });

    it("filter a list by what changed, and keep entries that left the registry", async () => {
      const all = await answered(await send({ filters: {} }, { limit: 5_000 }));
      const gone = all.changes.filter(({ after }) => after === null).slice(0, 4);
      const moved = all.changes.filter(({ changed_fields: names }) =>
        (names as string[]).includes("street"),
      );
      const still = all.changes.filter((one) => !gone.includes(one) && !moved.includes(one));
      const cnpjs = [...gone, ...moved, ...still].map(({ cnpj }) => String(cnpj));
      assert.ok(gone.length === 4 && moved.length > 3 && still.length > 3);
      const id = await listOf(cnpjs.map((cnpj) => cnpj.slice(0, 8)));
      const spec = { filters: { lists: { any_of: [id] } } };
      const left = await answered(await send(spec, { kinds: ["left"], limit: 500 }));
      const leftCnpjs = left.changes.map(({ cnpj }) => cnpj);
      assert.ok(gone.every(({ cnpj }) => leftCnpjs.includes(cnpj)));
      const more = { changed_any_of: ["address"], limit: 500 };
      const addresses = await answered(await send(spec, more));
      const shown = addresses.changes.map(({ cnpj }) => cnpj);
      assert.ok(moved.every(({ cnpj }) => shown.includes(cnpj)));
      assert.equal(addresses.totals.changed, shown.length);
      const none = await listOf([]);
      const empty = await answered(await send({ filters: { lists: { any_of: [none] } } }, more));
      assert.deepEqual([empty.changes, empty.totals], [[], { entered: 0, left: 0, changed: 0 }]);
    });

    it("reject lists of another tenant, with the pointer", async () => {
      const id = await listOf([]);
      const spec = { filters: { lists: { any_of: [id] } } };
      const body = { since: "2026-09", spec };
      const posted = await refused(await changes.post(body, "free"), 404);
      assert.deepEqual(
        [posted.code, posted.errors?.[0]?.pointer],
        ["list_not_found", "/spec/filters/lists/any_of/0"],
      );
      const query = { since: "2026-09", spec: JSON.stringify(spec) };
      const got = await refused(await changes.get(query, "free"), 404);
      assert.equal(got.errors?.[0]?.pointer, "/query/spec/filters/lists/any_of/0");
      const sent = { ...body, output: { format: "csv" } };
      const other = await make("/v1/exports", sent, { key: "a", tenant: "free" });
      assert.deepEqual([other.status, other.body.code], [404, "list_not_found"]);
    });

    it("are exported, pinned to the current lists", async () => {
      const all = await walked({ filters: {} });
      const [one = "", two = ""] = [...new Set(all.map((cnpj) => cnpj.slice(0, 8)))];
      const rowsOf = (...roots: string[]) =>
        all.filter((cnpj) => roots.includes(cnpj.slice(0, 8))).length;
      const id = await listOf([one]);
      const spec = { filters: { lists: { any_of: [id] } } };
      const sent = { since: "2026-09", spec, output: { format: "csv" } };
      const first = await make("/v1/exports", sent, { key: "pinned" });
      assert.equal(first.status, 201);
      const created = changes.server.exporter.created.at(-1);
      assert.equal(created?.rows, rowsOf(one));
      assert.deepEqual(created?.spec.filters.lists, { any_of: [id] });
      assert.deepEqual(
        created?.lists?.map(({ id: named, revision }) => [named, revision]),
        [[id, 1]],
      );
      await make(`/v1/lists/${id}/entries`, { cnpjs: [two] });
      await make("/v1/exports", sent, { key: "later" });
      const later = changes.server.exporter.created.at(-1);
      assert.deepEqual([later?.rows, later?.lists?.[0]?.revision], [rowsOf(one, two), 2]);
    });
  });
}
