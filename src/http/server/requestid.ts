/**
 * What comes in: the X-Request-Id of a client, if there is one. What goes out: the id of the
 * request, which stands in its answer and in the log.
 * Invariant: an id has 1 to 64 characters of `A-Za-z0-9._-`, so it is safe in a header and a log;
 * ids made here differ from each other and from those of other runs of the server.
 */
import { randomBytes } from "node:crypto";

const CLIENT_ID = /^[A-Za-z0-9._-]{1,64}$/;
const RUN = randomBytes(6).toString("hex");
let made = 0;

/** Digits of a number are of this base. */
const BASE = 36;
const DIGITS = 7;
/** All pairs of digits: with one of them an id is made of two texts that are there already. */
const PAIRS = Array.from({ length: BASE * BASE }, (_, pair) =>
  pair.toString(BASE).padStart(2, "0"),
);
/** What stands before the last two digits, and for how many pairs of them it did. */
let start = { pairs: Number.NaN, text: "" };

/** Keeps the client's id where it is acceptable, else makes one. */
export function requestIdOf(sent: string | undefined): string {
  if (sent !== undefined && CLIENT_ID.test(sent)) return sent;
  made++;
  const pairs = Math.floor(made / PAIRS.length);
  if (start.pairs !== pairs) {
    start = { pairs, text: `req_${RUN}${pairs.toString(BASE).padStart(DIGITS - 2, "0")}` };
  }
  return start.text + (PAIRS[made % PAIRS.length] as string);
}
