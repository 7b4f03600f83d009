/**
 * The demo of `npm start`: its key and password, and the server that runs it. Input: the demo's
 * state and folder; the file in which the last start of this checkout wrote its key and password;
 * the address of a server that answers. Output: a key and a password that work, the same as last
 * time if they still do; the right to work on the state, or the address of the server that has it.
 * Invariant: the file is for its owner alone (0600) and is replaced whole; a password that a person
 * has set is never replaced, nor shown; a disabled key stays disabled. The address, which is no
 * secret, is shown only while its process is alive.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Keyring } from "../../access/keyring.ts";
import { Passwords } from "../../access/passwords.ts";
import { CommandError } from "../../errors.ts";
import { systemClock } from "../../process/clock.ts";
import { isRunning } from "../../process/system.ts";
import { lockDataDir, openDatabase } from "../../store/database.ts";
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

const FILE = "running.json";
/** How often is looked again, and how often at most where no start of a demo has the state. */
const LOOK_MS = 100;
const LOOKS_MAX = 100;

/** Writes down where the server of this process answers. */
export function noteRunning(dir: string, url: string): void {
  note(dir, url);
}

/**
 * Claims the state of a demo, as `lockDataDir` does, and notes that this process starts there.
 * Where another start has it, waits for as long as that one takes: it answers, or ends and leaves
 * the state. `pause` lets time pass between two looks. @throws CommandError that says where the
 * server answers that works on it.
 */
export async function claimDemo(
  dir: string,
  dataDir: string,
  pause: () => Promise<unknown> = () => sleep(LOOK_MS),
): Promise<() => void> {
  for (let looks = 0; ; ) {
    try {
      const unlock = lockDataDir(dataDir);
      note(dir, null);
      return unlock;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const running = readRunning(dir);
      if (typeof running?.url === "string") {
        throw new CommandError(wordsOf(running.pid, running.url), 1, error);
      }
      // A start that is noted will say more; another holder, such as peneira serve, never does.
      if (running === null && ++looks >= LOOKS_MAX) throw error;
    }
    await pause();
  }
}

/** The address is null until the server answers. */
function note(dir: string, url: string | null): void {
  writeFileSync(path.join(dir, FILE), `${JSON.stringify({ pid: process.pid, url })}\n`);
}

function wordsOf(pid: number, url: string): string {
  return (
    `The demo already runs at ${url} (process ${pid}). Stop it first,\n` +
    "or start another demo: npm start -- --dir .peneira-2 --listen 127.0.0.1:0"
  );
}

function readRunning(dir: string): { readonly pid: number; readonly url: string | null } | null {
  try {
    const read = JSON.parse(readFileSync(path.join(dir, FILE), "utf8")) as Record<string, unknown>;
    const { pid, url } = read;
    if (typeof pid !== "number" || (typeof url !== "string" && url !== null)) return null;
    return isRunning(pid) ? { pid, url } : null;
  } catch {
    // Not there yet, or in the middle of being written.
    return null;
  }
}
