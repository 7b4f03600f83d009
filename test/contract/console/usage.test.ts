/**
 * Proves, on both transports: requests are counted by key, by user, and by day, without delay, and
 * shown only to the tenant. The counts are the same after they were written to the state, and after
 * midnight. They equal those of /v1/status. A member sees other users' requests only as a sum,
 * without names.
 * Does not prove that a crash loses little (e2e/server/usage.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { UsageAnswer } from "../../../src/console/web/app/answers.ts";
import { manualClock } from "../../../src/process/clock.ts";
import { type ConsoleServer, type Person, startConsole } from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const USAGE = "/v1/console/usage";
const BODY = { spec: { filters: { geo: { uf_any_of: ["SP"] } } }, limit: 7 };

for (const transport of MATRIX) {
  describe(`use in the console over ${transport}`, () => {
    const clock = manualClock(Date.parse("2026-11-21T23:59:00Z"));
    let server: ConsoleServer;
    let owner: Person;
    let key: { readonly key: string; readonly keyId: string };
    before(async () => {
      server = await startConsole(transport, { parts: { clock } });
      owner = await server.person("acme", "owner");
      key = server.keyring.create({ tenant: "acme", plan: "growth", name: "crm" });
    });
    after(() => server.close());

    const read = async (query = "", by = owner): Promise<UsageAnswer> => {
      const request = { method: "GET", path: USAGE + query, headers: by.headers };
      const got = await server.send(request);
      assert.equal(got.status, 200, got.text);
      return got.json() as unknown as UsageAnswer;
    };
    const searchByKey = async (): Promise<void> => {
      const headers = { authorization: `Bearer ${key.key}` };
      const path = "/v1/accounts/search";
      const got = await server.send({ method: "POST", path, headers, body: BODY });
      assert.equal(got.status, 200, got.text);
    };
    const searchByUser = async (by = owner): Promise<void> => {
      const path = "/v1/console/accounts/search";
      const got = await server.send({ method: "POST", path, headers: by.headers, body: BODY });
      assert.equal(got.status, 200, got.text);
    };

    it("is counted by key and by user, before it is written and after", async () => {
      for (let i = 0; i < 4; i++) await searchByKey();
      await searchByUser();
      const stranger = await server.person("umbrella", "owner");
      await searchByUser(stranger);
      const check = async (ownRequests: number) => {
        const { days, senders, today, plan, limits, export_rows_left } = await read("?days=3");
        assert.deepEqual(days, ["2026-11-19", "2026-11-20", "2026-11-21"]);
        const zeros = [0, 0, 0];
        const crm = { id: key.keyId, name: "crm", kind: "key" };
        const person = { id: `user:${owner.id}`, name: owner.email, kind: "console" };
        const byId = (list: readonly { id: string }[]) =>
          [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
        assert.deepEqual(
          byId(senders),
          byId([
            { ...crm, requests: [0, 0, 4], accounts: [0, 0, 28], export_rows: zeros },
            { ...person, requests: [0, 0, ownRequests], accounts: [0, 0, 7], export_rows: zeros },
          ] as UsageAnswer["senders"]),
        );
        const sum = { requests: 4 + ownRequests, accounts: 35, export_rows: 0 };
        assert.deepEqual(today, sum);
        assert.equal(plan, "growth");
        assert.equal(limits.search_limit, server.service.plans.growth.limits.search_limit);
        const used = server.service.usage.exportRowsLeft(
          owner.tenantId,
          server.service.plans.growth,
        );
        assert.equal(export_rows_left, used);
      };
      await check(1);
      server.service.usage.flush();
      await check(2);
    });

    it("includes refused requests, but none without a session", async () => {
      const before = await read("?days=1");
      const { cookie } = owner;
      const request = { method: "POST", path: "/v1/console/keys", headers: { cookie }, body: {} };
      assert.equal((await server.send(request)).status, 403);
      await server.send({ method: "GET", path: "/v1/console/session", headers: { cookie } });
      const after = await read("?days=1");
      assert.equal(after.today.requests - before.today.requests, 2);
    });

    it("continues on a new day, and shows days without requests", async () => {
      clock.advance(120_000);
      await searchByKey();
      const { days, senders, today } = await read("?days=2");
      assert.deepEqual(days, ["2026-11-21", "2026-11-22"]);
      const crm = senders.find(({ id }) => id === key.keyId);
      assert.deepEqual(
        [crm?.requests, crm?.accounts],
        [
          [4, 1],
          [28, 7],
        ],
      );
      assert.deepEqual(today, { requests: 1, accounts: 7, export_rows: 0 });
      const month = await read();
      assert.equal(month.days.length, 30);
      for (const { requests, accounts, export_rows } of month.senders) {
        assert.deepEqual([requests.length, accounts.length, export_rows.length], [30, 30, 30]);
      }
      assert.equal((await read("?days=400")).days.length, 400);
    });

    it("is queried by whole days that are stored", async () => {
      for (const days of ["0", "401", "-1", "1.5", "", "x", "1e2", "030x"]) {
        const request = { method: "GET", path: `${USAGE}?days=${days}`, headers: owner.headers };
        const got = await server.send(request);
        assert.equal(got.status, 422, `${days}: ${got.text}`);
        assert.match(got.text, /"pointer":"\/query\/days"/);
      }
      const unknown = { method: "GET", path: `${USAGE}?day=1`, headers: owner.headers };
      assert.equal((await server.send(unknown)).status, 422);
    });

    it("shows members their own and the sum of all others, without names", async () => {
      const rui = await server.person("acme", "member");
      await searchByUser(rui);
      await searchByKey();
      const { senders } = await read("?days=1", rui);
      const ids = senders.map(({ id }) => id).sort();
      assert.deepEqual(ids, ["others", `user:${rui.id}`]);
      const all = (list: UsageAnswer["senders"]) =>
        list.flatMap(({ accounts }) => accounts).reduce((sum, one) => sum + one, 0);
      const seen = await read("?days=1");
      assert.equal(all(senders), all(seen.senders), "nothing is left out");
      const others = senders.find(({ id }) => id === "others");
      assert.deepEqual([others?.name, others?.accounts], ["", [all(senders) - 7]]);
      assert.ok(!JSON.stringify(senders).includes(owner.email));
    });
  });
}
