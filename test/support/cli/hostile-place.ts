/**
 * Makes a folder in which all names and texts are hostile to terminals. Output: two snapshots, a
 * data directory, and the id of a key.
 * Invariant: the files are valid in every other respect, so a command fails only because of the
 * names. An import would replace these characters by blanks, and the service refuses some of these
 * names, but older snapshots and states may contain them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Keyring } from "../../../src/access/keyring.ts";
import { Passwords } from "../../../src/access/passwords.ts";
import { loadPlans } from "../../../src/access/plans.ts";
import { Users } from "../../../src/access/users.ts";
import { Lists } from "../../../src/lists/lists.ts";
import { systemClock } from "../../../src/process/clock.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { ListStore } from "../../../src/store/liststore.ts";
import { UsageStore } from "../../../src/store/usagestore.ts";
import { UserStore } from "../../../src/store/userstore.ts";
import { writeSmallSnapshot } from "../files/forge-snapshot.ts";
import { addNotices } from "./noticed-state.ts";

/**
 * Sequences that a terminal would obey: red text, a window title, C1 controls, reversed text, DEL,
 * backspace, a bare CR, and clearing the screen.
 */
export const HOSTILE =
  "\x1b[31mEVIL\x1b]0;t\x07 \u009b32m\u0085\u202eTXET\u2066\x7f\b\r\x1b[2J\u2028";

/** Hostile text without the characters that file names and checked names cannot contain. */
export const HOSTILE_NAME = "\u202eEVIL\u2066";

/** A made place. */
export interface HostilePlace {
  readonly folder: string;
  readonly older: string;
  readonly newer: string;
  readonly state: string;
  readonly cnpj: string;
  readonly keyId: string;
  readonly listId: string;
  readonly email: string;
  dispose(): void;
}

/** Makes the place. */
export async function makeHostilePlace(): Promise<HostilePlace> {
  const folder = mkdtempSync(join(tmpdir(), `peneira-\x1b[35m\u009b33m${HOSTILE_NAME}-`));
  const [older, newer] = [join(folder, "2026-09.peneira"), join(folder, "2026-10.peneira")];
  const cnpj = await writeHostileSnapshot(older, "2026-09", "A");
  await writeHostileSnapshot(newer, "2026-10", "B");
  const state = join(folder, "state");
  const ids = await fillState(state);
  addNotices(state, { url: "https://crm.example.com/", name: HOSTILE });
  const dispose = () => rmSync(folder, { recursive: true, force: true });
  return { folder, older, newer, state, cnpj, ...ids, dispose };
}

async function writeHostileSnapshot(path: string, label: string, mark: string): Promise<string> {
  let cnpj = "";
  await writeSmallSnapshot(path, label, (row, index) => {
    cnpj = row.cnpj;
    const text = `${HOSTILE} PADARIA ${mark}${index}`;
    const names = { legal_name: text, trade_name: text, district: text, street: text };
    const rest = { street_number: text, address_complement: text, foreign_city: text, email: text };
    return { ...row, ...names, ...rest, municipality_ibge: 59, municipality_tom: 59 };
  });
  return cnpj;
}

/** Fills a state with objects and usage counts, then gives four objects hostile names. */
async function fillState(state: string): Promise<{ keyId: string; listId: string; email: string }> {
  const database = openDatabase(state);
  try {
    const keys = new KeyStore(database);
    const keyring = new Keyring(keys, systemClock);
    const { keyId } = keyring.create({ tenant: "default", plan: "enterprise", name: "key" });
    const parts = { store: new UserStore(database), keys, passwords: new Passwords() };
    const users = new Users({ ...parts, clock: systemClock });
    const tenant = { name: "default" };
    await users.create({ email: "a@example.com", tenant, planOtherwise: "free" });
    const tenantId = keyring.tenant("default").id;
    const lists = new Lists(new ListStore(database), systemClock);
    const limits = loadPlans().enterprise.limits;
    const { id: listId } = lists.create(tenantId, { name: "list", kind: "accounts" }, limits);
    const day = Math.floor(systemClock.nowMs() / 86_400_000);
    new UsageStore(database).add([
      { tenantId, keyId, day, requests: 1, accounts: 1, exportRows: 1 },
    ]);
    const email = `${HOSTILE.toLowerCase()}@example.com`;
    database.prepare("UPDATE tenants SET name = ?").run(HOSTILE);
    database.prepare("UPDATE keys SET name = ?").run(HOSTILE);
    database.prepare("UPDATE users SET email = ?").run(email);
    database.prepare("UPDATE lists SET name = ?").run(HOSTILE);
    return { keyId, listId, email };
  } finally {
    database.close();
  }
}
