/**
 * Proves, on both transports: keys made in the console work with the console's plan. A key's secret
 * is shown once. Keys are changed as requested, and a rotation and an expiry are stored. Every
 * mistake in a request is reported. Does not prove who may do it (console-roles) nor how keys are
 * recognized (access-keyring).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ApiKey, CreatedKeyAnswer } from "../../../src/console/web/app/answers.ts";
import {
  type ConsoleAnswer,
  type ConsoleServer,
  type Person,
  startConsole,
} from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const KEYS = "/v1/console/keys";
const DAY_MS = 86_400_000;
const MEMBERS = ["key_id", "name", "plan", "state", "created_at", "expires_at", "last_used_at"];

for (const transport of MATRIX) {
  describe(`keys in the console over ${transport}`, () => {
    let server: ConsoleServer;
    let owner: Person;
    before(async () => {
      server = await startConsole(transport);
      owner = await server.person("acme", "owner");
      server.keyring.create({ tenant: "acme", plan: "growth", name: "from before" });
    });
    after(() => server.close());

    const post = (path: string, body: unknown = {}): Promise<ConsoleAnswer> =>
      server.send({ method: "POST", path: KEYS + path, headers: owner.headers, body });
    const as = <Shape>(got: ConsoleAnswer): Shape => got.json() as unknown as Shape;
    const list = async (): Promise<ApiKey[]> => {
      const got = await server.send({ method: "GET", path: KEYS, headers: owner.headers });
      return as<{ keys: ApiKey[] }>(got).keys;
    };
    const make = async (body: object = { name: "crm" }): Promise<CreatedKeyAnswer> => {
      const got = await post("", body);
      assert.equal(got.status, 201, got.text);
      return as<CreatedKeyAnswer>(got);
    };
    const works = async (key: string): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await server.send({ method: "GET", path: "/v1/status", headers })).status;
    };

    it("get the console's plan and are shown once", async () => {
      const made = await make({ name: "  crm – São Paulo " });
      assert.deepEqual(Object.keys(made), ["request_id", ...MEMBERS, "key"]);
      assert.equal(made.plan, "growth");
      assert.equal(made.state, "active");
      assert.equal(made.expires_at, null);
      assert.equal(await works(made.key), 200);
      const [secret] = made.key.split("_").slice(2);
      const listed = await server.send({ method: "GET", path: KEYS, headers: owner.headers });
      assert.ok(!listed.text.includes(secret as string), "the secret is in the list");
      const one = (await list()).find(({ key_id }) => key_id === made.key_id);
      assert.equal(one?.name, "crm – São Paulo");
      assert.deepEqual(Object.keys(one ?? {}), MEMBERS);
    });

    it("are the tenant's, oldest first, also after it was renamed", async () => {
      const names = (await list()).map(({ name }) => name);
      assert.equal(names[0], "from before");
      server.keyring.renameTenant("acme", "acme renamed");
      const made = await make({ name: "after" });
      assert.equal((await list()).at(-1)?.key_id, made.key_id);
      assert.ok(server.keyring.tenants().every(({ name }) => name !== "acme"));
      server.keyring.renameTenant("acme renamed", "acme");
    });

    it("expire at the requested time", async () => {
      const before = Date.now();
      const { expires_at } = await make({ name: "short", expires_in_days: 30 });
      const at = Date.parse(expires_at ?? "");
      assert.ok(at >= before + 30 * DAY_MS && at <= Date.now() + 30 * DAY_MS);
      assert.equal((await make({ name: "none", expires_in_days: null })).expires_at, null);
    });

    it("can be disabled, enabled, and renamed", async () => {
      const made = await make();
      const stopped = as<ApiKey>(await post(`/${made.key_id}/disable`));
      assert.equal(stopped.state, "disabled");
      assert.equal(await works(made.key), 403);
      assert.equal(as<ApiKey>(await post(`/${made.key_id}/disable`, "")).state, "disabled");
      assert.equal(as<ApiKey>(await post(`/${made.key_id}/enable`)).state, "active");
      assert.equal(await works(made.key), 200);
      const renamed = as<ApiKey>(await post(`/${made.key_id}`, { name: "<b>other</b>" }));
      assert.equal(renamed.name, "<b>other</b>");
    });

    it("are replaced, immediately or after a delay", async () => {
      const made = await make({ name: "leaked" });
      const next = as<CreatedKeyAnswer>(await post(`/${made.key_id}/rotate`));
      assert.equal(next.replaces, made.key_id);
      assert.deepEqual([next.name, next.plan], ["leaked", "growth"]);
      assert.equal(await works(made.key), 403);
      assert.equal(await works(next.key), 200);
      const last = as<CreatedKeyAnswer>(
        await post(`/${next.key_id}/rotate`, { overlap_seconds: 3_600 }),
      );
      assert.equal(await works(next.key), 200);
      assert.ok(Date.parse(last.old_expires_at ?? "") > Date.now() + 3_500_000);
      const old = (await list()).find(({ key_id }) => key_id === made.key_id);
      assert.equal(old?.state, "expired");
      for (const action of ["rotate", "enable"]) {
        const got = await post(`/${made.key_id}/${action}`);
        assert.equal(got.status, 422);
        assert.match(got.text, /expired/);
      }
      const { key_id } = await make();
      await post(`/${key_id}/disable`);
      assert.match((await post(`/${key_id}/rotate`)).text, /disabled/);
    });

    it("are refused with every mistake, and then nothing changes", async () => {
      const before = await list();
      const { key_id } = before[0] as ApiKey;
      const cases: readonly [string, unknown, readonly string[]][] = [
        ["", {}, ["/name"]],
        ["", { name: " ", expires_in_days: 0 }, ["/name", "/expires_in_days"]],
        [
          "",
          { name: "x".repeat(101), expires_in_days: 1.5, a: 1 },
          ["/a", "/name", "/expires_in_days"],
        ],
        ["", { name: "a\nb" }, ["/name"]],
        ["", { name: 5, plan: "enterprise" }, ["/plan", "/name"]],
        ["", { name: "a", expires_in_days: "30" }, ["/expires_in_days"]],
        [`/${key_id}`, { name: null }, ["/name"]],
        [`/${key_id}/rotate`, { overlap_seconds: -1 }, ["/overlap_seconds"]],
        [`/${key_id}/disable`, { really: true }, ["/really"]],
      ];
      for (const [path, body, pointers] of cases) {
        const got = await post(path, body);
        assert.equal(got.status, 422, got.text);
        const { errors } = as<{ errors: { pointer: string }[] }>(got);
        assert.deepEqual(
          errors.map(({ pointer }) => pointer),
          pointers,
          got.text,
        );
      }
      assert.deepEqual(await list(), before);
      for (const id of ["000000000000", "x", "..", "%2e%2e", "a'b"]) {
        assert.equal((await post(`/${id}/disable`)).status, 404);
      }
    });
  });
}
