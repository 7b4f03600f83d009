/**
 * Proves, over both transports: e-mail receivers are created, read, listed, changed, tested, and
 * deleted as the OpenAPI document states, and every mistake is reported with its place. Another
 * tenant's receiver is answered like an unknown one. Webhooks and e-mails count together against
 * the plan. The link in an e-mail unsubscribes by one POST without a key, as mail programs and the
 * page send it; a GET only asks for confirmation. The page is small, has no script, and hides the
 * address. Keys and readers are limited in changes per day, so that they cannot fill the disk.
 * Does not prove: delivery (contract/notices/emails.test.ts).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CHANGES_PER_DAY_MAX } from "../../../../src/access/audittrail.ts";
import { type Actor, AuditStore } from "../../../../src/store/auditstore.ts";
import { openDatabase } from "../../../../src/store/database.ts";
import { type MailServer, readMail, startMailServer } from "../../../support/changes/mailserver.ts";
import { fetchDocumented } from "../../../support/http/documented.ts";
import { type FakeServer, startFake } from "../../../support/http/fake.ts";
import { MATRIX } from "../../../support/run/scale.ts";

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
}

interface EmailJson {
  readonly id: string;
  readonly address: string;
  readonly enabled: boolean;
  readonly disabled_reason: string | null;
  readonly language: string;
}

/** Writes as many changes of a tenant as are allowed in a day; returns the tenant's id. */
function flood({ dataDir, keyring, keys }: FakeServer, actor: Actor): string {
  const { tenantId } = keyring.authenticate(`Bearer ${keys.enterprise}`);
  const database = openDatabase(dataDir);
  const store = new AuditStore(database);
  const change = { actor, action: "webhook.change", tenantId, subject: "whk_x" } as const;
  database
    .transaction(() => {
      for (let n = 0; n < CHANGES_PER_DAY_MAX; n++) {
        store.record({ ...change, at: Date.now(), facts: {} });
      }
    })
    .immediate();
  database.close();
  return tenantId;
}

for (const transport of MATRIX) {
  describe(`e-mail receivers over ${transport}`, () => {
    let server: FakeServer;
    let mail: MailServer;

    before(async () => {
      mail = await startMailServer();
      const smtp = {
        ...{ host: "127.0.0.1", port: mail.port, user: null, password: null, ca: null },
        ...{ tls: "none" as const, from: "peneira@example.com", timeoutMs: 5_000 },
      };
      server = await startFake(transport, { smtp });
    });
    after(async () => {
      await server.close();
      await mail.close();
    });

    type Plan = "free" | "enterprise" | "growth";
    const send = async (method: string, path: string, body?: object, plan: Plan = "enterprise") => {
      const response = await fetchDocumented(server.base + path, {
        method,
        headers: {
          authorization: `Bearer ${server.keys[plan]}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const value = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
      return { status: response.status, headers: response.headers, value };
    };
    const create = async (address: string, more: object = {}) => {
      const { status, value } = await send("POST", "/v1/emails", { address, ...more });
      assert.equal(status, 201, JSON.stringify(value));
      return value.email as EmailJson;
    };
    const pointers = async (method: string, path: string, body: object) => {
      const { status, value } = await send(method, path, body);
      assert.equal(status, 422, JSON.stringify(value));
      return (value as unknown as Problem).errors?.map(({ pointer }) => pointer);
    };

    it("are created, read, listed, changed, tested, and deleted", async () => {
      const made = await create("ana@padaria-são-joão.com.br", { language: "en", contacts: true });
      assert.equal(made.address, "ana@xn--padaria-so-joo-yhbe.com.br");
      const path = `/v1/emails/${made.id}`;
      assert.deepEqual((await send("GET", path)).value.email, made);
      const { value } = await send("GET", "/v1/emails?limit=1");
      assert.deepEqual(value.emails, [made]);
      const changed = await send("PATCH", path, { language: "pt", enabled: false });
      const { language, enabled, disabled_reason } = changed.value.email as EmailJson;
      assert.deepEqual([language, enabled, disabled_reason], ["pt", false, "owner"]);
      const tested = await send("POST", `${path}/test`);
      const { delivered, status, error } = tested.value.test as Record<string, unknown>;
      assert.deepEqual([delivered, status, error], [true, 250, null]);
      mail.replies = { RCPT: "550 5.1.1 unknown" };
      const failed = await send("POST", `${path}/test`);
      mail.replies = {};
      assert.equal((failed.value.test as { delivered: boolean }).delivered, false);
      assert.equal((await send("DELETE", path)).status, 204);
      assert.equal((await send("GET", path)).status, 404);
    });

    it("name every mistake with its place", async () => {
      const wrong = { address: "a@b", searches: [], language: "fr", contacts: 1 };
      assert.deepEqual(await pointers("POST", "/v1/emails", wrong), [
        ...["/address", "/searches", "/language", "/contacts"],
      ]);
      assert.deepEqual(await pointers("POST", "/v1/emails", {}), ["/address"]);
      for (const address of ["Ana <a@b.com>", "a@b.com\r\nBcc: c@d.com", ["a@b.com"], null]) {
        assert.deepEqual(await pointers("POST", "/v1/emails", { address }), ["/address"]);
      }
      const unknown = { address: "a@b.com", searches: ["sch_x"] };
      assert.deepEqual(await pointers("POST", "/v1/emails", unknown), ["/searches/0"]);
      const { id } = await create("mistakes@example.com");
      assert.deepEqual(await pointers("POST", "/v1/emails", { address: "mistakes@example.com" }), [
        "/address",
      ]);
      const path = `/v1/emails/${id}`;
      assert.deepEqual(await pointers("PATCH", path, { enabled: 1 }), ["/enabled"]);
      assert.deepEqual(await pointers("PATCH", path, { address: "x@y.com" }), ["/address"]);
    });

    it("of another tenant, and webhooks, are unknown", async () => {
      const { id } = await create("own@example.com");
      const absent = `/v1/emails/eml_${"0".repeat(32)}`;
      const hook = await send("POST", "/v1/webhooks", { url: "http://127.0.0.1:1/" });
      const { id: webhook } = hook.value.webhook as { id: string };
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const body = method === "PATCH" ? {} : undefined;
        const foreign = await send(method, `/v1/emails/${id}`, body, "growth");
        const none = await send(method, absent, body, "growth");
        assert.deepEqual([foreign.status, none.status], [404, 404]);
        assert.equal(foreign.value.detail, none.value.detail);
        assert.equal((await send(method, `/v1/emails/${webhook}`, body)).status, 404);
        assert.equal((await send(method, `/v1/webhooks/${id}`, body)).status, 404);
      }
    });

    it("have a limit of their own, apart from webhooks", async () => {
      const { emails: most, webhooks } = server.service.plans.free.limits;
      for (let n = 0; n < most; n++) {
        const body = { address: `f${n}@b.com` };
        assert.equal((await send("POST", "/v1/emails", body, "free")).status, 201);
      }
      const { status, value } = await send("POST", "/v1/emails", { address: "f@b.com" }, "free");
      assert.deepEqual([status, value.code], [422, "plan_not_allowed"]);
      assert.match(String(value.detail), new RegExp(`allows ${most} e-mail receivers`));
      assert.ok(webhooks > 0);
      const hook = { url: "http://127.0.0.1:1/" };
      assert.equal((await send("POST", "/v1/webhooks", hook, "free")).status, 201);
    });

    describe("the address that ends them", () => {
      let id: string;
      let path: string;
      const PAGE = { accept: "text/html" };
      const state = async () => (await send("GET", `/v1/emails/${id}`)).value.email as EmailJson;
      const post = (body: BodyInit | null, type: string | null, query = "") =>
        fetch(server.base + path + query, {
          method: "POST",
          body,
          headers: type === null ? {} : { "content-type": type },
        });

      before(async () => {
        ({ id } = await create("reader@example.com"));
        await send("POST", `/v1/emails/${id}/test`);
        const { headers } = readMail(mail.got.at(-1)?.raw ?? "");
        assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
        const href = headers.get("list-unsubscribe")?.slice(1, -1) ?? "";
        assert.ok(href.startsWith("https://peneira.example.com/unsubscribe/"));
        path = new URL(href).pathname;
      });

      it("asks, and changes nothing by a GET", async () => {
        for (const method of ["GET", "HEAD"]) {
          const response = await fetch(server.base + path, { method, headers: PAGE });
          assert.equal(response.status, 200);
          assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
          const policy = response.headers.get("content-security-policy") ?? "";
          assert.match(policy, /default-src 'none'.*form-action 'self'/);
          const page = await response.text();
          if (method === "GET") assert.match(page, /<form method="post"/);
          assert.doesNotMatch(page, /reader@|<script/);
          assert.ok(page.length < 4_000);
        }
        assert.equal((await state()).enabled, true);
      });

      it("ends them by one POST without a key, as often as it comes", async () => {
        const form = new FormData();
        form.set("List-Unsubscribe", "One-Click");
        const bodies: readonly (readonly [BodyInit | null, string | null])[] = [
          ["List-Unsubscribe=One-Click", "application/x-www-form-urlencoded"],
          [form, null],
          [null, null],
        ];
        for (const [body, type] of bodies) {
          const response = await post(body, type);
          assert.equal(response.status, 200, await response.text());
          assert.equal((await state()).disabled_reason, "unsubscribed");
        }
        const page = await (await fetch(server.base + path, { headers: PAGE })).text();
        assert.match(page, /E-mails cancelados/);
        assert.deepEqual(await pointers("PATCH", `/v1/emails/${id}`, { enabled: true }), [
          "/enabled",
        ]);
        const again = await post("", "application/x-www-form-urlencoded", "?again=1");
        assert.match(await again.text(), /continuam/);
        assert.equal((await state()).enabled, true);
      });

      it("is unknown without its signature", async () => {
        for (const wrong of [`/unsubscribe/${id}`, `${path.slice(0, -1)}!`, "/unsubscribe/x"]) {
          for (const method of ["GET", "POST"]) {
            const response = await fetch(server.base + wrong, { method });
            assert.equal(response.status, 404, wrong);
          }
        }
        const large = await post("x".repeat(9_000), "application/x-www-form-urlencoded");
        assert.equal(large.status, 413);
        assert.equal((await state()).enabled, true);
      });

      it("is limited in resuming per day, but never in ending", async () => {
        const form = "application/x-www-form-urlencoded";
        flood(server, "server");
        assert.equal((await post("", form)).status, 200);
        assert.equal((await post("", form, "?again=1")).status, 429);
        assert.equal((await state()).disabled_reason, "unsubscribed");
      });
    });

    it("are limited in changes per day, as webhooks are; deletions and users are not", async () => {
      const { id } = await create("flood@example.com");
      const url = "https://crm.example.com/hook";
      const made = await send("POST", "/v1/webhooks", { url });
      const hook = `/v1/webhooks/${(made.value.webhook as { id: string }).id}`;
      const tenantId = flood(server, "key:x");
      for (const [method, path, body] of [
        ["POST", "/v1/emails", { address: "more@example.com" }],
        ["PATCH", `/v1/emails/${id}`, { language: "en" }],
        ["POST", "/v1/webhooks", { url }],
        ["PATCH", hook, { enabled: false }],
        ["POST", `${hook}/rotate`, undefined],
      ] as const) {
        const { status, value, headers } = await send(method, path, body);
        assert.deepEqual([status, value.code], [429, "rate_limited"], `${method} ${path}`);
        assert.match(String(value.detail), /1000 changes of webhooks and e-mail receivers by keys/);
        assert.ok(Number(headers.get("retry-after")) > 86_000);
      }
      server.service.audit.refuseTooMany(tenantId, "user:");
      assert.equal((await send("POST", "/v1/webhooks", { url }, "growth")).status, 201);
      assert.equal((await send("DELETE", `/v1/emails/${id}`)).status, 204);
      assert.equal((await send("DELETE", hook)).status, 204);
    });
  });
}
