/**
 * Links that sign a person in once. What comes in: the id of a user, and later the token of a link.
 * What goes out: a token of 256 random bits, and later that user's id, once.
 * Invariant: only the hash of a token is kept, and in memory alone, so a link ends with its
 * process; a token that was taken, or is older than `LINK_MS`, is nobody's. Apart because links
 * live in memory and sessions in the state.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../process/clock.ts";

/** How long a link works, in milliseconds. */
export const LINK_MS = 600_000;

/** Links that wait to be opened; the oldest one goes where one more is made. */
const LINKS_MAX = 100;
const TOKEN_BYTES = 32;

/** Where a link leads, and until when. */
interface Link {
  readonly userId: string;
  readonly untilMs: number;
}

/** The links of one process that nobody has opened yet. */
export class SignInLinks {
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a link for a user and gives its token, which is not kept. */
  make(userId: string): string {
    const [oldest] = this.#links.keys();
    if (this.#links.size >= LINKS_MAX && oldest !== undefined) this.#links.delete(oldest);
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    this.#links.set(hashOf(token), { userId, untilMs: this.#clock.monotonicMs() + LINK_MS });
    return token;
  }

  /** The user of a token, which from now on opens nothing; undefined where it is nobody's. */
  take(token: string): string | undefined {
    const hash = hashOf(token);
    const link = this.#links.get(hash);
    this.#links.delete(hash);
    return link === undefined || this.#clock.monotonicMs() >= link.untilMs
      ? undefined
      : link.userId;
  }
}

/** Found by its hash, so the time of looking it up tells nothing of the token. */
function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
