/**
 * Proves, on both transports with a real snapshot, who may call each route of the console. Requests
 * are sent without credentials, with an API key, and by a member, an owner, and another tenant's
 * owner. A refusal changes nothing, and the audit trail names the sender of each change. No write
 * succeeds without the CSRF token of its own session. A route that is missing from the table fails
 * the suite. Does not prove what the answers contain (console-keys, console-members and the suites
 * of data).
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ENGINE } from "../../../src/search/finding.ts";
import { openSegment, type Segment } from "../../../src/search/segment.ts";
import type { AuditRow } from "../../../src/store/auditstore.ts";
import {
  CONSOLE_CALLS,
  consoleRoutes,
  makeTargets,
  OPEN,
  requestFor,
  type Statuses,
  type Targets,
} from "../../support/console/calls.ts";
import {
  type ConsoleServer,
  type Person,
  startConsole,
  stateOf,
} from "../../support/console/fake.ts";
import { MATRIX } from "../../support/run/scale.ts";
import { makeSampleSnapshot, type SampleSnapshot } from "../../support/sample/snapshot.ts";

let sample: SampleSnapshot;
let segment: Segment;
before(async () => {
  sample = await makeSampleSnapshot(1_000, 11);
  segment = await openSegment(sample.snapshot);
});
after(() => {
  segment.close();
  sample.dispose();
});

/** Matches routes that write a line of the audit trail if they succeed. */
const AUDITED = new RegExp(
  "^(POST /password|DELETE /sessions|DELETE /members/.*|POST /invitations|" +
    "POST /(members|keys)(?!/\\{id\\}/enable).*)$",
);

/** Routes that change something, which other sites must not be able to call in a browser. */
const WRITES = Object.keys(CONSOLE_CALLS).filter(
  (route) => !route.startsWith("GET ") && !OPEN.includes(route),
);

for (const transport of MATRIX) {
  describe(`the routes of the console over ${transport}`, () => {
    let server: ConsoleServer;
    let owner: Person;
    let tenants = 0;

    before(async () => {
      const smtp = {
        ...{ host: "127.0.0.1", port: 9, user: null, password: null, tls: "none" as const },
        ...{ from: "peneira@example.com", timeoutMs: 1_000, ca: null },
      };
      server = await startConsole(transport, { parts: { engine: ENGINE, smtp } });
      server.load(segment);
    });
    after(() => server.close());

    /** Makes a new tenant for each request, so that one request cannot affect the next. */
    async function newTenant(): Promise<Targets> {
      tenants++;
      owner = await server.person(`tenant ${tenants}`, "owner");
      return makeTargets(server, owner);
    }

    /** Returns the lines that were written to the audit trail after `was` was read. */
    function newLines(was: unknown): readonly AuditRow[] {
      const linesOf = (state: unknown) => (state as { readonly audit: AuditRow[] }).audit;
      const now = linesOf(stateOf(server, owner.tenantId));
      return now.slice(0, now.length - linesOf(was).length);
    }

    /** Returns a member, an owner, or another tenant's owner. */
    async function senderOf(kind: 0 | 1 | 2): Promise<Person> {
      if (kind === 0) return server.person(owner.tenant, "member");
      return kind === 1 ? owner : server.person(`stranger to ${owner.tenant}`, "owner");
    }

    it("are exactly those of the table", () => {
      assert.deepEqual(consoleRoutes(server).sort(), Object.keys(CONSOLE_CALLS).sort());
    });

    for (const [route, { statuses }] of Object.entries(CONSOLE_CALLS)) {
      it(`${route} answers guests and keys ${OPEN.includes(route) ? "too" : "401"}`, async () => {
        const targets = await newTenant();
        const key = server.keyring.create({ tenant: owner.tenant, plan: "scale", name: "" }).key;
        const was = stateOf(server, owner.tenantId);
        const sender = OPEN.includes(route) ? { ...owner, headers: {} } : null;
        for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
          const bare = requestFor(route, targets, sender);
          const got = await server.send({ ...bare, headers: { ...bare.headers, ...headers } });
          if (OPEN.includes(route)) {
            assert.equal(got.status, 200, got.text);
            continue;
          }
          assert.equal(got.status, 401, got.text);
          assert.equal(got.json().code, "session_required");
          assert.deepEqual(stateOf(server, owner.tenantId), was);
        }
      });

      it(`${route} answers member, owner, stranger ${statuses.join(", ")}`, async () => {
        for (const kind of [0, 1, 2] as const) {
          const targets = await newTenant();
          const sender = await senderOf(kind);
          const request = requestFor(route, targets, sender);
          const was = stateOf(server, owner.tenantId);
          const got = await server.send(request);
          const wanted = (statuses as Statuses)[kind];
          assert.equal(got.status, wanted, `${kind}: ${got.text.slice(0, 500)}`);
          for (const { actor, subject } of newLines(was)) {
            // The client sends the token of an invitation, so it acts as the invited user.
            const id = route === "POST /invitation/accept" ? subject : sender.id;
            assert.equal(actor, `user:${id}`);
          }
          if (wanted < 300 && kind !== 2 && AUDITED.test(route)) {
            assert.notEqual(newLines(was).length, 0);
          }
          if (wanted === 403) assert.equal(got.json().code, "role_not_allowed");
          if (wanted >= 400) assert.deepEqual(stateOf(server, owner.tenantId), was);
          if (kind !== 2) continue;
          // An answer to a sender without rights contains nothing of the tenant, in any status.
          for (const id of [
            targets.key,
            targets.member,
            targets.invited,
            targets.export,
            targets.search,
          ]) {
            assert.ok(!got.text.includes(id), `${id} of another tenant is in the answer`);
          }
          assert.deepEqual(stateOf(server, owner.tenantId), was);
        }
      });
    }

    for (const route of WRITES) {
      it(`${route} requires the token of its own session, and its own origin`, async () => {
        const targets = await newTenant();
        const stale = owner.headers["x-csrf-token"] as string;
        const fresh = await server.again(owner);
        const foreign = await server.person("elsewhere", "owner");
        const was = stateOf(server, owner.tenantId);
        const good = requestFor(route, targets, fresh);
        const token = fresh.headers["x-csrf-token"] as string;
        const wrong: Readonly<Record<string, string>>[] = [
          { "x-csrf-token": "" },
          { "x-csrf-token": stale },
          { "x-csrf-token": foreign.headers["x-csrf-token"] as string },
          { "x-csrf-token": `${token.slice(0, -1)}~` },
          { "x-csrf-token": `${token}=` },
          { "sec-fetch-site": "cross-site" },
          { "sec-fetch-site": "same-site" },
          { "sec-fetch-site": "same-origin, none" },
          { origin: "https://evil.example" },
          { origin: `http://127.0.0.1:${server.port + 1}` },
          { origin: "null" },
        ];
        for (const headers of wrong) {
          const got = await server.send({ ...good, headers: { ...good.headers, ...headers } });
          assert.equal(got.status, 403, `${JSON.stringify(headers)}: ${got.text}`);
          assert.equal(got.json().code, "csrf_invalid");
        }
        const { "x-csrf-token": _, ...none } = good.headers as Record<string, string>;
        assert.equal((await server.send({ ...good, headers: none })).status, 403);
        assert.deepEqual(stateOf(server, owner.tenantId), was);
        const own = { "sec-fetch-site": "same-origin", origin: `http://127.0.0.1:${server.port}` };
        const got = await server.send({ ...good, headers: { ...good.headers, ...own } });
        assert.notEqual(got.status, 403, got.text);
      });
    }
  });
}
