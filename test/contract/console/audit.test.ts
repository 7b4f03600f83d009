/**
 * Proves, on both transports: an owner reads each line of the tenant's audit trail once, page by
 * page. The lines show the names of keys and users and the hosts of webhooks. A change in the
 * console names its user. Lines and cursors of another tenant, and cursors of other lists, are not
 * found. The changes of a tenant are limited per day, because each writes a line.
 * Does not prove: who may read it and that every route names its sender (console-roles), nor which
 * change writes which line (access-audit).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CHANGES_PER_DAY_MAX } from "../../../src/access/audittrail.ts";
import type { AuditLine, AuditPage } from "../../../src/console/web/app/answers.ts";
import { AuditStore } from "../../../src/store/auditstore.ts";
import { openDatabase } from "../../../src/store/database.ts";
import {
  type ConsoleAnswer,
  type ConsoleServer,
  type Person,
  startConsole,
} from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const AUDIT = "/v1/console/audit";

for (const transport of MATRIX) {
  describe(`the audit trail over ${transport}`, () => {
    let server: ConsoleServer;
    let owner: Person;
    before(async () => {
      server = await startConsole(transport);
      owner = await server.person("acme", "owner");
    });
    after(() => server.close());

    const get = (query = "", by = owner): Promise<ConsoleAnswer> =>
      server.send({ method: "GET", path: AUDIT + query, headers: by.headers });
    const post = (path: string, body: unknown, by = owner): Promise<ConsoleAnswer> =>
      server.send({ method: "POST", path: `/v1/console${path}`, headers: by.headers, body });
    const page = async (query = "", by = owner): Promise<AuditPage> => {
      const got = await get(query, by);
      assert.equal(got.status, 200, got.text);
      return got.json() as unknown as AuditPage;
    };
    const shown = ({ action, actor, subject }: AuditLine) =>
      `${action} ${subject.name} by ${actor.kind} ${actor.name} ${actor.you}`;

    it("shows what was done, to what, and by which user, with current names", async () => {
      const member = await server.person("acme", "member");
      const { key_id: id } = (await post("/keys", { name: "crm" })).json() as never;
      await post(`/keys/${id}`, { name: "billing" });
      await post(`/members/${member.id}`, { role: "owner" });
      const promoted = await server.again(member);
      await post(`/keys/${id}/disable`, {}, promoted);
      const { lines, next_cursor, has_more } = await page();
      assert.deepEqual([next_cursor, has_more], [null, false]);
      assert.deepEqual(lines.map(shown), [
        `key.disable billing by user ${member.email} false`,
        `user.role ${member.email} by user ${owner.email} true`,
        `key.rename billing by user ${owner.email} true`,
        `key.create billing by user ${owner.email} true`,
        `user.create ${member.email} by command null false`,
        `user.create ${owner.email} by command null false`,
        "tenant.create null by command null false",
      ]);
      assert.deepEqual(lines[1]?.facts, { role: { from: "member", to: "owner" } });
      assert.deepEqual(Object.keys(lines[0] ?? {}), ["at", "action", "actor", "subject", "facts"]);
      assert.ok(Math.abs(Date.parse(lines[0]?.at ?? "") - Date.now()) < 60_000);
    });

    it("names receivers and replaced keys, and nothing that is deleted", async () => {
      const boss = await server.person("named", "owner");
      const url = "https://hooks.example.com/path/that/may/be/secret";
      const made = async (address: string): Promise<string> => {
        const got = (await post("/webhooks", { url: address }, boss)).json() as never;
        return (got as { webhook: { id: string } }).webhook.id;
      };
      const gone = await made(`${url}/gone`);
      await server.send({
        ...{ method: "DELETE", path: `/v1/console/webhooks/${gone}`, headers: boss.headers },
      });
      const hook = await made(url);
      await post(`/webhooks/${hook}`, { enabled: false }, boss);
      const { key_id: id } = (await post("/keys", { name: "crm" }, boss)).json() as never;
      await post(`/keys/${id}/rotate`, {}, boss);
      const { lines } = await page("", boss);
      const targets = lines.map(({ action, subject }) => [action, subject.name]);
      assert.deepEqual(
        targets.filter(([action]) => /^(webhook|key)\.(?!create)/.test(String(action))),
        [
          ["key.rotate", "crm"],
          ["webhook.disable", "hooks.example.com"],
          ["webhook.change", "hooks.example.com"],
          ["webhook.delete", null],
        ],
      );
      const rotated = lines.find(({ action }) => action === "key.rotate");
      assert.equal(rotated?.facts.replaced_by, "crm");
      const text = JSON.stringify(lines.map(({ facts }) => facts));
      assert.doesNotMatch(text, /[0-9a-f]{12}/);
    });

    it("is paged, each line once, also when lines are written meanwhile", async () => {
      const { lines: all } = await page();
      const found: AuditLine[] = [];
      let query = "?limit=2";
      for (let pages = 0; pages < 10; pages++) {
        const { lines, next_cursor, has_more } = await page(query);
        found.push(...lines);
        assert.equal(has_more, next_cursor !== null);
        if (next_cursor === null) break;
        query = `?cursor=${next_cursor}`;
        await post("/keys", { name: `meanwhile ${pages}` });
      }
      assert.deepEqual(found, all);
    });

    it("rejects foreign and altered cursors, and wrong parameters", async () => {
      const other = await server.person("umbrella", "owner");
      const { lines } = await page("", other);
      assert.deepEqual(
        lines.map(({ action }) => action),
        ["user.create", "tenant.create"],
      );
      const { next_cursor: mine } = await page("?limit=1");
      assert.ok(mine);
      const altered = mine.slice(0, -1) + (mine.endsWith("_") ? "-" : "_");
      await post("/exports", { spec: {}, output: { format: "csv" } });
      for (const [query, by, code] of [
        [`?cursor=${mine}`, other, "invalid_cursor"],
        [`?cursor=${altered}`, owner, "invalid_cursor"],
        ["?limit=0", owner, "invalid_request"],
        ["?limit=201", owner, "invalid_request"],
        ["?limit=x", owner, "invalid_request"],
        ["?tenant=acme", owner, "invalid_request"],
      ] as const) {
        const got = await get(query, by);
        assert.equal(got.json().code, code, `${query}: ${got.text}`);
      }
      const exports = `/v1/console/exports?cursor=${mine}`;
      const got = await server.send({ method: "GET", path: exports, headers: owner.headers });
      assert.equal(got.json().code, "invalid_cursor", "a cursor is of one list");
    });

    it("limits a tenant's changes per day, so that it cannot fill the disk", async () => {
      const busy = await server.person("busy", "owner");
      const { key_id: id } = (await post("/keys", { name: "crm" }, busy)).json() as never;
      const database = openDatabase(server.dataDir);
      const store = new AuditStore(database);
      const actor = `user:${busy.id}` as const;
      const change = { actor, action: "key.rename", tenantId: busy.tenantId, subject: id } as const;
      database
        .transaction(() => {
          for (let n = 1; n < CHANGES_PER_DAY_MAX; n++) {
            store.record({ ...change, at: Date.now(), facts: {} });
          }
        })
        .immediate();
      database.close();
      const was = (await page("?limit=1", busy)).lines;
      for (const [path, body] of [
        ["/keys", { name: "more" }],
        [`/keys/${id}/rotate`, {}],
        ["/members", { email: "more@example.com" }],
      ] as const) {
        const got = await post(path, body, busy);
        assert.deepEqual([got.status, got.json().code], [429, "rate_limited"], got.text);
        assert.ok(Number(got.headers["retry-after"]) > 86_000);
      }
      assert.deepEqual((await page("?limit=1", busy)).lines, was);
      assert.equal((await post("/keys", { name: "elsewhere" })).status, 201);
    });
  });
}
