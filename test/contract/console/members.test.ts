/**
 * Proves, on both transports: an owner creates, disables, and changes members, and their sessions
 * then end. A generated password works and is shown once. A tenant always has an owner, no user
 * resets their own password, and another tenant's users do not exist.
 * Does not prove who may do it (console-roles), nor what e-mails are (access-users).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CONSOLE_LIMIT } from "../../../src/access/limits.ts";
import type { CreatedMember, Member } from "../../../src/console/web/app/memberanswers.ts";
import {
  type ConsoleAnswer,
  type ConsoleServer,
  type Person,
  startConsole,
} from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";

const MEMBERS = "/v1/console/members";
const SHAPE = [
  ...["id", "email", "role", "state", "created_at", "last_seen_at", "invited_until", "you"],
];

for (const transport of MATRIX) {
  describe(`members over ${transport}`, () => {
    let server: ConsoleServer;
    let owner: Person;
    before(async () => {
      server = await startConsole(transport);
      owner = await server.person("acme", "owner");
    });
    after(() => server.close());

    const post = (path: string, body: unknown = {}, by = owner): Promise<ConsoleAnswer> =>
      server.send({ method: "POST", path: MEMBERS + path, headers: by.headers, body });
    const as = <Shape>(got: ConsoleAnswer): Shape => got.json() as unknown as Shape;
    const list = async (by = owner): Promise<Member[]> => {
      const got = await server.send({ method: "GET", path: MEMBERS, headers: by.headers });
      return as<{ members: Member[] }>(got).members;
    };
    const open = async ({ headers }: Person): Promise<number> =>
      (await server.send({ method: "GET", path: "/v1/console/sessions", headers })).status;
    const signIn = (email: string, password: string): Promise<ConsoleAnswer> =>
      server.send({ method: "POST", path: "/v1/console/session", body: { email, password } });

    it("get a password that works and is shown once", async () => {
      const got = await post("", { email: " Rui@Example.com", role: "member" });
      assert.equal(got.status, 201, got.text);
      const made = as<CreatedMember>(got);
      assert.deepEqual(Object.keys(made), ["request_id", ...SHAPE, "password"]);
      assert.deepEqual([made.email, made.role, made.you], ["rui@example.com", "member", false]);
      assert.equal((await signIn("rui@example.com", made.password)).status, 200);
      const all = await list();
      assert.deepEqual(
        all.map(({ you }) => you),
        [true, false],
      );
      for (const member of all) assert.deepEqual(Object.keys(member), SHAPE);
      assert.ok(!JSON.stringify(all).includes(made.password));
      const twice = await post("", { email: "RUI@example.com" });
      assert.deepEqual([twice.status, (await list()).length], [422, all.length]);
      assert.match(twice.text, /"pointer":"\/email","code":"email_taken"/);
    });

    it("are created slowly, since all tenants share the hashing of passwords", async () => {
      // The limit allows one such request; a refused one changes nothing.
      const limit = { limits: { ...CONSOLE_LIMIT.limits, requests_per_second: 0.01, burst: 15 } };
      const slow = await startConsole(transport, { limit });
      try {
        const boss = await slow.person("acme", "owner");
        const bob = await slow.person("acme", "member");
        const send = (path: string, body: unknown) =>
          slow.send({ method: "POST", path, headers: boss.headers, body });
        assert.equal((await send(MEMBERS, { email: "one@example.com" })).status, 201);
        const change = { current_password: boss.password, new_password: "another long password" };
        for (const [path, body] of [
          [MEMBERS, { email: "two@example.com" }],
          [`${MEMBERS}/${bob.id}/password`, {}],
          ["/v1/console/password", change],
        ] as const) {
          const got = await send(path, body);
          assert.deepEqual([path, got.status], [path, 429]);
          assert.match(got.text, /"code":"rate_limited"/);
        }
        assert.equal((await slow.again(bob)).id, bob.id);
        assert.equal((await slow.again(boss)).id, boss.id);
      } finally {
        await slow.close();
      }
    });

    it("are signed out by a change, and a role applies immediately", async () => {
      const bob = await server.person("acme", "member");
      assert.equal((await post("", { email: "x@example.com" }, bob)).status, 403);
      assert.equal(as<Member>(await post(`/${bob.id}`, { role: "owner" })).role, "owner");
      assert.equal(await open(bob), 401);
      const renewed = await server.again(bob);
      assert.equal(
        (await list(renewed)).some(({ you }) => you),
        true,
      );
      assert.equal(as<Member>(await post(`/${bob.id}`, { state: "disabled" })).state, "disabled");
      assert.equal(await open(renewed), 401);
      assert.equal((await signIn(bob.email, bob.password)).status, 401);
      const both = { state: "active", role: "member" };
      const back = as<Member>(await post(`/${bob.id}`, both));
      assert.deepEqual([back.state, back.role], ["active", "member"]);
      assert.equal((await signIn(bob.email, bob.password)).status, 200);
    });

    it("get a new password, which ends the old one and their sessions", async () => {
      const bob = await server.person("acme", "member");
      const { password } = as<CreatedMember>(await post(`/${bob.id}/password`));
      assert.equal(await open(bob), 401);
      assert.equal((await signIn(bob.email, bob.password)).status, 401);
      assert.equal((await signIn(bob.email, password)).status, 200);
      const own = await post(`/${owner.id}/password`);
      assert.equal(own.status, 422, own.text);
      assert.equal(await open(owner), 200);
    });

    it("never lack an owner", async () => {
      for (const body of [
        { role: "member" },
        { state: "disabled" },
        { role: "member", state: "disabled" },
        { role: "owner", state: "disabled" },
      ]) {
        const got = await post(`/${owner.id}`, body);
        assert.equal(got.status, 422, got.text);
        assert.match(got.text, /last_owner/);
      }
      const [self] = await list();
      assert.deepEqual([self?.role, self?.state], ["owner", "active"]);
      const second = await server.person("acme", "owner");
      // An owner who becomes a member keeps the session.
      const given = await post(`/${second.id}`, { role: "member" }, second);
      assert.equal(as<Member>(given).role, "member");
      assert.equal(await open(second), 200);
      const refused = await server.send({ method: "GET", path: MEMBERS, headers: second.headers });
      assert.deepEqual([refused.status, refused.json().code], [403, "role_not_allowed"]);
    });

    it("of other tenants do not exist", async () => {
      const other = await server.person("umbrella", "owner");
      assert.ok((await list()).every(({ id }) => id !== other.id));
      for (const [path, body] of [
        [`/${other.id}`, { role: "member" }],
        [`/${other.id}/password`, {}],
      ]) {
        const got = await post(path as string, body);
        const unknown = await post((path as string).replace(other.id, "0123456789ab"), body);
        assert.equal(got.status, 404);
        assert.equal(got.text.replace(/req_\w+/, ""), unknown.text.replace(/req_\w+/, ""));
      }
      assert.equal(await open(other), 200);
    });

    it("are refused with every mistake, and then nothing changes", async () => {
      const bob = await server.person("acme", "member");
      const before = await list();
      const cases: readonly [string, unknown, readonly string[]][] = [
        ["", {}, ["/email"]],
        ["", { email: 5, role: "admin", name: "x" }, ["/name", "/email", "/role"]],
        ["", { email: "no address", role: "member" }, ["/email"]],
        [`/${bob.id}`, {}, ["/role"]],
        [`/${bob.id}`, { role: "admin", state: "gone" }, ["/role", "/state"]],
        [`/${bob.id}`, { role: "owner", state: "gone" }, ["/state"]],
        [`/${bob.id}/password`, { password: "mine" }, ["/password"]],
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
      assert.equal(await open(bob), 200);
    });
  });
}
