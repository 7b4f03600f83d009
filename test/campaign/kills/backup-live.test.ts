/**
 * Proves, with real server processes: backups satisfy the invariants I2, I4, I5, I9, and I13
 * (violation.ts). They are taken while clients create, read, download, and remove exports, and
 * create and disable keys. A server restored from the last backup has the same keys, users,
 * sessions, lists of exported accounts, idempotency keys, and exports with the same bytes. It
 * accepts signed links and cursors of the first server, and passes the complete check of a
 * recovered server (I1-I13).
 * Does not prove how long requests take meanwhile (measured by hand, see the documents).
 */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Passwords } from "../../../src/access/passwords.ts";
import { Users } from "../../../src/access/users.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { makeBackup } from "../../../src/store/backup/backup.ts";
import { restoreBackup } from "../../../src/store/backup/restore.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { withKeyring } from "../../support/export/client.ts";
import { checkRecovered, checkRemains } from "./invariants.ts";
import { type Ground, plainGround } from "./lane.ts";
import { Ledger } from "./ledger.ts";
import { runLoad } from "./load.ts";
import { planCycle, REQUESTS } from "./plan.ts";
import { References } from "./reference.ts";
import { buildVictim, makeKeys, type Reply, type RequestOptions, Server } from "./server.ts";

const BACKUPS = Number(process.env.BACKUP_ROUNDS ?? 6);
const ACCOUNTS = 1_500;
const SEARCH = { spec: { filters: { geo: { uf_any_of: ["SP", "MG"] } } }, limit: 20 };

interface Page {
  readonly accounts: readonly { readonly cnpj: string }[];
  readonly next_cursor: string;
  readonly spec: object;
}

let references: References;
let ground: Ground;
let dataDir: string;
let keys: string[];
let server: Server;

before(async () => {
  buildVictim();
  references = await References.make(ACCOUNTS, 5);
  ground = plainGround();
  dataDir = join(ground.folder, "state");
  keys = makeKeys(dataDir);
  server = await start(dataDir);
});
after(async () => {
  if (server.alive) await server.end("SIGKILL");
  ground.dispose();
  references.dispose();
});

async function start(state: string): Promise<Server> {
  const snapshot = references.snapshots[0] as string;
  const started = await Server.start({ snapshot, dataDir: state, keys });
  assert.ok(started instanceof Server);
  return started;
}

/** Makes a backup and restores it, as separate processes would. Returns the restored folder. */
async function copied(name: string): Promise<string> {
  const target = join(ground.folder, `backup-${name}`);
  const restored = join(ground.folder, `restored-${name}`);
  const nowMs = () => Date.now();
  const made = await makeBackup({ dataDir, target, exports: true, madeBy: "test", nowMs });
  assert.deepEqual(made.manifest.missing, []);
  await restoreBackup({ source: target, dataDir: restored });
  rmSync(target, { recursive: true });
  return restored;
}

/** Creates a key and disables the previous one, as an operator does while the server runs. */
function changeKeys(round: number): void {
  withKeyring(dataDir, (keyring) => {
    keyring.create({ tenant: "steady", plan: "enterprise", name: `round ${round}` });
    const before = keyring.list().find(({ name }) => name === `round ${round - 1}`);
    if (before !== undefined) keyring.disable(before);
  });
}

const bodyOf = (reply: Reply) => JSON.parse(reply.body.toString());

async function right(
  from: Server,
  path: string,
  options: RequestOptions,
  status = 200,
): Promise<Reply> {
  const reply = await from.request(path, options);
  assert.equal(reply.status, status, `${path}: ${reply.body.toString().slice(0, 300)}`);
  return reply;
}

async function linkOf(from: Server, id: string, tenant: number): Promise<string> {
  const reply = await right(from, `/v1/exports/${id}/download`, { tenant }, 303);
  return reply.headers.get("location") as string;
}

async function signIn(): Promise<Readonly<Record<string, string>>> {
  const database = openDatabase(dataDir);
  const [store, keyStore] = [new UserStore(database), new KeyStore(database)];
  const users = new Users({
    ...{ store, keys: keyStore, passwords: new Passwords() },
    clock: systemClock,
  });
  const email = "person@example.com";
  const profile = { email, tenant: { name: "steady" }, role: "owner" } as const;
  const { password } = await users.create(profile);
  database.close();
  const options = { method: "POST", tenant: null, body: { email, password } };
  const reply = await right(server, "/v1/console/session", options);
  return { cookie: (reply.headers.get("set-cookie") ?? "").split(";")[0] as string };
}

describe("a backup of a running server", () => {
  const ledger = new Ledger();
  const world = () => ({ server, ledger, references, snapshot: 0 });

  it("produces complete copies, each of a single moment", async (test) => {
    ledger.life = 1;
    const restored: string[] = [];
    let working = true;
    const load = (async () => {
      for (let cycle = 0; working; cycle += 2) {
        const { clients } = planCycle({ seed: 11, lane: 0, cycle });
        await runLoad(world(), clients);
      }
    })();
    try {
      for (let round = 0; round < BACKUPS; round++) {
        changeKeys(round);
        restored.push(await copied(`${round}`));
      }
    } finally {
      working = false;
      await load;
    }
    for (const one of restored) await checkRemains({ dataDir: one, ledger, references });
    const { removed } = ledger.counts;
    const made = ledger.entries().length;
    test.diagnostic(`${BACKUPS} backups during ${made} exports, ${removed} removed`);
    assert.ok(made > 50 && removed > 2, `${made} exports, ${removed} removed`);
  });

  it("continues on the restored copy without a difference", async () => {
    await checkRecovered({ ...world(), dataDir });
    const session = await signIn();
    const body = { ...REQUESTS[0], limit: 200 };
    const headers = { "idempotency-key": "before-the-backup" };
    const creation = { method: "POST", tenant: 0, body, headers };
    const { export: made, spec } = bodyOf(await right(server, "/v1/exports", creation, 201));
    ledger.held.note({ tenant: 0, snapshot: made.snapshot, spec, sentAt: 0 }, 0);
    await right(server, `/v1/exports/${made.export_id}?wait=20&require=done`, { tenant: 0 });
    const search = { method: "POST", tenant: 0, body: SEARCH };
    const first = bodyOf(await right(server, "/v1/accounts/search", search)) as Page;
    const next = { ...search, body: { spec: first.spec, cursor: first.next_cursor } };
    const second = bodyOf(await right(server, "/v1/accounts/search", next)) as Page;
    const remaining = ledger.entries().filter(({ removal, seen, tenant }) => {
      return removal === "none" && seen?.record.status === "done" && tenant !== 2;
    });
    assert.ok(remaining.length > 5);
    const links = new Map<string, string>();
    for (const { id, tenant } of remaining) {
      links.set(id as string, await linkOf(server, id as string, tenant));
    }
    const restored = await copied("last");
    const other = await start(restored);
    for (const link of links.values()) {
      const [one, two] = await Promise.all(
        [server, other].map((each) => right(each, link, { tenant: null })),
      );
      assert.deepEqual(one?.body, two?.body);
    }
    const replay = await right(other, "/v1/exports", creation, 201);
    assert.equal(replay.headers.get("idempotent-replayed"), "true");
    assert.equal(bodyOf(replay).export.export_id, made.export_id);
    const again = bodyOf(await right(other, "/v1/accounts/search", next)) as Page;
    assert.deepEqual(again.accounts, second.accounts);
    assert.notDeepEqual(again.accounts, first.accounts);
    const signedIn = bodyOf(
      await right(other, "/v1/console/session", { tenant: null, headers: session }),
    );
    assert.equal(signedIn.user.email, "person@example.com");
    const listed = withKeyring(restored, (keyring) => keyring.list().map(({ id }) => id));
    assert.deepEqual(
      listed,
      withKeyring(dataDir, (keyring) => keyring.list().map(({ id }) => id)),
    );
    assert.equal((await server.end("SIGTERM")).code, 0);
    // Deletes the new export. The ledger (the record of all promises to clients) does not contain
    // it, so it would count as a violation in the list.
    await right(other, `/v1/exports/${made.export_id}`, { method: "DELETE", tenant: 0 }, 204);
    ledger.life++;
    server = other;
    await checkRecovered({ ...world(), dataDir: restored });
    assert.equal((await other.end("SIGTERM")).code, 0);
  });
});
