/**
 * Passwords of the console. What comes in: passwords as people type them. What goes out: salted
 * hashes to store, verdicts, what is wrong with a new one, and generated ones.
 * Invariant: checking costs the same whether there is a user or not; at most two hashes are made at
 * once, each 64 MB, and few wait; what a hash cost stands beside it, so that the cost can grow.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { availableParallelism } from "node:os";
import { AppError } from "../errors.ts";
import type { StoredPassword } from "../store/userstore.ts";
import { wordFor } from "../text/amounts.ts";
import { isInvitation } from "./invitations.ts";

/** What a hash costs: `n` blocks of 128 · `r` bytes, `p` times. */
export interface Cost {
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

/** Makes 32 bytes of a password. */
export type Derive = (password: Buffer, salt: Buffer, cost: Cost) => Promise<Buffer>;

/** Whether a password is the stored one; `outdated`: it is, but its hash should be made anew. */
type Verdict = "right" | "outdated" | "wrong";

/** What new hashes cost: about a fifth of a second and 64 MB. */
export const PASSWORD_COST: Cost = { n: 65_536, r: 8, p: 1 };

const HASH_BYTES = 32;
const SALT_BYTES = 16;
/** Hashes made at once: never all processors, for searches are answered beside them. */
const AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
/** Askers that wait for one. */
const WAITING_MAX = 16;

/** Characters of a password: code points after normalization. */
const LENGTH = { min: 12, max: 256 };
/** UTF-16 units that are looked at at all: 256 characters are never more, in any spelling. */
const UNITS_MAX = 2_048;

/** Long enough for the rule, and the first that anybody tries. */
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

/** 32 characters without those that are taken for each other. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** Makes and checks hashes. */
export class Passwords {
  readonly #cost: Cost;
  readonly #derive: Derive;
  readonly #atOnce: number;
  /** Stands in for the password of a user that does not exist. */
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

  /** Makes the hash of a new password. Throws `rate_limited` where too many are waiting. */
  async hash(password: string): Promise<StoredPassword> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#serially(() => this.#derive(bytesOf(password), salt, this.#cost));
    return { hash, salt, cost: costText(this.#cost) };
  }

  /** Checks a password, or does the same work where there is no user. Throws `rate_limited`. */
  async verify(password: string, stored: StoredPassword | undefined): Promise<Verdict> {
    // What can be no password is hashed as nothing, so that it takes as long as any other.
    const possible = password.length <= UNITS_MAX && lengthOf(password) <= LENGTH.max;
    // Whoever was invited has no password yet: it takes as long as with one, and none is right.
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
      // Whoever waits takes the place, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Everything that is wrong with a new password, as sentences; none where it may be used. */
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

/** Whether two passwords as typed are the same. */
export function samePassword(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** A password of 80 random bits that can be read to somebody: `7k2m-x9qd-…`. */
export function generatedPassword(): string {
  const characters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET[byte & 31]);
  const groups = Array.from({ length: GROUPS }, (_, at) => {
    return characters.slice(at * GROUP_LENGTH, (at + 1) * GROUP_LENGTH).join("");
  });
  return groups.join("-");
}

/** The same characters typed on another system must give the same password. */
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

/** Makes 32 bytes with scrypt, on a thread of its own. */
function derived(password: Buffer, salt: Buffer, { n, r, p }: Cost): Promise<Buffer> {
  // Node's own bound is below what these parameters need.
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
