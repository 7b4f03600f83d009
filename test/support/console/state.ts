/**
 * Users and sessions in a real database with a manual clock, for the suites about access.
 * Invariant: everything is real except the password hash function, which costs nothing and counts
 * its calls. Several states can be open on one directory, as several processes would have them.
 */
import { createHmac } from "node:crypto";
import { Keyring } from "../../../src/access/keyring.ts";
import { type Derive, Passwords } from "../../../src/access/passwords.ts";
import { Sessions } from "../../../src/access/sessions.ts";
import { SignIns } from "../../../src/access/signins.ts";
import { Users } from "../../../src/access/users.ts";
import { AppError } from "../../../src/errors.ts";
import { type ManualClock, manualClock } from "../../../src/process/clock.ts";
import { openDatabase } from "../../../src/store/database.ts";
import { KeyStore } from "../../../src/store/keystore.ts";
import { openSecrets } from "../../../src/store/secrets.ts";
import { UserStore } from "../../../src/store/userstore.ts";

/** The time at which the clock starts. */
export const START_MS = Date.UTC(2026, 10, 21);
/** A valid password. */
export const PASSWORD = "correct horse battery";
/** Lifetimes of sessions, in seconds. */
export const TIMES = { idleSeconds: 1_800, maxSeconds: 43_200, keptSeconds: 2_592_000 };

/** A user store that counts the reads and writes that reach the database. */
export class CountingStore extends UserStore {
  reads = 0;
  writes = 0;
  override session(hash: Buffer) {
    this.reads++;
    return super.session(hash);
  }
  override noteSeen(seen: Parameters<UserStore["noteSeen"]>[0]) {
    this.writes += seen.length;
    super.noteSeen(seen);
  }
}

/** A data directory as one process sees it. */
export interface ConsoleState {
  readonly clock: ManualClock;
  readonly store: CountingStore;
  readonly keyring: Keyring;
  readonly users: Users;
  readonly sessions: Sessions;
  /** The cost parameter of each hash made so far. */
  readonly hashes: string[];
  /** `hash` is called before each hash is made. */
  readonly before: { hash: () => void };
  close(): void;
}

/** Opens a data directory. `cost` is the cost parameter of the password hashes. */
export function openConsole(
  directory: string,
  clock: ManualClock = manualClock(START_MS),
  cost = 2,
  times: typeof TIMES = TIMES,
): ConsoleState {
  const database = openDatabase(directory);
  const hashes: string[] = [];
  const before = { hash: () => {} };
  const derive: Derive = async (password, salt, { n }) => {
    await Promise.resolve();
    before.hash();
    hashes.push(String(n));
    return createHmac("sha256", salt).update(password).digest();
  };
  const [store, keys] = [new CountingStore(database), new KeyStore(database)];
  const passwords = new Passwords({ n: cost, r: 1, p: 1 }, derive);
  const users = new Users({ store, keys, passwords, clock });
  const signIns = new SignIns(clock);
  const secret = openSecrets(directory).console;
  const sessions = new Sessions({ store, users, passwords, signIns, clock, secret, ...times });
  const keyring = new Keyring(keys, clock);
  const close = () => database.close();
  return { clock, store, keyring, users, sessions, hashes, before, close };
}

/** Returns the error of a call. @throws if it succeeds or fails with another kind of error. */
export async function refusalOf(work: () => unknown): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}
