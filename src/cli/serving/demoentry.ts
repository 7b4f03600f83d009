/**
 * How to get into the demo of `npm start`. What comes in: the demo's state, and the file in which
 * the last start of this checkout wrote down its key and password.
 * What goes out: a key and a password that work, the same as last time wherever they still do.
 * Invariant: the file is for its owner alone (0600) and is replaced whole; a password that a person
 * has set is never replaced, nor told; a key that was disabled stays disabled.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Keyring } from "../../access/keyring.ts";
import { Passwords } from "../../access/passwords.ts";
import { systemClock } from "../../process/clock.ts";
import { openDatabase } from "../../store/database.ts";
import { FILE_MODE } from "../../store/datadir.ts";
import { KeyStore } from "../../store/keystore.ts";
import type { StateDatabase } from "../../store/sqlite.ts";
import { UserStore } from "../../store/userstore.ts";
import { openUsers } from "../support/state.ts";

/** Keys that are made here have this name. */
const KEY_NAME = "npm start";
/** Tenant of the demo, and who signs in to its console. */
const TENANT = "demo";
/** E-mail address of whoever signs in to the demo. */
export const EMAIL = "demo@example.com";

/** What a person needs to get in. */
export interface Entry {
  readonly key: string;
  /** Null where the person has set another one than the one that was made here. */
  readonly password: string | null;
  readonly userId: string;
}

/** What is written down. */
interface Kept {
  readonly key?: unknown;
  readonly password?: unknown;
}

/** Gives what works already, and makes what does not. */
export async function demoEntry(dataDir: string, file: string): Promise<Entry> {
  const kept = readKept(file);
  const database = openDatabase(dataDir);
  try {
    const key = workingKey(database, kept);
    const { userId, password } = await workingUser(database, kept);
    // A password that is not known is not forgotten either: the person may set it back.
    keep(file, { key, password: password ?? kept.password });
    return { key, password, userId };
  } finally {
    database.close();
  }
}

function workingKey(database: StateDatabase, { key }: Kept): string {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  if (typeof key === "string" && works(keyring, key)) return key;
  // Nobody has the others any more.
  for (const row of keyring.list()) {
    if (row.name === KEY_NAME && row.state === "active") keyring.disable(row);
  }
  return keyring.create({ tenant: TENANT, plan: "enterprise", name: KEY_NAME }).key;
}

function works(keyring: Keyring, key: string): boolean {
  try {
    keyring.authenticate(`Bearer ${key}`);
    return true;
  } catch {
    return false;
  }
}

async function workingUser(database: StateDatabase, { password }: Kept) {
  const users = openUsers(database);
  const known = users.named(EMAIL);
  if (known === undefined) {
    const made = await users.create({ email: EMAIL, tenant: { name: TENANT } });
    return { userId: made.user.id, password: made.password };
  }
  users.enable(known);
  const userId = known.id;
  if (typeof password !== "string") return { userId, password: await users.setPassword(known) };
  const stored = new UserStore(database).password(userId);
  const verdict = await new Passwords().verify(password, stored);
  return { userId, password: verdict === "wrong" ? null : password };
}

/** Nothing where there is no file, or one that nobody can read. */
function readKept(file: string): Kept {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}

function keep(file: string, kept: Kept): void {
  const fresh = `${file}.${process.pid}`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${JSON.stringify(kept)}\n`, { mode: FILE_MODE, flag: "wx" });
  try {
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
