/**
 * The demo of `npm start`: its key, its password, and the lock of its server. Input: the demo's
 * folder and state, the file with the key and password of this checkout's last start, and the
 * address of a running server. Output: a working key and password, and either the lock on the state
 * or the address of the server that holds the lock. The key and password stay the same if they are
 * still valid.
 * Invariant: only its owner can read the file (0600), and it is replaced atomically. A
 * password that the user has set is never replaced or shown. A disabled key stays disabled. The
 * address is shown only while its process is alive.
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
import type { StateDatabase } from "../../store/statedatabase.ts";
import { UserStore } from "../../store/userstore.ts";
import { openUsers } from "../support/state.ts";

const KEY_NAME = "npm start";
const TENANT = "demo";
/** E-mail address of the demo's console user. */
export const EMAIL = "demo@example.com";

/** Key and password of the demo. */
export interface Entry {
  readonly key: string;
  /** Password of the demo's console user. It is null if the user has replaced it. */
  readonly password: string | null;
  readonly userId: string;
}

interface StoredDemo {
  readonly key?: unknown;
  readonly password?: unknown;
}

/** Returns the stored key and password. Replaces invalid ones. */
export async function demoEntry(dataDir: string, file: string): Promise<Entry> {
  const stored = readStored(file);
  const database = openDatabase(dataDir);
  try {
    const key = workingKey(database, stored);
    const { userId, password } = await workingUser(database, stored);
    // A replaced password stays in the file, because the user may set it back.
    keep(file, { key, password: password ?? stored.password });
    return { key, password, userId };
  } finally {
    database.close();
  }
}

function workingKey(database: StateDatabase, { key }: StoredDemo): string {
  const keyring = new Keyring(new KeyStore(database), systemClock);
  if (typeof key === "string" && works(keyring, key)) return key;
  // Disables the other demo keys, whose secrets are lost.
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

async function workingUser(database: StateDatabase, { password }: StoredDemo) {
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

/** Returns an empty object if the file is missing or invalid. */
function readStored(file: string): StoredDemo {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof read === "object" && read !== null ? read : {};
  } catch {
    return {};
  }
}

function keep(file: string, entry: StoredDemo): void {
  const fresh = `${file}.${process.pid}`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${JSON.stringify(entry)}\n`, { mode: FILE_MODE, flag: "wx" });
  try {
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

const FILE = "running.json";
/**
 * `POLL_MS` is the pause between two checks, in milliseconds. After `POLLS_MAX` checks, a start
 * gives up, unless another demo start is known to hold the lock.
 */
const POLL_MS = 100;
const POLLS_MAX = 100;

/** Records the address at which this process answers. */
export function noteRunning(dir: string, url: string): void {
  note(dir, url);
}

/**
 * Locks the demo's data directory as `lockDataDir` does, and records that this process is starting.
 * If another start holds the lock, waits until that start's server answers or ends. `pause` waits
 * between two checks. Returns the function that unlocks. @throws CommandError with the address of
 * the server that holds the lock
 */
export async function claimDemo(
  dir: string,
  dataDir: string,
  pause: () => Promise<unknown> = () => sleep(POLL_MS),
): Promise<() => void> {
  for (let polls = 0; ; ) {
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
      // Another demo start that has recorded itself will either answer or end, so the loop waits
      // for it. Any other holder of the lock, such as `peneira serve`, never records itself. The
      // loop gives up on it after `POLLS_MAX` checks.
      if (running === null && ++polls >= POLLS_MAX) throw error;
    }
    await pause();
  }
}

/** `url` is null until the server answers. */
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
    // The file is missing, or another process is writing it now.
    return null;
  }
}
