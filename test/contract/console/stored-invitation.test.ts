/**
 * Proves: the state stores an invitation as a hash, its link works after a restart, and it works
 * only once if two clients use it at the same time.
 * Does not prove what the routes answer (invitations.test.ts).
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openConsole, PASSWORD, refusalOf } from "../../support/console/state.ts";

const CHOSEN = "nine lamps on a river";
const HERE = "192.0.2.1";

describe("an invitation in the state", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "peneira-invitation-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  it("is a hash, works after a restart, and only once for concurrent requests", async () => {
    const first = openConsole(directory);
    const body = { email: "ana@example.com", tenant: { name: "acme" }, password: PASSWORD };
    const { user } = await first.users.create(body);
    const { tenantId } = user;
    const guest = { email: "gil@example.com", tenantId, role: "member" } as const;
    const { token, user: invited } = first.users.invite(guest);
    first.close();
    for (const name of readdirSync(directory)) {
      const bytes = readFileSync(join(directory, name)).toString("latin1");
      assert.ok(!bytes.includes(token.slice(12)), name);
    }
    const second = openConsole(directory);
    assert.equal(second.sessions.invited(token, HERE).user.id, invited.id);
    const chosen = { password: CHOSEN, kept: false };
    const both = [1, 2].map(() => second.sessions.join(token, chosen, HERE));
    const [one, other] = await Promise.allSettled(both);
    assert.deepEqual([one?.status, other?.status], ["fulfilled", "rejected"]);
    const late = await refusalOf(() => second.sessions.join(token, chosen, "192.0.2.9"));
    assert.equal(late.code, "sign_in_failed");
    second.close();
  });
});
