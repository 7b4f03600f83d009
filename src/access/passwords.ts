/**
 * Console passwords. Input: passwords as typed. Output: salted hashes, verdicts, problems of new
 * passwords, and generated ones.
 * Invariant: a check takes equally long if there is no user. At most two hashes of 64 MB each run
 * in parallel, and few callers wait. The cost is stored with each hash, so it can be raised.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { AppError } from "../errors.ts";
import type { StoredPassword } from "../store/userstore.ts";
import { wordFor } from "../text/amounts.ts";
import { isInvitation } from "./invitations.ts";

/** Cost of a hash: `n` blocks of 128 · `r` bytes, `p` times. */
export interface Cost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** Derives 32 bytes from a password. */
export type Derive = (password: Buffer, salt: Buffer, cost: Cost) => Promise<Buffer>;

/** Result of a check; `outdated` means right, but the hash should be renewed. */
type Verdict = "right" | "outdated" | "wrong";

/** Cost of new hashes: about 0.2 s and 64 MB. */
export const PASSWORD_COST: Cost = { n: 65_536, r: 8, p: 1 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Max hashes in parallel. They never use all processors, because searches need some. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Maximum callers that wait for a hash. */
const WAITING_MAX = 16;

/** Characters of a password: code points after normalization. */
const LENGTH = { min: 12, max: 256 };
/** Max UTF-16 units to check: a password of 256 characters never has more, in any Unicode form. */
const UNITS_MAX = 2_048;

/** Passwords that are long enough, but among the first that attackers try. */
const COMMON = new Set([
  ...["123456789012", "1234567890123", "12345678901234", "123456789012345", "1234567890123456"],
  ...["012345678901", "0123456789012", "098765432109", "121212121212", "123123123123"],
  ...["qwertyuiop12", "qwertyuiop123", "qwertyuiopas", "qwertyuiopasdf", "qwerty123456"],
  ...["qwerty1234567", "qwertyqwerty", "asdfghjkl123", "zxcvbnm12345", "1q2w3e4r5t6y"],
  ...["1qaz2wsx3edc", "abcdefghijkl", "abcd12345678", "abc123abc123", "password1234"],
  ...["password12345", "password123456", "passwordpassword", "passw0rd1234", "iloveyou1234"],
  ...["administrator", "admin1234567", "adminadmin12", "administrador", "welcome12345"],
  ...["letmein12345", "changeme1234", "mudar1234567", "mudar@123456", "senhasenhasenha"],
  ...["senhasenha12", "senha1234567", "senha12345678", "senha123senha", "minhasenha123"],
  ...["brasil123456", "flamengo1234", "corinthians1", "corinthians123", "deusefiel123"],
]);

/** 32 characters, without look-alikes. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Creates and checks hashes. */
export class Passwords {
  readonly #cost: Cost;
  readonly #derive: Derive;
  readonly #atOnce: number;
  /** Checked in place of the password of a user that does not exist. */
  readonly #nobody: StoredPassword;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(cost = PASSWORD_COST, derive: Derive = derived, atOnce = AT_ONCE) {
    this.#cost = cost;
    this.#derive = derive;
    this.#atOnce = atOnce;
    const [hash, salt] = [randomBytes(HASH_BYTES), randomBytes(SALT_BYTES)];
    this.#nobody = { hash, salt, cost: costText(cost) };
  }

  /** Hashes a new password. Throws `rate_limited` if too many callers wait. */
  async hash(password: string): Promise<StoredPassword> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#serially(() => this.#derive(bytesOf(password), salt, this.#cost));
    return { hash, salt, cost: costText(this.#cost) };
  }

  /** Checks a password; does the same work if there is no user. Throws `rate_limited`. */
  async verify(password: string, stored: StoredPassword | undefined): Promise<Verdict> {
    // Passwords that are too long are hashed as empty, so that the check takes equally long.
    const possible = password.length <= UNITS_MAX && lengthOf(password) <= LENGTH.max;
    // Invited users have no password yet: the check takes the same time and always fails.
    const known = stored !== undefined && !isInvitation(stored);
    const { hash, salt, cost } = known ? stored : this.#nobody;
    const bytes = bytesOf(possible ? password : "");
    const made = await this.#serially(() => this.#derive(bytes, salt, readCost(cost)));
    const same = timingSafeEqual(made, hash);
    if (!same || !possible || !known) return "wrong";
    return cost === costText(this.#cost) ? "right" : "outdated";
  }

  async #serially<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= WAITING_MAX) throw busy();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      // Lets the next waiting caller run directly, so that no other caller can take its turn.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Returns every problem of a new password, as sentences; empty if it is valid. */
export function passwordProblems(password: string, email: string): string[] {
  if (password.length > UNITS_MAX) return [`It has more than ${LENGTH.max} characters.`];
  const length = lengthOf(password);
  if (length > LENGTH.max) return [`It has ${length} characters; at most ${LENGTH.max} fit.`];
  const problems: string[] = [];
  if (length < LENGTH.min) {
    const has = `It has ${length} ${wordFor(length, "character")}.`;
    problems.push(`${has} Take at least ${LENGTH.min}; any will do.`);
  }
  const plain = normalized(password).toLowerCase();
  if (plain === email) problems.push("It is the e-mail itself. Choose one that is hard to guess.");
  const same = length > 1 && new Set(plain).size === 1;
  if (same || COMMON.has(plain)) {
    problems.push("It is a common password. Choose another one.");
  }
  return problems;
}

/** True if two typed passwords are the same. */
export function samePassword(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** Generates a password of 80 random bits that is easy to read aloud: `7k2m-x9qd-…`. */
export function generatedPassword(): string {
  const characters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET[byte & 31]);
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    return characters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join("");
  });
  return groups.join("-");
}

/**
 * Normalizes a password, because different systems encode the same typed characters differently.
 */
function normalized(password: string): string {
  return password.normalize("NFKC");
}

function lengthOf(password: string): number {
  return [...normalized(password)].length;
}

function bytesOf(password: string): Buffer {
  return Buffer.from(normalized(password), "utf8");
}

function costText({ n, r, p }: Cost): string {
  return `scrypt:${n}:${r}:${p}`;
}

function readCost(text: string): Cost {
  const match = /^scrypt:(\d+):(\d+):(\d+)$/.exec(text);
  if (match === null) throw new Error("a stored password was made in a way that is not known");
  const [, n, r, p] = match.map(Number) as [number, number, number, number];
  return { n, r, p };
}

/** Derives 32 bytes with scrypt, on a separate thread. */
function derived(password: Buffer, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> {
  // Node's default limit is below the need of these parameters.
  const options = { N: n, r, p, maxmem: 256 * (n + p + 8) * r };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, HASH_BYTES, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

function busy(): AppError {
  return new AppError("rate_limited", "Too many people are signing in. Try again in 3 s.", {
    headers: { "Retry-After": "3" },
  });
}
